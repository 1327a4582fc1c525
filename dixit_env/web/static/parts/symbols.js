// The seats' twelve symbols, the rabbits and the small icons: drawn here, as inline SVG.

import { h } from "../dom.js";

/** Twelve silhouettes on a 24 × 24 field; seat n has symbol n and colour `--seat-n`. Keys name them in the locales. */
const SYMBOLS = [
  ["moon", "M15.3 3A9.2 9.2 0 1 0 21 15.2 7.8 7.8 0 0 1 15.3 3z"],
  ["star", "M12 2.200l2.9 6.3 6.9.8-5.1 4.7 1.4 6.800L12 17.400l-6.1 3.4 1.4-6.800L2.2 9.300l6.9-.8z"],
  ["heart", "M12 20.500C5 15.6 2.8 12 2.8 8.600A4.8 4.8 0 0 1 12 6.600a4.8 4.8 0 0 1 9.2 2C21.2 12 19 15.6 12 20.500z"],
  [
    "leaf",
    "M20.5 3C9 3 3.5 8.8 3.5 15c0 1.2.2 2.3.6 3.200C7.4 12.6 11 9.8 16 8.200c-4.6 3.2-7.8 6.4-10.2 11.6.9.6 2.1.9 3.5.9C16.6 20.7 20.5 14 20.5 3z",
  ],
  [
    "key",
    "M8 2.500a5.6 5.6 0 0 1 5.3 7.500L21.5 18v3.500H17.700V19h-2.500v-2.500h-2.500l-2-2A5.6 5.6 0 1 1 8 2.500zM7 5.800a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  ],
  [
    "bell",
    "M12 2.500c.9 0 1.6.7 1.6 1.6 3 .8 4.8 3.3 4.8 6.6 0 3.6.8 5 2.4 6.500H3.200c1.6-1.5 2.4-2.9 2.4-6.5 0-3.3 1.8-5.8 4.8-6.6 0-.9.7-1.6 1.6-1.600zM9.5 18.700h5a2.5 2.5 0 0 1-5 0z",
  ],
  [
    "fish",
    "M2 12c2.5-4.6 6.2-6.5 9.8-6.5 3 0 5.3 1.5 6.7 3.500L22 6.200v11.600L18.5 15c-1.4 2-3.7 3.5-6.7 3.500C8.2 18.5 4.5 16.6 2 12zm5.6-2.400a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.800z",
  ],
  [
    "mushroom",
    "M12 2.800c5.5 0 9.7 3.5 9.7 7.6 0 1.4-1.2 2.1-2.7 2.100h-3.900l1 6.300c.2 1.4-.8 2.4-2.2 2.400h-3.800c-1.4 0-2.4-1-2.2-2.400l1-6.300H5c-1.5 0-2.7-.7-2.7-2.1 0-4.1 4.2-7.6 9.7-7.600zM7.5 7a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.800zm5.8-1.900a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
  ],
  [
    "umbrella",
    "M11 2h2v1.900c4.9.5 8.7 4.3 8.9 9.5-1.3-1.1-3.5-1-4.8.5-1.2-1.3-2.8-1.4-4.1-.5V19a3 3 0 0 1-6 0h2a1 1 0 0 0 2 0v-5.600c-1.3-.9-2.9-.8-4.1.5-1.3-1.5-3.5-1.6-4.8-.5C2.3 8.2 6.1 4.4 11 3.900z",
  ],
  ["boat", "M11 2v12.800H3zM13 4.800l7 10h-7zM2 16.700h20c-.9 3-3.2 4.8-5.8 4.800H7.800C5.2 21.5 2.9 19.7 2 16.700z"],
  ["crown", "M2.5 6.800l4.8 4L12 3.500l4.7 7.3 4.8-4-1.8 12.400H4.300z"],
  ["tree", "M12 2l6.2 7h-3l4.8 6h-6.500v6.500h-3V15H4l4.8-6h-3z"],
];

export const symbolName = (seat) => `symbol.${SYMBOLS[seat][0]}`;

/** A seat's symbol alone, in the current colour. */
export const glyph = (seat) => h("path", { d: SYMBOLS[seat][1], "fill-rule": "evenodd", fill: "currentColor" });

/** A seat's disc: its symbol on its colour. */
export const disc = (seat, size = "") =>
  h(
    "svg",
    { class: `disc ${size}`, viewBox: "0 0 36 36", "aria-hidden": "true", style: { "--seat": `var(--seat-${seat})` } },
    [
      h("circle", { cx: 18, cy: 18, r: 17, class: "disc-field" }),
      h("g", { transform: "translate(6.6 6.6) scale(.95)" }, glyph(seat)),
    ],
  );

/** A seat's rabbit, looking to the right; its symbol is on its flank. Drawn on a 32 × 30 field. */
export const rabbit = (seat) =>
  h("g", { class: "rabbit-body" }, [
    h("path", {
      class: "rabbit-coat",
      d:
        "M20.4 11.200C16.9 5.6 16.6 1 18.7.7c2-.2 3.6 3.4 4.3 7.7.3-4 1.4-7.4 3.2-7.2 2.1.3 1.7 4.5.4 8.5 2 .8 3.4 2.7 3.4 5" +
        " 0 2.6-1.7 4.4-4.2 5-.1 3-1 4.9-2.2 6.300h1.200c1.5 0 2.4.7 2.4 1.700s-.8 1.5-2.2 1.500H8c-4 0-6.4-2.6-6.6-6.200A3.2 3.2 0 0 1 3 17.2" +
        "c2.3-4.3 6.7-5.9 10.7-5.4 2 .3 3.6.7 5 1.5.4-.8 1-1.5 1.7-2.100z",
    }),
    h("circle", { class: "rabbit-tail", cx: 3.4, cy: 20.6, r: 2.7 }),
    h("circle", { class: "rabbit-eye", cx: 25.4, cy: 13.6, r: 1.1 }),
    h("g", { class: "rabbit-mark", transform: "translate(7.4 14.4) scale(.46)" }, glyph(seat)),
  ]);

const HEAD =
  "M11 1.500h2v3h4.500A3.5 3.5 0 0 1 21 8v9a3.5 3.5 0 0 1-3.5 3.500h-11A3.5 3.5 0 0 1 3 17V8a3.5 3.5 0 0 1 3.5-3.500H11z";
const MOUTH = "M8.500 16h7v1.700h-7z";

/** The bots' faces: a head in which eyes and mouth are cut out, so that their kinds can be told apart. */
const FACES = {
  clip: `${HEAD}M8.4 7.800a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.400zm7.2 0a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.400z${MOUTH}`,
  greedy: `${HEAD}M7 9.500h3.200v2.200H7zM13.800 9.500H17v2.200h-3.200z${MOUTH}`,
  random: `${HEAD}M5 8.500h14v3.200H5z${MOUTH}`,
  learned: `${HEAD}M8.4 7.600l2.700 2.900-2.700 2.900-2.700-2.900zM15.6 7.600l2.700 2.900-2.700 2.900-2.700-2.900z${MOUTH}`,
  program: `${HEAD}M9.600 7.300l1.500 1.500-2 2 2 2-1.500 1.500-3.500-3.500zM14.400 7.300l3.500 3.500-3.500 3.500-1.500-1.500 2-2-2-2z${MOUTH}`,
  language: `${HEAD}M7.200 8.300h2.400v2.400H7.200zM14.400 8.300h2.400v2.400h-2.400zM12 12.700a2.9 2.6 0 1 0 0 5.200 2.9 2.6 0 0 0 0-5.200z`,
};

const ICONS = {
  teller:
    "M20.8 2.700C13 3 8 6.8 6.4 13.300l-2.9 7.4 1.6.6 2-5c4.4.1 7.7-1.3 9.6-4.100l-2.6-.7 3.9-1.200c1.3-2.1 2-4.6 2.8-7.600z",
  check: "M9.4 18.900L2.9 12.400l2.2-2.2 4.3 4.3 9.5-9.6 2.2 2.200z",
  away: "M3.9 2.600L21.4 20.100l-1.3 1.3-4.6-4.600H7a5 5 0 0 1-1.5-9.800L2.6 3.900zm5.6 3.200A5.8 5.8 0 0 1 17 9.500a4.2 4.2 0 0 1 2.3 6.800z",
  enlarge:
    "M10.3 2.800a7.5 7.5 0 0 1 6 12l5 5-1.9 1.9-5-5a7.5 7.5 0 1 1-4.1-13.900zm0 2.600a4.9 4.9 0 1 0 0 9.8 4.9 4.9 0 0 0 0-9.800zM9.3 7.500h2v1.800h1.800v2h-1.800v1.800h-2v-1.800H7.500v-2h1.800z",
  close: "M5.3 3.300L12 10l6.7-6.7 2 2L14 12l6.7 6.7-2 2L12 14l-6.7 6.7-2-2L10 12 3.3 5.300z",
  previous: "M15.5 3.500l2 2L11 12l6.5 6.5-2 2L7 12z",
  next: "M8.5 3.500l-2 2L13 12l-6.5 6.5 2 2L17 12z",
  menu: "M3 5.500h18v2.400H3zM3 10.800h18v2.400H3zM3 16.100h18v2.400H3z",
  log: "M12 3a9 9 0 1 1-8.7 11.300l2.4-.6A6.5 6.5 0 1 0 7 8l2.3 2.300H2.800V3.800L5.2 6.200A9 9 0 0 1 12 3zm-1.2 4.200h2.300v4.600l3.2 1.9-1.2 2-4.3-2.600z",
  thinks: "M5 9.600a2.4 2.4 0 1 0 .01 0zM12 9.600a2.4 2.4 0 1 0 .01 0zM19 9.600a2.4 2.4 0 1 0 .01 0z",
  eye: "M12 5c4.700 0 8.500 2.700 10.500 7-2 4.300-5.800 7-10.500 7S3.500 16.300 1.500 12C3.500 7.700 7.300 5 12 5zm0 2.700a4.3 4.3 0 1 0 0 8.600 4.3 4.3 0 0 0 0-8.600zm0 2.200a2.1 2.1 0 1 1 0 4.200 2.1 2.1 0 0 1 0-4.200z",
  rules:
    "M3 4.200c3.5-.7 6.5-.2 9 1.6 2.5-1.8 5.5-2.3 9-1.600v14.600c-3.5-.7-6.5-.2-9 1.6-2.5-1.8-5.5-2.3-9-1.600zm2.3 1.900v10.700c2-.2 3.8.1 5.5.9V7.500c-1.6-1.1-3.4-1.6-5.5-1.400zm13.4 0c-2.1-.2-3.9.3-5.5 1.400v10.200c1.7-.8 3.5-1.1 5.5-.9z",
};

/** A small icon, for the eye only: the words stand beside it or in a label. */
export const icon = (name) => drawing("icon", ICONS[name]);

/** The face of a kind of bot, as small as an icon. */
export const face = (bot) => drawing("icon bot-face", FACES[bot] ?? FACES.greedy);

/** The face of whatever plays in a bot's seat: a persona's emoji, or its kind's drawing. */
export const botFace = (s, bot) =>
  s.info.personas[bot]
    ? h("span", { class: "emoji", "aria-hidden": "true" }, s.info.personas[bot].face)
    : face(bot);

const drawing = (name, path) =>
  h(
    "svg",
    { class: name, viewBox: "0 0 24 24", "aria-hidden": "true" },
    h("path", { d: path, "fill-rule": "evenodd", fill: "currentColor" }),
  );
