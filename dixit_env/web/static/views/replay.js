// A past game turn by turn: the race, the turn's cards with owners and votes, points, beliefs, and everybody's hand.

import { h, spoken, theirs } from "../dom.js";
import { nameOf, outcomeOf, turnName } from "../facts.js";
import { knows, list, t, tn } from "../i18n.js";
import { beliefTable } from "../parts/beliefs.js";
import { bestOfEach } from "../parts/best.js";
import { picture } from "../parts/cards.js";
import { raceSection } from "../parts/race.js";
import { pointsList, resultRow, revealedItems } from "../parts/result.js";
import { who } from "../parts/seats.js";
import { disc, icon } from "../parts/symbols.js";
import { zoomDialog } from "../parts/zoom.js";
import { appearance } from "./menu.js";

export function replayView(s, act) {
  return h("main", { key: "replay", class: "replay" }, [
    h("header", { class: "replay-top" }, [
      h("h1", {}, t("replay")),
      s.back && h("a", { class: "quiet", href: s.back.href }, t(s.back.text)),
    ]),
    s.state ? gameView(s, act) : h("p", { role: "status" }, t(knows(s.fault) ? s.fault : "loading")),
    h("div", { class: "panel" }, appearance(s, act)),
    h("p", { class: "credits" }, t("credits")),
  ]);
}

function gameView(s, act) {
  if (s.turns.length === 0) return h("p", { role: "status" }, t("log.empty"));
  const turn = s.turns[s.at];
  const { winners, rules } = s.state;
  const scored = turn.scores.length > 0; // a benchmark's turns are judged, not played
  return [
    scored && h("p", { class: "lead" }, [
      t(`edition.${rules.name}`),
      " · ",
      winners.length > 0
        ? tn(winners.length > 1 ? "finished.shared" : "finished.won", {
            names: list(winners.map((seat) => who(s, seat))),
            n: s.turns.at(-1).scores[winners[0]],
          })
        : t("replay.brokenOff"),
    ]),
    scored && raceSection(s, { at: s.at, go: act.go }),
    stepper(s, act),
    turnView(s, turn, act),
    scored && bestOfEach(s),
  ];
}

/** Back and forth, with a slider between. */
function stepper(s, act) {
  const last = s.turns.length - 1;
  return h("nav", { class: "stepper", "aria-label": t("replay.turns") }, [
    stepButton("previous", s.at > 0, () => act.go(s.at - 1)),
    h("label", { class: "stepper-place" }, [
      h("strong", { role: "status" }, turnName(s.state.rules, s.turns[s.at].turn)),
      h("input", {
        type: "range",
        min: 1,
        max: last + 1,
        value: String(s.at + 1),
        "aria-label": t("replay.turns"),
        oninput: (event) => act.go(Number(event.target.value) - 1),
      }),
    ]),
    stepButton("next", s.at < last, () => act.go(s.at + 1)),
  ]);
}

const stepButton = (way, possible, onclick) =>
  h(
    "button",
    {
      type: "button",
      class: "quiet round-step",
      "aria-label": t(`replay.${way}`),
      "aria-disabled": String(!possible),
      onclick,
    },
    icon(way),
  );

function turnView(s, turn, act) {
  const items = revealedItems(s, turn);
  const cards = items.map((item, slot) => ({ card: item.card, label: t("card", { i: slot + 1 }), note: item.label }));
  return [
    h("section", { key: "turn", class: "past-part turn" }, [
      h("h2", { class: "turn-clue" }, [who(s, turn.storyteller), h("q", {}, theirs(turn.clue))]),
      turn.outcome && h("p", {}, tn(`reveal.${outcomeOf(s, turn)}`, { name: who(s, turn.storyteller) })),
      resultRow(s, turn, (index) => act.zoom({ cards, index, name: t("slots") })),
    ]),
    handView(s, turn, act),
    turn.points.length > 0 && h("section", { key: "points", class: "past-part" }, [
      h("h2", {}, t("reveal.points")),
      pointsList(s, turn),
      faults(s, turn),
    ]),
    beliefTable(s, turn),
  ];
}

/** The hand of one seat as its owner saw it, with what was given marked. */
function handView(s, turn, act) {
  const shown = s.hand !== null && turn.hands[s.hand].length ? s.hand : turn.storyteller;
  const given = turn.given[shown];
  const note = (card) =>
    given.includes(card.id) ? t(shown === turn.storyteller ? "replay.told" : "replay.given") : "";
  const cards = turn.hands[shown].map((card, index) => ({
    card,
    label: t("card", { i: index + 1 }),
    note: note(card),
  }));
  return h("section", { key: "hand", class: "past-part" }, [
    h("h2", {}, tn("replay.hand", { name: who(s, shown) })),
    h(
      "div",
      { class: "hand-seats", role: "group", "aria-label": t("seats") },
      s.state.seats.filter(({ seat }) => turn.hands[seat].length > 0).map(({ seat }) =>
        h(
          "button",
          {
            key: seat,
            type: "button",
            class: `hand-seat ${seat === shown ? "on" : ""}`,
            "aria-pressed": String(seat === shown),
            title: nameOf(s, seat),
            onclick: () => act.takeHand(seat),
          },
          [disc(seat), spoken(nameOf(s, seat))],
        ),
      ),
    ),
    h(
      "ul",
      { class: "result-row", role: "list" },
      cards.map(({ card, label, note: said }, index) =>
        h("li", { key: card.id, class: said ? "told" : "" }, [
          h(
            "button",
            { type: "button", class: "mini", onclick: () => act.zoom({ cards, index, name: t("hand") }) },
            [
              spoken([label, said].filter(Boolean).join(", ")),
              picture(s.table, card),
              said && h("span", { class: "ribbon", "aria-hidden": "true" }, said),
            ],
          ),
        ]),
      ),
    ),
  ]);
}

/** Moves that were replaced, and why. */
function faults(s, turn) {
  const entries = Object.entries(turn.faults);
  return (
    entries.length > 0 &&
    h(
      "ul",
      { class: "faults", role: "list" },
      entries.map(([seat, fault]) => h("li", {}, [who(s, Number(seat)), " ", t("replay.replaced", { fault })])),
    )
  );
}

export const turnZoom = (s, act) =>
  zoomDialog(
    s.table,
    { ...s.zoom, actions: null },
    { go: (index) => act.zoom({ ...s.zoom, index }), close: () => act.zoom(null) },
  );
