// The rules sheet: what this edition says at a table of this size, in the sentences that the server made from its rules.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { sheet } from "../parts/dialogs.js";

export function rulesSheet(s, close) {
  const title = t("rules.title", { edition: t(`edition.${s.state.rules.name}`) });
  return sheet("rules", title, close, [s.sections.flatMap(section), h("p", { class: "credits" }, t("credits"))]);
}

const section = ({ title, sentences, cases, source }) => [
  h("h3", {}, [title, cite({ source })]),
  sentences.map((sentence) => h("p", {}, [sentence.text, cite(sentence)])),
  cases.length > 0 && h("dl", { class: "scoring" }, cases.map(outcome)),
];

const outcome = (entry) =>
  h("div", {}, [
    h("dt", {}, [entry.title, cite(entry)]),
    entry.sentences.map(({ text }) => h("dd", {}, text)),
  ]);

/** Where the rulebook says so. */
const cite = ({ source }) => source && h("small", { class: "source" }, [" ", source]);
