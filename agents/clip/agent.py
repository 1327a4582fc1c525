"""The CLIP agent: calibrated beliefs about listeners, and decisions that maximise points or the chance to win."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dixit_env.agents.base import Player, legal_cards, legal_clues
from dixit_env.agents.clip.outlook import Cards, Outlook, UnseenTables, clue_outlook, decoy_outlook
from dixit_env.agents.clip.player_models import PlayerModels, listeners_of, observe, storytellers, voters_of
from dixit_env.agents.clip.race import drawn_turns, futures, hit_rates, turns_left, win_shares
from dixit_env.agents.clip.reading import ReadBank, Reads, read_bank, reading
from dixit_env.agents.clip.storyteller import target_belief
from dixit_env.agents.clip.vote_simulation import luck_needed, simulated_points
from dixit_env.agents.clip.voter_kinds import Floats, choice_logits, softmax
from dixit_env.agents.clip.votes import VotingTables, ballot_points, ballots, find_chances
from dixit_env.agents.clues.bank import KINDS
from dixit_env.decks.deck import Deck
from dixit_env.errors import SpecError
from dixit_env.game.engine import Phase
from dixit_env.game.expectations import Ints
from dixit_env.game.moves import GiveClue
from dixit_env.game.view import View
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decision

# All of these are chosen. Candidates meet the same sampled worlds, so few worlds tell the better one: thirty times as
# many would make a clue .0002 points better, a decoy nothing, and a late vote .0004 of the chance to win.
CLUES_PER_CARD = 40  # candidates, drawn from the clues of the bank that fit a card best
CLUE_WORLDS, DECOY_WORLDS = 4, 16  # sampled tables behind the utility of a candidate
# The best of many noisy estimates is overestimated (the winner's curse), so the best candidates are estimated anew.
SECOND_LOOK, SECOND_WORLDS = 12, 48
VOTE_WORLDS = 1000  # simulated turns, this one and those to come, behind the chance to win
CLOSE_BALLOTS = 4  # ballots, the best in points, whose chances to win are simulated
LATE = 5  # last turns in which they are simulated; before, the ballot of most points wins as often, within .0003
LITERAL_PENALTY = 0.5  # points that a clue loses when it names what the card shows: a matter of taste
# Points that a clue gains by the share of voters who are expected to find its card: a matter of taste too. Between a
# third and two thirds of finders "some, but not all" is nearly as likely everywhere, and people like clues that fit.
UNDERSTOOD = 0.6
CLOSE_CLUES, CLUE_FUTURES = 8, 4  # best candidates whose chances to win are simulated; games from each sampled table
ALTERNATIVES = 3  # best candidates that `why` keeps
AT_ONCE = 32  # seats that are decided in one batch: more of them would no longer fit the processor's cache


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
    memory: Literal["on", "shuffled", "off"] = "on"
    """Learn within the game how each seat votes and how plain its clues are; shuffled takes each of the others for
    another of them, which tells what knowing the single partner is worth."""
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
            ("memory", ("on", "shuffled", "off")),
        ):
            if getattr(self, name) not in allowed:
                raise SpecError(f"{name}={getattr(self, name)} is unknown: choose one of {', '.join(allowed)}")
        if self.temperature < 0 or not 0 <= self.rho <= 1:
            raise SpecError("temperature is at least 0 and rho between 0 and 1")
        for kind in self.kinds:
            if kind not in KINDS:
                raise SpecError(f"no clues are of the kind {kind!r}: choose from {', '.join(KINDS)}")


class ClipAgent(Player):
    """Sees through CLIP, reasons about the other players, remembers what they did.

    Many seats are decided at once (`act_many`), each with the memory and the random stream of its own agent; a single
    seat is a batch of one.
    """

    name = "clip"

    def __init__(self, deck: Deck, reading: Reads, bank: ReadBank, options: ClipOptions = ClipOptions()) -> None:
        self.deck, self.reading, self.bank, self.options = deck, reading, bank, options

    @classmethod
    def through(cls, sight: Sight, options: ClipOptions = ClipOptions()) -> "ClipAgent":
        """The agent that sees the deck of a sight; raises what loading its CLIP and the clue bank raises."""
        return cls(sight.deck, reading(sight), read_bank(sight, options.lang), options)

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts."""
        super().begin(seat, rng)
        self.numpy_rng = np.random.default_rng(rng.getrandbits(128))
        self.models: PlayerModels | None = None
        self.turns_observed = 0

    @classmethod
    def act_many(cls, agents: Sequence["ClipAgent"], views: Sequence[View]) -> list[Decision]:
        """What each of the agents decides on its view, as if it were asked alone."""
        groups: dict[Hashable, list[int]] = {}
        for row, (agent, view) in enumerate(zip(agents, views, strict=True)):
            groups.setdefault((agent.options, len(agent.deck), *_alike(view)), []).append(row)
        decisions: dict[int, Decision] = {}
        for group in groups.values():
            _update_models([agents[row] for row in group], [views[row] for row in group])
            for start in range(0, len(group), AT_ONCE):
                rows = group[start : start + AT_ONCE]
                decided = _decide([agents[row] for row in rows], [views[row] for row in rows])
                decisions.update(zip(rows, decided, strict=True))
        return [decisions[row] for row in range(len(views))]

    def act(self, view: View) -> Decision:
        """Decide in the open phase."""
        return self.act_many([self], [view])[0]

    def belief(self, view: View) -> Floats:
        """The probability that each slot holds the storyteller's card, (slots,); 0 on own slots."""
        _update_models([self], [view])
        return _voting_tables([self], [view]).belief[0]

    def pool(self, view: View) -> Cards:
        """The cards that may be in other hands: all but the own, the discard and those given."""
        known = {*view.hand, *view.given, *view.discard}
        return np.array([card for card in range(len(self.deck)) if card not in known], np.intp)

    def card_name(self, card: int) -> str:
        """The name of a card of the deck."""
        return self.deck.cards[card].name


