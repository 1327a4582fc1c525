"""The editions of Dixit as values.

`Rules` is what a rulebook says; `Rules.seated(players)` is what it means at a table of that size (`TableRules`),
which is all that the engine, the scoring and the environments read. The presets are in `EDITIONS`.

Sources, with the short names that the code cites them by, and lines counted in each rulebook's plain text:

- *Odyssey en*, *pt*, *es*, *da*: the rulebooks of Dixit Odyssey (2023/24) in English, Portuguese, Spanish and Danish.
  The English text prints points as icons, so points are cited from the Portuguese one.
- *Dixit pt*: the rulebook of Dixit (2021) in Portuguese.
- `ODYSSEY_2011` and `DIXIT_2008` follow what is publicly known of those editions; they have no lines to cite.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args

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
    single_bonus_when_all: bool  # is that bonus also paid when all found the card?
    decoy_points: int
    decoy_cap: int | None
    decoy_once: bool  # the bonus is paid once, however many dials
    target: int
    rounds: int  # 0: the game ends by points; else when everybody has told so often
    reshuffle: Reshuffle
    may_change: bool

    @property
    def last_turn(self) -> int | None:
        """The turn that ends a game that goes by rounds; None where it goes by points."""
        return self.rounds * self.players or None

    def ended(self, turn: int, scores: tuple[int, ...]) -> bool:
        """Is the game over with these scores after that turn? It may also end because cards run out (`reshuffle`)."""
        return max(scores) >= self.target if self.last_turn is None else turn >= self.last_turn

    @property
    def slots(self) -> int:
        """Cards on the table in one turn."""
        return 1 + self.gives * (self.players - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One edition of the game. The defaults are Dixit Odyssey (2023/24).

    Raises `RulesError` for values of a wrong type, values that contradict each other, options that can't have an
    effect, and points with which no game would ever end.
    """

    name: str = "odyssey"
    min_players: int = 3
    """Odyssey en l. 151: the smallest game described."""
    max_players: int = 12
    """Odyssey en l. 37: twelve pairs of dials. Dixit pt l. 39: eight dials."""
    hand: int = 6
    """Odyssey en l. 110; Dixit pt l. 48."""
    three_player_hand: int = 7
    """Odyssey en l. 153; Dixit pt l. 136."""
    gives: int = 1
    """Cards that each player but the storyteller gives. Odyssey en l. 52; Dixit pt l. 59."""
    three_player_gives: int = 2
    """Odyssey en l. 155; Dixit pt l. 138."""
    dials: int = 2
    """Voting dials of each voter. Odyssey en l. 58; Dixit pt l. 65: one."""
    dials_optional: bool = False
    """True: one dial is enough (2011). False: all must be used (Odyssey en l. 60 to 63 leaves no third way)."""
    single_dial_below: int = 0
    """With fewer players than this, everybody has one dial only (2011: 7)."""
    may_stack: bool = True
    """May a voter put two dials on the same card? Odyssey en l. 63; 2011: no."""
    all_means: AllMeans = "dials"
    """What "all found" means. "dials": every dial is on the storyteller's card (Odyssey en l. 71, pt l. 72, da l. 69).
    "voters": every voter has at least one dial on it (Odyssey es l. 67; 2011)."""
    all_points: int = 4
    """All found: points of everyone but the storyteller. Odyssey pt l. 76; Dixit pt l. 74: 2."""
    none_points: int = 2
    """None found: points of everyone but the storyteller. Odyssey pt l. 90; Dixit pt l. 74."""
    storyteller_points: int = 3
    """Some found: points of the storyteller. Odyssey pt l. 80; Dixit pt l. 80."""
    dial_points: int = 3
    """Some found: a voter's points for each dial on the storyteller's card. Odyssey pt l. 82 to 84; Dixit pt l. 81."""
    single_dial_bonus: int = 0
    """Some found: extra points of a finder who used one dial where two were allowed (2011: 1)."""
    single_bonus_when_all: bool = False
    """Is that bonus also paid when all found the card? One public transcription of the 2011 rules pays it whatever the
    outcome; the default pays it with the finders' points only."""
    decoy_points: int = 1
    """In every case: an owner's points for each dial on one of the own cards. Odyssey en l. 96, pt l. 92; Dixit pt
    l. 86."""
    decoy_cap: int | None = None
    """The most points a turn that decoys can bring (2011: 3)."""
    three_player_bonus: DecoyBonus = "per dial"
    """With three players. "per dial": the decoy bonus for every dial on either card (Odyssey en l. 156, pt l. 145).
    "once": one bonus if either of the own cards got a vote (Odyssey es l. 149, da l. 168 to 170; Dixit pt l. 140)."""
    target: int = 30
    """The game ends with the turn in which somebody has this many points. Odyssey en l. 106; Dixit pt l. 96."""
    rounds: int = 0
    """Above 0, the game ends when everybody has told so many times, whatever the points: a house rule, with which
    everybody at a large table gets to tell."""
    reshuffle: Reshuffle = "pile and discard"
    """When the pile is too small for everyone's refill. "pile and discard": shuffle what is left of it together with
    the discard (Odyssey en l. 102, pt l. 98, es l. 93, da l. 103). "discard": shuffle the discard and lay it under
    what is left (Dixit pt l. 92). "never": the game ends with the last card drawn (2008)."""
    may_change: bool = False
    """May a decision be changed until the phase closes? The rulebooks don't say; it is up to the table."""

    def __post_init__(self) -> None:
        """Check the values."""
        _check_types(self)
        for holds, message in _demands(self):
            if not holds:
                raise RulesError(f"rules {self.name!r}: {message}")

    def seated(self, players: int) -> TableRules:
        """The rules as they hold for this many players; raises `RulesError` outside the edition's range."""
        if type(players) is not int or not self.min_players <= players <= self.max_players:
            raise RulesError(
                f"{self.name} is for {self.min_players} to {self.max_players} players, not {players!r}:"
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
            single_bonus_when_all=self.single_bonus_when_all and choice,
            decoy_points=self.decoy_points,
            decoy_cap=self.decoy_cap,
            decoy_once=three and self.three_player_bonus == "once",
            target=self.target,
            rounds=self.rounds,
            reshuffle=self.reshuffle,
            may_change=self.may_change,
        )

    def check_deck(self, players: int, cards: int) -> None:
        """Raises `RulesError` when a deck of `cards` is too small for `players`."""
        need = players * self.seated(players).hand
        if type(cards) is not int or cards < need:
            raise RulesError(
                f"{players} players need {need} cards, the deck has {cards!r}: add a deck or take players away"
            )


