// Cards on the table: a grid that always fits its place, with arrow keys, long press and enlarging.

import { h, spoken } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./symbols.js";

const ASPECT = 2 / 3; // width over height
const GAP = 8;
const WIDEST = 330;
const SMALLEST = 44; // width of a card that can still be seen and touched; smaller ones become a strip that scrolls …
const IN_STRIP = 68; // … in which cards are about so wide
const LONG_PRESS = 450; // milliseconds

/** Where a card's picture lies: cards of past games bring their addresses with them. */
export const pictureUrl = (table, card, size) => card.pictures?.[size] ?? `/t/${table}/cards/${card.id}/${size}.webp`;

/** A card's picture. `words` (the table's option) are its alternative text; otherwise the label around it says it all. */
export const picture = (table, card, words = "") =>
  h("span", { class: "picture" }, [
    h("img", {
      key: card.id,
      alt: words,
      src: pictureUrl(table, card, "small"),
      srcset: `${pictureUrl(table, card, "small")} 240w, ${pictureUrl(table, card, "full")} 680w`,
      sizes: "110px",
      draggable: "false",
      decoding: "async",
    }),
  ]);

/** The description of a card in the reader's language, where the table shows descriptions. */
export const wordsOf = (card, language) => card.words?.[language] ?? card.words?.en ?? "";

/**
 * A grid of cards.
 *
 * `items`: [{card, label, number, chosen (true, false, or null: nothing to choose), dim, ribbon, marks, classes}].
 * `on`: {pick(index), zoom(index), look(index)}; `at` is the index that the tabulator key reaches.
 */
export function cardGrid({ name, table, items, at, on }) {
  const reach = Math.min(at, items.length - 1);
  return h(
    "ul",
    {
      class: "cards",
      "aria-label": name,
      "data-fit": items.length,
      role: "list",
      onkeydown: (event) => steer(event, items, on),
    },
    items.map((item, index) =>
      h(
        "li",
        {
          key: item.card.id,
          class: `card ${item.classes ?? ""} ${item.chosen ? "chosen" : ""} ${item.dim ? "dim" : ""}`,
        },
        [
          h(
            "button",
            {
              type: "button",
              class: "face",
              tabindex: index === reach ? 0 : -1,
              "aria-pressed": item.chosen === null ? null : String(item.chosen),
              onclick: (event) => {
                if (press.long && event.detail > 0)
                  press.long = false; // the end of the long press, not a tap
                else if (item.chosen === null) on.zoom(index);
                else on.pick(index);
              },
              onfocus: () => on.look(index),
              onpointerenter: (event) => event.pointerType === "mouse" && on.look(index),
              onpointerdown: (event) => startPress(event, () => on.zoom(index)),
              onpointermove: (event) => endPress(event),
              onpointerup: (event) => endPress(event),
              onpointercancel: (event) => endPress(event),
              oncontextmenu: (event) => event.preventDefault(),
            },
            [
              spoken(item.label),
              picture(table, item.card),
              item.number > 0 && h("span", { class: "number", "aria-hidden": "true" }, item.number),
              item.marks?.length > 0 && h("span", { class: "marks", "aria-hidden": "true" }, item.marks),
              item.ribbon && h("span", { class: "ribbon", "aria-hidden": "true" }, item.ribbon),
            ],
          ),
          h(
            "button",
            {
              type: "button",
              class: "enlarge",
              tabindex: -1,
              "aria-label": t("card.enlarge", { card: item.label }),
              onclick: () => on.zoom(index),
            },
            icon("enlarge"),
          ),
        ],
      ),
    ),
  );
}

/** The one press that goes on; here, because views are made anew while it lasts. */
const press = { timer: 0, long: false, x: 0, y: 0 };

function startPress(event, zoom) {
  press.long = false;
  press.x = event.clientX;
  press.y = event.clientY;
  clearTimeout(press.timer);
  press.timer = setTimeout(() => {
    press.long = true;
    zoom();
  }, LONG_PRESS);
}

function endPress(event) {
  const moved = Math.hypot(event.clientX - press.x, event.clientY - press.y);
  if (event.type !== "pointermove" || moved > 12) clearTimeout(press.timer);
}

/** Arrow keys move among the cards, digits go to a card, Z enlarges it. */
function steer(event, items, on) {
  const grid = event.currentTarget;
  const faces = [...grid.querySelectorAll(".face")];
  const index = faces.indexOf(document.activeElement);
  if (index < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const columns = Number(grid.style.getPropertyValue("--columns")) || 1;
  const steps = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    Home: -index,
    End: items.length - 1 - index,
  };
  let goal = null;
  if (event.key in steps) goal = index + steps[event.key];
  else if (/^[1-9]$/.test(event.key)) goal = Number(event.key) - 1;
  else if (event.key.toLowerCase() === "z") on.zoom(index);
  else return;
  event.preventDefault();
  if (goal !== null) faces[goal]?.focus();
}

/** Give every grid on the page the number of columns with which its cards are largest, or make it a strip. */
export function fitCards() {
  for (const grid of document.querySelectorAll("[data-fit]")) {
    const { width, height } = grid.parentElement.getBoundingClientRect();
    const count = Number(grid.dataset.fit);
    let best = { size: 0, columns: 1 };
    for (let columns = 1; columns <= count; columns++) {
      const rows = Math.ceil(count / columns);
      const size = Math.min(
        (width - GAP * (columns - 1)) / columns,
        ((height - GAP * (rows - 1)) / rows) * ASPECT,
        WIDEST,
      );
      if (size > best.size) best = { size, columns };
    }
    const strip = best.size < SMALLEST;
    const size = Math.floor(strip ? Math.min(IN_STRIP, (height - 2 * GAP) * ASPECT) : best.size);
    if (strip) best.columns = count;
    grid.style.setProperty("--columns", best.columns);
    grid.style.setProperty("--card", `${size}px`);
    for (const image of grid.querySelectorAll("img")) if (image.sizes !== `${size}px`) image.sizes = `${size}px`;
    if (grid.hasAttribute("data-strip") === strip) continue;
    grid.toggleAttribute("data-strip", strip);
    if (strip) grid.querySelector(".lifted")?.scrollIntoView({ inline: "center", block: "nearest" });
  }
}
