"""What the reveals tell of each seat: how sharply it votes, whether it stacks, how plainly its clues point."""

import json
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dixit_env.agents.clip.storyteller import Storyteller, best_match_ratio, target_density
from dixit_env.agents.clip.voter_kinds import Floats, choice_logits, posterior, softmax
from dixit_env.agents.clip.votes import Voters
from dixit_env.game.engine import PlayedTurn
from dixit_env.game.rules import TableRules

CERTAIN = (0.03, 0.97)  # chosen: how a player gives decoys is never known better than this, for people change
FILE = Path(__file__).parent / "habits.json"  # scripts/fit_habits.py writes it


@dataclass(frozen=True, slots=True, eq=False)
class Habits:
    """The prior: what is believed of players before they have done anything. Fitted by `scripts/fit_habits.py`."""

    voting: Floats  # (K,) probabilities of the kinds of voters
    plainness: Floats  # (M,) probabilities over the grid of plainness
    stacking: tuple[float, float]  # pseudo-counts of stacked and spread votes
    giving: float  # how likely a player gives the best match of the hand as decoy


def load_habits(path: Path = FILE) -> Habits:
    """Habits as `habits_json` writes them."""
    values = json.loads(path.read_text(encoding="utf-8"))
    stacked, spread = values["stacking"]
    voting, telling = (np.array(values[name]) / sum(values[name]) for name in ("voting", "telling"))  # they are rounded
    return Habits(voting, telling, (stacked, spread), values["giving"])


def habits_json(habits: Habits) -> str:
    """Habits as one line of JSON, to four digits."""
    values = {
        "voting": _rounded(habits.voting),
        "telling": _rounded(habits.plainness),
        "stacking": _rounded(habits.stacking),
        "giving": round(habits.giving, 4),
    }
    return json.dumps(values)


def _rounded(values: Sequence[float] | Floats) -> list[float]:
    return [round(float(value), 4) for value in values]


HABITS = load_habits()


class PlayerModels:
    """The posterior of each seat's habits in one game, as a player comes to know them."""

    def __init__(self, players: int, habits: Habits = HABITS) -> None:
        self.habits = habits
        self.voting = habits.voting[None].repeat(players, 0)  # (players, K)
        self.plainness = habits.plainness[None].repeat(players, 0)  # (players, M)
        self.stacking = np.array([habits.stacking] * players)  # (players, 2)
        self.giving = np.full(players, habits.giving)  # (players,)

    def observe(self, turn: PlayedTurn, z: Floats, rules: TableRules) -> None:
        """Take in a finished turn; `z` (cards,) are the cards' z-scores for its clue."""
        observe([self], [turn], z[None, list(turn.slots)], rules)

    def exchanged(self, seat: int) -> "PlayerModels":
        """The same with each seat but this one taken for the next of them."""
        others = [other for other in range(len(self.giving)) if other != seat]
        order = np.arange(len(self.giving))
        order[others] = np.roll(others, -1)
        changed = copy(self)
        changed.voting, changed.plainness = self.voting[order], self.plainness[order]
        changed.stacking, changed.giving = self.stacking[order], self.giving[order]
        return changed

    def storyteller(self, seat: int, rules: TableRules) -> Storyteller:
        """This seat as storyteller, and the others as givers of decoys."""
        teller = storytellers([self], [seat], rules)
        return Storyteller(teller.plainness[0], np.asarray(teller.best_decoys)[0], teller.choice)


