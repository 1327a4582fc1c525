// The home page: open a table, or go to one.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { scenery } from "../parts/scenery.js";
import { appearance } from "./menu.js";
import { settingsFields } from "./settings.js";

export function homeView(s, act) {
  return h("div", { key: "home", class: "front" }, [
    scenery(),
    h("main", { class: "front-page" }, [
      h("h1", {}, t("home.title")),
      h("p", { class: "lead" }, t("home.lead")),
      h(
        "form",
        { class: "panel", "aria-labelledby": "open", onsubmit: (event) => (event.preventDefault(), act.openTable()) },
        [
          h("h2", { id: "open" }, t("home.open")),
          s.info ? settingsFields(s.info, s.settings, act.prepare) : h("p", {}, t("loading")),
          h("button", { type: "submit", class: "button" }, t("home.openButton")),
        ],
      ),
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
      ),
      h("div", { class: "panel" }, appearance(s, act)),
      h("p", { class: "credits" }, t("credits")),
    ]),
  ]);
}

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
