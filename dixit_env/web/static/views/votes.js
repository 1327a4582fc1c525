// The vote: numbered slots, the own card among them, and the dials.

import { h } from "../dom.js";
import { mayAct, votesOf } from "../facts.js";
import { language, t } from "../i18n.js";
import { cardGrid, wordsOf } from "../parts/cards.js";
import { disc } from "../parts/symbols.js";

/** The slots as items for the grid and the zoom. */
export function slotItems(s) {
  const { slots, own_slots: own, dials } = s.state;
  const shows = mayAct(s) ? votesOf(s.dials) : dials;
  return slots.map((card, slot) => {
    const count = shows.filter((dial) => dial === slot).length;
    const mine = own.includes(slot);
    const note = mine ? t("yours") : count ? t("dials.here", { n: count }) : "";
    return {
      card,
      note,
      number: slot + 1,
      chosen: mayAct(s) && !mine ? count > 0 : null,
      dim: mine,
      ribbon: mine ? t("yours") : null,
      marks: Array.from({ length: count }, (_, index) =>
        h("span", { key: index, class: "vote" }, disc(s.state.you.seat)),
      ),
      label: [t("card", { i: slot + 1 }), mine ? t("vote.own") : note, wordsOf(card, language)]
        .filter(Boolean)
        .join(", "),
    };
  });
}

export function votesView(s, act) {
  const items = slotItems(s);
  return cardGrid({
    name: t("slots"),
    table: s.table,
    items,
    at: s.at,
    on: {
      pick: act.turnDial,
      zoom: (index) => act.zoom("slots", index),
      look: (index) => act.look(index, items[index].card),
    },
  });
}

/** The dials: each shows a number, and gives it back when pressed. */
export function dialRow(s, act) {
  return h(
    "div",
    { key: "dials", class: "dials", role: "group", "aria-label": t("dials") },
    s.dials.shows.map((slot, index) =>
      h(
        "button",
        {
          type: "button",
          class: `dial ${slot === null ? "" : "set"}`,
          "aria-disabled": String(slot === null),
          "aria-label":
            slot === null ? t("dial.free", { i: index + 1 }) : t("dial.shows", { i: index + 1, slot: slot + 1 }),
          onclick: () => slot !== null && act.clearDial(index),
        },
        slot === null ? "?" : slot + 1,
      ),
    ),
  );
}

export function voteButton(s, act) {
  const count = votesOf(s.dials).length;
  const ready = count >= s.state.needs.dials_least;
  return h(
    "button",
    { key: "vote", type: "button", class: "button", "aria-disabled": String(!ready), onclick: act.vote },
    t("vote"),
  );
}

/** What can be done with a slot inside the zoom. */
export function slotActions(s, act, slot) {
  if (!mayAct(s) || s.state.phase !== "votes") return null;
  const mine = s.state.own_slots.includes(slot);
  return [
    h(
      "button",
      {
        key: "turn",
        type: "button",
        class: "quiet twice",
        autofocus: true,
        "aria-disabled": String(mine),
        onclick: () => !mine && act.turnDial(slot),
      },
      mine ? t("vote.own") : t("dial.turn", { slot: slot + 1 }),
    ),
    dialRow(s, act),
    votesOf(s.dials).length >= s.state.needs.dials_least && voteButton(s, act),
  ];
}
