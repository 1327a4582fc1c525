// The table during a game: everything that is always there, and the stage for what happens now.

import { h } from "../dom.js";
import { isSending, mayAct, nameOf, turnName, turnOf } from "../facts.js";
import { t } from "../i18n.js";
import { picture } from "../parts/cards.js";
import { iconButton, sheet } from "../parts/dialogs.js";
import { revealedItems } from "../parts/result.js";
import { saying } from "../parts/saying.js";
import { seatList } from "../parts/seats.js";
import { disc, icon } from "../parts/symbols.js";
import { track } from "../parts/track.js";
import { zoomDialog } from "../parts/zoom.js";
import { castSheet } from "./cast.js";
import { clueForm } from "./clue.js";
import { giveButton, handActions, handItems, handView } from "./hand.js";
import { lessonBar, lessonDeed } from "./lesson.js";
import { joinForm, lineSign, lobbyView, noSeat, onItsWay, watchersSign } from "./lobby.js";
import { logSheet } from "./log.js";
import { menuSheet, removeSheet } from "./menu.js";
import { overDeed, overView } from "./over.js";
import { revealDeed, revealItems, revealView } from "./reveal.js";
import { rulesSheet } from "./rules.js";
import { questionsSheet } from "./study.js";
import { dialRow, slotActions, slotItems, voteButton, votesView } from "./votes.js";

/** What stands on the stage: the name decides the view, the items of the zoom, and whether there is a preview. */
function scene(s) {
  if (s.reveal) return "reveal";
  if (s.state.phase === "over") return "over";
  if (s.state.phase === "votes") return "slots";
  return s.state.hand.length || s.state.given.length ? "hand" : "backs";
}

const STAGES = { reveal: revealView, over: overView, slots: votesView, hand: handView, backs: backsView };
const ITEMS = { reveal: revealItems, slots: slotItems, hand: handItems };

export function tableView(s, act) {
  if (s.state.phase === "lobby" && !s.reveal) return lobbyView(s, act);
  const name = scene(s);
  const alone = !(name in ITEMS);
  return h("div", { key: "table", class: `table ${alone ? "alone" : ""} ${s.watch ? "watch" : ""} ${s.lesson ? "guided" : ""}` }, [
    h("a", { class: "skip", href: "#stage" }, t("skip")),
    s.lesson ? lessonBar(s, act) : bar(s, act),
    h("main", { class: "board" }, [
      seatList(s, act),
      track(s),
      saying(s),
      h("div", { id: "stage", key: "stage", class: `stage stage-${name}`, tabindex: -1 }, STAGES[name](s, act)),
      h("div", { key: "deed", class: "deed", role: "group", "aria-label": t("deed") }, deed(s, act, name)),
    ]),
    !alone && preview(s, ITEMS[name](s)),
  ]);
}

function bar(s, act) {
  const { state } = s;
  const left = s.deadline === null || s.reveal ? null : Math.max(0, Math.round((s.deadline - s.now) / 1000));
  return h("header", { class: "bar" }, [
    h("div", { class: "bar-title" }, [
      h("h1", {}, turnName(state.rules, s.reveal?.turn ?? state.turn)),
      lineSign(s) || h("small", {}, t(`edition.${state.rules.name}`)),
    ]),
    left !== null &&
      h(
        "span",
        { class: `timer ${left <= 10 ? "alarm" : ""}`, role: "timer", "aria-label": t("timer") },
        `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`,
      ),
    watchersSign(s),
    iconButton("log", t("log"), () => act.show("log")),
    iconButton("rules", t("rules"), act.showRules),
    iconButton("menu", t("menu"), () => act.show("menu")),
  ]);
}

