// The race: everybody's points after each turn, a line for each seat. Lines differ by colour, dashes, and the symbol at
// their end.

import { h } from "../dom.js";
import { nameOf } from "../facts.js";
import { t } from "../i18n.js";
import { disc, glyph } from "./symbols.js";

const RACE_HEIGHT = 300;
const EDGE = { top: 14, left: 30, bottom: 26 };
const BADGE = 20; // pixels between the symbols at the lines' ends
const DASHES = ["none", "9 4", "2 4"]; // of seats 0 to 3, 4 to 7, 8 to 11
const NAMES_FROM = 560; // pixels of width from which names stand beside the symbols

/** Scores after each turn, beginning with zeros: (turns + 1, seats). */
const racePoints = (s) => [s.state.seats.map(() => 0), ...s.turns.map((turn) => turn.scores)];

/**
 * The chart, as wide as the screen allows. `at` marks the turn of that index; `go(index)` is called with the turn that
 * was pressed.
 */
export function raceChart(s, { at = null, go = null } = {}) {
  if (s.turns.length === 0) return null;
  const points = racePoints(s);
  const turns = points.length - 1;
  const { target, rounds } = s.state.rules;
  const width = Math.min(Math.max(s.screen.width - 32, 280), 900);
  const right = width < NAMES_FROM ? 60 : 166;
  const top = Math.max(10, ...points.at(-1), rounds ? 0 : target);
  const x = (turn) => EDGE.left + (turn / turns) * (width - EDGE.left - right);
  const y = (score) => RACE_HEIGHT - EDGE.bottom - (score / top) * (RACE_HEIGHT - EDGE.top - EDGE.bottom);
  const pressed = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * width - EDGE.left) / (width - EDGE.left - right);
    go(Math.min(turns, Math.max(1, Math.round(share * turns))) - 1);
  };
  return h(
    "svg",
    {
      class: `race ${go ? "goes" : ""}`,
      viewBox: `0 0 ${width} ${RACE_HEIGHT}`,
      role: "img",
      "aria-label": raceInWords(s),
      onclick: go && pressed,
    },
    [
      raceGrid(width - right, top, rounds ? null : target, x, y, turns),
      at !== null && h("line", { class: "race-at", x1: x(at + 1), x2: x(at + 1), y1: EDGE.top, y2: y(0) }),
      s.state.seats.map(({ seat }) => raceLine(points, seat, x, y)),
      raceEnds(points.at(-1), y).map(({ seat, score, line, place }) =>
        h("g", { class: "race-end", style: { "--seat": `var(--seat-${seat})` } }, [
          h("path", { class: "race-lead", d: `M${x(turns)} ${line}L${width - right + 12} ${place}` }),
          h("circle", { class: "disc-field", cx: width - right + 21, cy: place, r: 9 }),
          h(
            "g",
            { class: "race-symbol", transform: `translate(${width - right + 15} ${place - 6}) scale(.5)` },
            glyph(seat),
          ),
          h("text", { class: "race-score", x: width - right + 34, y: place + 4 }, score),
          width >= NAMES_FROM &&
            h("text", { class: "race-name", x: width - right + 56, y: place + 4 }, shortened(nameOf(s, seat))),
        ]),
      ),
    ],
  );
}

function raceGrid(right, top, target, x, y, turns) {
  const every = Math.ceil(turns / 12);
  const marks = Array.from({ length: Math.floor(top / 10) + 1 }, (_, index) => 10 * index);
  return h("g", { class: "race-grid" }, [
    marks.map((score) => [
      h("line", { class: score === target ? "goal" : "", x1: EDGE.left, x2: right, y1: y(score), y2: y(score) }),
      h("text", { class: "race-mark", x: EDGE.left - 6, y: y(score) + 4, "text-anchor": "end" }, score),
    ]),
    Array.from({ length: turns }, (_, index) => index + 1)
      .filter((turn) => turn % every === 0)
      .map((turn) =>
        h("text", { class: "race-mark", x: x(turn), y: RACE_HEIGHT - 8, "text-anchor": "middle" }, turn),
      ),
  ]);
}

const raceLine = (points, seat, x, y) =>
  h("g", { class: "race-line", style: { "--seat": `var(--seat-${seat})`, "--dashes": DASHES[Math.floor(seat / 4)] } }, [
    h("path", { d: points.map((scores, turn) => `${turn ? "L" : "M"}${x(turn)} ${y(scores[seat])}`).join("") }),
    points.slice(1).map((scores, index) => h("circle", { cx: x(index + 1), cy: y(scores[seat]), r: 2.6 })),
  ]);

/** Where the symbols at the ends stand, best first: [{seat, score, line, place}]; they don't cover one another. */
function raceEnds(scores, y) {
  const ends = scores
    .map((score, seat) => ({ seat, score, line: y(score), place: y(score) }))
    .sort((a, b) => a.line - b.line || a.seat - b.seat);
  const [first, last] = [BADGE / 2, RACE_HEIGHT - BADGE / 2];
  ends.forEach((end, index) => {
    end.place = Math.max(end.line, index ? ends[index - 1].place + BADGE : first);
  });
  ends.toReversed().forEach((end, index, all) => {
    end.place = Math.min(end.place, index ? all[index - 1].place - BADGE : last);
  });
  return ends;
}

const shortened = (name) => ([...name].length > 13 ? `${[...name].slice(0, 12).join("")}…` : name);

const raceInWords = (s) =>
  `${t("race")}. ${s.state.seats
    .map(({ seat }) => `${nameOf(s, seat)}: ${s.turns.map((turn) => turn.scores[seat]).join(", ")}`)
    .join(". ")}`;

/** The chart with its title. */
export const raceSection = (s, options) =>
  s.turns.length > 0 &&
  h("section", { key: "race", class: "past-part" }, [h("h2", {}, t("race")), raceChart(s, options)]);
