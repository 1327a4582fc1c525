// What a frame from the server does to the page's state: pure functions from state and frame to changes.

import { freshDials, me } from "./facts.js";
import { LAST_BEAT } from "./parts/result.js";
import { hopsBetween } from "./parts/track.js";

/** The part of the state that belongs to one table. */
export const emptyTable = {
  state: null, // the server's last `state` frame
  turns: [], // finished turns of this game
  game: 0,
  order: [], // ids of the own cards, as they lie in the hand
  dealt: [], // those of them that came last
  chosen: [], // ids chosen for a clue or to give
  dials: freshDials(0),
  draft: "", // the clue that is being written
  reveal: null, // {turn, beat} while a reveal is open here
  closed: "", // the last reveal that was closed here, as "game:turn"
  hop: null, // steps that each rabbit hops just now
  deadline: null, // when a bot decides, on this page's clock
  at: 0, // index of the card that the tabulator key reaches
  look: null, // id of the card in the preview
  zoom: null, // {scene, index}
  sheet: null, // which sheet is open
  asked: null, // {seat, name} of whom the host is asked about
  faces: false, // are the faces open that a seat can show?
  asking: null, // {turn, answers, since, missing} of a study's questions
};

/** Where a table stands, as one string. */
export const momentOf = ({ game, turn, phase }) => `${game}:${turn}:${phase}`;

export function turnsFrame(s, frame) {
  const known = frame.game === s.game ? s.turns : [];
  const fresh = frame.turns.filter((turn) => !known.some((other) => other.turn === turn.turn));
  const turns = [...known, ...fresh].sort((a, b) => a.turn - b.turn);
  return { game: frame.game, turns, ...(frame.game === s.game ? {} : { reveal: null, hop: null, zoom: null }) };
}

export function stateFrame(s, frame, now, still) {
  if (s.state && frame.revision < s.state.revision) return {};
  const before = s.state;
  const order = handOrder(s.order, frame);
  const dealt = before ? order.filter((id) => !s.order.includes(id)) : [];
  const changes = {
    now,
    state: frame,
    order,
    dealt: dealt.length ? dealt : s.dealt,
    deadline: frame.seconds_left === null ? null : now + 1000 * frame.seconds_left,
  };
  if (!before || momentOf(before) !== momentOf(frame))
    Object.assign(changes, opening(s, frame));
  return { ...changes, ...revealing({ ...s, ...changes }, still) };
}

/** A new phase: nothing is chosen, and the zoom closes unless its cards are still there. */
function opening(s, frame) {
  const handStays = s.zoom?.scene === "hand" && ["clue", "cards"].includes(frame.phase);
  const stays = handStays || s.zoom?.scene === "reveal" || s.zoom?.scene.startsWith("turn ");
  return {
    chosen: [],
    draft: "",
    dials: freshDials(frame.needs.dials_most),
    ...(s.state ? {} : restored(s.saved, frame)),
    at: s.reveal || handStays ? s.at : 0,
    zoom: stays ? s.zoom : null,
    ...(frame.phase === "lobby" ? { reveal: null, turns: [], sheet: null, zoom: null, closed: "" } : {}),
  };
}

/** What was chosen and written in this very phase before the page was loaded again. */
function restored(saved, frame) {
  if (saved?.at !== momentOf(frame)) return {};
  const { chosen, draft, dials } = saved;
  return {
    chosen: chosen.filter((id) => frame.hand.some((card) => card.id === id)),
    draft,
    ...(dials.shows.length === frame.needs.dials_most ? { dials } : {}),
  };
}

/** Cards keep their places: a given card stays where it was, and the refill takes that place. */
function handOrder(order, frame) {
  const hand = frame.hand.map((card) => card.id);
  if (frame.given.length === 0) return hand;
  const all = [...frame.given.map((card) => card.id), ...hand];
  return all.every((id) => order.includes(id)) ? order.filter((id) => all.includes(id)) : all;
}

/** Open the reveal once for each turn; it is closed by its reader, or by the game where there is no reader. */
function revealing(s, still) {
  const { phase, game, turn, seen } = s.state;
  const name = `${game}:${turn}`;
  if (s.reveal) return me(s) === null && phase !== "reveal" ? closing(s) : {};
  const known = s.turns.some((other) => other.turn === turn);
  if (phase !== "reveal" || !known || s.closed === name || seen.includes(me(s))) return {};
  return { reveal: { turn, beat: still ? LAST_BEAT : 0 }, at: 0, look: null, zoom: null };
}

/** The reveal is closed: the rabbits hop from the old scores to the new. */
export function closing(s) {
  const { turn } = s.reveal;
  const after = s.turns.find((other) => other.turn === turn).scores;
  const before = s.turns.find((other) => other.turn === turn - 1)?.scores ?? after.map(() => 0);
  return {
    reveal: null,
    closed: `${s.state.game}:${turn}`,
    hop: hopsBetween(before, after),
    at: 0,
    look: null,
    zoom: null,
  };
}