def _alike(view: View) -> tuple[Hashable, ...]:
    """What views must have in common to be decided together, so that their arrays have the same shapes."""
    if view.phase is Phase.VOTES:
        return view.rules, view.phase, min(turns_left(view.rules, view.scores, view.turn), LATE + 1)
    return view.rules, view.phase, len(view.hand)


def _decide(agents: Sequence[ClipAgent], views: Sequence[View]) -> list[Decision]:
    """Decisions of agents with the same options, whose models are up to date, on views that are alike."""
    phase = views[0].phase
    if phase is Phase.CLUE:
        if agents[0].options.clue != "literal":
            return _clues(agents, views)
        told = [_caption(agent, view) for agent, view in zip(agents, views, strict=True)]
        return [one or _clues([agent], [view])[0] for one, agent, view in zip(told, agents, views, strict=True)]
    return _cards(agents, views) if phase is Phase.CARDS else _votes(agents, views)


def _update_models(agents: Sequence[ClipAgent], views: Sequence[View]) -> None:
    """Bring the models of the seats up to date with the finished turns."""
    for agent, view in zip(agents, views, strict=True):
        if agent.models is None:
            agent.models = PlayerModels(view.players)
    while behind := [
        (agent, view.history[agent.turns_observed])
        for agent, view in zip(agents, views, strict=True)
        if agent.options.memory != "off" and agent.turns_observed < len(view.history)
    ]:
        learners, turns = zip(*behind, strict=True)
        z = np.stack([agent.reading.z(turn.clue)[list(turn.slots)] for agent, turn in behind])
        observe([agent.models for agent in learners if agent.models is not None], turns, z, views[0].rules)
        for agent in learners:
            agent.turns_observed += 1


def _models(agents: Sequence[ClipAgent]) -> list[PlayerModels]:
    """What each agent takes the players at its table for."""
    return [
        agent.models.exchanged(agent.seat) if agent.options.memory == "shuffled" else agent.models
        for agent in agents
        if agent.models is not None
    ]