/** What the seat can do now, or why it can do nothing. */
function deed(s, act, name) {
  const { state } = s;
  const enlarge =
    name in ITEMS &&
    h(
      "button",
      {
        key: "enlarge",
        type: "button",
        class: "quiet enlarge-all",
        "aria-label": t("enlarge"),
        onclick: () => act.zoom(name, s.at),
      },
      [icon("enlarge"), h("span", {}, t("enlarge"))],
    );
  const guided = s.lesson && lessonDeed(s, act);
  if (guided) return [enlarge, guided];
  if (s.reveal) return [enlarge, revealDeed(s, act)];
  if (state.phase === "over") return overDeed(s, act);
  if (state.you.seat === null)
    return [
      enlarge,
      (!s.watch && noSeat(s)) || h("p", { key: "hint", class: "hint" }, t("idle.spectator")),
      !s.watch &&
        !noSeat(s) &&
        h("button", { key: "join", type: "button", class: "button", onclick: () => act.show("join") }, t("join")),
    ];
  if (state.you.status !== "here")
    return [
      h("p", { key: "hint", class: "hint" }, t(state.paused ? "idle.timeIsUp" : "idle.standIn")),
      h("button", { key: "back", type: "button", class: "button", onclick: act.back }, t("idle.back")),
    ];
  if (isSending(s)) return [state.phase === "votes" && dialRow(s, act), enlarge, onItsWay(s)];
  if (!mayAct(s)) return [enlarge, h("p", { key: "hint", class: "hint" }, t(`idle.${state.idle}`))];
  if (state.phase === "clue") return clueForm(s, act, enlarge);
  if (state.phase === "cards") return [enlarge, giveButton(s, act)];
  return [dialRow(s, act), enlarge, voteButton(s, act)];
}

/** For those without a hand: who has laid cards face down, and who still thinks. */
function backsView(s) {
  const { phase, seats, rules } = s.state;
  const counts = { storyteller: 1, acted: rules.gives, acts: phase === "clue" ? 1 : rules.gives };
  const laid = ["clue", "cards"].includes(phase)
    ? seats.flatMap((seat) => Array(counts[seat.task] ?? 0).fill(seat))
    : [];
  return h(
    "ul",
    { class: "backs", role: "list", "aria-label": t("backs"), "data-fit": laid.length || null },
    laid.map((seat, index) =>
      h("li", { key: index, class: `back ${seat.task === "acts" ? "awaited" : ""}` }, [
        disc(seat.seat, "large"),
        seat.task === "acts" && icon("thinks"),
        h("span", { class: "spoken" }, [nameOf(s, seat.seat), seat.task === "acts" && `, ${t("seat.acts")}`]),
      ]),
    ),
  );
}

/** On wide screens the card under the pointer or the keyboard stands enlarged beside the table. */
function preview(s, items) {
  const item = items.find(({ card }) => card.id === s.look) ?? items.find(({ large }) => large) ?? items[0];
  return h(
    "aside",
    { class: "preview", "aria-hidden": "true" },
    item &&
      h("figure", { style: { "--aspect": 2 / 3 } }, [
        picture(s.table, item.card),
        h("figcaption", {}, item.number ? t("card", { i: item.number }) : t("card", { i: items.indexOf(item) + 1 })),
      ]),
  );
}

/** Dialogs over the table. */
export function overTable(s, act) {
  const close = () => act.show(null);
  const sheets = {
    rules: () => rulesSheet(s, close),
    log: () => logSheet(s, act),
    menu: () => menuSheet(s, act),
    remove: () => removeSheet(s, act),
    cast: () => castSheet(s, act),
    questions: () => s.asking && questionsSheet(s, act),
    join: () => sheet("join", t("join"), close, joinForm(s, act)),
  };
  return [s.sheet && sheets[s.sheet](), s.zoom && zoomed(s, act)];
}

function zoomed(s, act) {
  const { scene: name, index } = s.zoom;
  const past = name.startsWith("turn ") ? turnOf(s, Number(name.slice(5))) : null;
  const cards = past ? revealedItems(s, past) : ITEMS[name](s);
  const actions =
    name === "hand" ? handActions(s, act, cards[index].card) : name === "slots" ? slotActions(s, act, index) : null;
  const names = { hand: t("hand"), slots: t("slots") };
  const shown = cards.map((item, i) => ({
    card: item.card,
    label: t("card", { i: i + 1 }),
    note: name === "hand" || name === "slots" ? item.note : item.label,
  }));
  return zoomDialog(
    s.table,
    { cards: shown, index, name: names[name] ?? t("slots"), actions },
    { go: (to) => act.zoom(name, to), close: act.unzoom },
  );
}
