"""The clue benchmark: clue givers get the same deals, and the same panels of listeners judge their clues.

Agents are asked only for their own decisions: a clue on each deal (on every fifth deal a second time, with other random
numbers), decoys for a given clue, and ballots where a panel consists of agents. How listeners vote and what a clue
scores is computed (`panels`, `scoring`).

Two controls need no asking. The *shuffled controls* of a giver keep its cards and shift its clues from deal to deal, by
one, two, … deals. The giver `shuffled` is the first of the shuffled controls of `clip`. Decoys are compared on the same
clues for all agents: those of `clip`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from dixit_env.bench.clues.asking import Answer, Asking, Execution, EyeSource, Question, answered
from dixit_env.bench.clues.deals import DECOY_EYE, Deal, Layout, deal, full_layout, table_cards
from dixit_env.bench.clues.panels import Panel, eyes_of
from dixit_env.bench.clues.simulated_panel import SimulatedPanel
from dixit_env.bench.stats import Floats
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.game.engine import apply
from dixit_env.game.moves import CastVotes, GiveClue, Move, PlayCards
from dixit_env.game.rules import Rules
from dixit_env.jobs import Workers
from dixit_env.version import VERSION

REFERENCE = "clip"  # the agent whose clues are shuffled, and answered with decoys
SHUFFLED = "shuffled"  # the giver that is the reference's shuffled control
SHUFFLES = 24  # shuffled controls of a giver, over which its control is averaged; chosen
AGAIN = 5  # on one of so many deals a giver is asked twice


@dataclass(frozen=True, slots=True, kw_only=True)
class ClueBench:
    """What is to be run. Raises `DixitError` for values that make no benchmark."""

    givers: tuple[str, ...]
    panels: tuple[Panel, ...]
    """The first is the main one."""
    deals: int = 240
    rows: tuple[str, ...] = ()
    """Givers of clues that are no agents: they are asked for no decoys."""
    players: int = 6
    rules: Rules
    seed: int = 0

    def __post_init__(self) -> None:
        names = [panel.name for panel in self.panels]
        if not self.givers or self.deals < 1 or not self.panels:
            raise DixitError("a clue benchmark needs at least one clue giver, one panel and one deal")
        if len(set(self.ranked)) < len(self.ranked) or len(set(names)) < len(names):
            raise DixitError("a clue giver or a panel is named twice: name each once")
        if self.panels[0].kind == "agents":
            raise DixitError("a panel of agents can't be the main one: it plays at one table size only")
        self.rules.seated(self.players)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that are asked for clues and decoys."""
        return tuple(dict.fromkeys([REFERENCE, *(name for name in self.givers if name != SHUFFLED)]))

    @property
    def asked(self) -> tuple[str, ...]:
        """All that are asked for clues."""
        return (*self.agents, *self.rows)

    @property
    def ranked(self) -> tuple[str, ...]:
        """All whose clues are judged."""
        return (*self.givers, *self.rows)

    def comparable(self, deck: Deck, eyes: Mapping[str, str]) -> dict[str, Any]:
        """All that two runs must share for their figures to be compared; `eyes`: the model behind each eye."""
        return {
            "version": VERSION,
            "deck": deck.hash,
            "rules": asdict(self.rules),
            "players": self.players,
            "panels": [asdict(panel) for panel in self.panels],
            "eyes": dict(eyes),
            "simulated": asdict(SimulatedPanel()),
            "seed": self.seed,
            "deals": self.deals,
        }


@dataclass(frozen=True, eq=False)
class ClueTurn:
    """A clue on a deal, and the full table that it makes."""

    deal: int
    card: int
    clue: str
    cards: tuple[int, ...]  # by column of the layout
    z: Mapping[str, Floats]  # eye → z-scores of these cards for the clue, (columns,)


Turns = tuple[ClueTurn | None, ...]
"""By deal; None where there is no valid clue."""


