// The list of games that were opened with `serve.py --records`.

import { h, theirs } from "../dom.js";
import { t } from "../i18n.js";
import { disc } from "../parts/symbols.js";
import { appearance } from "./menu.js";

export function gamesView(s, act) {
  const rows = s.games.slice(0, s.shown);
  return h("main", { key: "games", class: "replay" }, [
    h("header", { class: "replay-top" }, h("h1", {}, t("records"))),
    h("p", { class: "lead" }, t("records.count", { n: s.games.length })),
    h(
      "ol",
      { class: "games", role: "list" },
      rows.map((game, index) =>
        h("li", { key: game.number }, [
          game.file !== rows[index - 1]?.file && h("h2", {}, theirs(game.file)),
          h("a", { class: "game", href: `/games/${game.number}` }, [
            game.name && h("span", { class: "game-name" }, theirs(game.name)),
            game.seats.length > 0 && h(
              "span",
              { class: "game-seats" },
              game.seats.map((name, seat) =>
                h("span", { class: `who ${game.winners.includes(seat) ? "won" : ""}` }, [
                  disc(seat, "small"),
                  theirs(name),
                  game.scores[seat] !== undefined && h("strong", {}, game.scores[seat]),
                ]),
              ),
            ),
          ]),
        ]),
      ),
    ),
    s.shown < s.games.length &&
      h("button", { type: "button", class: "quiet more-games", onclick: act.more }, t("records.more")),
    h("div", { class: "panel" }, appearance(s, act)),
    h("p", { class: "credits" }, t("credits")),
  ]);
}