def _clues(agents: Sequence[ClipAgent], views: Sequence[View]) -> list[Decision]:
    """Card and clue together, so that some, but few, are expected to find the card."""
    options, rules, models = agents[0].options, views[0].rules, _models(agents)
    seats = [agent.seat for agent in agents]
    others = [[seat for seat in range(rules.players) if seat != own] for own in seats]
    tables = UnseenTables(
        rules=rules,
        pools=[agent.pool(view) for agent, view in zip(agents, views, strict=True)],
        storyteller=storytellers(models, seats, rules),
        voters=listeners_of(models, others, options.rho),
    )
    drawn = [_clue_candidates(agent, view) for agent, view in zip(agents, views, strict=True)]
    cards, clues = (np.stack(values) for values in zip(*drawn, strict=True))  # (N, candidates) each
    kept = np.argsort(-_judged(agents, views, tables, cards, clues, CLUE_WORLDS)[1], axis=-1)[:, :SECOND_LOOK]
    cards, clues = (np.take_along_axis(values, kept, axis=1) for values in (cards, clues))
    outlook, utility, found = _judged(agents, views, tables, cards, clues, SECOND_WORLDS)
    if options.clue == "win":
        together = zip(agents, views, utility, found, strict=True)
        utility = np.stack([_clue_win_shares(*of_table) for of_table in together])
    best = np.argsort(-utility, axis=-1)[:, :ALTERNATIVES]
    decisions = []
    for row, agent in enumerate(agents):
        moves = [GiveClue(int(cards[row, i]), agent.bank.texts[clues[row, i]]) for i in best[row]]
        described = [{"card": agent.card_name(move.card), "clue": move.clue} for move in moves]
        decisions.append(Decision(moves[0], _why(outlook, row, utility, best, described, "finders")))
    return decisions


def _caption(agent: ClipAgent, view: View) -> Decision | None:
    """A caption of a card of the hand as its clue, if one has any in this language."""
    hand = [agent.deck.cards[move.card].captions.get(agent.options.lang) for move in legal_clues(view)]
    captions = [(move.card, caption) for move, caption in zip(legal_clues(view), hand, strict=True) if caption]
    return Decision(GiveClue(*agent.rng.choice(captions))) if captions else None


def _clue_candidates(agent: ClipAgent, view: View) -> tuple[Cards, Cards]:
    """Candidates, cards (n,) and clues (n,): for each card of the hand some of the clues that fit it best."""
    hand = [move.card for move in legal_clues(view)]
    nearest = agent.bank.nearest(agent.options.kinds)[hand]  # (hand, near clues)
    drawn = agent.numpy_rng.permuted(nearest, axis=1)[:, :CLUES_PER_CARD]
    return np.repeat(hand, drawn.shape[1]), drawn.ravel()


def _judged(
    agents: Sequence[ClipAgent], views: Sequence[View], tables: UnseenTables, cards: Cards, clues: Cards, worlds: int
) -> tuple[Outlook, Floats, Floats]:
    """Outlook and utility of candidates (N, candidates), and each voter's chances to find the card, (N, voters, worlds,
    candidates). Clues that were given before are worth nothing at all."""
    options, rngs = agents[0].options, [agent.numpy_rng for agent in agents]
    z = np.stack([agent.bank.z[some] for agent, some in zip(agents, clues, strict=True)])  # (N, candidates, cards)
    outlook, found = clue_outlook(rngs, tables, z, np.take_along_axis(z, cards[..., None], axis=2)[..., 0], worlds)
    aims = {"margin": outlook.margin, "win": (outlook.points + outlook.margin) / 2}
    utility = aims.get(options.clue, outlook.points) + UNDERSTOOD * outlook.finders / tables.voters.stacks.shape[-1]
    for row, (agent, view) in enumerate(zip(agents, views, strict=True)):
        utility[row] -= LITERAL_PENALTY * agent.bank.literal(clues[row], cards[row])
        given = [agent.bank.numbers.get(turn.clue, -1) for turn in view.history]
        utility[row, np.isin(clues[row], given)] = -np.inf
    return outlook, utility, found


