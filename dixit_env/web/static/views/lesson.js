// What the lesson puts around the table: where it stands, the way out, and what follows it.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { LESSON_STEPS, lessonStep } from "../lesson.js";
import { iconButton } from "../parts/dialogs.js";

export function lessonBar(s, act) {
  const step = LESSON_STEPS.indexOf(lessonStep(s) || "points") + 1;
  return h("header", { class: "bar" }, [
    h("div", { class: "bar-title" }, [
      h("h1", {}, t("lesson.title")),
      h("small", {}, t("lesson.step", { i: step, n: LESSON_STEPS.length })),
    ]),
    iconButton("rules", t("rules"), act.showRules),
    h("a", { class: "quiet lesson-leave", href: "/" }, t("lesson.leave")),
  ]);
}

/** What can be done in the steps that no table has; null where the table's own way is the right one. */
export function lessonDeed(s, act) {
  const step = lessonStep(s);
  if (step === "begin")
    return h("button", { key: "next", type: "button", class: "button", onclick: act.beginLesson }, t("reveal.next"));
  if (step === "end")
    return [
      h("button", { key: "now", type: "button", class: "button", onclick: act.playNow }, t("home.now")),
      h("a", { key: "home", class: "quiet", href: "/" }, t("home.back")),
    ];
  return null;
}