@dataclass(frozen=True, eq=False)
class ClueRun:
    """A run of the benchmark: all decisions, and the tables they make. Tuples are by deal."""

    bench: ClueBench
    deck: Deck
    deals: tuple[Deal, ...]
    layout: Layout
    answers: Mapping[str, tuple[Answer, ...]]  # agent → its clues
    second: Mapping[str, Mapping[int, Answer]]  # agent → deal → its clue at the second attempt
    turns: Mapping[str, Turns]  # giver → its clues
    controls: Mapping[str, tuple[Turns, ...]]  # giver → its cards with shuffled clues, shuffle by shuffle
    decoys: Mapping[str, tuple[tuple[int, ...] | None, ...]]  # agent → the cards it plays in seat 1
    ballots: Mapping[tuple[str, str], tuple[list[list[int]] | None, ...]]  # giver, panel → columns, by voter
    z: Mapping[str, Mapping[str, Floats]]  # eye → clue → z-scores of the deck, (cards,)
    all_answers: Mapping[str, tuple[Answer, ...]]  # agent → clues, decoys and ballots

    def reference(self) -> Turns:
        """The clues that decoys were asked for."""
        return self.turns[REFERENCE]


def run_bench(
    bench: ClueBench,
    source: EyeSource,
    out: Path,
    valid: Callable[[Answer], bool],
    *,
    settings: Mapping[str, Any],
    how: Execution,
) -> ClueRun:
    """Ask everything that `out` holds no answer to yet.

    Args:
        bench: what to run.
        source: the deck, the agents and the eyes.
        out: folder of `clues.jsonl` and `moves.jsonl`, which keep the answers.
        valid: does the answer hold a clue that counts?
        settings: everything about the source that answers depend on. More deals, givers and panels can be added to a
            run.
        how: workers and progress bars.
    """
    with Workers(how.workers, how.ray) as crew:  # who gave the clues has loaded what decoys and ballots need
        return _run(bench, source, out, valid, partial(answered, settings=settings, crew=crew, progress=how.progress))


def _run(
    bench: ClueBench,
    source: EyeSource,
    out: Path,
    valid: Callable[[Answer], bool],
    ask: Callable[[Path, Asking, Sequence[Question]], dict[Question, Answer]],
) -> ClueRun:
    """`run_bench`, given how questions are asked (`answered`)."""
    deck = source.deck()
    bench.rules.check_deck(bench.players, len(deck))
    deals = tuple(deal(bench.rules, bench.players, len(deck), bench.seed, number) for number in range(bench.deals))
    layout = full_layout(bench.rules, len(deals[0].hands))
    asking = Asking(source, bench.rules, bench.players, bench.seed)

    again = range(0, bench.deals, AGAIN)
    first = [Question(name, number) for name in bench.asked for number in range(bench.deals)]
    repeated = [Question(name, number, attempt=1) for name in bench.asked for number in again]
    clues = ask(out / "clues.jsonl", asking, first + repeated)
    answers = {name: tuple(clues[Question(name, number)] for number in range(bench.deals)) for name in bench.asked}
    second = {name: {number: clues[Question(name, number, attempt=1)] for number in again} for name in bench.asked}

    given = {
        name: [one.move if isinstance(one.move, GiveClue) and valid(one) else None for one in own]
        for name, own in answers.items()
    }
    given[SHUFFLED] = next(iter(shuffled_clues(given[REFERENCE])), [None] * bench.deals)
    texts = sorted({move.clue for moves in given.values() for move in moves if move})
    z = seen(source, bench.panels, texts)

    def tables(moves: Sequence[GiveClue | None]) -> Turns:
        return tuple(
            clue_turn(dealt, move, z, layout) if move else None for dealt, move in zip(deals, moves, strict=True)
        )

    turns = {name: tables(moves) for name, moves in given.items()}
    for_decoys = {
        (name, number): Question(name, number, 1, ((0, move),))
        for name in bench.agents
        for number, move in enumerate(given[REFERENCE])
        if move
    }
    for_ballots = {
        (name, panel.name, turn.deal): _ballot_questions(bench, panel, layout, turn)
        for panel in bench.panels
        if panel.kind == "agents"
        for name in bench.ranked
        for turn in turns[name]
        if turn
    }
    questions = [*for_decoys.values(), *(one for asked in for_ballots.values() for one in asked)]
    moves = ask(out / "moves.jsonl", asking, questions)
    ballots: dict[tuple[str, str], list[list[list[int]] | None]] = {}
    for (name, panel, number), asked in for_ballots.items():
        row = ballots.setdefault((name, panel), [None] * bench.deals)
        row[number] = _ballots(bench, layout, deals[number], turns[name][number], [moves[one] for one in asked])
    return ClueRun(
        bench=bench,
        deck=deck,
        deals=deals,
        layout=layout,
        answers=answers,
        second=second,
        turns=turns,
        controls={name: tuple(map(tables, shuffled_clues(given[name]))) for name in bench.ranked},
        decoys={
            name: tuple(_decoys(moves, for_decoys.get((name, number))) for number in range(bench.deals))
            for name in bench.agents
        },
        ballots={key: tuple(row) for key, row in ballots.items()},
        z=z,
        all_answers=_by_agent({**clues, **moves}),
    )


