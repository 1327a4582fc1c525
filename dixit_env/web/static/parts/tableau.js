// A picture of the game: a turn of the lesson in the middle of its vote, laid out from its cards.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { picture } from "./cards.js";
import { disc } from "./symbols.js";

/** Cards with the seats whose votes lie on them, as they lie from left to right. */
const LAID = [
  { id: "018", votes: [2] },
  { id: "050", votes: [] },
  { id: "055", votes: [4] },
  { id: "070", votes: [] },
  { id: "077", votes: [0, 1, 3] },
];

export const tableauView = () =>
  h("figure", { class: "tableau", role: "img", "aria-label": t("home.picture") }, [
    h("p", { class: "clue" }, t("lesson.clue")),
    h(
      "div",
      { class: "tableau-cards" },
      LAID.map(({ id, votes }, index) =>
        h("div", { class: "tableau-card", style: { "--place": index - (LAID.length - 1) / 2 } }, [
          picture("", { id }),
          h("span", { class: "number" }, index + 1),
          h(
            "span",
            { class: "marks" },
            votes.map((seat) => h("span", { class: "vote" }, disc(seat))),
          ),
        ]),
      ),
    ),
  ]);
