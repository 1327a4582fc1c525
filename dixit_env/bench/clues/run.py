"""The clue benchmark: many clue givers tell on the same deals and are judged by the same panels of listeners.

Agents are only asked for what they decide: a clue on each deal (on every fifth deal a second time, with other random
numbers), decoys for a given clue, ballots at a panel of agents. What follows from that, who votes how and what a clue
is worth, is computed (`clue_table`, `clue_scoring`).

Two controls need no asking. The *shuffled control* of a giver keeps its cards and permutes its clues over the deals, in
groups of four. The giver `shuffled` is the shuffled control of `clip`. As givers of decoys all agents answer the same
clues, those of `clip`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dixit_env.bench.clues.people import HumanPanel
from dixit_env.bench.clues.questions import Answer, Asking, Booth, Line, Progress, Question, answered
from dixit_env.bench.clues.tables import DECOY_EYE, Deal, Layout, Panel, deal, eyes_of, lay, layout
from dixit_env.bench.stats import Floats
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.game.engine import apply
from dixit_env.game.moves import CastVotes, GiveClue, Move, PlayCards
from dixit_env.game.rules import Rules
from dixit_env.version import VERSION

REFERENCE = "clip"  # whose clues are shuffled, and answered with decoys
SHUFFLED = "shuffled"
GROUP = 4  # deals whose clues change places
AGAIN = 5  # on every so many deals a giver is asked twice


@dataclass(frozen=True, slots=True, kw_only=True)
class ClueBench:
    """What is to be run. Raises `DixitError` for values that make no benchmark."""

    givers: tuple[str, ...]
    panels: tuple[Panel, ...]
    """The first is the main one."""
    deals: int = 60
    """Rounded up to whole groups of four."""
    players: int = 6
    rules: Rules
    seed: int = 0

    def __post_init__(self) -> None:
        names = [panel.name for panel in self.panels]
        if not self.givers or self.deals < 1 or not self.panels:
            raise DixitError("a clue benchmark needs at least one clue giver, one panel and one deal")
        if len(set(self.givers)) < len(self.givers) or len(set(names)) < len(names):
            raise DixitError("a clue giver or a panel is named twice: name each once")
        if self.panels[0].kind == "agents":
            raise DixitError("a panel of agents can't be the main one: it plays at one table size only")
        self.rules.seated(self.players)

    @property
    def count(self) -> int:
        """Deals, in whole groups."""
        return -(-self.deals // GROUP) * GROUP

    @property
    def asked(self) -> tuple[str, ...]:
        """The agents that are asked for clues and decoys."""
        return tuple(dict.fromkeys([REFERENCE, *(name for name in self.givers if name != SHUFFLED)]))

    def comparable(self, deck: Deck, eyes: Mapping[str, str]) -> Line:
        """All that two runs must share for their figures to be compared; `eyes` tells what is behind each eye."""
        return {
            "version": VERSION,
            "deck": deck.hash,
            "rules": asdict(self.rules),
            "players": self.players,
            "panels": [asdict(panel) for panel in self.panels],
            "eyes": dict(eyes),
            "people": asdict(HumanPanel()),
            "seed": self.seed,
            "deals": self.count,
        }


@dataclass(frozen=True, eq=False)
class Told:
    """A clue on a deal, and the full table that it makes."""

    deal: int
    card: int
    clue: str
    cards: tuple[int, ...]  # by column of the layout
    eyes: Mapping[str, Floats]  # eye → how these cards stand out, (columns,)


@dataclass(frozen=True, eq=False)
class Outcome:
    """All that was asked and answered. Entries are by deal, None where there is no valid clue or answer."""

    bench: ClueBench
    deck: Deck
    deals: tuple[Deal, ...]
    layout: Layout
    answers: Mapping[str, tuple[Answer, ...]]  # agent → its clues
    second: Mapping[str, Mapping[int, Answer]]  # agent → deal → its clue at the second attempt
    told: Mapping[str, tuple[Told | None, ...]]  # giver →
    control: Mapping[str, tuple[Told | None, ...]]  # giver → with shuffled clues
    decoys: Mapping[str, tuple[tuple[int, ...] | None, ...]]  # agent → the cards it gives in seat 1
    ballots: Mapping[tuple[str, str], tuple[list[list[int]] | None, ...]]  # giver, panel → columns, by voter
    looks: Mapping[str, Mapping[str, Floats]]  # eye → clue → how the deck stands out, (cards,)
    asked: Mapping[str, tuple[Answer, ...]]  # agent → all of its answers: clues, decoys and ballots

    def reference(self) -> tuple[Told | None, ...]:
        """The clues that decoys were given for."""
        return self.told[REFERENCE]


def run_bench(
    bench: ClueBench,
    booth: Booth,
    out: Path,
    valid: Callable[[Answer], bool],
    *,
    settings: Mapping[str, Any],
    progress: Progress = lambda items, total, label: items,
    workers: int = 1,
    ray: str | None = None,
) -> Outcome:
    """Ask everything that `out` holds no answer to yet, and put the outcome together.

    Args:
        valid: does the answer hold a clue that counts?
        settings: all about the booth that answers depend on. More deals, givers and panels can be added to a run.
    """
    deck = booth.deck()
    bench.rules.check_deck(bench.players, len(deck))
    deals = tuple(deal(bench.rules, bench.players, len(deck), bench.seed, number) for number in range(bench.count))
    plan = layout(bench.rules, len(deals[0].hands))
    asking = Asking(booth, bench.rules, bench.players, bench.seed)

    def answers_to(file: str, questions: Sequence[Question]) -> dict[Question, Answer]:
        return answered(out / file, asking, questions, settings, progress, workers=workers, ray=ray)

    again = range(0, bench.count, AGAIN)
    first = [Question(name, number) for name in bench.asked for number in range(bench.count)]
    said = answers_to("clues.jsonl", first + [Question(name, n, attempt=1) for name in bench.asked for n in again])
    answers = {name: tuple(said[Question(name, number)] for number in range(bench.count)) for name in bench.asked}
    second = {name: {number: said[Question(name, number, attempt=1)] for number in again} for name in bench.asked}

    moves = {
        name: [one.move if isinstance(one.move, GiveClue) and valid(one) else None for one in given]
        for name, given in answers.items()
    }
    moves[SHUFFLED] = shuffled_clues(moves[REFERENCE])
    clues = sorted({move.clue for given in moves.values() for move in given if move})
    looks = {name: dict(zip(clues, booth.eye(name)(clues), strict=True)) for name in eyes_of(bench.panels) if clues}

    def tables(given: Sequence[GiveClue | None]) -> tuple[Told | None, ...]:
        return tuple(_table(dealt, move, looks, plan) for dealt, move in zip(deals, given, strict=True))

    told = {name: tables(given) for name, given in moves.items()}
    control = {name: tables(shuffled_clues(given)) for name, given in moves.items()}

    for_decoys = {
        (name, number): Question(name, number, 1, ((0, move),))
        for name in bench.asked
        for number, move in enumerate(moves[REFERENCE])
        if move
    }
    for_ballots = {
        (name, panel.name, turn.deal): _ballots(bench, panel, plan, turn)
        for panel in bench.panels
        if panel.kind == "agents"
        for name in bench.givers
        for turn in told[name]
        if turn
    }
    replies = answers_to("moves.jsonl", [*for_decoys.values(), *(one for asks in for_ballots.values() for one in asks)])
    decoys = {name: [_cards(replies, for_decoys.get((name, n))) for n in range(bench.count)] for name in bench.asked}
    ballots: dict[tuple[str, str], list[list[list[int]] | None]] = {}
    for (name, panel, number), asks in for_ballots.items():
        row = ballots.setdefault((name, panel), [None] * bench.count)
        row[number] = _votes(bench, plan, deals[number], told[name][number], [replies[one] for one in asks])
    return Outcome(
        bench=bench,
        deck=deck,
        deals=deals,
        layout=plan,
        answers=answers,
        second=second,
        told=told,
        control=control,
        decoys={name: tuple(given) for name, given in decoys.items()},
        ballots={key: tuple(row) for key, row in ballots.items()},
        looks=looks,
        asked=_by_agent({**said, **replies}),
    )


def _by_agent(answers: Mapping[Question, Answer]) -> dict[str, tuple[Answer, ...]]:
    names = dict.fromkeys(question.agent for question in answers)
    return {name: tuple(answer for question, answer in answers.items() if question.agent == name) for name in names}


def shuffled_clues(moves: Sequence[GiveClue | None]) -> list[GiveClue | None]:
    """The card stays, the clue is that of the next deal in the group that has one; None where no other has."""
    shuffled: list[GiveClue | None] = []
    for number, move in enumerate(moves):
        start = number // GROUP * GROUP
        others = [moves[start + (number + step) % GROUP] for step in range(1, GROUP)]
        clue = next((other.clue for other in others if other), None)
        shuffled.append(GiveClue(move.card, clue) if move and clue is not None else None)
    return shuffled


def _table(dealt: Deal, move: GiveClue | None, looks: Mapping[str, Mapping[str, Floats]], plan: Layout) -> Told | None:
    if move is None:
        return None
    cards = lay(dealt, move.card, looks[DECOY_EYE][move.clue], plan)
    return Told(
        dealt.number,
        move.card,
        move.clue,
        tuple(cards),
        {name: np.array(z[move.clue])[cards] for name, z in looks.items()},
    )


def _given(bench: ClueBench, plan: Layout, turn: Told) -> tuple[tuple[int, Move], ...]:
    """The moves that lay the table of a clue at the run's size."""
    columns = plan.columns(bench.rules, bench.players)
    plays = [
        (seat, PlayCards(tuple(turn.cards[column] for column in columns if plan.owners[column] == seat)))
        for seat in range(1, bench.players)
    ]
    return ((0, GiveClue(turn.card, turn.clue)), *plays)


