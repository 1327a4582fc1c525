// Sheets over the table: rules, past turns, menu, joining. They close with Escape, the cross, or a tap beside them.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./symbols.js";

export function sheet(name, title, close, ...children) {
  return h(
    "dialog",
    {
      key: `sheet-${name}`,
      class: `sheet sheet-${name}`,
      "aria-labelledby": `sheet-${name}-title`,
      mounted: (dialog) => dialog.showModal(),
      removed: (dialog) => dialog.close(),
      oncancel: (event) => {
        event.preventDefault();
        close();
      },
      onclick: (event) => event.target === event.currentTarget && close(),
    },
    h("div", { class: "sheet-page" }, [
      h("div", { class: "sheet-top" }, [
        h("h2", { id: `sheet-${name}-title` }, title),
        h("button", { type: "button", class: "round", "aria-label": t("close"), onclick: close }, icon("close")),
      ]),
      h(
        "div",
        { class: "sheet-text", tabindex: 0, role: "region", "aria-labelledby": `sheet-${name}-title` },
        children,
      ),
    ]),
  );
}

export const iconButton = (name, label, onclick) =>
  h("button", { type: "button", class: "round", "aria-label": label, title: label, onclick }, icon(name));
