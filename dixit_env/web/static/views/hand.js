// The own hand: the storyteller chooses the card of the clue, the others the cards they give.

import { h } from "../dom.js";
import { isMe, mayAct } from "../facts.js";
import { language, t } from "../i18n.js";
import { cardGrid, wordsOf } from "../parts/cards.js";

/** The hand as items for the grid and the zoom, given cards in their places. */
export function handItems(s) {
  const given = new Set(s.state.given.map((card) => card.id));
  const cards = new Map([...s.state.hand, ...s.state.given].map((card) => [card.id, card]));
  const fresh = s.dealt.filter((id) => cards.has(id));
  const choosing = mayAct(s) && ["clue", "cards"].includes(s.state.phase);
  return s.order
    .filter((id) => cards.has(id))
    .map((id, index) => {
      const mine = given.has(id);
      const note = mine ? t(isMe(s, s.state.storyteller) ? "hand.told" : "hand.given") : "";
      const card = cards.get(id);
      return {
        card,
        note,
        number: 0,
        chosen: choosing ? s.chosen.includes(id) : null,
        dim: given.size > 0 && !mine,
        classes: mine ? "given" : fresh.includes(id) ? "dealt" : "",
        after: Math.max(0, fresh.indexOf(id)),
        ribbon: note || null,
        label: [t("card", { i: index + 1 }), note, wordsOf(card, language)].filter(Boolean).join(", "),
      };
    });
}

export function handView(s, act) {
  const items = handItems(s);
  return cardGrid({
    name: t("hand"),
    table: s.table,
    items,
    at: s.at,
    on: {
      pick: (index) => act.choose(items[index].card.id),
      zoom: (index) => act.zoom("hand", index),
      look: (index) => act.look(index, items[index].card),
    },
  });
}

export function giveButton(s, act) {
  const { cards } = s.state.needs;
  const ready = s.chosen.length === cards;
  return h(
    "button",
    { type: "button", class: "button", "aria-disabled": String(!ready), onclick: act.give },
    t("give", { n: cards }),
  );
}

/** What can be done with a card inside the zoom. */
export function handActions(s, act, card) {
  if (!mayAct(s) || !["clue", "cards"].includes(s.state.phase)) return null;
  const chosen = s.chosen.includes(card.id);
  return [
    h(
      "button",
      {
        key: "choose",
        type: "button",
        class: chosen ? "quiet" : "button",
        autofocus: true,
        "aria-pressed": String(chosen),
        onclick: () => act.choose(card.id),
      },
      t(chosen ? "chosen" : "choose"),
    ),
    s.state.phase === "cards" && chosen && s.chosen.length === s.state.needs.cards && giveButton(s, act),
    s.state.phase === "clue" &&
      chosen &&
      h("button", { key: "on", type: "button", class: "button", onclick: act.toClue }, t("clue.toField")),
  ];
}
