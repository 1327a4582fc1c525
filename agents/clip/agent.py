"""The CLIP agent: calibrated beliefs about listeners, and decisions that maximise points or the chance to win."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.base import Player, legal_ballots, legal_cards, legal_clues
from dixit_env.agents.clip.outlook import Cards, Outlook, UnseenTable, clue_outlook, decoy_outlook
from dixit_env.agents.clip.player_models import PlayerModels
from dixit_env.agents.clip.race import drawn_turns, futures, hit_rates, turns_left, win_share
from dixit_env.agents.clip.reading import read_bank, read_z_scores
from dixit_env.agents.clip.storyteller import target_belief
from dixit_env.agents.clip.vote_simulation import simulated_points
from dixit_env.agents.clip.voter_kinds import Floats, choice_logits, softmax
from dixit_env.agents.clip.votes import VotingTable, ballot_points, find_chances
from dixit_env.agents.clues.bank import KINDS
from dixit_env.errors import SpecError
from dixit_env.game.moves import GiveClue
from dixit_env.game.view import View
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decision

# All of these are chosen: the counts for a decision within a fraction of a second, the rest as said.
CLUES_PER_CARD = 40  # candidates, drawn from the clues of the bank that fit a card best
CLUE_WORLDS, DECOY_WORLDS = 24, 96  # sampled tables behind the utility of a candidate
# The best of many noisy estimates is overestimated (the winner's curse), so the best candidates are estimated anew.
SECOND_LOOK, SECOND_WORLDS = 24, 192
VOTE_WORLDS = 4000  # simulated turns, this one and those to come, behind the chance to win
CLOSE_BALLOTS = 4  # ballots, the best in points, whose chances to win are simulated
LITERAL_PENALTY = 0.5  # points that a clue loses when it names what the card shows: a matter of taste
CLOSE_CLUES, CLUE_FUTURES = 8, 4  # best candidates whose chances to win are simulated; games from each sampled table
ALTERNATIVES = 3  # best candidates that `why` keeps


@dataclass(frozen=True, slots=True)
class ClipOptions:
    """How a CLIP agent plays; every part can be switched to its plain form."""

    votes: Literal["win", "points", "argmax"] = "win"
    """What a ballot maximises: the chance to win the race, expected points, or nothing (all dials on the best)."""
    clue: Literal["points", "win", "margin", "literal"] = "points"
    """What a clue maximises: own points, the chance to win the race, the lead over the others, or nothing (the card's
    caption; own points where the hand has none)."""
    decoy: Literal["margin", "points", "argmax"] = "margin"
    """What a decoy maximises: the lead over the others, own points, or nothing (the best match)."""
    memory: bool = True
    """Learn within the game how each seat votes and how plain its clues are."""
    temperature: float = 0.0
    """Above 0: the belief is a softmax of the z-scores at this temperature instead of the posterior."""
    rho: float = 0.1
    """Assumed correlation of the other voters, on top of what is known of each."""
    lang: str = "en"
    """Language of the clues: en, pt, es or da."""
    kinds: tuple[str, ...] = KINDS
    """Kinds of clues that the bank's are chosen from; in a spec with + between them."""
    persona: str = ""
    """Whose manner of playing these are the options of (`personas`), if anybody's."""

    def __post_init__(self) -> None:
        for name, allowed in (
            ("votes", ("win", "points", "argmax")),
            ("clue", ("points", "win", "margin", "literal")),
            ("decoy", ("margin", "points", "argmax")),
        ):
            if getattr(self, name) not in allowed:
                raise SpecError(f"{name}={getattr(self, name)} is unknown: choose one of {', '.join(allowed)}")
        if self.temperature < 0 or not 0 <= self.rho <= 1:
            raise SpecError("temperature is at least 0 and rho between 0 and 1")
        for kind in self.kinds:
            if kind not in KINDS:
                raise SpecError(f"no clues are of the kind {kind!r}: choose from {', '.join(KINDS)}")


