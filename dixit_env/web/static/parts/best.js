// Everybody's best clue and best decoy, with their cards; the best of the game are marked.

import { h, theirs } from "../dom.js";
import { bestClue, bestDecoy, nameOf, votersOf } from "../facts.js";
import { t } from "../i18n.js";
import { picture } from "./cards.js";
import { disc } from "./symbols.js";

export function bestOfEach(s) {
  if (s.turns.length === 0) return null;
  const [clue, decoy] = [bestClue(s.turns), bestDecoy(s.turns)];
  return h("section", { key: "best", class: "past-part" }, [
    h("h2", {}, t("best")),
    h(
      "ul",
      { class: "best", role: "list" },
      s.state.seats.map(({ seat }) => {
        const own = bestClue(s.turns.filter((turn) => turn.storyteller === seat));
        const lure = bestDecoy(s.turns, seat);
        return h("li", { key: seat }, [
          h("h3", {}, [disc(seat), theirs(nameOf(s, seat))]),
          own
            ? memory(s, own, own.target, own === clue ? "best.clueOfAll" : "best.clue", [
                t("best.found", { n: votersOf(own, own.target).length, all: own.votes.flat().length }),
              ])
            : h("p", { class: "memory none" }, t("best.noClue")),
          lure
            ? memory(s, lure.turn, lure.slot, isSame(lure, decoy) ? "best.decoyOfAll" : "best.decoy", [
                t("best.drew", { n: lure.n }),
              ])
            : h("p", { class: "memory none" }, t("best.noDecoy")),
        ]);
      }),
    ),
  ]);
}

const isSame = (one, other) => one.turn === other.turn && one.slot === other.slot;

const memory = (s, turn, slot, key, children) =>
  h("figure", { class: `memory ${key.endsWith("OfAll") ? "of-all" : ""}` }, [
    picture(s.table, turn.slots[slot], t("card", { i: slot + 1 })),
    h("figcaption", {}, [h("h4", {}, t(key)), h("q", {}, theirs(turn.clue)), h("span", {}, children)]),
  ]);