def shuffled_clues(moves: Sequence[GiveClue | None]) -> list[list[GiveClue | None]]:
    """Up to `SHUFFLES` controls: cards stay, clues move on by 1, 2, … deals that have one; fewer on few deals."""
    given = [(number, move) for number, move in enumerate(moves) if move]
    controls = []
    for step in range(1, min(SHUFFLES + 1, len(given))):
        shuffled: list[GiveClue | None] = [None] * len(moves)
        for place, (number, move) in enumerate(given):
            shuffled[number] = GiveClue(move.card, given[(place + step) % len(given)][1].clue)
        controls.append(shuffled)
    return controls


def seen(source: EyeSource, panels: Sequence[Panel], clues: Sequence[str]) -> dict[str, dict[str, Floats]]:
    """z-scores of the deck, (cards,), for each clue, by each eye that decoys and panels need."""
    return {name: dict(zip(clues, source.eye(name)(clues), strict=True)) for name in eyes_of(panels) if clues}


def clue_turn(dealt: Deal, move: GiveClue, z: Mapping[str, Mapping[str, Floats]], layout: Layout) -> ClueTurn:
    """The table that a clue makes of a deal; `z` as from `seen`."""
    cards = table_cards(dealt, move.card, z[DECOY_EYE][move.clue], layout)
    shown = {name: by_clue[move.clue][cards] for name, by_clue in z.items()}
    return ClueTurn(dealt.number, move.card, move.clue, tuple(cards.tolist()), shown)


def _moves_before_votes(bench: ClueBench, layout: Layout, turn: ClueTurn) -> tuple[tuple[int, Move], ...]:
    """The clue and the decoys at the run's table size, as (seat, move)."""
    columns = layout.columns(bench.rules, bench.players)
    plays = [
        (seat, PlayCards(tuple(turn.cards[column] for column in columns if layout.owners[column] == seat)))
        for seat in range(1, bench.players)
    ]
    return ((0, GiveClue(turn.card, turn.clue)), *plays)


def _ballot_questions(bench: ClueBench, panel: Panel, layout: Layout, turn: ClueTurn) -> list[Question]:
    """A question for each voter of a panel of agents; the agents move up by a seat from deal to deal."""
    moves, size = _moves_before_votes(bench, layout, turn), len(panel.listeners)
    seats = range(1, bench.players)
    return [Question(panel.listeners[(seat + turn.deal) % size], turn.deal, seat, moves) for seat in seats]


def _ballots(
    bench: ClueBench, layout: Layout, dealt: Deal, turn: ClueTurn | None, replies: Sequence[Answer]
) -> list[list[int]] | None:
    """Ballots as positions among the columns of the run's table; None when one failed."""
    if turn is None:
        return None
    state = dealt.state
    for seat, move in _moves_before_votes(bench, layout, turn):
        state = apply(state, seat, move)
    place = {turn.cards[column]: at for at, column in enumerate(layout.columns(bench.rules, bench.players))}
    votes = [reply.move for reply in replies if isinstance(reply.move, CastVotes)]
    if len(votes) < len(replies):
        return None
    return [[place[state.slots[slot]] for slot in vote.slots] for vote in votes]


def _decoys(replies: Mapping[Question, Answer], question: Question | None) -> tuple[int, ...] | None:
    move = replies[question].move if question else None
    return move.cards if isinstance(move, PlayCards) else None


def _by_agent(answers: Mapping[Question, Answer]) -> dict[str, tuple[Answer, ...]]:
    names = dict.fromkeys(question.agent for question in answers)
    return {name: tuple(answer for question, answer in answers.items() if question.agent == name) for name in names}
