"""A trained policy as a player: `learned:PATH`, or `learned:default` for the one that comes with the project."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dixit_env.agents.clip.reading import reading
from dixit_env.agents.hooks import hook
from dixit_env.agents.learned.shortlist import shortlist, told_z_scores
from dixit_env.agents.options import parse_options
from dixit_env.envs.spaces import Spaces
from dixit_env.errors import DixitError
from dixit_env.game.engine import Phase
from dixit_env.game.rules import TableRules
from dixit_env.game.view import View
from dixit_env.models.checkpoint import load_policy
from dixit_env.models.policy import Choices, Encoder, Inputs, Policy
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decision

DEFAULT = Path(__file__).parents[2] / "models" / "learned" / "default.safetensors"
Observe = Callable[[Inputs], Inputs]
ALTERNATIVES = 3  # most probable moves kept in `why`; chosen


@dataclass(frozen=True)
class LearnedOptions:
    """Options after the path, with commas: `learned:PATH,trust=on,lang=pt`."""

    trust: bool = False
    """Import and call the function that the checkpoint names (`observe` of its training)."""
    lang: str = "en"
    """Language of the clues: en, pt, es or da."""


class LearnedAgent:
    """Makes the most probable move of a policy. Fits any deck, any CLIP, any number of players and any edition.

    Raises `DixitError` when there is no checkpoint at `path`, and when it names a function and is not trusted.
    """

    def __init__(self, path: Path, sight: Sight, options: LearnedOptions) -> None:
        self.name = f"learned:{path}"
        self.policy, self.observe, self.config = _player(path, options)
        self.sight = sight
        # Computed here rather than in the first move: they take a while, and may raise. Each agent keeps its own,
        # because in games in step more seats have eyes of their own than caches hold.
        self.shortlist = shortlist(sight, options.lang)
        self.reading = reading(sight)
        self.told = told_z_scores(sight, options.lang)
        self.encoders: dict[TableRules, Encoder] = {}

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts. The agent is deterministic and uses no random numbers."""

    @torch.no_grad()
    def act(self, view: View) -> Decision:
        """Decide."""
        encoder = self._encoder(view.rules)
        spaces, phase = encoder.spaces, view.phase
        observation = torch.from_numpy(spaces.features(view))[None]
        legal = encoder.legal(torch.from_numpy(spaces.mask(view))[None], phase)
        inputs = encoder(observation, phase, self.reading.z(view.clue)[None] if view.clue else None)
        if self.observe:
            inputs = self.observe(inputs)
        log_probs, value = self.policy(inputs, phase, encoder.choices[phase], legal)
        best = log_probs[0].topk(min(ALTERNATIVES, int(legal.sum())))
        moves = [spaces.move(view, spaces.first[phase] + int(choice)) for choice in best.indices]
        assert moves[0] is not None  # the mask allows it
        why: dict[str, Any] = {
            "value": round(float(value), 3),
            "alternatives": [
                {"move": str(move), "probability": round(float(chance), 4)}
                for move, chance in zip(moves, best.values.exp(), strict=True)
            ],
        }
        if phase is Phase.VOTES:
            shares = dial_shares(log_probs[0].exp(), encoder.choices[phase], view.rules.slots)
            why["belief"] = [round(share, 4) for share in shares.tolist()]
        return Decision(moves[0], why)

    def _encoder(self, rules: TableRules) -> Encoder:
        """What the network reads at such a table. Whatever is heard comes with its own z-scores."""
        if rules not in self.encoders:
            spaces = Spaces(rules, len(self.sight.deck), self.shortlist)
            heard = np.empty((1, 0, len(self.sight.deck)), np.float32)
            self.encoders[rules] = Encoder(spaces, heard, self.told[None], not self.config.get("no_clip"))
        return self.encoders[rules]


def dial_shares(probabilities: Tensor, ballots: Choices, slots: int) -> Tensor:
    """The share of its dials that a voter puts on each slot on average, (slots,): probabilities of the ballots (C,)."""
    halves = probabilities / 2  # of one dial, `first` and `second` are the same slot
    return torch.zeros(slots).index_add_(0, ballots.first, halves).index_add_(0, ballots.second, halves)


def learned_agent(spec: str, sight: Sight) -> LearnedAgent:
    """The agent `learned:PATH` or `learned:PATH,trust=on`; `default` (or nothing) is the policy of the project.

    Raises `DixitError` when there is no checkpoint there, when it is damaged, or when it names a function and is not
    trusted.
    """
    path, options = _parsed(spec)
    return LearnedAgent(path, sight, options)


def learned_policy(spec: str) -> tuple[Policy, Observe | None, dict[str, Any]]:
    """The network of `learned_agent(spec, …)`, what changes its inputs, and the settings it was trained with.

    Raises `DixitError` as that does.
    """
    return _player(*_parsed(spec))


def _parsed(spec: str) -> tuple[Path, LearnedOptions]:
    path, _, options = spec.partition(",")
    return DEFAULT if path in ("", "default") else Path(path), parse_options(options, LearnedOptions)


def _player(path: Path, options: LearnedOptions) -> tuple[Policy, Observe | None, dict[str, Any]]:
    policy, config = _loaded(path)
    return policy, _observe(path, config.get("observe"), options), config


def _observe(path: Path, function: str | None, options: LearnedOptions) -> Observe | None:
    """What changes the network's inputs, as in the training of the checkpoint."""
    if not function:
        return None
    if not options.trust:
        raise DixitError(
            f"{path} names a function of its own, {function[:80]!r}, which would be imported and called: if you trust "
            f"the file, write learned:{path},trust=on"
        )
    return hook(function)


@lru_cache(maxsize=8)
def _loaded(path: Path) -> tuple[Policy, dict[str, Any]]:
    return load_policy(path)
