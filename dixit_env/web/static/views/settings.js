// The settings of a table, as a form: on the home page all at once, in the lobby one change at a time.

import { h } from "../dom.js";
import { botName } from "../facts.js";
import { LANGUAGES, t } from "../i18n.js";

const ENDS = [0, 1, 2]; // by points, or when everybody has told so often
const LIMITS = [30, 60, 120, 300, null]; // seconds for a decision

/** `change(name, value)` is called for every change; `s.info` lists editions and bots. */
export function settingsFields(info, settings, change) {
  const edition = info.editions.find(({ name }) => name === settings.rules);
  const range = Array.from(
    { length: edition.max_players - edition.min_players + 1 },
    (_, index) => edition.min_players + index,
  );
  const limits = LIMITS.includes(settings.limit) ? LIMITS : [settings.limit, ...LIMITS];
  return [
    choice(
      "rules",
      t("settings.rules"),
      settings.rules,
      info.editions.map(({ name }) => [name, t(`edition.${name}`)]),
      (value) => change("rules", value),
    ),
    choice(
      "seats",
      t("settings.seats"),
      settings.seats,
      range.map((n) => [n, t("players", { n })]),
      (value) => change("seats", Number(value)),
    ),
    choice(
      "bots",
      t("settings.bots"),
      settings.bots,
      info.bots.map((name) => [name, botName(name)]),
      (value) => change("bots", value),
    ),
    choice(
      "rounds",
      t("settings.end"),
      settings.rounds,
      ENDS.map((rounds) => [rounds, t(`settings.end.${rounds}`)]),
      (value) => change("rounds", Number(value)),
    ),
    choice("lang", t("settings.lang"), settings.lang, Object.entries(LANGUAGES), (value) => change("lang", value)),
    h("details", { class: "more" }, [
      h("summary", {}, t("settings.more")),
      choice(
        "limit",
        t("settings.limit"),
        settings.limit ?? "",
        limits.map((n) => [n ?? "", n === null ? t("settings.noLimit") : t("seconds", { n })]),
        (value) => change("limit", value === "" ? null : Number(value)),
      ),
      choice(
        "least",
        t("settings.least"),
        settings.least,
        Array.from({ length: settings.seats }, (_, index) => [index + 1, index + 1]),
        (value) => change("least", Number(value)),
      ),
      tick("explain", t("settings.explain"), settings.explain, (value) => change("explain", value)),
      tick("describe", t("settings.describe"), settings.describe, (value) => change("describe", value)),
      tick("listed", t("settings.listed"), settings.listed, (value) => change("listed", value)),
    ]),
  ];
}

/** The same, to be read only. */
export function settingsList(settings) {
  const lines = [
    [t("settings.rules"), t(`edition.${settings.rules}`)],
    [t("settings.seats"), t("players", { n: settings.seats })],
    [t("settings.end"), t(`settings.end.${settings.rounds}`)],
    [t("settings.bots"), botName(settings.bots)],
    [t("settings.lang"), LANGUAGES[settings.lang]],
    [t("settings.limit"), settings.limit === null ? t("settings.noLimit") : t("seconds", { n: settings.limit })],
  ];
  return h(
    "dl",
    { class: "facts" },
    lines.map(([name, value]) => h("div", {}, [h("dt", {}, name), h("dd", {}, value)])),
  );
}

export function choice(name, label, value, options, change) {
  return h("label", { key: name, class: "field" }, [
    h("span", {}, label),
    h(
      "select",
      { name, value: String(value), onchange: (event) => change(event.target.value) },
      options.map(([option, text]) => h("option", { key: String(option), value: String(option) }, text)),
    ),
  ]);
}

export const tick = (name, label, checked, change) =>
  h("label", { key: name, class: "tick" }, [
    h("input", { type: "checkbox", name, checked, onchange: (event) => change(event.target.checked) }),
    h("span", {}, label),
  ]);
