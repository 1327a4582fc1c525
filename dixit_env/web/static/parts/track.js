// The score track: 31 stepping stones over the hills, and a rabbit for every seat.

import { h } from "../dom.js";
import { nameOf, shownScores } from "../facts.js";
import { t } from "../i18n.js";
import { rabbit } from "./symbols.js";

const HEIGHT = 60; // of the drawing; its width follows the screen
const SECONDS_A_STEP = 0.28;

export function track(s) {
  const scores = shownScores(s);
  const target = trackEnd(s.state.rules, scores);
  const width = Math.round((s.screen.width * HEIGHT) / trackHeight(s.screen));
  const size = width > 600 ? 0.85 : 0.64; // of the rabbits: as large as the steps allow
  const label = s.state.seats.map((seat) => `${nameOf(s, seat.seat)} ${scores[seat.seat]}`).join(", ");
  return h("section", { class: "track" }, [
    h(
      "svg",
      {
        viewBox: `0 0 ${width} ${HEIGHT}`,
        role: "img",
        "aria-label": t("track", { n: target, scores: label }),
        style: { height: `${trackHeight(s.screen)}px` },
      },
      [
        h(
          "defs",
          {},
          h("linearGradient", { id: "sky", x1: 0, y1: 0, x2: 0, y2: 1 }, [
            h("stop", { offset: 0, class: "sky-high" }),
            h("stop", { offset: 1, class: "sky-low" }),
          ]),
        ),
        h("rect", { class: "sky", width, height: HEIGHT }),
        h("circle", { class: "track-moon", cx: place(width, target, target).x + 2, cy: 15, r: 11 }),
        h("path", { class: "hill-far", d: hill(width, 24, 7, 0.013, 1.4) }),
        h("path", { class: "hill-near", d: hill(width, 34, 5, 0.021, 0.2) }),
        h("path", { class: "hill-grass", d: ground(width) }),
        Array.from({ length: target + 1 }, (_, step) => stone(width, step, target)),
        herd(scores, target).map(({ seat, step, dx, dy }) => {
          const at = place(width, step, target);
          const hops = s.hop?.[seat] ?? 0;
          return h(
            "g",
            {
              key: `rabbit-${seat}`,
              class: `rabbit ${hops ? "hops" : ""}`,
              style: {
                translate: `${at.x + dx - 16 * size}px ${at.y + dy - 31 * size}px`,
                "transition-duration": `${hops * SECONDS_A_STEP}s`,
                "--seat": `var(--seat-${seat})`,
              },
            },
            h("g", { transform: `scale(${size})` }, rabbit(seat)),
          );
        }),
      ],
    ),
  ]);
}

/** The last step: the points that win, or whole tens that hold everybody where points don't end the game. */
const trackEnd = ({ target, rounds }, scores) =>
  rounds ? Math.max(target, 10 * Math.ceil(Math.max(...scores) / 10)) : target;

const trackHeight = (screen) => Math.min(110, Math.max(48, screen.height * 0.1 - (screen.width < 860 ? 14 : 0)));

const groundAt = (x) => 47 + 3.5 * Math.sin(x * 0.024 + 0.6);

/** Where a step lies; the start has room for all rabbits. */
function place(width, step, target) {
  const x = 30 + (step / target) * (width - 54);
  return { x, y: groundAt(x) };
}

function stone(width, step, target) {
  const { x, y } = place(width, step, target);
  const ten = step % 10 === 0;
  return [
    h("ellipse", { class: `step ${ten ? "ten" : ""}`, cx: x, cy: y, rx: ten ? 3.6 : 2, ry: ten ? 2 : 1.2 }),
    ten && h("text", { class: "step-number", x, y: HEIGHT - 1.5 }, step),
  ];
}

/** Rabbits on the same step stand beside and behind one another. The order stays, or moving would end a hop. */
function herd(scores, target) {
  const steps = scores.map((score) => Math.min(score, target));
  return steps.map((step, seat) => {
    const here = steps.flatMap((other, index) => (other === step ? [index] : []));
    const index = here.indexOf(seat);
    const spread = Math.min(7, 26 / here.length);
    return { seat, step, dx: (index - (here.length - 1) / 2) * spread, dy: -3 * ((here.length - 1 - index) % 3) };
  });
}

function hill(width, base, swell, wave, shift) {
  const points = [];
  for (let x = 0; x <= width + 8; x += 8)
    points.push(
      `${x} ${(base + swell * Math.sin(x * wave + shift) + swell * 0.4 * Math.sin(x * wave * 2.7)).toFixed(1)}`,
    );
  return `M0 ${HEIGHT}L${points.join("L")}L${width + 8} ${HEIGHT}z`;
}

function ground(width) {
  const points = [];
  for (let x = 0; x <= width + 6; x += 6) points.push(`${x} ${(groundAt(x) - 2.5).toFixed(1)}`);
  return `M0 ${HEIGHT}L${points.join("L")}L${width + 6} ${HEIGHT}z`;
}

/** How many steps each rabbit hops between two score lists, or null if none does. */
export function hopsBetween(before, after) {
  const hops = after.map((score, seat) => Math.max(0, score - before[seat]));
  return hops.some(Boolean) ? hops : null;
}

/** How long the longest of these hops takes, in milliseconds. */
export const hopTime = (hops) => 1000 * SECONDS_A_STEP * Math.max(...hops);
