// The end: the podium with shared places, the best clue, the best decoy, and another game.

import { h, theirs } from "../dom.js";
import { bestClue, bestDecoy, nameOf, ranking, votersOf } from "../facts.js";
import { t, tn } from "../i18n.js";
import { picture } from "../parts/cards.js";
import { who } from "../parts/seats.js";
import { disc, rabbit } from "../parts/symbols.js";
import { studyDeed } from "./study.js";

export function overView(s) {
  const places = ranking(s.state.seats.map((seat) => seat.score));
  const clue = bestClue(s.turns);
  const decoy = bestDecoy(s.turns);
  return h("div", { key: "end", class: "end", tabindex: 0, role: "region", "aria-label": t("over.podium") }, [
    h(
      "ol",
      { class: "podium", role: "list" },
      places.filter(({ place }) => place <= 3).map((entry, index) => step(s, entry, [2, 1][index] ?? 3)),
    ),
    places.some(({ place }) => place > 3) &&
      h(
        "ol",
        { class: "others", role: "list" },
        places
          .filter(({ place }) => place > 3)
          .map(({ seat, score, place }) =>
            h("li", {}, [`${place}. `, who(s, seat), h("strong", {}, t("points", { n: score }))]),
          ),
      ),
    h("div", { class: "memories" }, [
      clue &&
        memory(s, clue, clue.target, t("over.bestClue"), [
          h("q", {}, theirs(clue.clue)),
          h(
            "span",
            {},
            tn("over.clueBy", {
              name: who(s, clue.storyteller),
              n: votersOf(clue, clue.target).length,
              all: clue.votes.flat().length,
            }),
          ),
        ]),
      decoy &&
        memory(s, decoy.turn, decoy.slot, t("over.bestDecoy"), [
          h("q", {}, theirs(decoy.turn.clue)),
          h("span", {}, tn("over.decoyBy", { name: who(s, decoy.owner), n: decoy.n })),
        ]),
    ]),
  ]);
}

/** One step of the podium; `order` puts the first into the middle. */
function step(s, { seat, score, place }, order) {
  return h("li", { class: `place place-${place}`, style: { order } }, [
    h(
      "svg",
      {
        class: "podium-rabbit",
        viewBox: "0 0 32 30",
        "aria-hidden": "true",
        style: { "--seat": `var(--seat-${seat})` },
      },
      rabbit(seat),
    ),
    h("span", { class: "podium-name" }, theirs(nameOf(s, seat))),
    h("span", { class: "podium-block" }, [
      h("span", { class: "podium-place" }, t("over.place", { place })),
      disc(seat, "small"),
      h("strong", {}, t("points", { n: score })),
    ]),
  ]);
}

const memory = (s, turn, slot, name, children) =>
  h("figure", { class: "memory" }, [
    picture(s.table, turn.slots[slot], t("card", { i: slot + 1 })),
    h("figcaption", {}, [h("h2", {}, name), children]),
  ]);

export function overDeed(s, act) {
  if (s.study && s.state.study && s.state.you.seat !== null) return studyDeed(s, act);
  if (s.state.you.host)
    return h("button", { key: "again", type: "button", class: "button", onclick: act.again }, t("over.again"));
  return h("p", { key: "hint", class: "hint" }, t("over.hostAgain"));
}