def _clue_win_shares(agent: ClipAgent, view: View, utility: Floats, found: Floats) -> Floats:
    """The chance to win after each clue, (clues,); −1 for those that are not near the best in `utility`.

    `found` (voters, worlds, clues): how likely each voter finds the card.
    """
    rules, seat, rng = view.rules, agent.seat, agent.numpy_rng
    close = np.argsort(-utility)[:CLOSE_CLUES]
    voters = np.tile(np.moveaxis(found[..., close], -1, 0), (1, 1, CLUE_FUTURES))  # (close, voters, games)
    hits = np.insert(voters, seat, 0.0, axis=1)  # (close, players, games)
    players, games = hits.shape[1:]
    gains = drawn_turns(rules, np.full(games, seat), hits, rng.random((players, games), np.float32))
    rates = hit_rates(_models([agent])[0].voting, rules.slots)
    luck = rng.random((players, turns_left(rules, view.scores, view.turn), games), np.float32)
    coming = futures(rules, np.array((seat + 1) % players), rates, luck)
    shares = np.full(len(utility), -1.0)
    shares[close] = win_shares(rules, np.array(view.scores)[:, None] + gains, coming)[:, seat]
    return shares


def _cards(agents: Sequence[ClipAgent], views: Sequence[View]) -> list[Decision]:
    """The decoy(s) that draw votes, net of what they do to the storyteller's outcome."""
    options, rules = agents[0].options, views[0].rules
    z = np.stack([agent.reading.z(view.clue) for agent, view in zip(agents, views, strict=True)])
    moves = [legal_cards(view) for view in views]
    candidates = np.array([[move.cards for move in some] for some in moves], np.intp)  # (N, candidates, gives)
    if options.decoy == "argmax":
        matches = z[np.arange(len(z))[:, None, None], candidates].sum(-1)
        return [Decision(some[int(best)]) for some, best in zip(moves, matches.argmax(1), strict=True)]
    models = _models(agents)
    tables = UnseenTables(
        rules=rules,
        pools=[agent.pool(view) for agent, view in zip(agents, views, strict=True)],
        storyteller=storytellers(models, [view.storyteller for view in views], rules),
        voters=voters_of(models, _other_voters(agents, views), options.rho),
    )
    outlook = decoy_outlook([agent.numpy_rng for agent in agents], tables, z, candidates, DECOY_WORLDS)
    utility = outlook.points if options.decoy == "points" else outlook.margin
    best = np.argsort(-utility, axis=-1)[:, :ALTERNATIVES]
    decisions = []
    for row, (agent, some) in enumerate(zip(agents, moves, strict=True)):
        described = [{"cards": [agent.card_name(card) for card in some[i].cards]} for i in best[row]]
        why = _why(outlook, row, utility, best, described, "drawn")
        decisions.append(Decision(some[best[row, 0]], why))
    return decisions


def _votes(agents: Sequence[ClipAgent], views: Sequence[View]) -> list[Decision]:
    """The ballot of most points, or of the best chance to win."""
    options = agents[0].options
    tables = _voting_tables(agents, views)
    moves, dials = ballots(tables.rules)
    legal = tables.own @ dials.T == 0  # (N, ballots)
    points: Floats
    utility: Floats
    if options.votes == "argmax":
        points = utility = tables.belief @ dials.T
    else:
        points = np.where(legal, ballot_points(tables, dials, find_chances(tables)), -np.inf)
        to_win = options.votes == "win" and turns_left(tables.rules, views[0].scores, views[0].turn) <= LATE
        utility = _win_shares(agents, views, tables, dials, points) if to_win else points
    best = np.argsort(-np.where(legal, utility, -np.inf), axis=-1, kind="stable")[:, :ALTERNATIVES]
    decisions = []
    for row, ranked in enumerate(best):
        why: dict[str, Any] = {"belief": [round(float(p), 4) for p in tables.belief[row]]}
        if options.votes != "argmax":
            why["alternatives"] = [
                {
                    "slots": list(moves[i].slots),
                    "points": round(float(points[row, i]), 3),
                    "utility": round(float(utility[row, i]), 4),
                }
                for i in ranked
                if legal[row, i]
            ]
        decisions.append(Decision(moves[ranked[0]], why))
    return decisions


