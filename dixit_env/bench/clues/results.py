"""The results of a clue benchmark: types, and how they are written to `results.json`.

An `Estimate` in the field NAME becomes the keys NAME, NAME_low and NAME_high. NaN becomes null. Fields that are None
are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from math import isnan
from typing import Any

from dixit_env.bench.stats import Difference, Estimate

CONTROL = "its shuffled clues"
FLAT = {"flat": True}  # metadata of a field whose own fields are written among its owner's


@dataclass(frozen=True, kw_only=True)
class PanelScore:
    """A giver's clues before one panel; means over deals. `judging.MEASURES` says what is measured.

    `shuffled_…`: the same cards with shuffled clues, the mean over shuffles. `…_over_shuffled`: the clues less their
    shuffled control, paired by deal.
    """

    points: Estimate
    margin: Estimate
    some: Estimate
    guess_rate: Estimate
    lift: Estimate
    rho: Estimate  # correlation of two listeners' votes
    shuffled_points: float
    shuffled_some: float
    shuffled_guess_rate: float
    points_over_shuffled: Estimate
    some_over_shuffled: Estimate
    guess_rate_over_shuffled: Estimate

    @property
    def headline(self) -> float:
        """What givers are ranked by: the share that finds the card, less that of shuffled clues; −1 without clues."""
        value = self.guess_rate_over_shuffled.value
        return -1.0 if isnan(value) else value


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The same clues at another table size."""

    points: Estimate
    margin: Estimate
    some: Estimate
    guess_rate: Estimate
    lift: Estimate


@dataclass(frozen=True, kw_only=True)
class MainScore(PanelScore):
    """A giver's clues before the main panel."""

    listeners: Estimate
    all: Estimate
    none: Estimate
    points_at_four: Estimate  # at a table of four by the rules of Dixit, where few voters make "some" hard
    points_at_four_over_shuffled: Estimate
    some_stacked: float | None = None  # with two dials: if all listeners stacked, or all spread
    points_stacked: float | None = None
    some_spread: float | None = None
    points_spread: float | None = None
    sampled_points: float  # mean of turns whose votes were drawn at random, as a check of the exact figures
    sampled_turns: int
    curve: Mapping[str, CurvePoint]  # by table size


@dataclass(frozen=True, kw_only=True)
class TextFigures:
    """A giver's clues as texts; shares of its valid clues unless it says otherwise."""

    valid: float  # of all replies, those that are clues
    no_answer: int  # deals without a reply, because the giver could not be asked; they count nowhere else
    faults: Mapping[str, int]  # replies by fault (`text.FAULTS`)
    literal: float  # name the card (`text.names_card`)
    stands_out: float  # mean z-score of the card, by the eye that chooses decoys
    repeats_over_seeds: float  # of the second attempts, those with the same clue
    words: float  # as in `text.variety`, like all that follow
    distinct_1: float
    distinct_2: float
    repeats: float
    per_card: float
    overlap: float
    known: float


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The share of finders that a giver predicts (`why["expected"]["finders"]`) against the main panel's votes."""

    brier: Estimate
    ece: float
    expected_guess_rate: float  # mean of the predictions


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What a clue takes."""

    seconds_per_clue: float  # median, without answers from a cache
    cost_per_clue: float


@dataclass(frozen=True, kw_only=True)
class DecoyFigures:
    """Dials that an agent's decoys draw from the main panel, for the reference's clues."""

    drawn: Estimate
    random: float  # mean over the other choices from the same hand
    best: float  # the best choice from the same hand
    skill: float  # 0: as random, 1: as the best


@dataclass(frozen=True, kw_only=True)
class GiverResult:
    """Everything about one clue giver."""

    score: MainScore = field(metadata=FLAT)
    texts: TextFigures = field(metadata=FLAT)
    calibration: Calibration = field(metadata=FLAT)
    costs: Costs = field(metadata=FLAT)
    decoys: DecoyFigures


@dataclass(frozen=True, kw_only=True)
class PanelResult:
    """One panel over the clues of all givers."""

    rho: float  # correlation of two listeners' votes within a giver's clues
    guess_rate: float
    listeners: Sequence[str]
    kind: str


@dataclass(frozen=True, kw_only=True)
class Account:
    """What an agent took for all of its decisions."""

    asked: int
    failed: int  # answers without a legal move
    no_answer: int  # questions that the agent could not be asked: an outage, not a failure
    failed_replies: int  # replies of a language model that had to be asked for again, these included
    from_cache: int
    seconds: float
    tokens_in: float
    tokens_out: float
    cost: float


@dataclass(frozen=True, kw_only=True)
class CloneTable:
    """Clues at tables of one kind (`clones`)."""

    some: Estimate
    points: Estimate
    listeners: Estimate
    asymmetry: Estimate  # listeners' points less the storyteller's
    rho: Estimate


@dataclass(frozen=True, kw_only=True)
class CloneResult:
    """A giver before clone and mixed tables of one sharpness, and before independent votes."""

    giver: str
    sharpness: float
    players: int
    clones: CloneTable
    mixed: CloneTable
    independent: CloneTable
    """Every vote finds the card with the guess rate, whatever the clue and the other votes."""
    guess_rate: float  # the same at all
    some_simulated: float | None
    """Chance of "some" with this guess rate and a ρ fitted to people's rounds; None under rules with two dials."""
    panel_share: Estimate  # of the clone tables' asymmetry, what is gone at mixed tables
    excess: Estimate  # the clone tables' asymmetry less that of independent votes
    panel_share_of_excess: Estimate  # of this, what is gone at mixed tables

    @property
    def tables(self) -> dict[str, CloneTable]:
        """By kind."""
        return {"clones": self.clones, "mixed": self.mixed, "independent": self.independent}


@dataclass(frozen=True, kw_only=True)
class ClueResults:
    """A clue benchmark's figures; givers best first."""

    main_panel: str
    deals: int
    clue_givers: Mapping[str, GiverResult]
    cross_play: Mapping[str, Mapping[str, PanelScore]]  # giver → panel
    panels: Mapping[str, PanelResult]
    accounts: Mapping[str, Account]  # by agent
    pairs: Sequence[Difference]
    """Shares that find the card: of givers and of their shuffled clues (`CONTROL`), and of givers."""
    clones: Sequence[CloneResult] | None = None

    @property
    def found(self) -> tuple[str, ...]:
        """Givers whose cards are found more often than with shuffled clues."""
        return tuple(pair.ahead for pair in self.pairs if pair.behind == CONTROL and pair.separate)


def to_json(value: Any) -> Any:
    """Results as JSON values."""
    if is_dataclass(value):
        found: dict[str, Any] = {}
        for part in fields(value):
            item = getattr(value, part.name)
            if isinstance(item, Estimate):
                ends = {part.name: item.value, f"{part.name}_low": item.low, f"{part.name}_high": item.high}
                found |= to_json(ends)
            elif part.metadata == FLAT:
                found |= to_json(item)
            elif item is not None:
                found[part.name] = to_json(item)
        return found
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return None if isinstance(value, float) and isnan(value) else value


def panel_score(figures: Mapping[str, Any]) -> PanelScore:
    """The score among the JSON values of a giver or of a cell of `cross_play`; what is missing is NaN."""

    def number(key: str) -> float:
        value = figures.get(key)
        return float("nan") if value is None else float(value)

    values: dict[str, Any] = {}
    for part in fields(PanelScore):
        name = part.name
        interval = number(name), number(f"{name}_low"), number(f"{name}_high")
        values[name] = Estimate(*interval) if part.type is Estimate else interval[0]
    return PanelScore(**values)
