// The first page: what the game looks like, a game at once, a lesson, the own tables, and tables to go to or to open.

import { h, theirs } from "../dom.js";
import { LANGUAGES, language, list, t } from "../i18n.js";
import { scenery } from "../parts/scenery.js";
import { tableauView } from "../parts/tableau.js";
import { themeChoice } from "./menu.js";
import { settingsFields } from "./settings.js";

export function homeView(s, act) {
  return h("div", { key: "home", class: "front home" }, [
    scenery(),
    h("header", { class: "bar" }, [h("div", { class: "bar-title" }, t("title")), languageChoice(act)]),
    h("main", { class: "front-page" }, [
      h("div", { class: "hero" }, [
        h("h1", {}, t("home.title")),
        h("p", { class: "lead" }, t("home.lead")),
        tableauView(),
        h("div", { class: "hero-deeds" }, [
          h("button", { type: "button", class: "button now", onclick: act.playNow }, t("home.now")),
          h("a", { class: "quiet learn", href: "/learn" }, t("home.learn")),
        ]),
        h("p", { class: "hint" }, t("home.nowText")),
      ]),
      s.mine.length > 0 && ownTables(s),
      h("div", { class: "panels" }, [
        goToTable(act),
        newTable(s, act),
        h("div", { class: "panel theme" }, themeChoice(s, act)),
      ]),
      h("p", { class: "credits" }, t("credits")),
    ]),
  ]);
}

/** At the top, where people look for it. */
const languageChoice = (act) =>
  h("label", { class: "language" }, [
    h("span", { class: "spoken" }, t("menu.language")),
    h(
      "select",
      { name: "language", value: language, onchange: (event) => act.speak(event.target.value) },
      Object.entries(LANGUAGES).map(([tag, name]) => h("option", { key: tag, value: tag, lang: tag }, name)),
    ),
  ]);

function ownTables(s) {
  return h("section", { class: "panel", "aria-labelledby": "mine" }, [
    h("h2", { id: "mine" }, t("home.mine")),
    h(
      "ul",
      { class: "tables", role: "list" },
      s.mine.map((table) =>
        h("li", { key: table.table }, [
          h("a", { class: "quiet", href: `/t/${table.table}` }, [
            h("strong", {}, standing(table)),
            h("span", {}, list(playersOf(s, table).map(theirs))),
            h("span", { class: "code" }, table.table),
          ]),
        ]),
      ),
    ),
  ]);
}

/** Those of a table who have a name. */
const playersOf = (s, table) => table.seats.map(({ name, bot }) => name || s.info.personas[bot]?.name).filter(Boolean);

function standing({ phase, turn }) {
  if (phase === "lobby") return t("home.lobby");
  return phase === "over" ? t("home.over") : t("turn", { n: turn });
}

const newTable = (s, act) =>
  h(
    "form",
    { class: "panel open", "aria-labelledby": "open", onsubmit: (event) => (event.preventDefault(), act.openTable()) },
    [
      h("h2", { id: "open" }, t("home.open")),
      settingsFields(s.info, s.settings, act.prepare),
      h("button", { type: "submit", class: "button" }, t("home.openButton")),
    ],
  );

const goToTable = (act) =>
  h(
    "form",
    {
      class: "panel go",
      "aria-labelledby": "go",
      onsubmit: (event) => (event.preventDefault(), act.goTo(event.target.elements.code.value)),
    },
    [
      h("h2", { id: "go" }, t("home.join")),
      h("label", { class: "field" }, [
        h("span", {}, t("home.code")),
        h("input", {
          name: "code",
          autocomplete: "off",
          autocapitalize: "characters",
          spellcheck: "false",
          maxlength: 300,
        }),
      ]),
      h("button", { type: "submit", class: "quiet" }, t("home.go")),
    ],
  );

/** A page with one message, for what can't be mended by waiting. */
export const messageView = (text) =>
  h("div", { key: "message", class: "front" }, [
    scenery(),
    h(
      "main",
      { class: "front-page" },
      h("div", { class: "panel" }, [
        h("h1", {}, t("title")),
        h("p", { role: "status" }, text),
        h("p", {}, h("a", { class: "quiet", href: "/" }, t("home.back"))),
      ]),
    ),
  ]);
