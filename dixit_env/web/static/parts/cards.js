// Cards on the table: a grid that always fits its place, with arrow keys, long press and enlarging.

import { h, spoken } from "../dom.js";
import { t } from "../i18n.js";
import { gliding } from "./motion.js";
import { icon } from "./symbols.js";

const ASPECT = 2 / 3; // width over height
const GAP = 8;
const WIDEST = 330;
const SMALLEST = 44; // width of a card that can still be seen and touched; smaller ones become a strip that scrolls …
const IN_STRIP = 68; // … in which cards are about so wide
const LONG_PRESS = 450; // milliseconds

/** Where a card's picture is: a table's cards have ids of their own there, those of past games bring their addresses with
 * them, those of the lesson belong to the page. */
export function pictureUrl(table, card, size) {
  if (card.pictures) return card.pictures[size];
  return table ? `/t/${table}/cards/${card.id}/${size}.webp` : new URL(`${card.id}-${size}.webp`, import.meta.url).href;
}

/**
 * A card's picture. `words` (the table's option) are its alternative text; otherwise the label around it says it all.
 * One that `grows` shows its small version until the large one is there. `sizes` says how wide it is shown, where no
 * grid sets that.
 */
export const picture = (table, card, words = "", grows = false, sizes = "110px") =>
  h("span", { class: "picture" }, [
    h("img", {
      key: card.id,
      alt: words,
      src: pictureUrl(table, card, "small"),
      srcset: `${pictureUrl(table, card, "small")} 240w, ${pictureUrl(table, card, "full")} 680w`,
      sizes,
      draggable: "false",
      decoding: "async",
      style: grows ? { "background-image": `url("${pictureUrl(table, card, "small")}")` } : {},
    }),
  ]);

/** The description of a card in the reader's language, where the table shows descriptions. */
export const wordsOf = (card, language) => card.words?.[language] ?? card.words?.en ?? "";

/**
 * A grid of cards.
 *
 * `items`: [{card, label, number, chosen (true, false, or null: nothing to choose), dim, ribbon, marks, classes, after
 * (its place in the order in which cards move), large (one, where there is place)}].
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
      "data-large": items.some((item) => item.large),
      role: "list",
      onkeydown: (event) => steer(event, items, on),
    },
    items.map((item, index) =>
      h(
        "li",
        {
          key: item.card.id,
          class: ["card", item.classes, item.chosen && "chosen", item.dim && "dim", item.large && "large"]
            .filter(Boolean)
            .join(" "),
          style: { "--after": item.after ?? index },
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
              picture(table, item.card, "", item.large),
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
  for (const grid of document.querySelectorAll("[data-fit]")) fit(grid);
}

function fit(grid) {
  const box = grid.parentElement.getBoundingClientRect();
  const count = Number(grid.dataset.fit);
  const split = grid.hasAttribute("data-large") ? besideLarge(box, count - 1) : null;
  const even = evenly(box, count);
  const strip = !split && even.size < SMALLEST;
  const size = Math.floor(strip ? Math.min(IN_STRIP, (box.height - 2 * GAP) * ASPECT) : (split ?? even).size);
  const layout = {
    "--columns": strip ? count : (split ?? even).columns,
    "--card": `${size}px`,
    "--rows": split?.rows ?? "",
    "--large": split ? `${Math.floor(split.large)}px` : "",
  };
  const moves = split !== null || grid.hasAttribute("data-split");
  const changes = Object.keys(layout).some((name) => grid.style.getPropertyValue(name) !== String(layout[name]));
  const change = () => {
    for (const name in layout) grid.style.setProperty(name, layout[name]);
    grid.toggleAttribute("data-split", split !== null);
  };
  if (changes) gliding(moves ? [...grid.children] : [], change);
  for (const image of grid.querySelectorAll("img")) {
    const sizes = split && image.closest(".large") ? layout["--large"] : layout["--card"];
    if (image.sizes !== sizes) image.sizes = sizes;
  }
  if (grid.hasAttribute("data-strip") === strip) return;
  grid.toggleAttribute("data-strip", strip);
  if (strip) grid.querySelector(".lifted")?.scrollIntoView({ inline: "center", block: "nearest" });
}

/** The number of columns with which `count` cards of one size are largest. */
function evenly({ width, height }, count) {
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
  return best;
}

/** One card as high as some rows of the others beside it; null where the others would be too small. */
function besideLarge({ width, height }, others) {
  let best = null;
  for (let rows = 2; rows <= Math.min(4, others); rows++) {
    const columns = Math.ceil(others / rows);
    const gaps = (rows - 1) * GAP * ASPECT; // of the rows, in the width of the large card
    const size = Math.min(
      (width - gaps - GAP * columns) / (rows + columns),
      ((height - GAP * (rows - 1)) / rows) * ASPECT,
      WIDEST / rows,
    );
    const large = rows * size + gaps;
    if (size >= SMALLEST && (best === null || size * large > best.size * best.large))
      best = { size, columns, rows, large };
  }
  return best;
}
