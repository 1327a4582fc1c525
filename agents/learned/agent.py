"""A trained policy as a player: `learned:PATH`, or `learned:default` for the one that comes with the project."""

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import torch

from dixit_env.agents.clues.index import clue_index, clue_z_scores
from dixit_env.agents.learned.shortlist import shortlist
from dixit_env.agents.training.hooks import hook
from dixit_env.envs.spaces import Spaces
from dixit_env.game.rules import TableRules
from dixit_env.game.view import View
from dixit_env.models.policy import Encoder, Policy, load_policy
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decision

DEFAULT = Path(__file__).parents[2] / "models" / "learned" / "default.safetensors"
TOLD = 3  # alternatives kept in `why`


class LearnedAgent:
    """Makes the most probable move of a policy. Fits any deck, any CLIP, any number of players and any edition."""

    def __init__(self, path: Path, sight: Sight) -> None:
        self.name = f"learned:{path}"
        self.policy, self.config = _loaded(path)
        self.observe = hook(self.config["observe"]) if self.config.get("observe") else None
        self.sight = sight
        shortlist(sight)  # the wait is before the game, and so is any error

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts. Nothing is left to chance."""

    @torch.no_grad()
    def act(self, view: View) -> Decision:
        """Decide."""
        encoder = _encoder(self.sight, view.rules, not self.config.get("no_clip"))
        spaces, phase = encoder.spaces, view.phase
        observation = torch.from_numpy(spaces.features(view))[None]
        legal = encoder.legal(torch.from_numpy(spaces.mask(view))[None], phase)
        seen = encoder(observation, phase, clue_z_scores(self.sight, view.clue)[None] if view.clue else None)
        if self.observe:
            seen = self.observe(seen)
        log_probs, value = self.policy(seen, phase, encoder.choices[phase], legal)
        best = log_probs[0].topk(min(TOLD, int(legal.sum())))
        moves = [spaces.move(view, spaces.first[phase] + int(choice)) for choice in best.indices]
        assert moves[0] is not None  # the mask allows it
        why = {
            "value": round(float(value), 3),
            "alternatives": [
                {"move": str(move), "probability": round(float(chance), 4)}
                for move, chance in zip(moves, best.values.exp(), strict=True)
            ],
        }
        return Decision(moves[0], why)


def learned_agent(path: str, sight: Sight) -> LearnedAgent:
    """The agent `learned:PATH`; `default` (or nothing) is the policy that comes with the project.

    Raises `DixitError` when there is no checkpoint there.
    """
    return LearnedAgent(DEFAULT if path in ("", "default") else Path(path), sight)


@lru_cache(maxsize=8)
def _loaded(path: Path) -> tuple[Policy, dict[str, Any]]:
    return load_policy(path)


@lru_cache(maxsize=8)
def _encoder(sight: Sight, rules: TableRules, similarity: bool) -> Encoder:
    """One for all agents of a process that sit at such a table."""
    return Encoder(Spaces(rules, len(sight.deck), shortlist(sight)), clue_index(sight).z, similarity)
