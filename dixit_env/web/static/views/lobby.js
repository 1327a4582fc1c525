// Before the game: invite, sit down, settle the rules, start.

import { h, spoken, theirs } from "../dom.js";
import { isFull, nameOf, personaOf } from "../facts.js";
import { knows, language, t } from "../i18n.js";
import { iconButton } from "../parts/dialogs.js";
import { finishedGames } from "../parts/finished.js";
import { scenery } from "../parts/scenery.js";
import { botFace, disc, face, icon, symbolName } from "../parts/symbols.js";
import { kept } from "../storage.js";
import { invitation } from "./menu.js";
import { settingsFields, settingsList, tick } from "./settings.js";

export function lobbyView(s, act) {
  const { you, settings } = s.state;
  return h("div", { key: "lobby", class: "front lobby" }, [
    scenery(),
    h("header", { class: "bar" }, [
      h("div", { class: "bar-title" }, [h("span", {}, t("title")), lineSign(s)]),
      watchersSign(s),
      iconButton("rules", t("rules"), act.showRules),
      iconButton("menu", t("menu"), () => act.show("menu")),
    ]),
    h("main", { class: "front-page" }, [
      h("h1", {}, t("lobby.title")),
      h("p", { class: "lead", role: "status" }, lobbySentence(s)),
      s.sending.length > 0 && onItsWay(s),
      you.host && h("button", { type: "button", class: "button start", onclick: act.start }, t("lobby.start")),
      !s.watch &&
        h("section", { class: "panel" }, [
          noSeat(s) ?? [h("h2", {}, t(you.seat === null ? "join" : "join.seated")), joinForm(s, act)],
        ]),
      h("section", { class: "panel", "aria-label": t("seats") }, [
        h("h2", {}, t("seats")),
        h(
          "ul",
          { class: "people", role: "list" },
          s.state.seats.map((seat) => person(s, seat, act)),
        ),
      ]),
      h("div", { class: "panel" }, invitation(s, act)),
      h("section", { class: "panel" }, [
        h("h2", {}, t("settings")),
        you.host && s.info ? settingsFields(s.info, settings, act.settle) : settingsList(settings),
      ]),
      s.state.games.length > 0 && h("div", { class: "panel" }, finishedGames(s)),
    ]),
  ]);
}

/** What is wrong with the line, if anything. */
export const lineSign = (s) =>
  knows(`line.${s.line}`) && h("span", { key: "line", class: "alarm lost", role: "status" }, t(`line.${s.line}`));

/** How many look on. */
export function watchersSign({ state: { watchers } }) {
  if (!watchers) return null;
  const text = t("watchers", { n: watchers });
  return h("span", { key: "watchers", class: "watchers", title: text }, [
    icon("eye"),
    h("span", { "aria-hidden": "true" }, watchers),
    spoken(text),
  ]);
}

/** Something was done here and is not at the table yet. */
export const onItsWay = (s) =>
  h("p", { key: "hint", class: "hint", role: "status" }, t(s.line === "open" ? "line.sending" : "line.unsent"));

function lobbySentence(s) {
  if (s.state.you.host) return t("lobby.host");
  if (noSeat(s)) return t("idle.spectator");
  return t(s.state.you.seat === null ? "lobby.joinFirst" : "lobby.wait");
}

function person(s, seat, act) {
  const bot = seat.kind === "bot";
  return h("li", { key: seat.seat, class: bot ? "bot" : "" }, [
    disc(seat.seat),
    h("span", { class: "people-name" }, [
      theirs(nameOf(s, seat.seat)),
      !bot && spoken(`, ${t(symbolName(seat.seat))}`),
      h("small", {}, [
        bot && [botFace(s, seat.bot), personaOf(s, seat.seat)?.manner[language] ?? t("lobby.bot")],
        seat.kind === "program" && [face("program"), t("seat.program")],
        seat.seat === s.state.you.seat && t("seat.you"),
        seat.host && ` ${t("seat.host")}`,
        ["away", "asleep"].includes(seat.status) && ` ${t(`seat.${seat.status}`)}`,
      ]),
    ]),
    s.state.you.host &&
      bot &&
      h("button", { type: "button", class: "quiet", onclick: () => act.askForBot(seat.seat) }, [
        t("cast.change"),
        spoken(" ", nameOf(s, seat.seat)),
      ]),
    s.state.you.host &&
      !bot &&
      seat.seat !== s.state.you.seat &&
      h(
        "button",
        { type: "button", class: "quiet", onclick: () => act.askToRemove(seat.seat) },
        [t("menu.removeYes"), spoken(" ", nameOf(s, seat.seat))],
      ),
  ]);
}

/** Why a guest can't sit down here; null for everybody else. */
export function noSeat(s) {
  if (s.state.you.status === "removed") return h("p", { key: "hint", class: "hint" }, t("error.removed"));
  if (s.state.you.seat !== null || !isFull(s)) return null;
  return h("div", { key: "hint", class: "no-seat" }, [
    h("p", { class: "hint" }, t("join.full")),
    h("a", { class: "quiet", href: `/t/${s.table}/watch` }, t("join.watch")),
  ]);
}

/** Name and consent: to sit down, and to change them afterwards. */
export function joinForm(s, act) {
  const seated = s.state.you.seat !== null;
  return h("form", { key: "join", class: "join", onsubmit: (event) => (event.preventDefault(), act.join()) }, [
    h("label", { class: "field" }, [
      h("span", {}, t("join.name")),
      h("input", {
        name: "name",
        maxlength: 200,
        autocomplete: "nickname",
        dir: "auto",
        value: s.name,
        oninput: (event) => act.call(event.target.value),
      }),
    ]),
    tick("consent", t("join.consent"), s.consent, act.consent),
    !kept.lasts && h("p", { class: "hint" }, t("join.blocked")),
    h(
      "button",
      { type: "submit", class: seated ? "quiet" : "button", "aria-disabled": String(s.name.trim() === "") },
      t(seated ? "join.change" : "join.sit"),
    ),
  ]);
}
