"""Tables from games: the clue of a turn, and the cards as they lay there.

A turn whose storyteller's move was made for it (`play`: a fault) is left out, because the clue isn't its own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tqdm import tqdm

from dixit_env.bench.sources import AgentSource
from dixit_env.bench.tournament.schedule import Line, Match, is_finished, play_match
from dixit_env.bench.viewers.folder import ViewersError
from dixit_env.bench.viewers.guesses import Table
from dixit_env.decks.deck import Card
from dixit_env.game.rules import Rules
from dixit_env.paths import printable
from dixit_env.table.records import read

GAMES = 2  # chosen: a game has at least a clue of nearly every seat, so with half of these games nobody is waited for


def recorded(folder: Path, cards: Sequence[Card]) -> Iterator[Table]:
    """The turns of recorded games; raises `ViewersError` for cards that aren't in the deck."""
    names = {card.id: card.name for card in cards}
    for file in sorted(folder.glob("*.jsonl")):
        record = read(file)
        if missing := [card for turn in record.turns for card in turn["slots"] if card not in names]:
            raise ViewersError(
                f"{printable(file)} shows the card {missing[0]}, which isn't in the deck: give its --deck"
            )
        faults = [line for line in record.decisions if "fault" in line]
        yield from _of_turns(record.turns, faults, record.game["agents"], names)


def played(agents: Sequence[str], source: AgentSource, rules: Rules, players: int, each: int, seed: int) -> list[Table]:
    """Play games until every agent has given at least `each` clues, and return all their turns.

    Every game has another deal, and agents move one seat on with each.

    Args:
        agents: who fills the seats, in turn; one that stands there twice has twice the seats.
        source: the deck and the agents.
        rules: of the games.
        players: seats at the table.
        each: how many clues.
        seed: of the first game; the n-th game has seed + n - 1.

    Raises `ViewersError` when an agent can't be asked, or hardly ever gives a clue of its own.
    """
    names = {card.id: card.name for card in source.deck().cards}
    told: list[Table] = []
    given: Counter[str] = Counter()
    fault = ""
    with tqdm(total=each * len(set(agents)), desc="games", unit="clue", disable=None) as bar:
        for game in range(GAMES * each * len(agents)):
            seats = tuple(agents[(seat + game) % len(agents)] for seat in range(players))
            seated = [source.agent(name, seat, seed + game) for seat, name in enumerate(seats)]
            line = play_match(Match(game, seed + game, seats, ""), rules, source.deck(), seated)
            if not is_finished(line):
                raise ViewersError(f"{line['no_answer']}; run again when all agents can be asked")
            fault = line["faults"][-1]["fault"] if line["faults"] else fault
            told += (tables := list(_of_turns(line["turns"], line["faults"], seats, names)))
            given += Counter(table.source for table in tables)
            bar.update(sum(min(given[name], each) for name in set(agents)) - bar.n)
            if all(given[name] >= each for name in agents):
                return told
    few = min(agents, key=lambda name: given[name])
    raise ViewersError(f"{few} gave only {given[few]} clues of its own in {game + 1} games ({fault or 'no fault'})")


def _of_turns(
    turns: Sequence[Line], faults: Sequence[Line], seats: Sequence[str], names: Mapping[str, str]
) -> Iterator[Table]:
    """Turns as records hold them; `seats` are the agents, `names` the cards' by id."""
    others = {(fault["turn"], fault["seat"]) for fault in faults}
    for turn in turns:
        giver = turn["storyteller"]
        if (turn["turn"], giver) not in others:
            shown = tuple(names[card] for card in turn["slots"])
            yield Table(turn["clue"], seats[giver], shown, turn["owners"].index(giver))
