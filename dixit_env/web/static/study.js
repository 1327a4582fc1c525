// What a study's participant still has to answer, and what they did before a decision: for studies only.

import { isMe, turnOf } from "./facts.js";
import { momentOf } from "./frames.js";

/** The questions of a study after a turn, or at the end (turn 0), for whoever reads this. */
export function questionsOf(s, turn) {
  if (turn === 0) return s.study.end;
  const role = isMe(s, turnOf(s, turn).storyteller) ? "storyteller" : "voters";
  return s.study.turn.filter(({ of }) => of === "everybody" || of === role);
}

/** Are there questions about a turn (0: at the end) that wait for an answer? */
export const asks = (s, turn) =>
  Boolean(s.study && s.state.study && s.state.you.seat !== null) &&
  !s.state.study.answered.includes(turn) &&
  questionsOf(s, turn).length > 0;

/** Is the last game of the study on? */
export const isLastGame = (s) => s.state.game >= s.state.study.games;

/** A text of the study in the reader's language, or else in the study's first. */
export const inWords = (s, texts, language) => texts[language] ?? texts[s.study.languages[0]] ?? "";

/** Counts what is done before a decision, or before an answer in a blind test. `get` is the store's. */
export function createEffort(get) {
  let moment = "";
  let done = {};
  let hiddenSince = null;

  function now() {
    const { state, blind } = get();
    const at = state ? momentOf(state) : String(blind?.since);
    if (at !== moment) {
      moment = at;
      done = { looks: 0, changes: 0, edits: 0, hidden: 0 };
    }
    return done;
  }

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") hiddenSince = Date.now();
    else if (hiddenSince !== null) {
      now().hidden += (Date.now() - hiddenSince) / 1000;
      hiddenSince = null;
    }
  });
  return {
    count: (name) => (now()[name] += 1),
    told: () => (get().state?.study || get().blind ? { effort: { ...now() } } : {}),
  };
}
