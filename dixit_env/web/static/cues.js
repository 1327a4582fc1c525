// What just happened, for the ear and the hand: pure functions from two states of the page to cues.

import { mayAct } from "./facts.js";
import { momentOf } from "./frames.js";

const acted = ({ state }) => state.seats.filter((seat) => seat.task === "acted").length;
const shows = ({ state }, seat) => state.seats[seat]?.reaction ?? "";

/** The names of what happened between two states; nothing where the table is only just being read. */
export function cuesBetween(before, after) {
  if (!before.state || !after.state || before === after) return [];
  const same = momentOf(before.state) === momentOf(after.state);
  const happened = {
    deal: after.dealt !== before.dealt && after.dealt.length > 0 && !after.reveal,
    give: after.state.given.length > before.state.given.length,
    turn: !same && after.state.phase === "votes",
    tick: same && acted(after) > acted(before),
    land: Boolean(after.reveal) && !before.reveal,
    lift: after.reveal?.beat === 1 && before.reveal?.beat === 0,
    hop: Boolean(after.hop) && !before.hop,
    face: after.state.seats.some(({ seat, reaction }) => reaction && reaction !== shows(before, seat)),
    mine: mayAct(after) && !(same && mayAct(before)),
  };
  return Object.keys(happened).filter((cue) => happened[cue]);
}