def _voting_tables(agents: Sequence[ClipAgent], views: Sequence[View]) -> VotingTables:
    """What the agents know of their tables, and what they believe."""
    options, rules, models = agents[0].options, views[0].rules, _models(agents)
    z = np.stack([agent.reading.z(view.clue)[list(view.slots)] for agent, view in zip(agents, views, strict=True)])
    own = np.zeros((len(views), rules.slots), np.bool_)
    for row, view in enumerate(views):
        own[row, list(view.own_slots)] = True
    tellers = [view.storyteller for view in views]
    log_odds = storytellers(models, tellers, rules).log_odds(z)
    if options.temperature:
        belief = softmax(np.where(own, -np.inf, z / options.temperature)[..., None])[..., 0]
    else:
        belief = target_belief(log_odds, own)
    return VotingTables(
        rules=rules,
        seat=np.array([agent.seat for agent in agents]),
        storyteller=np.array(tellers),
        own=own,
        logits=choice_logits(z, log_odds),
        belief=belief,
        others=voters_of(models, _other_voters(agents, views), options.rho),
    )


def _win_shares(
    agents: Sequence[ClipAgent], views: Sequence[View], tables: VotingTables, dials: Ints, points: Floats
) -> Floats:
    """The chance to win after each ballot, (N, ballots); −1 for those that are not near the best in points."""
    rules, models = tables.rules, _models(agents)
    close = np.argsort(-points, axis=-1, kind="stable")[:, :CLOSE_BALLOTS]
    turns = turns_left(rules, views[0].scores, views[0].turn)
    worlds = VOTE_WORLDS // max(turns, 1)
    rngs = [agent.numpy_rng for agent in agents]
    luck_now = np.stack([rng.random((luck_needed(rules), worlds), np.float32) for rng in rngs])
    luck_later = np.stack([rng.random((rules.players, turns, worlds), np.float32) for rng in rngs])
    gains = simulated_points(tables, dials[close], luck_now)  # (N, close, players, worlds)
    hits = hit_rates(np.stack([model.voting for model in models]), rules.slots)
    coming = futures(rules, (tables.storyteller + 1) % rules.players, hits, luck_later)
    scores = np.array([view.scores for view in views])[:, None, :, None] + gains
    won = win_shares(rules, scores, coming[:, None])  # (N, close, players)
    shares = np.full(points.shape, -1.0)
    np.put_along_axis(shares, close, won[np.arange(len(won)), :, tables.seat], axis=1)
    return shares


def _other_voters(agents: Sequence[ClipAgent], views: Sequence[View]) -> list[list[int]]:
    """The seats of each view that vote besides its own."""
    return [
        [seat for seat in range(view.players) if seat not in (agent.seat, view.storyteller)]
        for agent, view in zip(agents, views, strict=True)
    ]


def _why(
    outlook: Outlook, row: int, utility: Floats, best: NDArray[np.intp], moves: list[dict[str, Any]], own: str
) -> dict[str, Any]:
    """What is expected of the best candidate of a table, and how the best compare; `own` names the expectation of this
    phase."""
    names = ("some", "everybody", "nobody", own, "points", "margin")
    return {
        "expected": {name: round(float(getattr(outlook, name)[row, best[row, 0]]), 3) for name in names},
        "alternatives": [
            {**move, "utility": round(float(utility[row, i]), 3)} for move, i in zip(moves, best[row], strict=True)
        ],
    }
