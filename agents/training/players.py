"""Players of batched games by the specs of `agents.registry`: scripted agents and checkpoints."""

from copy import deepcopy

import torch

from dixit_env.agents.clip.personas import clip_options
from dixit_env.agents.learned.agent import learned_policy
from dixit_env.agents.training.clip_seats import ClipSeats
from dixit_env.agents.training.decisions import Opponent
from dixit_env.agents.training.evaluation import most_probable
from dixit_env.agents.training.scripted import SCRIPTED
from dixit_env.errors import SpecError
from dixit_env.models.policy import Policy


def fixed_player(spec: str, device: torch.device) -> tuple[Opponent, Policy | None]:
    """The player that a spec names for games on `device`, and its policy if it has one: `random`, `greedy`, `viewer`,
    `clip` with any options, or `learned:…`.

    Raises `SpecError` for another spec and `DixitError` for a checkpoint that can't be played.
    """
    name, _, rest = spec.strip().partition(":")
    if name in SCRIPTED and not rest:
        return SCRIPTED[name], None
    if name == "clip":
        options = clip_options(rest)
        if options.lang != "en":
            raise SpecError(f"batched games are played in English: leave lang={options.lang} out")
        return ClipSeats(options), None
    if name != "learned":
        raise SpecError(f"batched games are played by {', '.join(SCRIPTED)} or learned:FILE, not {spec!r}")
    policy, observe, config = learned_policy(rest)
    if config.get("no_clip"):
        raise SpecError(f"{spec} was trained with --no-clip: batched games show all players what CLIP says")
    policy = deepcopy(policy).to(device)  # checkpoints are kept in memory, and moving one changes it
    return most_probable(policy, observe), policy
