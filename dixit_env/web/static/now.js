// "Play now": a table for one person and five bots, each with a mind of its own. The table is opened on the first page;
// where it leads, the person is sat down and the game is started.

import { t } from "./i18n.js";
import { kept, tab } from "./storage.js";

const SEATS_NOW = 6;
const NOW_PLACE = "now"; // in this tab's storage: the table that begins by itself

/** The settings of such a table: no clock, and as many personas as the server has, in an order of chance. */
export function settingsNow(info, lang) {
  const order = Object.keys(info.personas).map((key) => ({ key, lot: Math.random() }));
  const cast = order.sort((a, b) => a.lot - b.lot).map(({ key }) => key);
  return {
    ...info.settings,
    rules: "odyssey",
    seats: SEATS_NOW,
    limit: null,
    lang,
    cast: cast.slice(0, SEATS_NOW - 1),
  };
}

/** Remember that a table begins by itself. */
export const beginAt = (table) => tab.set(NOW_PLACE, table);

/** Does this table begin by itself, and has it not begun yet? */
export const beginsNow = (s) => tab.get(NOW_PLACE) === s.table && (!s.state || s.state.phase === "lobby");

let started = false;

/** Do the next thing that a table which begins by itself needs. */
export function beginNow(s, act) {
  if (!s.state || tab.get(NOW_PLACE) !== s.table) return;
  if (s.state.phase !== "lobby") tab.set(NOW_PLACE, "");
  else if (s.state.you.seat === null) act.sitDown(kept.get("name") || t("now.name"));
  else if (s.state.you.host && !started) {
    started = true;
    act.start();
  }
}
