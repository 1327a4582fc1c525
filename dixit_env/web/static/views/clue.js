// The storyteller's turn to speak: a card of the hand, and the clue.

import { h } from "../dom.js";
import { t } from "../i18n.js";

const LONGEST = 300;

export function clueForm(s, act, enlarge) {
  const ready = s.chosen.length === 1 && s.draft.trim() !== "";
  const length = [...s.draft].length;
  return h("form", { onsubmit: (event) => (event.preventDefault(), act.tell()) }, [
    h("label", { class: "field" }, [
      h("span", {}, [
        t("clue.field"),
        h("span", { class: "counter" }, t("clue.counter", { n: length, most: LONGEST })),
      ]),
      h("input", {
        key: "clue",
        name: "clue",
        type: "text",
        maxlength: LONGEST,
        autocomplete: "off",
        enterkeyhint: "send",
        dir: "auto",
        value: s.draft,
        oninput: (event) => act.write(event.target.value),
      }),
    ]),
    enlarge,
    h("button", { type: "submit", class: "button", "aria-disabled": String(!ready) }, t("clue.tell")),
  ]);
}
