"""How often a policy wins against other players, measured on paired games.

Against one of them, every other seat is the policy's; the same deals are played a second time with the seats
exchanged. The share of the victories that falls to the policy's seats is one half between equals. Seats of one policy
may win so because they understand one another, in a private code. So the policy also sits `alone` at tables of others.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from dixit_env.agents.training.decisions import DecisionBatch, Opponent
from dixit_env.agents.training.eyed_game import EyedGame
from dixit_env.agents.training.opponents import InputsHook, OpponentPool
from dixit_env.agents.training.seeds import derived_seed, generator
from dixit_env.agents.training.task import Task
from dixit_env.game.engine import Phase
from dixit_env.models.policy import Policy

Watch = Callable[[EyedGame, Tensor, Tensor], None]


@dataclass(frozen=True, slots=True)
class WinShare:
    """A mean over deals with its 95 % interval."""

    win_share: float
    low: float
    high: float


def evaluate(
    task: Task, player: Opponent, opponent: Opponent, deals: int, seed: int, watch: Watch | None = None
) -> WinShare:
    """Play two games on each deal, with `player` in every second seat and `opponent` in the others.

    `watch` is called before every step with the game, the choices (B, A) and who of all seats are `player`, (B, P).
    """
    halves = (range(half, task.players, 2) for half in (0, 1))
    return _mean(_play(task, player, [opponent], deals, seed, half, watch) for half in halves)


def alone(task: Task, player: Opponent, others: Sequence[Opponent], deals: int, seed: int) -> WinShare:
    """Play a game for each seat on each deal: `player` sits there, the others are drawn at random."""
    return _mean(_play(task, player, others, deals, seed, [seat]) for seat in range(task.players))


def most_probable(policy: Policy, observe: InputsHook | None = None) -> Opponent:
    """A player that makes a policy's most probable choice, as `learned:…` does; `observe` changes what it reads."""

    def choose(batch: DecisionBatch) -> Tensor:
        inputs = observe(batch.inputs) if observe else batch.inputs
        return policy(inputs, batch.phase, batch.choices, batch.legal)[0].argmax(1)

    return torch.no_grad()(choose)


class Finders:
    """Counts who finds the cards of each of two players, by deal: the `watch` of an evaluation."""

    def __init__(self, task: Task, deals: int) -> None:
        self.votes = task.encoder.choices[Phase.VOTES]
        self.sums = torch.zeros((2, 2, deals), device=task.device)  # (storyteller, own or stranger, deals)
        self.turns = [0, 0]

    def __call__(self, game: EyedGame, choices: Tensor, is_first: Tensor) -> None:
        if game.phase is not Phase.VOTES:
            return
        firsts = is_first[0]  # the same in all games
        own = firsts[list(game.seats)] == firsts[game.storyteller]
        if own.all() or not own.any():
            return  # nobody to compare
        target = game.slot_of[:, game.storyteller * game.rules.gives, None]
        found = (self.votes.count(choices, target) > 0).float()  # (B, A)
        teller = 0 if firsts[game.storyteller] else 1
        self.sums[teller] += torch.stack((found[:, own].mean(1), found[:, ~own].mean(1)))
        self.turns[teller] += 1

    def shares(self, teller: int) -> Tensor:
        """(2, deals): how often its own seats and strangers find the cards of one of the two players."""
        return self.sums[teller].cpu() / self.turns[teller]


def interval(values: Tensor) -> tuple[float, float, float]:
    """The mean over deals with its 95 % interval, from values (deals,)."""
    mean, margin = float(values.mean()), 1.96 * float(values.std()) / sqrt(len(values))
    return mean, mean - margin, mean + margin


def _mean(games: Iterable[Tensor]) -> WinShare:
    """From shares of the victories (deals,), one tensor for each seating."""
    mean, low, high = interval(torch.stack(list(games)).mean(0))
    return WinShare(mean, max(0.0, low), min(1.0, high))


@torch.no_grad()
def _play(
    task: Task,
    player: Opponent,
    others: Sequence[Opponent],
    deals: int,
    seed: int,
    seats: Sequence[int],
    watch: Watch | None = None,
) -> Tensor:
    """(deals,) the share of each victory that falls to `player` in the seats `seats`."""
    device, players = task.device, task.players
    game = task.new_games(deals, derived_seed(seed, "evaluation, deals"))
    choices_generator = generator(device, seed, "evaluation, choices")
    pool = OpponentPool(players, others, league=False, width=1)
    pool.assign_seats(deals, choices_generator)
    pool.learner_seats = torch.zeros((deals, players), dtype=torch.bool, device=device)
    pool.learner_seats[:, list(seats)] = True
    share = torch.full((deals,), torch.nan, device=device)
    while share.isnan().any():
        batch = task.decisions(game, game.observe(), game.masks(), choices_generator)
        own = pool.learner_seats[:, list(game.seats)].flatten().nonzero().squeeze(1)
        choices = torch.zeros_like(batch.place)
        if len(own):
            choices = choices.index_copy(0, own, player(batch.rows(own)))
        choices = pool.override(choices.view(deals, -1), game.seats, batch)
        if watch:
            watch(game, choices, pool.learner_seats)
        step = game.step(choices + game.spaces.first[game.phase])
        won = step.scores == step.scores.amax(dim=1, keepdim=True)
        own_share = (won & pool.learner_seats).sum(1) / won.sum(1)
        share = torch.where(step.over & share.isnan(), own_share, share)
    return share
