// What voters believed before they voted: a row for each of them, a column for each card.

import { h, spoken, theirs } from "../dom.js";
import { nameOf } from "../facts.js";
import { t } from "../i18n.js";
import { disc } from "./symbols.js";

export function beliefTable(s, turn) {
  const entries = Object.entries(turn.why ?? {}).map(([seat, why]) => ({ seat: Number(seat), ...why }));
  const rows = entries.filter(({ belief }) => belief);
  if (entries.length === 0) return null;
  return h("section", { key: "beliefs", class: "past-part" }, [
    h("h2", {}, t("thoughts")),
    rows.length > 0 &&
      h("div", { class: "beliefs-frame", tabindex: 0, role: "region", "aria-label": t("thoughts") }, [
        h("table", { class: "beliefs" }, [
          h(
            "thead",
            {},
            h("tr", {}, [
              h("td", {}),
              turn.slots.map((_, slot) =>
                h("th", { scope: "col", class: slot === turn.target ? "told" : "" }, [
                  spoken(t("card", { i: slot + 1 })),
                  h("span", { "aria-hidden": "true" }, slot + 1),
                ]),
              ),
            ]),
          ),
          h(
            "tbody",
            {},
            rows.map(({ seat, belief }) =>
              h("tr", { key: seat }, [
                h("th", { scope: "row" }, h("span", {}, [disc(seat, "small"), theirs(nameOf(s, seat))])),
                belief.map((share, slot) => beliefCell(share, turn.owners[slot] === seat, turn.votes[seat], slot)),
              ]),
            ),
          ),
        ]),
      ]),
    h("p", { class: "hint" }, t("beliefs.note")),
    entries
      .filter(({ text }) => text)
      .map(({ seat, text }) => h("p", { key: `text-${seat}` }, [disc(seat, "small"), " ", theirs(text)])),
  ]);
}

/** A share, shaded by its size and ringed where a dial went there. */
const beliefCell = (share, own, dials, slot) =>
  h(
    "td",
    { class: dials.includes(slot) ? "voted" : "", style: { "--share": `${Math.round(100 * share)}%` } },
    own ? "–" : `${Math.round(100 * share)} %`,
  );
