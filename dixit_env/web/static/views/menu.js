// The menu: invite others, language, light and dark, leave, take people off the table.

import { h, spoken, theirs } from "../dom.js";
import { nameOf } from "../facts.js";
import { LANGUAGES, language, t, tn } from "../i18n.js";
import { sheet } from "../parts/dialogs.js";
import { disc } from "../parts/symbols.js";
import { signalChoices } from "./signals.js";

export function menuSheet(s, act) {
  const people = s.state.seats.filter((seat) => seat.kind !== "bot" && seat.seat !== s.state.you.seat);
  return sheet("menu", t("menu"), () => act.show(null), [
    !s.state.study && invitation(s, act),
    signalChoices(s, act),
    appearance(s, act),
    s.state.you.host &&
      people.length > 0 &&
      h("section", {}, [h("h3", {}, t("menu.remove")), removals(s, act, people)]),
    s.state.you.seat !== null &&
      !s.state.study &&
      h("section", {}, [
        h("h3", {}, t("menu.leaving")),
        h("p", {}, t("menu.leaveText")),
        h("button", { type: "button", class: "quiet", onclick: act.leave }, t("menu.leave")),
      ]),
  ]);
}

/** Is the host sure? */
export function removeSheet(s, act) {
  const { name } = s.asked;
  const close = () => act.show(null);
  return sheet("remove", t("menu.removeOne", { name }), close, [
    h("p", {}, tn("menu.removeText", { name: theirs(name) })),
    h("div", { class: "answers" }, [
      h("button", { type: "button", class: "quiet", autofocus: true, onclick: close }, t("menu.removeNo")),
      h("button", { type: "button", class: "button", onclick: act.remove }, t("menu.removeYes")),
    ]),
  ]);
}

/** Link and QR code of the table. */
export function invitation(s, act) {
  return h("section", { class: "invitation" }, [
    h("div", {}, [
      h("h3", {}, t("invite")),
      h("p", {}, [t("invite.code"), " ", h("strong", { class: "code" }, s.table)]),
      h("label", { class: "field" }, [
        h("span", {}, t("invite.link")),
        h("input", { readonly: true, value: s.address, onfocus: (event) => event.target.select() }),
      ]),
      navigator.clipboard && h("button", { type: "button", class: "quiet", onclick: act.copyLink }, t("invite.copy")),
    ]),
    h("img", { class: "qr", src: `/t/${s.table}/qr.svg`, alt: t("invite.qr"), width: 160, height: 160 }),
  ]);
}

export function removals(s, act, people) {
  return h(
    "ul",
    { class: "people", role: "list" },
    people.map((seat) =>
      h("li", { key: seat.seat }, [
        disc(seat.seat),
        theirs(nameOf(s, seat.seat)),
        h(
          "button",
          { type: "button", class: "quiet", onclick: () => act.askToRemove(seat.seat) },
          [t("menu.removeYes"), spoken(" ", nameOf(s, seat.seat))],
        ),
      ]),
    ),
  );
}

/** Language, light and dark. */
export function appearance(s, act) {
  return h("section", { class: "appearance" }, [
    radios(
      "language",
      t("menu.language"),
      Object.entries(LANGUAGES).map(([tag, name]) => [tag, name, tag]),
      language,
      act.speak,
    ),
    themeChoice(s, act),
  ]);
}

/** Light and dark. */
export const themeChoice = (s, act) =>
  radios(
    "theme",
    t("menu.theme"),
    [
      ["", t("theme.auto")],
      ["light", t("theme.light")],
      ["dark", t("theme.dark")],
    ],
    s.theme,
    act.theme,
  );

const radios = (name, label, options, value, change) =>
  h("fieldset", { class: "choice" }, [
    h("legend", {}, label),
    h(
      "div",
      { class: "radios" },
      options.map(([option, text, lang]) =>
        h("label", { key: option, class: "radio" }, [
          h("input", { type: "radio", name, value: option, checked: option === value, onchange: () => change(option) }),
          h("span", { lang }, text),
        ]),
      ),
    ),
  ]);