def _ballots(bench: ClueBench, panel: Panel, plan: Layout, turn: Told) -> list[Question]:
    """What each voter of a panel of agents is asked; from deal to deal they move up by a seat."""
    moves, size = _given(bench, plan, turn), len(panel.listeners)
    seats = range(1, bench.players)
    return [Question(panel.listeners[(seat + turn.deal) % size], turn.deal, seat, moves) for seat in seats]


def _votes(
    bench: ClueBench, plan: Layout, dealt: Deal, turn: Told | None, replies: Sequence[Answer]
) -> list[list[int]] | None:
    """Ballots as positions among the columns of the run's table; None when one failed."""
    if turn is None:
        return None
    state = dealt.state
    for seat, move in _given(bench, plan, turn):
        state = apply(state, seat, move)
    place = {turn.cards[column]: at for at, column in enumerate(plan.columns(bench.rules, bench.players))}
    votes = [reply.move for reply in replies if isinstance(reply.move, CastVotes)]
    if len(votes) < len(replies):
        return None
    return [[place[state.slots[slot]] for slot in vote.slots] for vote in votes]


def _cards(replies: Mapping[Question, Answer], question: Question | None) -> tuple[int, ...] | None:
    move = replies[question].move if question else None
    return move.cards if isinstance(move, PlayCards) else None