def observe(models: Sequence[PlayerModels], turns: Sequence[PlayedTurn], z: Floats, rules: TableRules) -> None:
    """Each of the models takes in a finished turn of its game; `z` (games, slots) are the z-scores of the cards on the
    table for the clue."""
    game, seats = np.arange(len(models)), np.arange(rules.players)
    tellers = np.array([turn.storyteller for turn in turns])
    target = z[game, [turn.target for turn in turns]]  # (games,)
    owners = np.array([turn.owners for turn in turns])
    owns = owners[:, None, :] == seats[:, None]  # (games, players, slots)
    dials = np.array([[[vote.count(slot) for slot in range(rules.slots)] for vote in turn.votes] for turn in turns])

    logits = choice_logits(z, storytellers(models, tellers.tolist(), rules).log_odds(z))  # (games, slots, K)
    open_logits = np.where(owns[..., None], -np.inf, logits[:, None])  # (games, players, slots, K)
    log_chance = np.log(softmax(open_logits) + 1e-9)
    # Two dials of one ballot are one observation: the geometric mean of their likelihoods.
    used = dials.sum(-1)[..., None]  # (games, players, 1)
    likelihood = np.exp((dials[..., None] * log_chance).sum(-2) / np.maximum(used, 1))
    voting = posterior(np.stack([model.voting for model in models]), likelihood)

    plainness = np.stack([model.plainness for model in models])
    plainness[game, tellers] = posterior(plainness[game, tellers], target_density(target))

    ratio = best_match_ratio(z, rules.hand / rules.gives)[:, None]
    giving = np.stack([model.giving for model in models])
    best = giving * np.where(owns, ratio, 1.0).prod(-1)
    giving = np.where(seats == tellers[:, None], giving, np.clip(best / (best + 1 - giving), *CERTAIN))

    two, stacks = used == 2, dials.max(-1, keepdims=True) == 2
    stacking = np.concatenate([two & stacks, two & ~stacks], -1)  # (games, players, 2)
    for row, model in enumerate(models):
        model.voting, model.plainness, model.giving = voting[row], plainness[row], giving[row]
        model.stacking = model.stacking + stacking[row]


def voters_of(models: Sequence[PlayerModels], seats: Sequence[Sequence[int]], rho: float) -> Voters:
    """Some seats of each game as voters, with an axis of games in front."""
    chosen = [list(some) for some in seats]
    stacking = np.stack([model.stacking[some] for model, some in zip(models, chosen, strict=True)])
    return Voters(
        kinds=np.stack([model.voting[some] for model, some in zip(models, chosen, strict=True)]),
        stacks=stacking[..., 0] / stacking.sum(-1),
        gives_best=np.stack([model.giving[some] for model, some in zip(models, chosen, strict=True)]),
        rho=rho,
    )


def listeners_of(models: Sequence[PlayerModels], seats: Sequence[Sequence[int]], rho: float) -> Voters:
    """Some seats of each game as those who will hear a clue: givers of decoys and stackers as known, readers like
    anybody.

    Votes tell how sharply a seat read the clues of others. A clue that is vague enough for the sharpest of bots means
    nothing to people.
    """
    voters = voters_of(models, seats, rho)
    anybody = np.stack([model.habits.voting for model in models])[:, None]
    return replace(voters, kinds=np.broadcast_to(anybody, voters.kinds.shape))


def storytellers(models: Sequence[PlayerModels], seats: Sequence[int], rules: TableRules) -> Storyteller:
    """A seat of each game as storyteller and the others as givers of decoys, with an axis of games in front.

    A seat that votes at random is assumed to give meaningless clues too: the weight of plainness 0 is scaled by how
    much the weight of random votes has changed. Votes are the better evidence, because a seat votes in nearly every
    turn and is the storyteller in few.
    """
    game = np.arange(len(models))
    plainness = np.stack([model.plainness[seat] for model, seat in zip(models, seats, strict=True)])
    blind = [model.voting[seat, 0] / model.habits.voting[0] for model, seat in zip(models, seats, strict=True)]
    plainness[:, 0] *= blind
    plainness /= plainness.sum(-1, keepdims=True)
    giving = np.stack([model.giving for model in models])
    best_decoys = (giving.sum(-1) - giving[game, seats]) / (giving.shape[-1] - 1)
    return Storyteller(plainness, best_decoys, rules.hand / rules.gives)
