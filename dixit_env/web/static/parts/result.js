// A finished turn: its cards with owners and votes, and the points with their reasons. The reveal, the log and the end
// of the game are made from these.

import { h, spoken, theirs } from "../dom.js";
import { isMe, nameOf, reasons, votersOf } from "../facts.js";
import { t } from "../i18n.js";
import { lessonsOf } from "../lessons.js";
import { picture } from "./cards.js";
import { disc } from "./symbols.js";

const BEATS = { votes: 0, card: 1, owners: 2, points: 3 };
export const LAST_BEAT = BEATS.points;
const MOST_DISCS = 9; // on a card: three rows of three; more votes than that become a count

/** The cards of a turn as items for the grid, as far as the reveal has come. */
export function revealedItems(s, turn, beat = LAST_BEAT) {
  return turn.slots.map((card, slot) => {
    const owner = turn.owners[slot];
    const told = slot === turn.target;
    const lifted = beat >= BEATS.card && told;
    const voters = votersOf(turn, slot);
    return {
      card,
      number: slot + 1,
      chosen: null,
      large: lifted,
      label: cardLabel(s, {
        slot,
        voters,
        owner: beat >= BEATS.owners ? owner : lifted ? turn.storyteller : null,
        told: lifted,
      }),
      marks: votesOn(voters),
      classes: `result ${lifted ? "lifted" : ""} ${beat >= BEATS.card && !told ? "lowered" : ""}`,
      ribbon:
        beat >= BEATS.owners || lifted
          ? [
              disc(owner, "small"),
              h("span", { class: "ribbon-name" }, isMe(s, owner) ? t("yours") : theirs(nameOf(s, owner))),
            ]
          : null,
    };
  });
}

/** The votes that lie on a card: a disc for each dial, or their number. */
const votesOn = (voters) =>
  voters.length > MOST_DISCS
    ? [h("span", { key: "count", class: "vote vote-count" }, voters.length)]
    : voters.map((seat, index) => h("span", { key: `${seat}-${index}`, class: "vote" }, disc(seat)));

function cardLabel(s, { slot, voters, owner, told }) {
  const names = [...new Set(voters)].map(
    (seat) => nameOf(s, seat) + (voters.filter((other) => other === seat).length > 1 ? " ×2" : ""),
  );
  return [
    t("card", { i: slot + 1 }),
    owner !== null && t(told ? "card.storytellers" : "card.of", { name: nameOf(s, owner) }),
    voters.length ? t("card.votes", { names: names.join(", ") }) : t("card.noVotes"),
  ]
    .filter(Boolean)
    .join(", ");
}

/** The cards of a turn in a row of small pictures; each opens the zoom. */
export function resultRow(s, turn, zoom) {
  return h(
    "ul",
    { class: "result-row", role: "list" },
    revealedItems(s, turn).map((item, slot) =>
      h("li", { key: item.card.id, class: slot === turn.target ? "told" : "" }, [
        h("button", { type: "button", class: "mini", onclick: () => zoom(slot) }, [
          spoken(item.label),
          picture(s.table, item.card),
          h("span", { class: "number", "aria-hidden": "true" }, item.number),
          h("span", { class: "ribbon", "aria-hidden": "true" }, item.ribbon),
        ]),
        h("span", { class: "mini-votes", "aria-hidden": "true" }, item.marks),
      ]),
    ),
  );
}

/** Everybody's points in a turn with their reasons: the reader's first, in words that teach, then most points first. */
export function pointsList(s, turn) {
  const mine = (seat) => Number(isMe(s, seat));
  const seats = turn.points
    .map((_, seat) => seat)
    .sort((a, b) => mine(b) - mine(a) || turn.points[b] - turn.points[a] || a - b);
  return h(
    "ul",
    { class: "points", role: "list" },
    seats.map((seat) =>
      h("li", { key: seat, class: isMe(s, seat) ? "me" : "" }, [
        disc(seat),
        h("span", { class: "points-name" }, [
          theirs(nameOf(s, seat)),
          turn.stand_ins.includes(seat) && h("small", {}, ` (${t("seat.standIn")})`),
        ]),
        h("strong", { class: "points-sum" }, [
          `+${turn.points[seat]}`,
          spoken(" ", t("points.word", { n: turn.points[seat] })),
        ]),
        h(
          "span",
          { class: "points-why" },
          isMe(s, seat)
            ? lessonsOf(s, turn, seat).map(({ key, values }) => h("span", { class: "lesson" }, t(key, values)))
            : reasons(s, turn, seat).map(({ key, n, points }) =>
                h("span", {}, points ? `${t(key, { n })}: +${points}` : t(key, { n })),
              ),
        ),
      ]),
    ),
  );
}

/** The storyteller's card, where the cards above are too small to show it; opens the zoom. */
export const toldCard = (s, turn, zoom) =>
  h("button", { key: "told", type: "button", class: "mini told-card", onclick: () => zoom(turn.target) }, [
    spoken(t("card.storytellers", { name: nameOf(s, turn.storyteller) })),
    picture(s.table, turn.slots[turn.target]),
    h("span", { class: "number", "aria-hidden": "true" }, turn.target + 1),
  ]);

/** What the bots believed, and what they say about their votes where the table wants it. */
export function thoughts(s, turn) {
  const why = turn.why ?? {};
  const seats = Object.keys({ ...turn.beliefs, ...why });
  if (!seats.length) return null;
  return h("details", { key: `thoughts-${turn.turn}`, class: "thoughts" }, [
    h("summary", {}, t("thoughts")),
    h("p", { class: "hint" }, t("thoughts.read")),
    h(
      "ul",
      { role: "list" },
      seats.map((seat) =>
        h("li", {}, [
          h("span", { class: "who" }, [disc(Number(seat), "small"), theirs(nameOf(s, Number(seat)))]),
          turn.beliefs[seat] ? beliefBars(turn, seat) : h("span", { class: "hint" }, t("thoughts.none")),
          why[seat]?.text && h("p", {}, theirs(why[seat].text)),
        ]),
      ),
    ),
  ]);
}

/** A bar for each card: how much a bot believed that it is the storyteller's; its dials beneath. */
function beliefBars(turn, seat) {
  return h(
    "span",
    { class: "belief", role: "img", "aria-label": beliefText(turn.beliefs[seat]) },
    turn.beliefs[seat].map((share, slot) =>
      h("span", { class: slot === turn.target ? "belief-card told" : "belief-card", style: { "--share": share } }, [
        h("span", { class: "belief-share" }, share >= 0.05 && `${Math.round(100 * share)}`),
        h("span", { class: "belief-bar" }),
        h("span", { class: "belief-number" }, slot + 1),
        h("span", { class: "belief-dials" }, "●".repeat(turn.votes[seat].filter((dial) => dial === slot).length)),
      ]),
    ),
  );
}

/** "card 3: 72 %, card 1: 20 %", the likeliest first. */
const beliefText = (belief) =>
  belief
    .map((share, slot) => ({ share, slot }))
    .filter(({ share }) => share >= 0.05)
    .sort((a, b) => b.share - a.share)
    .slice(0, 3)
    .map(({ share, slot }) => `${t("card", { i: slot + 1 })}: ${Math.round(100 * share)} %`)
    .join(", ");
