"""Tournaments: who plays which deal in which seat, and the games themselves.

Seats are filled from a *ring*, agents by name in the proportions of the comparison: `("clip", "greedy", "random")`, or
`("clip", "greedy", "greedy", "greedy", "greedy", "greedy")` for one against five. A deal is played once for every
step of the ring: in game r, seat s has the agent `ring[(place[s] + r) % len(ring)]`. The ring and the places are
shuffled anew for each deal. So on every deal every agent plays every seat equally often with the same cards, and the
effects of cards and seats cancel. Several rings play the same deals, with the same places. What eyes an agent has
depends on the seat and the deal, so their effects cancel too.

A tournament has a secret salt, which the deals, the agents' generators and the order of the cards on the table depend
on. So no agent can work them out from what its seat sees, and the order on the table differs between the games of a
deal. The salt is kept in `games.jsonl` and published with the results; with it the tournament can be repeated.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from math import ceil, gcd
from pathlib import Path
from typing import Any

from dixit_env.bench.sources import AgentSource
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.game.rules import Rules
from dixit_env.game.streams import shuffled, stream
from dixit_env.jobs import run_resumed
from dixit_env.table.play import Agent, Decided, GameEnded, Table, TurnEnded
from dixit_env.table.play_many import play_many
from dixit_env.table.records import to_line
from dixit_env.version import VERSION

IN_STEP = 32
"""The most games that a worker plays in step (chosen: more are hardly faster)."""

Line = dict[str, Any]
Ring = tuple[str, ...]


def ring(items: Sequence[str]) -> Ring:
    """The ring of `["clip", "greedy*5"]`: names with how often each comes, in lowest terms.

    Raises `DixitError` when a name or a number is missing.
    """
    counts: dict[str, int] = {}
    for item in items:
        name, star, times = item.rpartition("*")
        name, times = (name, times) if star else (item, "1")
        if not name or not times.isdecimal() or int(times) == 0:
            raise DixitError(f"{item!r} is no agent with a number of seats: write it like clip or clip*2")
        counts[name] = counts.get(name, 0) + int(times)
    common = gcd(*counts.values())
    return tuple(name for name, count in counts.items() for _ in range(count // common))


@dataclass(frozen=True, slots=True)
class Match:
    """One game to be played."""

    deal: int
    seed: int  # of the game: the same for every match of a deal
    seats: tuple[str, ...]  # (players,) agents by name
    salt: str  # of the game: different for every match


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """What is to be played. Raises `DixitError` for values that make no tournament."""

    rings: tuple[Ring, ...]
    games: int  # rounded up to whole deals
    players: int
    rules: Rules
    seed: int = 0
    salt: str = ""

    def __post_init__(self) -> None:
        if not self.rings or self.games < 1:
            raise DixitError("a tournament needs at least one agent and one game")
        self.rules.seated(self.players)

    @property
    def seatings(self) -> int:
        """Games on each deal."""
        return sum(map(len, self.rings))

    @property
    def deals(self) -> int:
        return ceil(self.games / self.seatings)

    def matches(self) -> dict[int, Match]:
        """All games by number, deal after deal: a longer tournament begins with the games of a shorter one."""
        matches = [match for deal in range(self.deals) for match in self._on(deal)]
        return dict(enumerate(matches))

    def _on(self, deal: int) -> Iterator[Match]:
        seed = stream(self.seed, "tournament", deal, self.salt).getrandbits(48)
        number = count()
        places = shuffled(seed, "places", 0, range(self.players))
        for names in self.rings:
            order = shuffled(seed, "ring", 0, range(len(names)))
            for turn in range(len(names)):
                seats = tuple(names[order[(place + turn) % len(names)]] for place in places)
                yield Match(deal, seed, seats, f"{self.salt}/{next(number)}")


@dataclass(frozen=True)
class _Playing:
    """The setup of a worker."""

    rules: Rules
    source: AgentSource

    def __call__(self) -> Callable[[Sequence[Match]], list[Line]]:
        deck = self.source.deck()

        def play(matches: Sequence[Match]) -> list[Line]:
            agents = [
                [self.source.agent(name, seat, match.seed) for seat, name in enumerate(match.seats)]
                for match in matches
            ]
            return play_matches(matches, self.rules, deck, agents)

        return play


def play_match(match: Match, rules: Rules, deck: Deck, agents: Sequence[Agent]) -> Line:
    """`play_matches` for one game."""
    return play_matches([match], rules, deck, [agents])[0]


def play_matches(matches: Sequence[Match], rules: Rules, deck: Deck, agents: Sequence[Sequence[Agent]]) -> list[Line]:
    """Play games in step (`play_many`), and return what happened in each as a JSON value.

    Keys: `deal`, `seed`, `salt`, `seats` (names), `turns` (as in game records), `scores`, `winners` (seats),
    `decisions` and `seconds` (by seat), `faults` (one for each decision that was taken from an agent).

    A game ends at once when an agent can't be asked (`NoAnswer`), because a random move in place of the agent's own
    would count against it. Its line has only `deal`, `seed`, `salt`, `seats`, and in `no_answer` who was not
    reached and why.
    """
    cards = tuple(card.id for card in deck.cards)
    tables = [
        Table(seated, rules, deck, match.seed, salt=match.salt) for match, seated in zip(matches, agents, strict=True)
    ]
    lines = {table: _new_line(match) for table, match in zip(tables, matches, strict=True)}
    for table, event in play_many(tables):
        line = lines[table]
        match event:
            case Decided(no_answer=True):
                about = {key: line[key] for key in ("deal", "seed", "salt", "seats")}
                lines[table] = {**about, "no_answer": f"{line['seats'][event.seat]}: {event.fault}"}
                table.stop()
            case Decided():
                line["decisions"][event.seat] += 1
                line["seconds"][event.seat] += event.seconds
                if event.fault:
                    line["faults"].append({"turn": event.turn, "seat": event.seat, "fault": event.fault})
            case TurnEnded():
                line["turns"].append(to_line(event, cards))
            case GameEnded():
                line["seconds"] = [round(spent, 6) for spent in line["seconds"]]
                line |= {"scores": list(event.scores), "winners": list(event.winners)}
    return list(lines.values())


def _new_line(match: Match) -> Line:
    """The line of a game that begins."""
    about: Line = {"deal": match.deal, "seed": match.seed, "salt": match.salt, "seats": list(match.seats)}
    by_seat = {"decisions": [0] * len(match.seats), "seconds": [0.0] * len(match.seats)}
    return {**about, "turns": [], "scores": [], "winners": [], **by_seat, "faults": []}


def kept_salt(out: Path) -> str:
    """The salt of the tournament that was begun in `out`; "" when there is none to go on with."""
    try:
        with open(out / "games.jsonl", encoding="utf-8") as file:
            return str(json.loads(file.readline())["settings"]["salt"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # a file that is no tournament is refused by `play_tournament`


def play_tournament(
    tournament: Tournament,
    source: AgentSource,
    out: Path,
    *,
    source_settings: Mapping[str, Any],
    workers: int = 1,
    ray: str | None = None,
) -> Iterator[tuple[int, Line]]:
    """Play all games and yield `(number, line)` as they end (`play_matches`), the earlier ones of `out` first.

    Each worker plays up to `IN_STEP` games at once, and what it has finished is kept in `out/games.jsonl`. An
    interrupted tournament goes on from there, and more games can be added to a finished one. The games don't depend on
    the workers, nor on which are played together. A game that an outage ended is not kept, and is played again when the
    tournament goes on.

    Args:
        tournament: what to play.
        source: the deck and the agents.
        out: folder of `games.jsonl`.
        source_settings: everything about the source that games depend on, as JSON values.
        workers: processes that play at once.
        ray: address of a Ray cluster.

    Raises `DixitError` when `out` holds a tournament with other settings.
    """
    about = {name: value for name, value in asdict(tournament).items() if name != "games"}
    settings = {"version": VERSION, **about, **source_settings}
    matches = tournament.matches()
    return run_resumed(
        out / "games.jsonl",
        settings,
        _Playing(tournament.rules, source),
        matches,
        keep=is_finished,
        workers=workers,
        ray=ray,
        together=_in_step(len(matches), workers),
    )


def _in_step(games: int, workers: int) -> int:
    """Games that a worker plays in step. It comes back at least four times, so that progress shows, all workers end at
    about the same time, and little is lost when a tournament is broken off (four is chosen)."""
    return min(IN_STEP, ceil(games / (4 * max(workers, 1))))


def is_finished(line: Line) -> bool:
    """Was the game of this line played to its end? Not if there was an outage."""
    return "no_answer" not in line
