// The page: wires the store, the socket and the views together.

import { createActions } from "./actions.js";
import { listenToKeys } from "./blind.js";
import { cuesBetween } from "./cues.js";
import { patch } from "./dom.js";
import { codeIn } from "./facts.js";
import { emptyTable, momentOf, stateFrame, turnsFrame } from "./frames.js";
import { knows, language, preferred, speak, t } from "./i18n.js";
import { lessonTable, loadLesson } from "./lesson.js";
import { beginNow, beginsNow } from "./now.js";
import { fitCards } from "./parts/cards.js";
import { title } from "./parts/saying.js";
import { still } from "./parts/motion.js";
import { LAST_BEAT } from "./parts/result.js";
import { hopTime } from "./parts/track.js";
import { canNotify, signal } from "./signals.js";
import { connect } from "./socket.js";
import { awaitTouch } from "./sounds.js";
import { kept, tab } from "./storage.js";
import { createStore } from "./store.js";
import { myTables, noteTable } from "./tables.js";
import { blindView, overBlind } from "./views/blind.js";
import { homeView, messageView } from "./views/home.js";
import { consentView, waitingView } from "./views/study.js";
import { overTable, tableView } from "./views/table.js";

const BEAT = 2200; // milliseconds that each beat of a reveal stands
const MOMENT = 400; // milliseconds

const [, code, watch] = location.pathname.match(/^\/t\/([^/]+)(\/watch)?$/) ?? [];
const inStudy = location.pathname === "/study"; // where a participant comes in
const table = code ? codeIn(code) || code : null; // links typed in small letters lead there too
const learning = location.pathname === "/learn";

const store = createStore({
  ...emptyTable,
  table,
  watch: Boolean(watch),
  address: table ? `${location.origin}/t/${table}` : "",
  info: null, // what tables can be like
  study: null, // the texts of the server's study
  participant: "", // the id in a participant's link
  place: null, // where a participant stands who has no table yet: {missing, code}
  blind: null, // the blind test that a participant is in (blind.js)
  settings: null, // of the table that the home page prepares
  mine: [], // tables with a seat of this browser, as the server knows them
  lesson: learning,
  line: "connecting", // "open", "lost", "busy"
  sending: [], // commands that are on their way for longer than a moment
  saved: JSON.parse(tab.get(`draft:${table}`)), // what was chosen and written here before the page was loaded again
  gone: "", // why the table can't be reached any more
  name: kept.get("name") ?? "",
  consent: false,
  notice: "", // key of the text in the alert region
  theme: kept.get("theme") ?? "",
  sounds: kept.get("sounds") !== "off",
  notices: kept.get("notices") === "on" && canNotify() && Notification.permission === "granted",
  screen: { width: innerWidth, height: innerHeight },
  now: Date.now(),
});
let socket = null;
const act = createActions(store, () => socket);

function view(s) {
  if (s.gone) return messageView(t(`error.${s.gone}`));
  if (inStudy) return studyView(s);
  if (!table && !learning) return homeView(s, act);
  const ready = s.state && (s.study || !s.state.study) && !(table && beginsNow(s));
  if (!ready) return messageView(t(knows(`line.${s.line}`) ? `line.${s.line}` : "loading"));
  return tableView(s, act);
}

/** Where a participant comes in. */
function studyView(s) {
  if (!s.study) return messageView(t("loading"));
  if (s.blind) return blindView(s, act);
  if (s.place) return waitingView(s, act);
  return s.participant ? consentView(s, act) : messageView(t("study.noId"));
}

/** What lies over the page. */
function over(s) {
  if (s.gone) return [];
  if (s.blind) return overBlind(s, act);
  return s.state ? overTable(s, act) : [];
}

function render(s) {
  const focused = document.activeElement;
  patch(document.getElementById("page"), [view(s)]);
  patch(document.getElementById("over"), over(s));
  patch(document.getElementById("alert"), [s.notice && knows(s.notice) ? t(s.notice) : ""]);
  document.title = title(s);
  fitCards();
  if (focused !== document.body && !focused.isConnected)
    document.getElementById("stage")?.focus({ preventScroll: true });
}

/** Reveals go on by themselves, hops end. */
let seen = {};
function keepTime({ reveal, hop }) {
  if (reveal && reveal !== seen.reveal && reveal.beat < LAST_BEAT)
    setTimeout(() => store.get().reveal === reveal && act.nextBeat(), BEAT);
  if (hop && hop !== seen.hop) setTimeout(() => store.set({ hop: null }), hopTime(hop) + 200);
  seen = { reveal, hop };
}

