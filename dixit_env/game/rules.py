"""The editions of Dixit as values.

`Rules` is what a rulebook says; `Rules.seated(players)` is what it means at a table of that size (`TableRules`),
which is all that the engine, the scoring and the environments read. The presets are in `EDITIONS`.

Sources: the rulebooks of Dixit Odyssey (2023/24; English, Portuguese, Spanish, Danish) and Dixit (2021, Portuguese);
`ODYSSEY_2011` and `DIXIT_2008` follow the publicly known rules of those editions.
"""

from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Literal

from dixit_env.errors import RulesError

AllMeans = Literal["dials", "voters"]
Reshuffle = Literal["pile and discard", "discard", "never"]
DecoyBonus = Literal["per dial", "once"]


@dataclass(frozen=True, slots=True)
class TableRules:
    """The rules at a table of a given size, with nothing left to decide."""

    players: int
    hand: int  # cards in a full hand
    gives: int  # cards that each player but the storyteller gives
    dials_least: int  # dials that a voter must use …
    dials_most: int  # … and may use
    may_stack: bool  # may two dials go on one slot?
    all_means: AllMeans
    all_points: int
    none_points: int
    storyteller_points: int
    dial_points: int
    single_dial_bonus: int
    decoy_points: int
    decoy_cap: int | None
    decoy_once: bool  # the bonus is paid once, however many dials
    target: int
    reshuffle: Reshuffle
    may_change: bool

    @property
    def slots(self) -> int:
        """Cards on the table in one turn."""
        return 1 + self.gives * (self.players - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One edition of the game. The defaults are Dixit Odyssey (2023/24).

    Raises `RulesError` when the values contradict each other.
    """

    name: str = "odyssey"
    min_players: int = 3
    max_players: int = 12
    hand: int = 6
    three_player_hand: int = 7
    gives: int = 1
    """Cards that each player but the storyteller gives."""
    three_player_gives: int = 2
    dials: int = 2
    """Voting dials of each voter."""
    dials_optional: bool = False
    """True: one dial is enough (2011), False: all must be used."""
    single_dial_below: int = 0
    """With fewer players than this, everybody has one dial only (2011: 7)."""
    may_stack: bool = True
    """May a voter put two dials on the same card?"""
    all_means: AllMeans = "dials"
    """What "all found" means: every dial is on the storyteller's card (English, Portuguese, Danish), or every voter has
    at least one dial on it (Spanish, 2011)."""
    all_points: int = 4
    """All found: points of everyone but the storyteller."""
    none_points: int = 2
    """None found: points of everyone but the storyteller."""
    storyteller_points: int = 3
    """Some found: points of the storyteller."""
    dial_points: int = 3
    """Some found: a voter's points for each dial on the storyteller's card."""
    single_dial_bonus: int = 0
    """Some found: extra points of a finder who used one dial where two were allowed (2011)."""
    decoy_points: int = 1
    """In every case: an owner's points for each dial on one of the own cards."""
    decoy_cap: int | None = None
    """The most points a turn that decoys can bring (2011: 3)."""
    three_player_bonus: DecoyBonus = "per dial"
    """With three players: the decoy bonus for every dial on either card (English, Portuguese Odyssey), or once if one
    of them got any (Spanish Odyssey, Portuguese Dixit)."""
    target: int = 30
    """The game ends with the turn in which somebody has this many points."""
    reshuffle: Reshuffle = "pile and discard"
    """When the pile is too small for everyone's refill: shuffle what is left of it together with the discard (Odyssey),
    shuffle the discard and lay it under what is left (Dixit 2021), or end the game with the last card drawn (2008)."""
    may_change: bool = False
    """May a decision be changed until the phase closes? (The rulebooks say nothing: a matter of the table.)"""

    def __post_init__(self) -> None:
        def need(holds: bool, message: str) -> None:
            if not holds:
                raise RulesError(f"rules {self.name!r}: {message}")

        need(3 <= self.min_players <= self.max_players, "need 3 <= min_players <= max_players")
        need(self.max_players <= 12, "max_players is at most 12")
        need(1 <= self.gives < self.hand, "need 1 <= gives < hand")
        need(
            1 <= self.three_player_gives < self.three_player_hand,
            "need 1 <= three_player_gives < three_player_hand",
        )
        need(self.dials in (1, 2), "dials is 1 or 2")
        need(not (self.dials_optional and self.dials == 1), "dials_optional needs 2 dials")
        need(self.all_means in ("dials", "voters"), 'all_means is "dials" or "voters"')
        need(self.three_player_bonus in ("per dial", "once"), 'three_player_bonus is "per dial" or "once"')
        need(
            self.reshuffle in ("pile and discard", "discard", "never"),
            'reshuffle is "pile and discard", "discard" or "never"',
        )
        need(self.target >= 1, "target is at least 1")
        need(self.decoy_cap is None or self.decoy_cap >= 0, "decoy_cap is None or at least 0")
        points = (
            "all_points",
            "none_points",
            "storyteller_points",
            "dial_points",
            "single_dial_bonus",
            "decoy_points",
        )
        for name in points:
            need(getattr(self, name) >= 0, f"{name} is at least 0")

    def seated(self, players: int) -> TableRules:
        """The rules as they hold for this many players; raises `RulesError` outside the edition's range."""
        if not self.min_players <= players <= self.max_players:
            raise RulesError(
                f"{self.name} is for {self.min_players} to {self.max_players} players, not {players}:"
                " change the seats or the rules"
            )
        three = players == 3
        dials = 1 if players < self.single_dial_below else self.dials
        choice = self.dials_optional and dials > 1
        return TableRules(
            players=players,
            hand=self.three_player_hand if three else self.hand,
            gives=self.three_player_gives if three else self.gives,
            dials_least=1 if choice else dials,
            dials_most=dials,
            may_stack=self.may_stack,
            all_means=self.all_means,
            all_points=self.all_points,
            none_points=self.none_points,
            storyteller_points=self.storyteller_points,
            dial_points=self.dial_points,
            single_dial_bonus=self.single_dial_bonus if choice else 0,
            decoy_points=self.decoy_points,
            decoy_cap=self.decoy_cap,
            decoy_once=three and self.three_player_bonus == "once",
            target=self.target,
            reshuffle=self.reshuffle,
            may_change=self.may_change,
        )

    def check_deck(self, players: int, cards: int) -> None:
        """Raises `RulesError` when a deck of `cards` is too small for `players`."""
        need = players * self.seated(players).hand
        if cards < need:
            raise RulesError(
                f"{players} players need {need} cards, the deck has {cards}: add a deck or take players away"
            )


ODYSSEY = Rules()
DIXIT = Rules(name="dixit", max_players=8, dials=1, all_points=2, three_player_bonus="once", reshuffle="discard")
ODYSSEY_2011 = replace(
    ODYSSEY,
    name="odyssey-2011",
    dials_optional=True,
    single_dial_below=7,
    may_stack=False,
    all_means="voters",
    all_points=2,
    single_dial_bonus=1,
    decoy_cap=3,
    reshuffle="discard",
)
DIXIT_2008 = replace(DIXIT, name="dixit-2008", max_players=6, three_player_bonus="per dial", reshuffle="never")

EDITIONS: dict[str, Rules] = {rules.name: rules for rules in (ODYSSEY, DIXIT, ODYSSEY_2011, DIXIT_2008)}


def edition(name: str) -> Rules:
    """The preset of that name; raises `RulesError` that lists the known ones."""
    if name in EDITIONS:
        return EDITIONS[name]
    near = get_close_matches(name, EDITIONS, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise RulesError(f"no rules are called {name!r}{hint}: choose one of {', '.join(EDITIONS)}")


def rules_from_dict(values: dict[str, object]) -> Rules:
    """The inverse of `dataclasses.asdict`, for records; raises `RulesError` on unknown fields."""
    known = {field.name for field in fields(Rules)}
    if unknown := sorted(set(values) - known):
        raise RulesError(f"unknown rules: {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    return Rules(**values)  # type: ignore[arg-type]  # Rules checks its own values
