// The reveal, in beats that can be skipped: the votes land, the card lifts, the owners, the points. Closing it lets the
// rabbits hop. Without motion everything is there at once.

import { h } from "../dom.js";
import { mayAct, turnOf } from "../facts.js";
import { t } from "../i18n.js";
import { cardGrid } from "../parts/cards.js";
import { LAST_BEAT, pointsList, revealedItems, thoughts, toldCard } from "../parts/result.js";

export const revealItems = (s) => revealedItems(s, turnOf(s, s.reveal.turn), s.reveal.beat);

export function revealView(s, act) {
  const turn = turnOf(s, s.reveal.turn);
  const items = revealItems(s);
  const ended = s.reveal.beat >= LAST_BEAT;
  return h("div", { key: "reveal", class: `reveal ${ended ? "ended" : ""}` }, [
    h(
      "div",
      { class: "reveal-cards" },
      cardGrid({
        name: t("slots"),
        table: s.table,
        items,
        at: s.at,
        on: {
          pick: () => {},
          zoom: (index) => act.zoom("reveal", index),
          look: (index) => act.look(index, items[index].card),
        },
      }),
    ),
    ended &&
      h("div", { class: "reveal-points", tabindex: 0, role: "region", "aria-label": t("reveal.points") }, [
        toldCard(s, turn, (slot) => act.zoom("reveal", slot)),
        pointsList(s, turn),
        thoughts(s, turn),
      ]),
  ]);
}

export function revealDeed(s, act) {
  if (s.reveal.beat < LAST_BEAT) {
    return [
      h("button", { key: "skip", type: "button", class: "quiet", onclick: act.skipReveal }, t("reveal.skip")),
      h("button", { key: "next", type: "button", class: "button", onclick: act.nextBeat }, t("reveal.next")),
    ];
  }
  const ahead = !["reveal", "over"].includes(s.state.phase);
  return [
    ahead && h("p", { key: "hint", class: "hint" }, t(mayAct(s) ? "reveal.yourTurn" : "reveal.goesOn")),
    h("button", { key: "close", type: "button", class: "button", onclick: act.closeReveal }, t("reveal.close")),
  ];
}
