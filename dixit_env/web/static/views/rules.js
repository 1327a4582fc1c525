// The rules sheet: what this edition says at a table of this size, from the values that the server plays by.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { sheet } from "../parts/dialogs.js";

export function rulesSheet(s, close) {
  const r = s.state.rules;
  return sheet("rules", t("rules.title", { edition: t(`edition.${r.name}`) }), close, [
    h("h3", {}, t("rules.riddle")),
    h("p", {}, t("rules.tell", { n: r.hand })),
    h("p", {}, t("rules.give", { n: r.gives })),
    h("h3", {}, t("rules.solve")),
    h("p", {}, [t(votingRule(r)), " ", t("rules.own", { n: r.gives })]),
    h("h3", {}, t("rules.score")),
    h("dl", { class: "scoring" }, [
      outcome(t(`rules.some`), [
        t("rules.teller", { n: r.storyteller_points }),
        t(r.dials_most > 1 ? "rules.perDial" : "rules.finder", { n: r.dial_points }),
        r.single_dial_bonus > 0 && t("rules.single", { n: r.single_dial_bonus }),
      ]),
      outcome(t(`rules.all.${r.all_means}`), [t("rules.teller", { n: 0 }), t("rules.others", { n: r.all_points })]),
      outcome(t("rules.none"), [t("rules.teller", { n: 0 }), t("rules.others", { n: r.none_points })]),
      outcome(t("rules.always"), [
        t(r.decoy_once ? "rules.decoyOnce" : "rules.decoy", { n: r.decoy_points }),
        r.decoy_cap !== null && t("rules.cap", { n: r.decoy_cap }),
      ]),
    ]),
    h("h3", {}, t("rules.turnEnd")),
    h("p", {}, [t("rules.refill", { n: r.hand }), " ", t(`rules.reshuffle.${r.reshuffle.replaceAll(" ", "_")}`)]),
    h("p", {}, t("rules.end", { n: r.target })),
  ]);
}

function votingRule(rules) {
  if (rules.dials_most === 1) return "rules.voteOne";
  if (rules.dials_least === 1) return "rules.voteOptional";
  return rules.may_stack ? "rules.voteTwo" : "rules.voteSpread";
}

const outcome = (name, lines) =>
  h("div", {}, [h("dt", {}, name), lines.filter(Boolean).map((line) => h("dd", {}, line))]);