_POINTS = ("all_points", "none_points", "storyteller_points", "dial_points", "single_dial_bonus", "decoy_points")
_CHOICES = {"all_means": AllMeans, "reshuffle": Reshuffle, "three_player_bonus": DecoyBonus}
_KINDS = {int: "a whole number", bool: "True or False", str: "a text"}


def _check_types(rules: Rules) -> None:
    """Every value has exactly the type of its field: "no" is not False, True is not 1, 30.0 is not 30."""
    for field in fields(Rules):
        value, kind = getattr(rules, field.name), type(field.default)
        if field.name in _CHOICES:
            known = get_args(_CHOICES[field.name])
            fits, what = type(value) is str and value in known, " or ".join(f'"{one}"' for one in known)
        elif field.name == "decoy_cap":
            fits, what = value is None or type(value) is int, "a whole number or None"
        else:
            fits, what = type(value) is kind, _KINDS[kind]
        if not fits:
            raise RulesError(f"rules {rules.name!r}: {field.name} is {what}, not {value!r}")


def _demands(rules: Rules) -> Iterator[tuple[bool, str]]:
    """What must hold of the values, and what to say where it doesn't."""
    yield rules.name != "", "rules need a name"
    yield 3 <= rules.min_players <= rules.max_players, "need 3 <= min_players <= max_players"
    yield rules.max_players <= 12, "max_players is at most 12"
    yield 1 <= rules.gives < rules.hand, "need 1 <= gives < hand"
    yield 1 <= rules.three_player_gives < rules.three_player_hand, "need 1 <= three_player_gives < three_player_hand"
    yield rules.dials in (1, 2), "dials is 1 or 2"
    yield rules.target >= 1, "target is at least 1"
    yield rules.rounds >= 0, "rounds is at least 0"
    yield rules.decoy_cap is None or rules.decoy_cap >= 1, "decoy_cap is None or at least 1"
    for name in _POINTS:
        yield getattr(rules, name) >= 0, f"{name} is at least 0"
    paid = any(getattr(rules, name) for name in _POINTS)
    ends = paid or rules.rounds > 0 or rules.reshuffle == "never"
    yield ends, "no game would end: nothing brings points, and the cards never run out"
    # From here on: options that could not have an effect.
    two, below = rules.dials == 2, rules.single_dial_below
    yield two or not rules.dials_optional, "dials_optional needs 2 dials"
    yield two or rules.may_stack, "may_stack=False needs 2 dials"
    yield below == 0 or two, "single_dial_below needs 2 dials"
    yield (
        below == 0 or rules.min_players < below <= rules.max_players,
        ("single_dial_below is 0, or above min_players and at most max_players"),
    )
    yield rules.single_dial_bonus == 0 or rules.dials_optional, "single_dial_bonus needs dials_optional"
    yield (
        not rules.single_bonus_when_all or rules.single_dial_bonus > 0,
        "single_bonus_when_all needs single_dial_bonus",
    )
    yield rules.decoy_cap is None or rules.decoy_points > 0, "decoy_cap needs decoy_points"
    three = (rules.three_player_hand, rules.three_player_gives, rules.three_player_bonus)
    yield rules.min_players == 3 or three == (7, 2, "per dial"), "options for three players need min_players=3"
    yield rules.max_players > 3 or (rules.hand, rules.gives) == (6, 1), "hand and gives need max_players above 3"


