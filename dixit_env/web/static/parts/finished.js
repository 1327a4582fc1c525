// The games that a table has finished, each with its winner and a way into it.

import { h, theirs } from "../dom.js";
import { list, t, tn } from "../i18n.js";
import { disc, symbolName } from "./symbols.js";

/** Where a finished game of a table can be looked through. */
export const gamePath = (table, number) => `/t/${table}/games/${number}`;

export function finishedGames(s) {
  const { games } = s.state;
  if (games.length === 0) return null;
  return h("section", { key: "finished", class: "past-part" }, [
    h("h2", {}, t("finished")),
    h(
      "ol",
      { class: "finished", role: "list" },
      games.toReversed().map(({ number, names, bots, scores, winners }) =>
        h("li", { key: number }, [
          h("a", { class: "quiet", href: gamePath(s.table, number) }, t("finished.game", { n: number })),
          h(
            "span",
            {},
            tn(winners.length > 1 ? "finished.shared" : "finished.won", {
              names: list(winners.map((seat) => winner(seat, names[seat] || s.info.personas[bots[seat]]?.name))),
              n: scores[winners[0]],
            }),
          ),
        ]),
      ),
    ),
  ]);
}

/** A player of an earlier game: whoever sits there now may be somebody else. */
const winner = (seat, name) =>
  h("span", { class: "who" }, [disc(seat, "small"), theirs(name || t(symbolName(seat)))]);
