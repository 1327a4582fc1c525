// What the reader can do. Every function changes the store, sends a command, or both; views only call these.

import { clearDial, codeIn, freshDials, isPersona, isSending, mayAct, turnDial, votesOf } from "./facts.js";
import { blindActions } from "./blind.js";
import { closing } from "./frames.js";
import { language, speak, t } from "./i18n.js";
import { beginAt, settingsNow } from "./now.js";
import { LAST_BEAT } from "./parts/result.js";
import { askToNotify } from "./signals.js";
import { asks, createEffort, questionsOf } from "./study.js";
import { placeOf } from "./socket.js";
import { kept } from "./storage.js";

const ASK_AGAIN = 2000; // milliseconds until a question for a place that got no answer is asked again

export function createActions(store, socket) {
  const { get, set } = store;
  const send = (type, values) => socket().send(type, values);
  const effort = createEffort(get);
  const moment = () => (({ game, turn, phase }) => ({ game, turn, phase }))(get().state);

  /** Send a decision of this phase, or say what is missing. */
  function decide(ready, missing, values) {
    if (isSending(get())) return;
    if (!ready) complain(missing);
    else if (mayAct(get())) {
      send(get().state.phase, { ...moment(), ...values, ...effort.told() });
      set({ zoom: null });
    }
  }

  let forget = 0;
  function complain(key) {
    clearTimeout(forget);
    set({ notice: "" });
    setTimeout(() => set({ notice: key }), 30); // an emptied region speaks again
    forget = setTimeout(() => set({ notice: "" }), 6000);
  }

  /** What the server answers, or null after saying why there is no answer. */
  async function ask(path, options) {
    try {
      const answer = await fetch(path, options);
      const body = await answer.json();
      if (answer.ok) return body;
      complain(`error.${body.error.code}`);
    } catch {
      complain("line.lost");
    }
    return null;
  }

  /** Open a table and go there; `first(table)` is called before the page is left. */
  async function open(settings, first = () => {}) {
    const opened = await ask("/api/tables", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(settings),
    });
    if (!opened) return;
    first(opened.table);
    location.assign(`/t/${opened.table}`);
  }

  const act = {
    complain,

    // home
    prepare: (name, value) => set((s) => ({ settings: withinEdition(s.info, { ...s.settings, [name]: value }) })),
    openTable: () => open(get().settings),
    playNow: () => open(settingsNow(get().info, language), beginAt),
    beginLesson: () => send("begin"),
    goTo(code) {
      const clean = codeIn(code);
      if (clean) location.assign(`/t/${clean}`);
      else complain("home.noCode");
    },

    // lobby and seats
    call: (name) => set({ name }),
    consent: (consent) => set({ consent }),
    join() {
      const { name, consent } = get();
      if (name.trim() === "") return complain("join.nameFirst");
      kept.set("name", name.trim());
      send("join", { name: name.trim(), consent });
      set({ sheet: null });
    },
    sitDown: (name) => send("join", { name, consent: false }),
    settle: (name, value) => {
      const { info, state } = get();
      const settings = withinEdition(info, { ...state.settings, [name]: value });
      send("settings", {
        settings: Object.fromEntries(Object.entries(settings).filter(([key, now]) => now !== state.settings[key])),
      });
    },
    askForBot: (seat) => set({ sheet: "cast", asked: { seat } }),
    cast(bot) {
      const { state, asked } = get();
      const free = state.seats.filter((seat) => seat.kind === "bot");
      const cast = free.map((seat, index) => {
        if (seat.seat === asked.seat) return bot;
        const now = state.settings.cast[index] ?? "";
        return now === bot && isPersona(get(), bot) ? "" : now; // a persona sits at a table once
      });
      send("settings", { settings: { cast } });
      set({ sheet: null });
    },
    start: () => send("start"),
    again: () => send("again", { deal: true }),
    reopen: () => send("again"),
    back: () => send("back"),
    leave() {
      send("leave");
      set({ sheet: null });
    },
    askToRemove: (seat) => set({ sheet: "remove", asked: { seat, name: get().state.seats[seat].name } }),
    remove() {
      send("remove", get().asked);
      set({ sheet: null });
    },
    async copyLink() {
      await navigator.clipboard.writeText(get().address);
      complain("invite.copied");
    },

    // clue, cards, votes
    choose(id) {
      effort.count("changes");
      const { chosen, state } = get();
      if (chosen.includes(id)) set({ chosen: chosen.filter((other) => other !== id) });
      else set({ chosen: [...chosen, id].slice(-Math.max(1, state.needs.cards)) });
    },
    write(draft) {
      effort.count("edits");
      set({ draft });
    },
    tell() {
      const { chosen, draft } = get();
      const missing = chosen.length ? "clue.wordsFirst" : "clue.cardFirst";
      decide(chosen.length === 1 && draft.trim() !== "", missing, { card: chosen[0], clue: draft.trim() });
    },
    toClue() {
      set({ zoom: null });
      setTimeout(() => document.querySelector("input[name=clue]")?.focus(), 50);
    },
    give() {
      const { chosen, state } = get();
      decide(chosen.length === state.needs.cards, state.needs.cards > 1 ? "give.first.two" : "give.first", {
        cards: chosen,
      });
    },
    turnDial(slot) {
      effort.count("changes");
      const { dials, state } = get();
      set({
        dials: turnDial(dials.shows.length ? dials : freshDials(state.needs.dials_most), slot, state.rules.may_stack),
      });
    },
    clearDial(index) {
      effort.count("changes");
      set((s) => ({ dials: clearDial(s.dials, index) }));
    },
    vote() {
      const { dials, state } = get();
      const slots = votesOf(dials);
      decide(slots.length >= state.needs.dials_least, "vote.first", { slots });
    },

    // reveal
    nextBeat: () => set((s) => ({ reveal: { ...s.reveal, beat: Math.min(LAST_BEAT, s.reveal.beat + 1) } })),
    skipReveal: () => set((s) => ({ reveal: { ...s.reveal, beat: LAST_BEAT } })),
    closeReveal() {
      const { reveal } = get();
      if (asks(get(), reveal.turn)) act.ask(reveal.turn);
      else act.leaveReveal();
    },
    leaveReveal() {
      const { state, reveal } = get();
      if (state.phase === "reveal" && state.turn === reveal.turn && state.you.seat !== null) send("seen", moment());
      set(closing);
    },

    // study
    async beginStudy() {
      const { participant, study } = get();
      const lang = study.languages.includes(language) ? language : study.languages[0];
      const begun = await ask("/api/study", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ participant, lang }),
      });
      if (!begun) return;
      kept.set(`study:${study.name}:${participant}`, begun.token);
      act.takePart(begun.token);
    },
    takePart: (token) => (get().study.tables ? act.goOn(token) : act.waitForTable(token)),
    /** Ask for a table again and again; the server answers when there is news. */
    async waitForTable(token) {
      set({ place: {} });
      while (!get().place.code) {
        const { missing = "" } = get().place;
        const place = await ask(`/api/study/place?missing=${missing}`, { headers: { Authorization: `Bearer ${token}` } });
        if (place?.table) {
          kept.set(placeOf(place.table), token);
          return location.replace(`/t/${place.table}`);
        }
        if (place) set({ place, notice: "" });
        else if (missing === "") return set({ place: null }); // nobody waits under this token
        else await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
      }
    },
    ask: (turn) =>
      set(({ asking }) => ({
        sheet: "questions",
        asking: asking?.turn === turn ? asking : { turn, answers: {}, since: Date.now() },
      })),
    fill: (key, value) =>
      set(({ asking }) => ({ asking: { ...asking, missing: false, answers: { ...asking.answers, [key]: value } } })),
    answer() {
      const { asking, state, blind } = get();
      const { turn, answers, since } = asking;
      const left = questionsOf(get(), turn).some(({ key, optional }) => !optional && answers[key] === undefined);
      if (left) return set({ asking: { ...asking, missing: true } });
      const seconds = (Date.now() - since) / 1000;
      if (blind) return act.sendAnswers({ answers, seconds });
      send("answer", { game: state.game, turn, answers, seconds });
      set({ sheet: null, asking: null });
      if (get().reveal?.turn === turn) act.leaveReveal();
    },
    async copyCode() {
      const { state, blind, place } = get();
      await navigator.clipboard.writeText((state?.study ?? blind ?? place).code);
      complain("study.copied");
    },

    ...blindActions(store, ask, complain, effort),

    // looking
    look(index, card) {
      if (get().look === card.id) return;
      effort.count("looks");
      set({ at: index, look: card.id });
    },
    zoom(scene, index) {
      effort.count("looks");
      set((s) => ({ zoom: { scene, index }, at: scene.startsWith("turn ") ? s.at : index }));
    },
    unzoom: () => set({ zoom: null }),
    show: (sheet) => set({ sheet }),
    async showRules() {
      const { name, players, rounds } = get().state.rules;
      const sections = await ask(`/api/rules/${name}/${players}/${language}?rounds=${rounds}`);
      if (sections) set({ sheet: "rules", sections });
    },

    // faces, sounds, notifications
    showFaces: () => set((s) => ({ faces: !s.faces })),
    react(face) {
      send("react", { face });
      set({ faces: false });
    },
    sounds(sounds) {
      kept.set("sounds", sounds ? "on" : "off");
      set({ sounds });
    },
    async notices(wanted) {
      const notices = wanted && (await askToNotify());
      kept.set("notices", notices ? "on" : "off");
      set({ notices });
      if (wanted && !notices) complain("signals.refused");
    },

    // appearance
    async speak(tag) {
      kept.set("language", tag);
      const before = language;
      try {
        await speak(tag);
      } catch {
        return complain("line.lost");
      }
      document.title = t("title");
      set(({ settings }) => (settings?.lang === before ? { settings: { ...settings, lang: tag } } : {}));
    },
    theme(theme) {
      kept.set("theme", theme);
      document.documentElement.dataset.theme = theme;
      set({ theme });
    },
  };
  return act;
}

/** Settings with as many seats as their edition allows. */
function withinEdition(info, settings) {
  const edition = info.editions.find(({ name }) => name === settings.rules);
  const seats = Math.min(edition.max_players, Math.max(edition.min_players, settings.seats));
  return { ...settings, seats, least: Math.min(settings.least, seats) };
}
