// The tables at which this browser has a seat, newest first.

import { kept } from "./storage.js";

const TABLES_PLACE = "tables";
const MOST_TABLES = 8; // that the first page lists

const tablesKept = () => JSON.parse(kept.get(TABLES_PLACE) ?? "[]");
const keepTables = (codes) => kept.set(TABLES_PLACE, JSON.stringify(codes.slice(0, MOST_TABLES)));

/** Remember a table while there is a seat at it, and forget it with the seat. */
export function noteTable(code, seated) {
  const codes = tablesKept();
  if (seated === codes.includes(code)) return;
  keepTables(seated ? [code, ...codes] : codes.filter((other) => other !== code));
}

/** What the server says about them: [{table, phase, turn, seats: [{name, bot}]}]. Those that are gone are forgotten. */
export async function myTables() {
  const codes = tablesKept();
  if (codes.length === 0) return [];
  try {
    const answer = await fetch(`/api/tables/${codes}`);
    if (!answer.ok) return [];
    const there = (await answer.json()).filter(({ phase }) => phase !== "gone");
    keepTables(there.map(({ table }) => table));
    return there;
  } catch {
    return []; // the line is lost: they are asked for when the page is opened again
  }
}
