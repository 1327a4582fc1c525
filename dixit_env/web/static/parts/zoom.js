// One card over the whole screen; what can be done with it on the table can be done here too.

import { h } from "../dom.js";
import { language, t } from "../i18n.js";
import { pictureUrl, wordsOf } from "./cards.js";
import { icon } from "./symbols.js";

const swipe = { x: null }; // where a finger came down

/** `zoom`: {cards: [{card, label, note}], index, name, actions: children for h()}; `on`: {go(index), close()}. */
export function zoomDialog(table, zoom, on) {
  const { card, label, note } = zoom.cards[zoom.index];
  const count = zoom.cards.length;
  const go = (step) => on.go((zoom.index + step + count) % count);
  return h(
    "dialog",
    {
      key: "zoom",
      class: "zoom",
      "aria-label": zoom.name,
      mounted: (dialog) => dialog.showModal(),
      removed: (dialog) => dialog.close(),
      oncancel: (event) => {
        event.preventDefault();
        on.close();
      },
      onkeydown: (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step) go(step);
        else if (event.key.toLowerCase() === "z") on.close();
        else return;
        event.preventDefault();
      },
    },
    [
      h("div", { class: "zoom-top" }, [
        h("p", { class: "zoom-place", role: "status" }, [
          h("strong", {}, label),
          " · ",
          t("zoom.place", { i: zoom.index + 1, n: count }),
          note && h("span", { class: "zoom-note" }, note),
        ]),
        h("button", { type: "button", class: "round", "aria-label": t("close"), onclick: on.close }, icon("close")),
      ]),
      h(
        "div",
        {
          class: "zoom-picture",
          onpointerdown: (event) => (swipe.x = event.clientX),
          onpointerup: (event) => {
            const way = swipe.x === null ? 0 : event.clientX - swipe.x;
            swipe.x = null;
            if (Math.abs(way) > 50) go(way < 0 ? 1 : -1);
          },
        },
        h("img", {
          key: card.id,
          alt: wordsOf(card, language) || label,
          src: pictureUrl(table, card, "full"),
          draggable: "false",
          style: { "background-image": `url("${pictureUrl(table, card, "small")}")` },
        }),
      ),
      h("div", { class: "zoom-deed" }, [
        h(
          "button",
          { type: "button", class: "quiet step", "aria-label": t("zoom.previous"), onclick: () => go(-1) },
          icon("previous"),
        ),
        h("div", { class: "zoom-actions" }, zoom.actions),
        h(
          "button",
          { type: "button", class: "quiet step", "aria-label": t("zoom.next"), onclick: () => go(1) },
          icon("next"),
        ),
      ]),
    ],
  );
}
