"""Rewards for language models that learn to give clues: what a clue is expected to earn before a panel, exactly.

A row of a training set names a deal of the clue benchmark and a card of the storyteller's hand; the model writes the
clue. The reward has no sampling noise, so two clues for one card differ only in what listeners make of them. It is the
figure that `benchmark.py clues` gives the same clue on the same deal.

`grpo_reward` makes a reward function as TRL's `GRPOTrainer` calls it, `rubric_reward` one for a rubric of `verifiers`.
Both are plain functions; neither package is needed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from dixit_env.bench.clues.asking import EyeSource
from dixit_env.bench.clues.benchmark import clue_turn, seen, shuffled_clues
from dixit_env.bench.clues.deals import Deal, deal, full_layout
from dixit_env.bench.clues.judging import measured, shown_z
from dixit_env.bench.clues.panels import Panel, panel_votes
from dixit_env.bench.clues.text import reply_fault
from dixit_env.bench.stats import Floats
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DixitError
from dixit_env.game.expectations import decoy_bonus, expected_hit_points
from dixit_env.game.moves import GiveClue, clue_fault
from dixit_env.game.rules import Rules, TableRules
from dixit_env.game.view import View, view

Reward = Literal["points", "margin", "lift"]
"""points: the storyteller's expected points. margin: these less the mean listener's. lift: the chance that a listener's
first dial shows the card, less that of a blind vote."""

Completion = str | Sequence[Mapping[str, Any]]
"""What a model wrote: a text, or chat messages of which the last one counts."""


@dataclass(frozen=True)
class ClueScorer:
    """Scores any clue for any card of a storyteller's hand, on the deals of the clue benchmark.

    Raises `DixitError` for a panel of agents, whose votes can't be computed, and for a deck or a number of players that
    the rules don't allow.
    """

    source: EyeSource
    panel: Panel
    rules: Rules
    players: int = 6
    seed: int = 0
    """Of the deals."""

    def __post_init__(self) -> None:
        if self.panel.kind == "agents":
            raise DixitError(f"panel {self.panel.name!r} consists of agents: rewards need a panel of listeners")
        self.rules.check_deck(self.players, len(self.deck))

    @cached_property
    def deck(self) -> Deck:
        """The cards."""
        return self.source.deck()

    def hand(self, number: int) -> tuple[Card, ...]:
        """The storyteller's cards on the deal of that number."""
        return tuple(self.deck.cards[card] for card in self._deal(number).hands[0])

    def view(self, number: int) -> View:
        """What the storyteller sees on that deal."""
        return view(self._deal(number).state, 0)

    def measures(self, deals: Sequence[int], cards: Sequence[str], clues: Sequence[str]) -> dict[str, Floats]:
        """`judging.MEASURES` of clues, (n,) each.

        Args:
            deals: numbers of deals, (n,).
            cards: id of the card that each clue is for, (n,).
            clues: (n,) texts.

        Raises `DixitError` for a card that isn't in the storyteller's hand.
        """
        dealt = [self._deal(number) for number in deals]
        moves = [GiveClue(*told) for told in zip(map(self._number, dealt, cards), clues, strict=True)]
        layout = full_layout(self.rules, len(dealt[0].hands))
        columns = layout.columns(self.rules, self.players)
        z = seen(self.source, [self.panel], sorted(set(clues)))
        turns = [clue_turn(one, move, z, layout) for one, move in zip(dealt, moves, strict=True)]
        owners = layout.owners[columns]
        votes = panel_votes(self.panel, shown_z(turns, columns), owners, dealt)
        return measured(self.rules.seated(self.players), owners, votes)

    def control(self, deals: Sequence[int], cards: Sequence[str], clues: Sequence[str]) -> dict[str, Floats] | None:
        """`judging.MEASURES` of the same cards with the clues of other deals, the mean over shuffles, (n,) each.

        Arguments as of `measures`, in the order of the deals. None where there are no two clues.
        """
        moves = [
            GiveClue(self._number(self._deal(number), card), clue)
            for number, card, clue in zip(deals, cards, clues, strict=True)
        ]
        shuffles = shuffled_clues(moves)
        if not shuffles:
            return None
        told = [move.clue for moves in shuffles for move in moves if move]
        values = self.measures([*deals] * len(shuffles), [*cards] * len(shuffles), told)
        return {measure: value.reshape(len(shuffles), -1).mean(0) for measure, value in values.items()}

    def rewards(self, deals: Sequence[int], cards: Sequence[str], clues: Sequence[str], reward: Reward) -> list[float]:
        """Rewards of clues, (n,), arguments as of `measures`. What is no valid clue earns `least_reward`."""
        values = np.full(len(clues), least_reward(self.rules.seated(self.players), reward))
        rows = list(zip(deals, cards, map(str.strip, clues), strict=True))
        valid = [row for row, (_, _, clue) in enumerate(rows) if not clue_fault(clue) and not reply_fault(clue)]
        if valid:
            values[valid] = self.measures(*zip(*[rows[row] for row in valid], strict=True))[reward]
        return [float(value) for value in values]

    def _deal(self, number: int) -> Deal:
        return deal(self.rules, self.players, len(self.deck), self.seed, number)

    def _number(self, dealt: Deal, card: str) -> int:
        for number in dealt.hands[0]:
            if self.deck.cards[number].id == card:
                return number
        raise DixitError(f"card {card!r} isn't in the storyteller's hand on deal {dealt.number}: take one of `hand`")


def least_reward(rules: TableRules, reward: Reward) -> float:
    """A bound that no clue falls below, so that a model can't gain by writing something that is no clue.

    Of the margin: a storyteller without points, and listeners with the larger of what they get when all and when none
    find the card, and the bonus for as many dials on an own decoy as a voter has.
    """
    if reward != "margin":
        return 0.0 if reward == "points" else -1.0
    most = expected_hit_points(rules, np.array(1.0), np.array(1.0)).max()
    return -float(most + decoy_bonus(rules, np.array(rules.dials_most)))


def grpo_reward(scorer: ClueScorer, reward: Reward = "margin") -> Callable[..., list[float]]:
    """A reward function for TRL's `GRPOTrainer(reward_funcs=…)`.

    The data set has the columns `deal` (number) and `card` (id), besides `prompt`.
    """

    def rewards(prompts: Sequence[Any], completions: Sequence[Completion], **columns: Any) -> list[float]:
        clues = [text_of(completion) for completion in completions]
        return scorer.rewards(columns["deal"], columns["card"], clues, reward)

    rewards.__name__ = _name(reward)
    return rewards


def rubric_reward(scorer: ClueScorer, reward: Reward = "margin") -> Callable[..., float]:
    """A reward function for `verifiers.Rubric(funcs=[…])`; a row's `info` holds `deal` (number) and `card` (id)."""

    def rewards(completion: Completion, info: Mapping[str, Any]) -> float:
        return scorer.rewards([info["deal"]], [info["card"]], [text_of(completion)], reward)[0]

    rewards.__name__ = _name(reward)
    return rewards


def text_of(completion: Completion) -> str:
    """The text that a model wrote; of chat messages the last one's, whose content may be a text or a list of parts."""
    content = completion if isinstance(completion, str) else completion[-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content or () if part["type"] == "text")


def _name(reward: Reward) -> str:
    """What trainers log the reward as; raises `DixitError` for an unknown one."""
    if reward not in get_args(Reward):
        raise DixitError(f"no reward is called {reward!r}: choose one of {', '.join(get_args(Reward))}")
    return f"clue_{reward}"
