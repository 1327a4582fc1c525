// Who plays in a free seat: a persona with its face and manner, or a plain bot.

import { h, theirs } from "../dom.js";
import { botName } from "../facts.js";
import { language, t } from "../i18n.js";
import { sheet } from "../parts/dialogs.js";
import { botFace } from "../parts/symbols.js";

export function castSheet(s, act) {
  const now = s.state.seats[s.asked.seat].bot;
  const choice = (bot, name, text) =>
    h(
      "li",
      { key: bot },
      h(
        "button",
        { type: "button", class: "cast-choice", "aria-pressed": String(bot === now), onclick: () => act.cast(bot) },
        [
          botFace(s, bot),
          h("span", { class: "cast-words" }, [name && h("strong", {}, theirs(name)), h("span", {}, text)]),
        ],
      ),
    );
  const personas = Object.entries(s.info.personas);
  return sheet("cast", t("cast.title"), () => act.show(null), [
    personas.length > 0 && h("h3", {}, t("cast.personas")),
    h(
      "ul",
      { class: "cast", role: "list" },
      personas.map(([key, { name, manner }]) => choice(key, name, manner[language] ?? manner.en)),
    ),
    h("h3", {}, t("cast.plain")),
    h(
      "ul",
      { class: "cast", role: "list" },
      s.info.bots.map((bot) => choice(bot, "", botName(bot))),
    ),
  ]);
}
