// What a turn teaches the seat that played it: pure functions from a finished turn to sentences.

import { nameOf, outcomeOf, votersOf } from "./facts.js";

/** The sentences, each {key, values} for t(). */
export function lessonsOf(s, turn, seat) {
  const points = turn.clue_points[seat];
  if (seat === turn.storyteller) return [{ key: `lesson.teller.${outcomeOf(s, turn)}`, values: { points } }];
  return [voteLesson(s, turn, seat, points), decoyLesson(turn, seat)];
}

function voteLesson(s, turn, seat, points) {
  if (turn.outcome !== "some") return { key: `lesson.voter.${outcomeOf(s, turn)}`, values: { points } };
  const dials = turn.votes[seat];
  const how = dials.length === 1 ? "single" : dials[0] === dials[1] ? "stacked" : "spread";
  if (dials.includes(turn.target)) return { key: `lesson.${how}.found`, values: { points } };
  return { key: `lesson.${how}.missed`, values: { name: nameOf(s, turn.owners[dials[0]]) } };
}

function decoyLesson(turn, seat) {
  const n = turn.owners.flatMap((owner, slot) => (owner === seat ? votersOf(turn, slot) : [])).length;
  const points = turn.decoy_points[seat];
  return n ? { key: "lesson.lured", values: { n, points } } : { key: "lesson.alone", values: {} };
}
