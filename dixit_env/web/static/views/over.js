// The end: the podium with shared places, the race, everybody's best, the table's games, and another one.

import { h, theirs } from "../dom.js";
import { nameOf, ranking } from "../facts.js";
import { t } from "../i18n.js";
import { bestOfEach } from "../parts/best.js";
import { finishedGames, gamePath } from "../parts/finished.js";
import { raceSection } from "../parts/race.js";
import { who } from "../parts/seats.js";
import { disc, rabbit } from "../parts/symbols.js";
import { studyDeed } from "./study.js";

export function overView(s) {
  const places = ranking(s.state.seats.map((seat) => seat.score));
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
    raceSection(s),
    bestOfEach(s),
    finishedGames(s),
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

export function overDeed(s, act) {
  if (s.study && s.state.study && s.state.you.seat !== null) return studyDeed(s, act);
  return [
    !s.state.study && h("a", { key: "look", class: "quiet", href: gamePath(s.table, s.state.game) }, t("over.look")),
    s.state.you.host
      ? [
          h("button", { key: "lobby", type: "button", class: "quiet", onclick: act.reopen }, t("over.lobby")),
          h("button", { key: "again", type: "button", class: "button", onclick: act.again }, t("over.again")),
        ]
      : h("p", { key: "hint", class: "hint" }, t("over.hostAgain")),
  ];
}