class ClipAgent(Player):
    """Sees through CLIP, reasons about the other players, remembers what they did."""

    name = "clip"

    def __init__(self, sight: Sight, options: ClipOptions = ClipOptions()) -> None:
        self.sight = sight
        self.options = options
        self.bank = read_bank(sight, options.lang)  # loaded now, so that errors surface at construction

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts."""
        super().begin(seat, rng)
        self.numpy_rng = np.random.default_rng(rng.getrandbits(128))
        self.models: PlayerModels | None = None
        self.turns_observed = 0

    def clue(self, view: View) -> Decision:
        """Card and clue together, so that some, but few, are expected to find the card."""
        options, bank = self.options, self.bank
        models = self._updated_models(view)
        hand = [move.card for move in legal_clues(view)]
        captions = {card: self.sight.deck.cards[card].captions.get(options.lang) for card in hand}
        if options.clue == "literal" and any(captions.values()):
            card = self.rng.choice([card for card in hand if captions[card]])
            return Decision(GiveClue(card, str(captions[card])))
        table = UnseenTable(
            rules=view.rules,
            pool=self._pool(view),
            storyteller=models.storyteller(self.seat, view.rules),
            voters=models.listeners([seat for seat in range(view.players) if seat != self.seat], options.rho),
        )

        def judge(candidates: list[tuple[int, int]], worlds: int) -> tuple[Outlook, Floats, Floats]:
            """Outlook and utility of candidates (card, clue), and each voter's chances to find the card."""
            z = bank.z[[clue for _, clue in candidates]]  # (candidates, cards)
            target = z[np.arange(len(z)), [card for card, _ in candidates]]
            outlook, found = clue_outlook(self.numpy_rng, table, z, target, worlds)
            literal = np.array([bank.literal(clue, card) for card, clue in candidates])
            aims = {"margin": outlook.margin, "win": (outlook.points + outlook.margin) / 2}
            return outlook, aims.get(options.clue, outlook.points) - LITERAL_PENALTY * literal, found

        candidates = self._clue_candidates(view, hand)
        kept = np.argsort(-judge(candidates, CLUE_WORLDS)[1])[:SECOND_LOOK]
        candidates = [candidates[i] for i in kept]
        outlook, utility, found = judge(candidates, SECOND_WORLDS)
        if options.clue == "win":
            utility = self._clue_win_shares(view, utility, found)
        best = np.argsort(-utility)[:ALTERNATIVES]
        moves = [GiveClue(card, bank.texts[clue]) for card, clue in (candidates[i] for i in best)]
        described = [{"card": self._card_name(move.card), "clue": move.clue} for move in moves]
        return Decision(moves[0], _why(outlook, utility, best, described, "finders"))

    def cards(self, view: View) -> Decision:
        """The decoy(s) that draw votes, net of what they do to the storyteller's outcome."""
        options, models = self.options, self._updated_models(view)
        z = read_z_scores(self.sight, view.clue)
        moves = legal_cards(view)
        candidates = np.array([move.cards for move in moves], np.intp)
        if options.decoy == "argmax":
            return Decision(moves[int(z[candidates].sum(1).argmax())])
        table = UnseenTable(
            rules=view.rules,
            pool=self._pool(view),
            storyteller=models.storyteller(view.storyteller, view.rules),
            voters=models.voters(self._other_voters(view), options.rho),
        )
        outlook = decoy_outlook(self.numpy_rng, table, z, candidates, DECOY_WORLDS)
        utility = outlook.points if options.decoy == "points" else outlook.margin
        best = np.argsort(-utility)[:ALTERNATIVES]
        described = [{"cards": [self._card_name(card) for card in moves[i].cards]} for i in best]
        return Decision(moves[best[0]], _why(outlook, utility, best, described, "drawn"))

    def votes(self, view: View) -> Decision:
        """The ballot of most points, or of the best chance to win."""
        options, models = self.options, self._updated_models(view)
        belief = self.belief(view)
        why: dict[str, Any] = {"belief": [round(float(p), 4) for p in belief]}
        ballots = legal_ballots(view)
        if options.votes == "argmax":
            return Decision(max(ballots, key=lambda move: float(sum(belief[slot] for slot in move.slots))), why)
        z = read_z_scores(self.sight, view.clue)[list(view.slots)]
        table = VotingTable(
            rules=view.rules,
            seat=self.seat,
            storyteller=view.storyteller,
            own_slots=view.own_slots,
            logits=choice_logits(z, models.storyteller(view.storyteller, view.rules).log_odds(z)),
            belief=belief,
            others=models.voters(self._other_voters(view), options.rho),
        )
        slots = [ballot.slots for ballot in ballots]
        points = ballot_points(table, slots, find_chances(table))
        utility = self._win_shares(table, view.scores, slots, points) if options.votes == "win" else points
        best = np.argsort(-utility, kind="stable")[:ALTERNATIVES]
        why["alternatives"] = [
            {"slots": list(slots[i]), "points": round(float(points[i]), 3), "utility": round(float(utility[i]), 4)}
            for i in best
        ]
        return Decision(ballots[best[0]], why)

    def belief(self, view: View) -> Floats:
        """The probability that each slot holds the storyteller's card, (slots,); 0 on own slots."""
        z = read_z_scores(self.sight, view.clue)[list(view.slots)]
        if self.options.temperature:
            z[list(view.own_slots)] = -np.inf
            return softmax(z[:, None] / self.options.temperature)[:, 0]
        return target_belief(z, view.own_slots, self._updated_models(view).storyteller(view.storyteller, view.rules))

    def _clue_candidates(self, view: View, hand: Sequence[int]) -> list[tuple[int, int]]:
        """Candidates (card, clue): for each card some of the clues that fit it best and were not given before."""
        given = {turn.clue for turn in view.history}
        candidates = []
        for card in hand:
            nearest = self.bank.nearest(self.options.kinds)[card]
            for clue in self.numpy_rng.choice(nearest, min(CLUES_PER_CARD, len(nearest)), replace=False):
                if self.bank.texts[clue] not in given:
                    candidates.append((card, int(clue)))
        return candidates

    def _clue_win_shares(self, view: View, utility: Floats, found: Floats) -> Floats:
        """The chance to win after each clue, (clues,); −1 for those that are not near the best in `utility`.

        `found` (clues, worlds, voters): how likely each voter finds the card.
        """
        assert self.models
        rules, turns = view.rules, turns_left(view.rules, view.scores)
        close = np.argsort(-utility)[:CLOSE_CLUES]
        voters = np.tile(found[close], (1, CLUE_FUTURES, 1))  # (close, games, voters)
        hits = np.insert(voters, self.seat, 0.0, axis=-1)  # (close, games, players)
        games = hits.shape[1]
        gains = drawn_turns(self.numpy_rng, rules, np.full(games, self.seat), hits)
        rates = hit_rates(self.models.voting, rules.slots)
        coming = futures(self.numpy_rng, rules, (self.seat + 1) % rules.players, rates, games, turns)
        shares = np.full(len(utility), -1.0)
        shares[close] = win_share(rules, np.array(view.scores) + gains, coming, self.seat)
        return shares

    def _win_shares(
        self, table: VotingTable, scores: Sequence[int], ballots: Sequence[tuple[int, ...]], points: Floats
    ) -> Floats:
        """The chance to win after each ballot, (ballots,); −1 for those that are not near the best in points."""
        assert self.models
        rules = table.rules
        close = np.flatnonzero(points >= np.sort(points)[-min(CLOSE_BALLOTS, len(points))])
        turns = turns_left(rules, scores)
        worlds = VOTE_WORLDS // turns
        gains = simulated_points(self.numpy_rng, table, [ballots[int(i)] for i in close], worlds)
        hits = hit_rates(self.models.voting, rules.slots)
        coming = futures(self.numpy_rng, rules, (table.storyteller + 1) % rules.players, hits, worlds, turns)
        shares = np.full(len(ballots), -1.0)
        shares[close] = win_share(rules, np.array(scores) + gains, coming, self.seat)
        return shares

    def _updated_models(self, view: View) -> PlayerModels:
        """The models of the seats, brought up to date with the finished turns."""
        if self.models is None:
            self.models = PlayerModels(view.players)
        if self.options.memory:
            for turn in view.history[self.turns_observed :]:
                self.models.observe(turn, read_z_scores(self.sight, turn.clue), view.rules)
            self.turns_observed = len(view.history)
        return self.models

    def _other_voters(self, view: View) -> list[int]:
        return [seat for seat in range(view.players) if seat not in (self.seat, view.storyteller)]

    def _pool(self, view: View) -> Cards:
        """The cards that may be in other hands: all but the own, the discard and those given."""
        known = {*view.hand, *view.given, *view.discard}
        return np.array([card for card in range(len(self.sight.deck)) if card not in known], np.intp)

    def _card_name(self, card: int) -> str:
        return self.sight.deck.cards[card].name


def _why(
    outlook: Outlook, utility: Floats, best: NDArray[np.intp], moves: list[dict[str, Any]], own: str
) -> dict[str, Any]:
    """The best candidates and what is expected of the first; `own` names the expectation of this phase."""
    names = ("some", "everybody", "nobody", own, "points", "margin")
    return {
        "expected": {name: round(float(getattr(outlook, name)[best[0]]), 3) for name in names},
        "alternatives": [{**move, "utility": round(float(utility[i]), 3)} for move, i in zip(moves, best, strict=True)],
    }
