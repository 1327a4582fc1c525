"""One game behind actions and observations: what the turn-based environments have in common."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dixit_env.decks.deck import Deck
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.spaces import Observation, Spaces
from dixit_env.errors import DixitError
from dixit_env.game.engine import GameState, Phase, apply, new_game
from dixit_env.game.moves import Move
from dixit_env.game.rules import Rules, edition
from dixit_env.game.view import View, view

Reward = Literal["points", "difference", "win"]
"""`points` of the turn; `difference`: own points of the turn less the others' mean; `win`: one point at the end, shared
by the winners."""

RenderMode = Literal["ansi", "rgb_array", "human"]


def check_choice(kind: str, name: str | None, choices: Sequence[str]) -> None:
    """Raises `DixitError` that lists the choices when `name` is none of them."""
    if name not in choices:
        raise DixitError(f"no {kind} is called {name!r}: choose one of {', '.join(choices)}")


def turn_rewards(state: GameState, reward: Reward) -> Sequence[float]:
    """(players,) what the turn that has just ended is worth to each seat."""
    points = state.history[-1].score.points
    if reward == "points":
        return points
    if reward == "difference":
        total, others = sum(points), len(points) - 1
        return [own - (total - own) / others for own in points]
    winners = state.winners
    return [1 / len(winners) if seat in winners else 0.0 for seat in range(len(points))]


class Episode:
    """The current game, played through actions. The engine is strict, this is lenient: an illegal action is replaced by
    the first legal one, and `decode` says so."""

    def __init__(
        self,
        players: int,
        rules: Rules | str,
        deck: Deck | None,
        clip: ClipTable | None,
        embeddings: bool,
        reward: Reward,
        render_mode: RenderMode | None,
    ) -> None:
        check_choice("reward", reward, get_args(Reward))
        if render_mode is not None:
            check_choice("render mode", render_mode, get_args(RenderMode))
        self.players = players
        self.rules = replace(edition(rules) if isinstance(rules, str) else rules, may_change=False)
        self.deck = deck or Deck.blank(len(clip.cards) if clip else 84)
        self.rules.check_deck(players, len(self.deck))
        self.spaces = Spaces(self.rules.seated(players), len(self.deck), clip, embeddings)
        self.reward = reward
        self.render_mode = render_mode

    def begin(self, rng: np.random.Generator) -> None:
        """Start a new game with a seed drawn from `rng`."""
        self._set(new_game(self.rules, self.players, len(self.deck), int(rng.integers(2**63))))

    def _set(self, state: GameState) -> None:
        self.state = state
        self._views: list[View | None] = [None] * self.players

    @property
    def over(self) -> bool:
        return self.state.phase is Phase.OVER

    def view(self, seat: int) -> View:
        """The view of a seat, made once for each state."""
        if (seen := self._views[seat]) is None:
            seen = self._views[seat] = view(self.state, seat)
        return seen

    def observe(self, seat: int) -> Observation:
        return self.spaces.observe(self.view(seat))

    def info(self, illegal: bool = False) -> dict[str, Any]:
        """The scores, and whether the seat's action was replaced. Numbers alone: TorchRL makes tensors of infos."""
        return {"scores": self.state.scores, "illegal": illegal}

    def decode(self, seat: int, action: int) -> tuple[Move, bool]:
        """The move of a seat that may act, and whether it stands in for an illegal action."""
        seen = self.view(seat)
        move = self.spaces.move(seen, int(action))
        if move is not None:
            return move, False
        instead = self.spaces.move(seen, int(self.spaces.mask(seen).argmax()))
        assert instead is not None  # a seat that may act has a legal action
        return instead, True

    def apply(self, seat: int, move: Move) -> bool:
        """Make a move; True when it ended the turn."""
        return self.advance(apply(self.state, seat, move))

    def advance(self, after: GameState) -> bool:
        """Go on from the state after a move; True when the move ended the turn."""
        ended = len(after.history) > len(self.state.history)
        self._set(after)
        return ended

    def rewards(self) -> Sequence[float]:
        """(players,) what the turn that has just ended is worth to each seat."""
        return turn_rewards(self.state, self.reward)

    def render(self) -> str | NDArray[np.uint8] | None:
        """What a spectator sees: as text (`ansi`), as pixels (`rgb_array`: height, width, 3), or printed (`human`)."""
        if self.render_mode is None:
            return None
        seen = view(self.state, None)
        if self.render_mode == "rgb_array":
            from dixit_env.table.picture import table_picture

            return np.array(table_picture(seen, self.deck))
        from dixit_env.envs.screen import table_text

        text = table_text(seen, self.deck)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None
