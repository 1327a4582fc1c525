// The seats: colour, symbol, name, points, and what each one is doing.

import { h, spoken, theirs } from "../dom.js";
import { botName, nameOf, isMe, personaOf, shownScores, shownStoryteller } from "../facts.js";
import { language, t } from "../i18n.js";
import { facesButton, facesPanel, reactionOf } from "./reactions.js";
import { botFace, disc, face, icon, symbolName } from "./symbols.js";

/** A player in the middle of a text: the symbol and the name. */
export const who = (s, seat) => h("span", { class: "who" }, [disc(seat, "small"), theirs(nameOf(s, seat))]);

export function seatList(s, act) {
  const scores = shownScores(s);
  const rows = Math.ceil(s.state.seats.length / 6);
  const perRow = Math.ceil(s.state.seats.length / rows);
  return h(
    "section",
    {
      class: "seats",
      "aria-label": t("seats"),
      onkeydown: (event) => event.key === "Escape" && s.faces && act.showFaces(),
    },
    h(
      "ul",
      { role: "list", style: { "--per-row": perRow } },
      s.state.seats.map((seat) => seatItem(s, seat, scores[seat.seat], act)),
    ),
    facesPanel(s, act),
  );
}

function seatItem(s, seat, score, act) {
  const away = ["away", "asleep", "left"].includes(seat.status);
  const tells = shownStoryteller(s) === seat.seat && s.state.phase !== "over";
  const acted = !s.reveal && seat.task === "acted";
  const acts = !s.reveal && seat.task === "acts";
  const role = tells
    ? ["tells", icon("teller"), t("seat.tells")]
    : acted
      ? ["did", icon("check"), t("seat.acted")]
      : acts
        ? ["thinks", icon("thinks"), t("seat.acts")]
        : null;
  const manner = personaOf(s, seat.seat)?.manner[language] ?? botName(seat.bot); // "" in a study
  const kind =
    seat.kind === "bot"
      ? ["bot", botFace(s, seat.bot), manner ? `${t("seat.bot")}, ${manner}` : t("seat.bot")]
      : away
        ? ["off", icon("away"), t(`seat.${seat.status}${s.state.paused ? ".paused" : ""}`)]
        : seat.kind === "program"
          ? ["bot", face("program"), t("seat.program")]
          : null;
  const spokenState = [
    t(symbolName(seat.seat)),
    role?.[0] !== "thinks" && role?.[2],
    seat.kind === "bot" ? t("seat.bot") : kind?.[2],
    acts && t("seat.acts"),
    !s.reveal && seat.task === "reads" && t("seat.reads"),
  ].filter(Boolean);
  return h(
    "li",
    {
      key: seat.seat,
      class: `seat ${isMe(s, seat.seat) ? "me" : ""} ${away ? "away" : ""} ${acts ? "acts" : ""}`,
    },
    [
      h("span", { class: "seat-disc" }, [disc(seat.seat), kind && mark(kind), role && mark(role)]),
      h("span", { class: "seat-name" }, [
        theirs(nameOf(s, seat.seat)),
        isMe(s, seat.seat) && spoken(" ", t("seat.you")),
      ]),
      h("span", { class: "seat-score" }, [score, spoken(" ", t("points.word", { n: score }))]),
      spoken(", ", spokenState.join(", ")),
      reactionOf(seat),
      isMe(s, seat.seat) && !s.lesson && !s.state.study && facesButton(s, act),
    ],
  );
}

const mark = ([kind, drawing, title]) =>
  h("span", { key: kind, class: `mark ${kind}`, title, "aria-hidden": "true" }, drawing);
