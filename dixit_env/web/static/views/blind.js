// The blind test of clues: what it is about, its tables one by one, and the end.

import { MOST_WEIGHT, answerOf, isComplete, isIntroduction, isThrough, sharesOf } from "../blind.js";
import { h, theirs } from "../dom.js";
import { t } from "../i18n.js";
import { picture } from "../parts/cards.js";
import { scenery } from "../parts/scenery.js";
import { icon } from "../parts/symbols.js";
import { zoomDialog } from "../parts/zoom.js";
import { appearance } from "./menu.js";
import { completion, questionsForm } from "./study.js";

const LONG = 80; // characters from which a clue may have to be scrolled on a phone
const SUITS = [0, 1, 2, 3]; // from no relation to lovely
const SIZES = "(min-width: 64rem) 200px, (min-width: 30rem) 31vw, 46vw"; // how wide a picture is (blind.css)

export function blindView(s, act) {
  if (isIntroduction(s.blind)) return introduction(s, act);
  return isThrough(s.blind) ? ending(s, act) : question(s, act);
}

const introduction = (s, act) =>
  h("div", { key: "blind-introduction", class: "front blind" }, [
    scenery(),
    h("main", { class: "front-page consent" }, [
      h("h1", { tabindex: -1 }, t("blind.title")),
      h("div", { class: "panel" }, [
        ["tables", "answer", "kept", "keys"].map((part) =>
          h("p", { class: part }, t(`blind.${part}`, { n: s.blind.tables.length })),
        ),
        h("button", { type: "button", class: "button", onclick: act.startTables }, t("blind.start")),
      ]),
      h("div", { class: "panel" }, appearance(s, act)),
    ]),
  ]);

function question(s, act) {
  const { tables, at } = s.blind;
  const { clue, cards } = tables[at];
  const answer = answerOf(s.blind);
  const shares = sharesOf(answer.weights);
  return h("main", { key: "blind", class: "blind blind-table" }, [
    h("progress", { max: tables.length, value: at, "aria-label": t("blind.progress") }),
    h("p", { class: "hint" }, t("blind.place", { i: at + 1, all: tables.length })),
    h("h1", { tabindex: clue.length > LONG ? 0 : -1 }, theirs(clue)),
    h(
      "ol",
      { class: "blind-cards", role: "list" },
      cards.map((id, card) => cardOf(act, cardAt(id), card, answer.weights[card], shares[card])),
    ),
    h("fieldset", { class: "choice" }, [
      h("legend", {}, t("blind.suits")),
      h(
        "div",
        { class: "radios" },
        SUITS.map((suits) =>
          h("label", { key: suits, class: "radio" }, [
            h("input", {
              type: "radio",
              name: "suits",
              value: suits,
              checked: answer.suits === suits,
              onchange: () => act.suit(suits),
            }),
            h("span", {}, `${suits} ${t(`blind.suits.${suits}`)}`),
          ]),
        ),
      ),
    ]),
    h("div", { class: "blind-deed" }, [
      h("button", { type: "button", class: "quiet", onclick: act.lastTable }, t("blind.back")),
      h("button", { type: "button", class: "quiet", onclick: act.weighAlike }, t("blind.alike")),
      h(
        "button",
        { type: "button", class: "button", "aria-disabled": String(!isComplete(answer)), onclick: act.nextTable },
        t("blind.next"),
      ),
    ]),
  ]);
}

/** A card of the deck, with the addresses of its pictures. */
const cardAt = (id) => ({ id, pictures: { small: `/cards/${id}/small.webp`, full: `/cards/${id}/full.webp` } });
const percent = (share) => (share === null ? "–" : `${share} %`);

function cardOf(act, shown, card, weight, share) {
  const label = t("card", { i: card + 1 });
  return h("li", { key: shown.id }, [
    h("div", { class: `card ${share ? "likely" : ""}` }, [
      h(
        "button",
        {
          type: "button",
          class: "face twice",
          "aria-label": t("blind.more", { card: label }),
          onclick: () => act.weigh(card, weight + 1),
        },
        [picture(null, shown, "", false, SIZES), h("span", { class: "number", "aria-hidden": "true" }, card + 1)],
      ),
      h(
        "button",
        {
          type: "button",
          class: "enlarge",
          "aria-label": t("card.enlarge", { card: label }),
          onclick: () => act.zoom("blind", card),
        },
        icon("enlarge"),
      ),
    ]),
    h("label", {}, [
      h("span", { class: "spoken" }, label),
      h("span", { class: "share", "aria-hidden": "true" }, percent(share)),
      h("input", {
        type: "range",
        min: 0,
        max: MOST_WEIGHT,
        value: String(weight),
        "aria-valuetext": percent(share),
        oninput: (event) => act.weigh(card, Number(event.target.value)),
      }),
    ]),
  ]);
}

function ending(s, act) {
  const { code } = s.blind;
  return h("div", { key: "blind-ending", class: "front blind" }, [
    scenery(),
    h("main", { class: "front-page consent" }, [
      h("h1", { tabindex: -1 }, t(s.asking ? "study.end" : "blind.done")),
      s.asking && h("div", { class: "panel" }, questionsForm(s, act)),
      code && h("div", { class: "panel" }, completion(act, code)),
      !code && h("button", { type: "button", class: "quiet", onclick: act.lastTable }, t("blind.back")),
    ]),
  ]);
}

/** A card over the whole page, where it can be made likelier too. */
export function overBlind(s, act) {
  if (!s.zoom) return [];
  const { index } = s.zoom;
  const { weights } = answerOf(s.blind);
  const shares = sharesOf(weights);
  const cards = s.blind.tables[s.blind.at].cards.map((id, card) => ({
    card: cardAt(id),
    label: t("card", { i: card + 1 }),
    note: percent(shares[card]),
  }));
  const by = (more, key) =>
    h(
      "button",
      {
        type: "button",
        class: "quiet twice",
        "aria-label": t(`blind.${key}`, { card: cards[index].label }),
        onclick: () => act.weigh(index, weights[index] + more),
      },
      more > 0 ? "+" : "−",
    );
  const actions = [by(-1, "less"), h("strong", { class: "share" }, percent(shares[index])), by(1, "more")];
  return [
    zoomDialog(
      null,
      { cards, index, name: t("slots"), actions },
      { go: (to) => act.zoom("blind", to), close: act.unzoom },
    ),
  ];
}
