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
  const answers = await Promise.all(tablesKept().map(askFor));
  keepTables(answers.filter(({ gone }) => !gone).map(({ code }) => code));
  return answers.map(({ found }) => found).filter(Boolean);
}

/** What the server says about one, or whether it is gone; neither when there is no answer just now. */
async function askFor(code) {
  try {
    const answer = await fetch(`/api/tables/${code}`);
    return { code, gone: [404, 409].includes(answer.status), found: answer.ok ? await answer.json() : null };
  } catch {
    return { code, gone: false, found: null };
  }
}
