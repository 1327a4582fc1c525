// The page of past games: one game turn by turn, or the list of all games of some records. It asks its server for them,
// or is one file that brings its game along.

import { patch } from "./dom.js";
import { inside, preferred, speak, t } from "./i18n.js";
import { kept } from "./storage.js";
import { createStore } from "./store.js";
import { gamesView } from "./views/games.js";
import { replayView, turnZoom } from "./views/replay.js";

const [, table, number] = location.pathname.match(/^\/t\/([^/]+)\/games\/(\d+)$/) ?? [];
const [, record] = location.pathname.match(/^\/games\/(\d+)$/) ?? [];

/** Where the game is asked for, and where one goes from it. */
const PLACES = inside.game
  ? { source: null, back: null }
  : table
    ? { source: `/api/tables/${table}/games/${number}`, back: { href: `/t/${table}`, text: "replay.toTable" } }
    : record
      ? { source: `/api/games/${record}`, back: { href: "/", text: "replay.toList" } }
      : { source: "/api/games", back: null };

const store = createStore({
  table: null, // cards bring their pictures' addresses
  info: { personas: {} }, // seats bring their names
  back: PLACES.back,
  games: null, // the list
  shown: 0, // how much of the list is shown
  state: null, // the game's seats and rules
  turns: [],
  at: 0, // index of the turn
  hand: null, // seat whose hand is shown; null: the storyteller's
  zoom: null, // {cards, index, name}
  fault: "", // key of what is wrong
  theme: kept.get("theme") ?? "",
  screen: { width: innerWidth, height: innerHeight },
});
const { get, set } = store;

const act = {
  go: (at) => set((s) => ({ at: Math.min(s.turns.length - 1, Math.max(0, at)) })),
  takeHand: (hand) => set({ hand }),
  zoom: (zoom) => set({ zoom }),
  more: () => set((s) => ({ shown: s.shown + 100 })),
  async speak(tag) {
    kept.set("language", tag);
    await speak(tag);
    set({});
  },
  theme(theme) {
    kept.set("theme", theme);
    document.documentElement.dataset.theme = theme;
    set({ theme });
  },
};

/** A game as the parts of a table want it, with the addresses of its pictures at its cards. */
function opened({ rules, seats, winners, turns }) {
  const pictured = (card) => ({
    ...card,
    pictures: inside.pictures
      ? { small: inside.pictures[card.id], full: inside.pictures[card.id] }
      : { small: `/cards/${card.id}/small.webp`, full: `/cards/${card.id}/full.webp` },
  });
  return {
    state: { rules, seats, winners, you: { seat: null } },
    turns: turns.map((turn) => ({
      ...turn,
      slots: turn.slots.map(pictured),
      hands: turn.hands.map((hand) => hand.map(pictured)),
    })),
    at: Math.min(turns.length - 1, Math.max(0, Number(location.hash.slice(1)) - 1 || 0)),
  };
}

async function load() {
  if (inside.game) return opened(inside.game);
  const answer = await fetch(PLACES.source);
  const body = await answer.json();
  if (!answer.ok) return { fault: `error.${body.error.code}` };
  return body.games ? { games: body.games, shown: 100 } : opened(body);
}

function view(s) {
  if (s.games) return gamesView(s, act);
  return replayView(s, act);
}

function render(s) {
  patch(document.getElementById("page"), [view(s)]);
  patch(document.getElementById("over"), s.zoom ? turnZoom(s, act) : []);
  document.title = s.state ? `${t("replay")} · ${t("turn", { n: s.at + 1 })}` : t("title");
}

/** The turn stands in the address, so that a link leads to it. */
function keepPlace({ state, at }) {
  if (state && location.hash !== `#${at + 1}`) history.replaceState(null, "", `#${at + 1}`);
}

/** Arrow keys step through the turns, except where they mean something else. */
function stepWithKeys(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const taken = event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, dialog");
  if (step && !taken && get().state) act.go(get().at + step);
}

async function begin() {
  document.documentElement.dataset.theme = get().theme;
  await speak(preferred());
  store.watch(render);
  store.watch(keepPlace);
  addEventListener("resize", () => set({ screen: { width: innerWidth, height: innerHeight } }));
  addEventListener("keydown", stepWithKeys);
  set(await load().catch(() => ({ fault: "line.lost" })));
}

begin();
