// The lesson: one guided turn, and a clue of one's own. It is a table without a server: it answers the page's commands
// with the frames that a server would send, made from a script with all its points (`lesson.json`).

import { stateFrame, turnsFrame } from "./frames.js";
import { t } from "./i18n.js";
import { LAST_BEAT } from "./parts/result.js";

export const LESSON_STEPS = ["begin", "cards", "votes", "points", "tell", "end"];

/** Where the lesson stands: one of its steps, or "" while a reveal goes its way. */
export function lessonStep(s) {
  const { turn, phase } = s.state;
  if (s.reveal) return s.reveal.beat === LAST_BEAT ? "points" : "";
  if (turn === 2) return phase === "clue" ? "tell" : "end";
  return { clue: "begin", cards: "cards", votes: "votes" }[phase] ?? "";
}

export const loadLesson = async () => (await fetch(new URL("lesson.json", import.meta.url))).json();

/** The table of the lesson, with the commands of a socket; `still` when nothing may move. */
export function lessonTable(store, script, still) {
  const { info, name } = store.get();
  const personas = Object.keys(info.personas);
  const seats = script.state.seats.map((seat) => ({
    ...seat,
    name: seat.seat === 0 ? name || t("join.seated") : "",
    bot: seat.kind === "bot" ? (personas[seat.seat - 1] ?? seat.bot) : "",
  }));
  let frame = { ...script.state, seats, hand: script.hand };
  let lures = 0; // votes that the learner's card draws

  /** Show the table with these changes, and what its seats are doing now. */
  function show(changes) {
    frame = { ...frame, ...changes, revision: frame.revision + 1 };
    frame.seats = frame.seats.map((seat) => ({ ...seat, task: task(seat.seat) }));
    store.set((s) => stateFrame(s, frame, Date.now(), still));
  }

  function task(seat) {
    if (frame.phase === "reveal") return seat === 0 ? "reads" : "";
    if (frame.waiting.includes(seat)) return "acts";
    if (frame.phase === "clue") return "waits";
    return seat === frame.storyteller ? "storyteller" : "acted";
  }

  const mine = (cards) => frame.hand.filter((card) => cards.includes(card.id));
  const rest = (cards) => frame.hand.filter((card) => !cards.includes(card.id));

  const steps = {
    /** The storyteller has given a clue: now the learner gives a card. */
    begin: () => show({ phase: "cards", clue: t("lesson.clue"), waiting: [0], idle: "", needs: needing(1, 0) }),
    cards({ cards: [id] }) {
      const { dials_most: dials } = script.state.rules;
      const [given] = mine([id]);
      lures = script.lures[script.hand.findIndex((card) => card.id === id)];
      const slots = script.slots.map((card) => card ?? given);
      const own_slots = [script.slots.indexOf(null)];
      show({ phase: "votes", hand: rest([id]), given: [given], slots, own_slots, needs: needing(0, dials) });
    },
    votes({ slots }) {
      const ballot = slots.toSorted((a, b) => a - b);
      const played = script.turns[lures][ballot.join(",")];
      store.set((s) => turnsFrame(s, { game: 1, turns: [{ ...played, clue: frame.clue, slots: frame.slots }] }));
      const scored = frame.seats.map((seat) => ({ ...seat, score: played.scores[seat.seat] }));
      show({ phase: "reveal", seats: scored, dials: ballot, waiting: [0], idle: "reveal", needs: needing(0, 0) });
    },
    /** The reveal is closed: now the learner tells. */
    seen() {
      const fresh = { clue: "", given: [], slots: [], own_slots: [], dials: [] };
      const hand = [...frame.hand, script.next];
      show({ ...fresh, phase: "clue", turn: 2, storyteller: 0, hand, waiting: [0], idle: "", needs: needing(1, 0) });
    },
    clue({ card, clue }) {
      const others = frame.seats.map((seat) => seat.seat).filter((seat) => seat !== 0);
      const given = { given: mine([card]), hand: rest([card]) };
      show({ ...given, phase: "cards", clue, waiting: others, idle: "storyteller", needs: needing(0, 0) });
    },
  };

  show({});
  return { send: (type, values) => steps[type]?.(values) };
}

const needing = (cards, dials) => ({ cards, dials_least: dials, dials_most: dials });
