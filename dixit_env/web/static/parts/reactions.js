// A few faces that a seat can show for some seconds: what people at a table see of one another.

import { h, spoken } from "../dom.js";
import { t } from "../i18n.js";

/** On a 24 × 24 field: what is drawn with a line, how low the eyes are, and what else is filled. */
const REACTIONS = {
  smile: { line: "M7.500 14.200q4.500 4.300 9 0", eyes: 9.8 },
  laugh: {
    line: "M6.400 10q1.900-2.600 3.800 0M13.800 10q1.900-2.600 3.800 0",
    fill: "M6.600 12.800h10.800a5.4 5.6 0 0 1-10.800 0z",
  },
  wonder: {
    line: "M6.600 6.400q1.500-1.300 3-.600M14.400 5.800q1.500-.700 3 .600",
    eyes: 10.2,
    fill: "M12 13.600a2.4 2.9 0 1 0 .01 0z",
  },
  doubt: { line: "M6.400 6.800l3.600-.400M14 7.200q1.800-2.200 3.600-.900M8.500 16.400q3.500-2.600 7.600-1", eyes: 10.4 },
  sorry: { line: "M6.400 8.400q1.900 0 3.200-1.600M17.600 8.400q-1.900 0-3.200-1.600M8 16.800q4-4 8 0", eyes: 11 },
};

function reactionFace(name) {
  const { line, eyes, fill } = REACTIONS[name];
  return h("svg", { class: "reaction-face", viewBox: "0 0 24 24", "aria-hidden": "true" }, [
    h("circle", { class: "reaction-skin", cx: 12, cy: 12, r: 10.8 }),
    eyes && [8.5, 15.5].map((cx) => h("ellipse", { class: "reaction-fill", cx, cy: eyes, rx: 1.3, ry: 1.6 })),
    fill && h("path", { class: "reaction-fill", d: fill }),
    h("path", { class: "reaction-line", d: line }),
  ]);
}

/** The face that a seat shows just now, if any. */
export const reactionOf = ({ reaction }) =>
  reaction in REACTIONS &&
  h("span", { key: `face-${reaction}`, class: "reaction" }, [reactionFace(reaction), spoken(t(`face.${reaction}`))]);

/** Over the own seat: opens the faces. */
export const facesButton = (s, act) => [
  h("button", {
    key: "faces",
    type: "button",
    class: "faces-button",
    "aria-expanded": String(s.faces),
    "aria-label": t("faces"),
    title: t("faces"),
    onclick: act.showFaces,
  }),
  h("span", { key: "faces-sign", class: "faces-sign" }, reactionFace("smile")),
];

/** The faces to choose from. */
export const facesPanel = (s, act) =>
  s.faces &&
  h(
    "div",
    { key: "panel", class: "faces", role: "group", "aria-label": t("faces") },
    Object.keys(REACTIONS).map((name) => {
      const label = t(`face.${name}`);
      const props = { type: "button", class: "round", "aria-label": label, title: label };
      return h("button", { ...props, onclick: () => act.react(name) }, reactionFace(name));
    }),
  );
