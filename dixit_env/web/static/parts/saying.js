// The one sentence that says what happens and whom the table waits for, and the clue.

import { h, theirs } from "../dom.js";
import { isMe, mayAct, me, nameOf, outcomeOf, shownClue, shownStoryteller, turnOf } from "../facts.js";
import { list, t, tn } from "../i18n.js";
import { lessonStep } from "../lesson.js";
import { who } from "./seats.js";

const LONG_CLUE = 60; // characters from which a clue is set smaller
const NAMED = 3; // more players than this are counted, not named

export function saying(s) {
  const clue = shownClue(s);
  const { phase } = s.state;
  return h("div", { class: "saying" }, [
    h("p", { class: "sentence", role: "status" }, h("span", {}, sentence(s))),
    clue
      ? h(
          "blockquote",
          {
            class: `clue ${clue.length > LONG_CLUE ? "long" : ""}`,
            tabindex: clue.length > 2 * LONG_CLUE ? 0 : null,
            "aria-label": clue.length > 2 * LONG_CLUE ? t("clue") : null,
          },
          theirs(clue),
        )
      : phase === "clue" && !mayAct(s) && h("p", { class: "clue none" }, t("clue.none")),
  ]);
}

/** The sentence, as children for h(). */
export function sentence(s) {
  const { state } = s;
  if (s.lesson && lessonStep(s)) return lessonSentence(s);
  if (s.reveal) return revealSentence(s);
  if (state.phase === "over") return overSentence(s);
  if (state.paused) return tn(waitsForMe(s) ? "say.pausedForYou" : "say.paused", { n: state.settings.least });
  const teller = state.storyteller === null ? "" : who(s, state.storyteller);
  const waiting = waitingFor(s);
  const last = state.waiting.length === 1 && isMe(s, state.waiting[0]);
  if (state.phase === "clue") return mayAct(s) ? tn("say.tell") : tn("say.tells", { name: teller });
  if (state.phase === "reveal") return tn("say.reading", { names: waiting });
  const kind = state.phase; // cards or votes
  if (mayAct(s)) {
    const ask = kind === "cards" ? tn("say.give", { n: state.needs.cards }) : askForVote(state.needs);
    return last ? [ask, " ", tn("say.last")] : ask;
  }
  if (isMe(s, state.storyteller)) return tn(`say.teller.${kind}`, { names: waiting });
  return tn(state.idle === "acted" ? `say.acted.${kind}` : `say.others.${kind}`, { names: waiting });
}

/** What the lesson says to its step, with the numbers of its rules. */
function lessonSentence(s) {
  const { storyteller_points: teller, dial_points: dial, decoy_points: decoy, target } = s.state.rules;
  return tn(`lesson.${lessonStep(s)}`, { name: who(s, shownStoryteller(s)), teller, dial, decoy, target });
}

/** Would the game go on if the reader came back to it? */
function waitsForMe({ state }) {
  const here = state.seats.filter((seat) => seat.status === "here").length;
  return ["asleep", "left"].includes(state.you.status) && here + 1 >= state.settings.least;
}

const askForVote = ({ dials_least: least, dials_most: most }) =>
  least < most ? tn("say.voteOptional") : tn("say.vote", { n: most });

/** "Ana and Ben", or "5 players". */
function waitingFor(s) {
  const seats = s.state.waiting;
  return seats.length > NAMED ? t("players", { n: seats.length }) : list(seats.map((seat) => who(s, seat)));
}

function revealSentence(s) {
  const turn = turnOf(s, s.reveal.turn);
  const name = who(s, turn.storyteller);
  const mine = isMe(s, turn.storyteller) ? ".mine" : "";
  if (s.reveal.beat === 0) return tn("reveal.votes");
  if (s.reveal.beat === 1) return tn(`reveal.card${mine}`, { name, slot: turn.target + 1 });
  if (s.reveal.beat === 2) return tn("reveal.owners");
  return tn(`reveal.${outcomeOf(s, turn)}${mine}`, { name });
}

function overSentence(s) {
  const { winners } = s.state;
  if (winners.length > 1) return tn("say.shared", { names: list(winners.map((seat) => who(s, seat))) });
  return isMe(s, winners[0]) ? tn("say.youWin") : tn("say.wins", { name: who(s, winners[0]) });
}

/** What the page's title says: the clue or the game, so that a tab in the background can be understood. */
export function title(s) {
  if (!s.state) return t("title");
  if (mayAct(s)) return `• ${t("title.you")}`;
  if (s.state.phase === "lobby" || me(s) === null) return t("title");
  return `${t("turn", { n: s.state.turn })} · ${nameOf(s, shownStoryteller(s) ?? 0)}`;
}
