// What follows from the server's frames: pure functions, no page.

import { knows, t } from "./i18n.js";
import { symbolName } from "./parts/symbols.js";

/** The persona that plays in a seat; null for people and plain bots. */
export const personaOf = (s, seat) => s.info.personas[s.state.seats[seat]?.bot] ?? null;

/** Is a bot's key that of a persona? */
export const isPersona = (s, bot) => bot in s.info.personas;

/** A seat's name; plain bots are called after their symbol, and so are a study's participants, except to themselves. */
export function nameOf(s, seat) {
  if (s.state.study && isMe(s, seat)) return t("study.you");
  return s.state.seats[seat]?.name || personaOf(s, seat)?.name || t(symbolName(seat));
}

/** What a kind of bot is like, in a few words. */
export const botName = (bot) => (knows(`bot.${bot}`) ? t(`bot.${bot}`) : bot);

export const me = (s) => s.state.you.seat;
export const isFull = (s) => Boolean(s.state.study) || s.state.seats.every((seat) => seat.kind !== "bot");
export const isMe = (s, seat) => seat !== null && seat === s.state.you.seat;
export const mayAct = (s) => s.state.idle === "" && me(s) !== null;
/** Is the decision of this phase on its way? */
export const isSending = (s) => s.sending.some(({ type }) => type === s.state.phase);
/** How many turns a game has that ends by rounds; null where points end it. */
export const allTurns = ({ rounds, players }) => rounds * players || null;
/** "Turn 3", or "Turn 3 of 12" where it is known. */
export const turnName = (rules, n) =>
  allTurns(rules) ? t("turn.of", { n, all: allTurns(rules) }) : t("turn", { n });
export const lastTurn = (s) => s.turns.at(-1) ?? null;
export const turnOf = (s, number) => s.turns.find((turn) => turn.turn === number) ?? null;

/** The scores to show: the old ones until the reveal is closed. */
export function shownScores(s) {
  if (s.reveal) return turnOf(s, s.reveal.turn - 1)?.scores ?? s.state.seats.map(() => 0);
  return s.state.seats.map((seat) => seat.score);
}

/** The clue that is on the table, or "". */
export const shownClue = (s) => (s.reveal ? turnOf(s, s.reveal.turn).clue : s.state.clue);

/** Who tells the story that is shown. */
export const shownStoryteller = (s) => (s.reveal ? turnOf(s, s.reveal.turn).storyteller : s.state.storyteller);

/** The seats that voted for a slot, once for each dial. */
export const votersOf = (turn, slot) =>
  turn.votes.flatMap((dials, seat) => dials.filter((dial) => dial === slot).map(() => seat));

/** The code of a table in what somebody typed or pasted: the code, spaced as it may be, or a link; "" when there is none. */
export function codeIn(text) {
  const link = text.match(/\/t\/([^/?#\s]+)/);
  const code = (link ? link[1] : text).replace(/[\s-]/g, "").toUpperCase();
  return /^[A-Z0-9]+$/.test(code) ? code : "";
}

/** What became of a turn's clue, as the end of a text's key: in some editions "all" are all votes, in others all voters. */
export const outcomeOf = (s, turn) =>
  turn.outcome === "all" && s.state.rules.all_means === "voters" ? "all_voters" : turn.outcome;

/** Why a seat got its points in a turn: [{key, n, points}], without the reasons that brought none. */
export function reasons(s, turn, seat) {
  const found = turn.votes[seat].filter((slot) => slot === turn.target).length;
  const lured = turn.owners.flatMap((owner, slot) => (owner === seat ? votersOf(turn, slot) : [])).length;
  const clue = { points: turn.clue_points[seat], n: found };
  if (turn.outcome !== "some" || seat === turn.storyteller) clue.key = `why.${outcomeOf(s, turn)}`;
  else clue.key = found ? "why.found" : "why.missed";
  const decoy = { key: "why.decoy", points: turn.decoy_points[seat], n: lured };
  return decoy.points ? [clue, decoy] : [clue];
}

/** Places with ties: [{seat, score, place}], best first. */
export function ranking(scores) {
  const order = scores.map((score, seat) => ({ seat, score })).sort((a, b) => b.score - a.score || a.seat - b.seat);
  return order.map((entry) => ({ ...entry, place: 1 + order.findIndex((other) => other.score === entry.score) }));
}

/** The turn whose clue split the dials most evenly between found and not found; null if no clue did. */
export function bestClue(turns) {
  const split = (turn) => {
    const dials = turn.votes.flat();
    return Math.abs(dials.filter((slot) => slot === turn.target).length / dials.length - 0.5);
  };
  return least(
    turns.filter((turn) => turn.outcome === "some"),
    split,
  );
}

/** The decoy, of a seat or of all, with the most dials on it: {turn, slot, owner, n}; null if none was voted for. */
export function bestDecoy(turns, seat = null) {
  const decoys = turns.flatMap((turn) =>
    turn.owners
      .map((owner, slot) => ({ turn, slot, owner, n: votersOf(turn, slot).length }))
      .filter(({ owner, n }) => owner !== turn.storyteller && n > 0 && (seat === null || owner === seat)),
  );
  return least(decoys, (decoy) => -decoy.n);
}

/** The first of the entries for which `cost` is least, or null. */
function least(entries, cost) {
  return entries.reduce((best, entry) => (best === null || cost(entry) < cost(best) ? entry : best), null);
}

/** No dial is set yet, and the first one turns next. */
export const freshDials = (count) => ({ shows: Array(count).fill(null), next: 0 });

/** Turn the next dial to `slot`; where dials may not be stacked, a slot that a dial shows already is given up. */
export function turnDial(dials, slot, mayStack) {
  const there = dials.shows.indexOf(slot);
  if (!mayStack && there >= 0) return clearDial(dials, there);
  const shows = dials.shows.with(dials.next, slot);
  const free = shows.indexOf(null);
  return { shows, next: free >= 0 ? free : (dials.next + 1) % shows.length };
}

/** Take a dial back; it turns next. */
export const clearDial = (dials, index) => ({ shows: dials.shows.with(index, null), next: index });

/** The slots that the dials show. */
export const votesOf = (dials) => dials.shows.filter((slot) => slot !== null);
