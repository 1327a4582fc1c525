"""The CLIP agent: calibrated beliefs about listeners, and decisions that maximise points or the chance to win."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import numpy as np

from dixit_env.agents.base import Player, legal_ballots, legal_cards, legal_clues
from dixit_env.agents.clip.outlook import Cards, Outlook, clue_outlook, decoy_outlook
from dixit_env.agents.clip.race import futures, hit_rates, turns_left, win_share
from dixit_env.agents.clip.reading import Reading
from dixit_env.agents.clip.sharpness import Floats, appeal, choices
from dixit_env.agents.clip.table import turn_gains
from dixit_env.agents.clip.telling import belief
from dixit_env.agents.clip.votes import Others, all_and_none, ballot_points, finding
from dixit_env.agents.clues.index import clue_index, standing
from dixit_env.errors import SpecError
from dixit_env.game.moves import GiveClue
from dixit_env.game.view import View
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decision

CLUES_PER_CARD = 40  # candidates that are thought through, drawn from …
CLUES_NEAREST = 240  # … the clues that fit the card best
CLUE_WORLDS, DECOY_WORLDS = 24, 96
SECOND_LOOK, SECOND_WORLDS = 24, 192  # the best clues are judged anew: the best of many estimates flatters itself
VOTE_WORLDS = 4000  # turns that are played out to judge a ballot
LITERAL = 0.5  # points that a clue loses when it names what the card shows
TOLD = 3  # alternatives kept in `why`


@dataclass(frozen=True, slots=True)
class ClipOptions:
    """How a CLIP agent plays; every part can be switched to its plain form."""

    votes: Literal["win", "points", "argmax"] = "win"
    """What a ballot maximises: the chance to win the race, expected points, or nothing (all dials on the best)."""
    clue: Literal["margin", "points", "literal"] = "margin"
    """What a clue maximises: the lead over the others, own points, or nothing (the card's caption)."""
    decoy: Literal["margin", "points", "argmax"] = "margin"
    """What a decoy maximises: the lead over the others, own points, or nothing (the best match)."""
    memory: bool = True
    """Learn within the game how each seat votes and tells."""
    temperature: float = 0.0
    """Above 0: a fixed temperature of the belief, in standard deviations of the similarity, not the learned one."""
    rho: float = 0.1
    """Assumed correlation of the other voters: they think more alike than what is known of each tells."""
    lang: str = "en"
    """Language of the clues: en, pt, es or da."""

    def __post_init__(self) -> None:
        for name, allowed in (
            ("votes", ("win", "points", "argmax")),
            ("clue", ("margin", "points", "literal")),
            ("decoy", ("margin", "points", "argmax")),
        ):
            if getattr(self, name) not in allowed:
                raise SpecError(f"{name}={getattr(self, name)} is unknown: choose one of {', '.join(allowed)}")
        if self.temperature < 0 or not 0 <= self.rho <= 1:
            raise SpecError("temperature is at least 0 and rho between 0 and 1")


class ClipAgent(Player):
    """Sees through CLIP, reasons about the other players, remembers what they did."""

    name = "clip"

    def __init__(self, sight: Sight, options: ClipOptions = ClipOptions()) -> None:
        self.sight = sight
        self.options = options
        self.index = clue_index(sight, (options.lang,))  # the wait is before the game, and so is any error

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts."""
        super().begin(seat, rng)
        self.numpy_rng = np.random.default_rng(rng.getrandbits(128))
        self.reading: Reading | None = None
        self.turns_read = 0

    def clue(self, view: View) -> Decision:
        """Card and clue together, so that some, but few, are expected to find the card."""
        options, reading = self.options, self._read(view)
        hand = [move.card for move in legal_clues(view)]
        captions = {card: self.sight.deck.cards[card].captions.get("en") for card in hand}
        if options.clue == "literal" and any(captions.values()):
            card = self.rng.choice([card for card in hand if captions[card]])
            return Decision(GiveClue(card, str(captions[card])))
        index = self.index
        told = {turn.clue for turn in view.history}
        candidates: list[tuple[int, int]] = []  # card, clue
        for card in hand:
            nearest = index.by_card[card, :CLUES_NEAREST]
            for clue in self.numpy_rng.choice(nearest, min(CLUES_PER_CARD, len(nearest)), replace=False):
                if index.texts[clue] not in told:
                    candidates.append((card, int(clue)))
        others = reading.others([seat for seat in range(view.players) if seat != self.seat], options.rho)
        pool, me = self._pool(view), reading.teller(self.seat, view.rules)

        def judge(candidates: list[tuple[int, int]], worlds: int) -> tuple[Outlook, Floats]:
            z = index.z[[clue for _, clue in candidates]]  # (candidates, cards)
            target = z[np.arange(len(z)), [card for card, _ in candidates]]
            outlook = clue_outlook(self.numpy_rng, view.rules, z, target, pool, me, others, worlds)
            literal = np.array([index.literal(clue, card) for card, clue in candidates])
            return outlook, (outlook.points if options.clue == "points" else outlook.margin) - LITERAL * literal

        kept = np.argsort(-judge(candidates, CLUE_WORLDS)[1])[:SECOND_LOOK]
        candidates = [candidates[i] for i in kept]
        outlook, utility = judge(candidates, SECOND_WORLDS)
        best = np.argsort(-utility)[:TOLD]
        moves = [GiveClue(card, index.texts[clue]) for card, clue in (candidates[i] for i in best)]
        told_moves = [{"card": self._id(move.card), "clue": move.clue} for move in moves]
        return Decision(moves[0], self._why(outlook, utility, best, told_moves, finders=True))

    def cards(self, view: View) -> Decision:
        """The decoy(s) that draw votes, net of what they do to the storyteller's outcome."""
        options, reading = self.options, self._read(view)
        z = standing(self.sight, view.clue)
        moves = legal_cards(view)
        candidates = np.array([move.cards for move in moves], np.intp)
        if options.decoy == "argmax":
            return Decision(moves[int(z[candidates].sum(1).argmax())])
        seats = [seat for seat in range(view.players) if seat not in (self.seat, view.storyteller)]
        outlook = decoy_outlook(
            self.numpy_rng,
            view.rules,
            z,
            candidates,
            self._pool(view),
            reading.teller(view.storyteller, view.rules),
            reading.others(seats, options.rho),
            DECOY_WORLDS,
        )
        utility = outlook.points if options.decoy == "points" else outlook.margin
        best = np.argsort(-utility)[:TOLD]
        told = [{"cards": [self._id(card) for card in moves[i].cards]} for i in best]
        return Decision(moves[best[0]], self._why(outlook, utility, best, told, finders=False))

    def votes(self, view: View) -> Decision:
        """The ballot of most points, or of the best chance to win."""
        options, reading = self.options, self._read(view)
        chance = self.belief(view)
        why: dict[str, Any] = {"belief": [round(float(p), 4) for p in chance]}
        ballots = legal_ballots(view)
        if options.votes == "argmax":
            return Decision(max(ballots, key=lambda move: float(sum(chance[slot] for slot in move.slots))), why)
        table = standing(self.sight, view.clue)[list(view.slots)]
        seats = [seat for seat in range(view.players) if seat not in (self.seat, view.storyteller)]
        others = reading.others(seats, options.rho)
        logits = appeal(table, reading.teller(view.storyteller, view.rules).log_odds(table))
        found = finding(logits, view.own_slots, others, view.rules.gives)
        everybody, nobody = all_and_none(found, others, view.rules)
        slots = [ballot.slots for ballot in ballots]
        points = ballot_points(view.rules, slots, chance, everybody, nobody)
        utility = points
        if options.votes == "win":
            utility = self._win_shares(view, logits, chance, others, slots, points)
        best = np.argsort(-utility, kind="stable")[:TOLD]
        why["alternatives"] = [
            {"slots": list(slots[i]), "points": round(float(points[i]), 3), "utility": round(float(utility[i]), 4)}
            for i in best
        ]
        return Decision(ballots[best[0]], why)

    def belief(self, view: View) -> Floats:
        """The chance that each slot holds the storyteller's card, (slots,); 0 on own slots."""
        z = standing(self.sight, view.clue)[list(view.slots)]
        if self.options.temperature:
            z[list(view.own_slots)] = -np.inf
            return choices(z[:, None] / self.options.temperature)[:, 0]
        return belief(z, view.own_slots, self._read(view).teller(view.storyteller, view.rules))

    def _win_shares(
        self,
        view: View,
        logits: Floats,
        chance: Floats,
        others: Others,
        slots: Sequence[tuple[int, ...]],
        points: Floats,
    ) -> Floats:
        """The chance to win after each ballot; only ballots near the best in points are played out."""
        reading, rules = self._read(view), view.rules
        close = np.flatnonzero(points >= np.sort(points)[-min(4, len(points))])
        turns = turns_left(rules, view.scores)
        worlds = VOTE_WORLDS // turns
        gains = turn_gains(
            self.numpy_rng,
            rules,
            self.seat,
            view.storyteller,
            view.own_slots,
            logits,
            chance,
            others,
            [slots[int(i)] for i in close],
            worlds,
        )
        hits = hit_rates(reading.voting, rules.slots)
        coming = futures(self.numpy_rng, rules, (view.storyteller + 1) % view.players, hits, worlds, turns)
        shares = np.full(len(slots), -1.0)
        shares[close] = win_share(rules, np.array(view.scores) + gains, coming, self.seat)
        return shares

    def _read(self, view: View) -> Reading:
        """The reading of the table, brought up to date with the finished turns."""
        if self.reading is None:
            self.reading = Reading(view.players)
        if self.options.memory:
            for turn in view.history[self.turns_read :]:
                self.reading.observe(turn, standing(self.sight, turn.clue), view.rules)
            self.turns_read = len(view.history)
        return self.reading

    def _pool(self, view: View) -> Cards:
        """The cards that may be in other hands: all but the own, the discard and those given."""
        seen = {*view.hand, *view.given, *view.discard}
        return np.array([card for card in range(len(self.sight.deck)) if card not in seen], np.intp)

    def _id(self, card: int) -> str:
        return self.sight.deck.cards[card].name

    def _why(
        self, outlook: Outlook, utility: Floats, best: Any, moves: list[dict[str, Any]], *, finders: bool
    ) -> dict[str, Any]:
        """The best candidates with what is expected of them."""
        first = int(best[0])
        told: dict[str, Any] = {
            "expected": {
                name: round(float(getattr(outlook, name)[first]), 3)
                for name in ("some", "everybody", "nobody", "finders" if finders else "drawn", "points", "margin")
            }
        }
        told["alternatives"] = [
            {**move, "utility": round(float(utility[i]), 3)} for move, i in zip(moves, best, strict=True)
        ]
        return told