ODYSSEY = Rules()
"""Dixit Odyssey (2023/24), as the English and Portuguese rulebooks read."""
DIXIT = Rules(name="dixit", max_players=8, dials=1, all_points=2, three_player_bonus="once", reshuffle="discard")
"""Dixit (2021), from the Portuguese rulebook."""
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
"""Dixit Odyssey (2011), from public descriptions of its rules."""
DIXIT_2008 = replace(DIXIT, name="dixit-2008", max_players=6, three_player_bonus="per dial", reshuffle="never")
"""Dixit (2008), from public descriptions of its rules."""

EDITIONS: dict[str, Rules] = {rules.name: rules for rules in (ODYSSEY, DIXIT, ODYSSEY_2011, DIXIT_2008)}


def edition(name: str) -> Rules:
    """The preset of that name; raises `RulesError` that lists the known ones."""
    if type(name) is not str:
        raise RulesError(f"an edition is named by a text, not {name!r}: choose one of {', '.join(EDITIONS)}")
    if name in EDITIONS:
        return EDITIONS[name]
    near = get_close_matches(name, EDITIONS, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise RulesError(f"no rules are called {name!r}{hint}: choose one of {', '.join(EDITIONS)}")


def rules_from_dict(values: Mapping[str, Any]) -> Rules:
    """The inverse of `dataclasses.asdict`, for records; raises `RulesError` on unknown fields and wrong values."""
    if not isinstance(values, Mapping):
        raise RulesError(f"rules are an object with the fields of Rules, not {values!r}")
    known = {field.name for field in fields(Rules)}
    if unknown := sorted(map(str, set(values) - known)):
        raise RulesError(f"unknown rules: {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    return Rules(**values)
