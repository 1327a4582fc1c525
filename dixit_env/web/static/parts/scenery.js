// The evening landscape behind the home page and the lobby.

import { h } from "../dom.js";
import { rabbit } from "./symbols.js";

const STARS = [
  [60, 40],
  [130, 90],
  [210, 30],
  [300, 70],
  [390, 25],
  [470, 95],
  [560, 50],
  [900, 60],
  [980, 28],
  [1060, 90],
  [1130, 44],
];
const RABBITS = [
  [1, 250, 258, 1.5],
  [5, 500, 238, 0.9],
  [3, 560, 244, 1.2],
  [0, 880, 250, 1.7],
  [4, 960, 272, 1.2],
];

export const scenery = () =>
  h(
    "svg",
    { class: "scenery", viewBox: "0 0 1200 320", preserveAspectRatio: "xMidYMax slice", "aria-hidden": "true" },
    [
      h(
        "g",
        { class: "stars" },
        STARS.map(([cx, cy], index) => h("circle", { cx, cy, r: 1.4 + (index % 3) * 0.5 })),
      ),
      h("circle", { class: "glow", cx: 720, cy: 110, r: 100 }),
      h("circle", { class: "track-moon", cx: 720, cy: 110, r: 58 }),
      h("path", { class: "hill-far", d: "M0 210C150 150 300 150 450 205S760 250 900 190s220-50 300-10v140H0z" }),
      h("path", { class: "hill-near", d: "M0 260c120-50 260-60 400-15s260 50 420 5 260-50 380-5v75H0z" }),
      h("path", { class: "hill-grass", d: "M0 290c200-30 380-15 600 2s420-20 600-8v36H0z" }),
      RABBITS.map(([seat, x, y, size]) =>
        h(
          "g",
          { transform: `translate(${x} ${y}) scale(${size})`, style: { "--seat": `var(--seat-${seat})` } },
          rabbit(seat),
        ),
      ),
    ],
  );