/** What happens is heard and felt. */
let last = store.get();
function call(s) {
  signal(cuesBetween(last, s), s);
  last = s;
}

/** What is chosen and written outlives a reload. */
let saved = "";
function save({ state, chosen, draft, dials }) {
  if (!state) return;
  const now = JSON.stringify({ at: momentOf(state), chosen, draft, dials });
  if (now !== saved) tab.set(`draft:${table}`, now);
  saved = now;
}

/** What lies over the table has an entry in the browser's history each, so that the back button closes it. */
const layers = ({ sheet, zoom }) => (sheet ? 1 : 0) + (zoom ? 1 : 0);
let entries = history.state?.layers ?? 0;
let going = false; // back, because something was closed on the page
function keepHistory(s) {
  const open = layers(s);
  if (open > entries) history.pushState({ layers: open }, "");
  else if (open < entries) {
    going = true;
    history.go(open - entries);
  }
  entries = open;
}

function goBack() {
  const mine = going;
  going = false;
  if (mine) return;
  entries = history.state?.layers ?? 0;
  if (layers(store.get()) > entries) store.set(entries ? { zoom: null } : { sheet: null, zoom: null });
}

/** The second click of a double click does nothing, except where clicking twice means twice. */
const TWICE = ".stage-slots, .dials, .step, .twice, summary, label, input, select";
function once(event) {
  if (event.detail < 2 || event.target.closest?.(TWICE)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Show what is on its way only when it takes longer than a moment. */
let slow = 0;
function showSending(sending) {
  clearTimeout(slow);
  if (sending.length === 0) store.set({ sending });
  else slow = setTimeout(() => store.set({ sending }), MOMENT);
}

function joinTable() {
  socket = connect(table, Boolean(watch), {
    welcome: () => {
      store.set((s) => ({ state: s.state && { ...s.state, revision: -1 } })); // revisions start anew
      askForLink();
    },
    frame(frame) {
      store.set((s) =>
        frame.type === "turns" ? turnsFrame(s, frame) : stateFrame(s, frame, Date.now(), still.matches),
      );
    },
    answer: (frame) => {
      if (frame.type === "error") act.complain(`error.${frame.code}`);
    },
    line: (line) => store.set({ line }),
    sending: showSending,
    gone: (gone) => store.set({ gone }),
  });
  const present = () => {
    const { state } = store.get();
    if (document.visibilityState !== "visible") return;
    socket.hurry();
    socket.check();
    if (state && state.you.seat !== null && state.you.status !== "here" && !watch) act.back();
  };
  document.addEventListener("visibilitychange", present);
  setInterval(() => store.get().deadline !== null && store.set({ now: Date.now() }), 1000);
}

/** The study's texts; on its own page also whose link this is, and where they have begun. */
async function openStudy() {
  const answer = await fetch("/api/study");
  if (!answer.ok) return store.set({ gone: "no_study" });
  const study = await answer.json();
  const participant = new URLSearchParams(location.search).get(study.parameter) ?? "";
  store.set({ study, participant });
  const begun = inStudy && kept.get(`study:${study.name}:${participant}`);
  if (begun) act.takePart(begun);
}

/** The server may know an address that others can reach better than the one in this browser. */
async function askForLink() {
  try {
    const answer = await fetch(`/t/${table}/link`);
    if (answer.ok) store.set({ address: (await answer.json()).link });
  } catch {
    // the line is lost again; it is asked for at the next welcome
  }
}

async function begin() {
  document.documentElement.dataset.theme = store.get().theme;
  const [info] = await Promise.all([askForInfo(), speak(preferred())]);
  store.set({ info, settings: { ...info.settings, lang: language } });
  addEventListener("resize", () => store.set({ screen: { width: innerWidth, height: innerHeight } }));
  awaitTouch();
  store.watch(keepTime);
  store.watch(render);
  if (table) {
    store.watch(save);
    store.watch((s) => beginNow(s, act));
    store.watch((s) => s.state && !s.state.study && !watch && noteTable(table, s.state.you.seat !== null));
  }
  store.watch(call);
  store.watch(keepHistory);
  addEventListener("popstate", goBack);
  document.addEventListener("click", once, true);
  document.addEventListener("click", ({ target }) => {
    if (store.get().faces && !target.closest(".seats")) act.showFaces();
  });
  render(store.get());
  if (inStudy) {
    listenToKeys(store, act);
    return openStudy();
  }
  if (table) joinTable();
  else if (learning) socket = lessonTable(store, await loadLesson(), still.matches);
  else store.set({ mine: await myTables() });
  if (table && info.study) openStudy();
}

const askForInfo = async () => (await fetch("/api/info")).json();

begin();
