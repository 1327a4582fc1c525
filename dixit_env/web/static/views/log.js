// The log: every finished turn with its pictures, owners, votes, and points with their reasons.

import { h, theirs } from "../dom.js";
import { outcomeOf } from "../facts.js";
import { t, tn } from "../i18n.js";
import { sheet } from "../parts/dialogs.js";
import { pointsList, resultRow, thoughts } from "../parts/result.js";
import { who } from "../parts/seats.js";

export function logSheet(s, act) {
  const open = s.reveal ? s.turns.filter((turn) => turn.turn < s.reveal.turn) : s.turns; // no spoilers
  return sheet("log", t("log"), () => act.show(null), [
    open.length === 0 && h("p", {}, t("log.empty")),
    open
      .toReversed()
      .map((turn, index) =>
        h("details", { key: turn.turn, class: "past", open: index === 0 }, [
          h("summary", {}, [
            h("span", { class: "past-turn" }, t("turn", { n: turn.turn })),
            h("span", { class: "past-clue" }, [who(s, turn.storyteller), ": ", h("q", {}, theirs(turn.clue))]),
          ]),
          h("p", {}, tn(`reveal.${outcomeOf(s, turn)}`, { name: who(s, turn.storyteller) })),
          resultRow(s, turn, (slot) => act.zoom(`turn ${turn.turn}`, slot)),
          pointsList(s, turn),
          thoughts(s, turn),
        ]),
      ),
  ]);
}
