// A study: the page where a participant agrees, the waiting room, the questions after a turn and at the end, and the code.

import { h, theirs } from "../dom.js";
import { turnOf } from "../facts.js";
import { language, t } from "../i18n.js";
import { picture } from "../parts/cards.js";
import { sheet } from "../parts/dialogs.js";
import { scenery } from "../parts/scenery.js";
import { who } from "../parts/seats.js";
import { disc } from "../parts/symbols.js";
import { asks, inWords, isLastGame, questionsOf } from "../study.js";
import { messageView } from "./home.js";
import { appearance } from "./menu.js";

/** A page of the study before its table. */
const studyPage = (s, act, key, panel) =>
  h("div", { key, class: "front" }, [
    scenery(),
    h("main", { class: "front-page consent" }, [
      h("h1", {}, inWords(s, s.study.title, language)),
      h("div", { class: "panel" }, panel),
      h("div", { class: "panel" }, appearance(s, act)),
    ]),
  ]);

export const consentView = (s, act) =>
  studyPage(s, act, "consent", [
    inWords(s, s.study.consent, language)
      .trim()
      .split(/\n\s*\n/)
      .map((paragraph) => h("p", {}, paragraph)),
    h("button", { type: "button", class: "button", onclick: act.beginStudy }, t("study.agree")),
  ]);

/** Until enough participants are there for a table, or this one has waited for long enough. */
export function waitingView(s, act) {
  const { missing, code } = s.place;
  if (code) return studyPage(s, act, "alone", [h("p", { class: "awaited-count" }, t("study.alone")), completion(act, code)]);
  if (missing === undefined) return messageView(t("loading"));
  const { people, wait } = s.study;
  return studyPage(s, act, "waiting", [
    h(
      "p",
      { class: "awaited-people", "aria-hidden": "true" },
      Array.from({ length: people }, (_, seat) => h("span", { class: seat < people - missing ? "came" : "" }, disc(seat))),
    ),
    h("p", { class: "awaited-count", role: "status" }, t("study.missingPeople", { n: missing })),
    h("p", {}, t("study.waiting", { minutes: wait })),
  ]);
}

/** The questions about a turn, or at the end. */
export function questionsSheet(s, act) {
  const { turn } = s.asking;
  return sheet("questions", t(turn === 0 ? "study.end" : "study.turn"), () => act.show(null), [
    questionsForm(s, act, turn > 0 && subject(s, turnOf(s, turn))),
  ]);
}

/** The questions that are asked now, under what they are about. */
export const questionsForm = (s, act, about) =>
  h("form", { class: "questions", onsubmit: (event) => (event.preventDefault(), act.answer()) }, [
    about,
    questionsOf(s, s.asking.turn).map((question) => field(s, act, question)),
    h("p", { class: "alarm", role: "status" }, s.asking.missing && t("study.missing")),
    h("button", { type: "submit", class: "button" }, t("study.send")),
  ]);

/** What the questions are about: the clue and the storyteller's card. */
const subject = (s, turn) =>
  h("figure", { class: "memory" }, [
    picture(s.table, turn.slots[turn.target], t("card", { i: turn.target + 1 })),
    h("figcaption", {}, [who(s, turn.storyteller), h("q", {}, theirs(turn.clue))]),
  ]);

function field(s, act, question) {
  const given = s.asking.answers[question.key];
  const label = [inWords(s, question.ask, language), question.optional && h("small", {}, ` ${t("study.optional")}`)];
  if (question.kind === "text") {
    return h("label", { key: question.key, class: "field" }, [
      h("span", {}, label),
      h("textarea", {
        name: question.key,
        rows: 3,
        maxlength: 2000,
        dir: "auto",
        value: given ?? "",
        oninput: (event) => act.fill(question.key, event.target.value || undefined),
      }),
    ]);
  }
  const options =
    question.kind === "choice"
      ? question.options.map((texts) => inWords(s, texts, language))
      : Array.from({ length: question.most + 1 }, (_, number) => String(number));
  const [low, high] = [question.low, question.high].map((texts) => inWords(s, texts, language));
  return h("fieldset", { key: question.key, class: `choice ${question.kind}` }, [
    h("legend", {}, label),
    h("div", { class: "scale-body" }, [
      h(
        "div",
        { class: "radios" },
        options.map((text, number) =>
          h("label", { key: number, class: "radio" }, [
            h("input", {
              type: "radio",
              name: question.key,
              value: number,
              checked: given === number,
              "aria-label": readOut(text, number, question, low, high),
              onchange: () => act.fill(question.key, number),
            }),
            h("span", { "aria-hidden": "true" }, text),
          ]),
        ),
      ),
      (low || high) &&
        h("div", { class: "scale-ends", "aria-hidden": "true" }, [h("span", {}, low), h("span", {}, high)]),
    ]),
  ]);
}

/** A number of a scale is read out with what its end means. */
function readOut(text, number, { kind, most }, low, high) {
  const end = kind === "scale" && (number === 0 ? low : number === most ? high : "");
  return end ? `${text}: ${end}` : text;
}

/** After a game: the next one, the last questions, or the code. */
export function studyDeed(s, act) {
  const { game, study } = s.state;
  if (!isLastGame(s))
    return h(
      "button",
      { key: "again", type: "button", class: "button", onclick: act.again },
      t("study.next", { i: game + 1, all: study.games }),
    );
  if (asks(s, 0))
    return h("button", { key: "ask", type: "button", class: "button", onclick: () => act.ask(0) }, t("study.toEnd"));
  return completion(act, study.code);
}

/** The code at the end. */
export const completion = (act, code) =>
  h("div", { key: "code", class: "completion" }, [
    h("p", { role: "status" }, [t("study.thanks"), " ", h("strong", { class: "code" }, code)]),
    navigator.clipboard && h("button", { type: "button", class: "quiet", onclick: act.copyCode }, t("study.copy")),
  ]);
