"""Proximal policy optimisation among scripted agents and past selves, from top to bottom.

One update: all games play some turns (`collect`), every seat's decisions get their advantages (`advantages`), and the
network learns from them in a few passes (`learn`). A turn is one decision of the storyteller and two of everyone else,
the decoy and the vote; its points come after the votes. Each seat has its own chain of decisions: clue → next turn, or
decoy → vote → next turn.

Letters in shapes: B games, P players, A seats that decide in a phase, T turns, N decisions of one phase, C choices.
"""

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from dixit_env.agents.training import parallel
from dixit_env.agents.training.board import Board
from dixit_env.agents.training.opponents import Opponents, SeenHook, sample
from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.episode import Reward
from dixit_env.envs.spaces import PHASES
from dixit_env.game.engine import Phase
from dixit_env.models.policy import Policy, Seen

REMEMBER = 20  # updates after which the learner joins the league again

RewardHook = Callable[[BatchedGame, Step], Tensor]


@dataclass(frozen=True)
class PPO:
    """How to learn."""

    players: int = 6
    """Seats at the table."""
    rules: str = "odyssey"
    """Edition: odyssey, dixit, odyssey-2011 or dixit-2008."""
    envs: int = 1024
    """Games at once, in each process."""
    objective: Reward = "difference"
    """What is learned: points, their difference to the others' mean, or win, the share of the victory."""
    turns: int = 4
    """Turns of every game between two updates."""
    epochs: int = 2
    """Passes over the decisions of an update."""
    minibatches: int = 16
    """Steps in one pass."""
    learning_rate: float = 2e-3
    """Of Adam; it falls with the entropy bonus."""
    entropy: float = 0.03
    """Weight of the entropy bonus in the beginning, in units of a normalised advantage."""
    halving: int = 400
    """Updates after which the learning rate and the entropy bonus have halved."""
    discount: float | None = None
    """Of what comes one turn later (default: 0.5 for points and differences, 1 to win)."""
    trace: float = 0.9
    """Lambda of generalised advantage estimation, from decision to decision of a seat."""
    clip_range: float = 0.2
    """How far the probability ratio may move in one update before it stops counting; the value likewise."""
    value_weight: float = 0.5
    """Of the value loss beside the policy loss."""
    max_kl: float = 0.03
    """The passes of an update stop when the policy has moved so far (nats)."""
    max_grad: float = 0.5
    """The norm that gradients are cut to."""
    width: int = 48
    """Of the network's hidden layers."""
    seed: int = 0
    """Of weights, deals and choices."""

    @property
    def gamma(self) -> float:
        return self.discount if self.discount is not None else 1.0 if self.objective == "win" else 0.5


class Decisions(NamedTuple):
    """Decisions of one phase, and all that is learned from them."""

    seen: Seen
    legal: Tensor  # (N, C) bool
    choice: Tensor  # (N,) int64
    log_prob: Tensor  # (N,) of the choice when it was made
    value: Tensor  # (N,) of the situation, as it was thought then
    advantage: Tensor  # (N,) filled in once the turns are played

    def rows(self, index: Tensor) -> "Decisions":
        """Some of the decisions."""
        return Decisions(self.seen.rows(index), *(values[index] for values in self[1:]))


class Learner:
    """Everything that changes while learning.

    Args:
        ppo: the settings.
        boards: the decks that are practised on, one update each in turn.
        home: the deck that it is measured on.
        opponents: who plays the seats that the learner doesn't.
        reward: what a step is worth to every seat (B, P), instead of the game's own reward.
        observe: changes what the network reads.
    """

    def __init__(
        self,
        ppo: PPO,
        boards: Sequence[Board],
        home: Board,
        opponents: Opponents,
        reward: RewardHook | None = None,
        observe: SeenHook | None = None,
    ) -> None:
        self.ppo, self.boards, self.home, self.opponents = ppo, boards, home, opponents
        self.reward, self.observe = reward, observe
        self.device = home.device
        deals = ppo.seed + 1009 * parallel.rank()
        self.games = [board.deal(ppo.envs, deals + 31 * number, ppo.objective) for number, board in enumerate(boards)]
        torch.manual_seed(ppo.seed)  # the same weights in every process
        self.policy = Policy(ppo.width).to(self.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=ppo.learning_rate, eps=1e-5)
        self.average = AveragedModel(self.policy, avg_fn=_averaged)
        self.generator = torch.Generator(self.device).manual_seed(ppo.seed + 7919 * (1 + parallel.rank()))
        self.updates = 0
        self.decisions = 0
        self.env_seconds = 0.0  # spent in the games: moves, observations and masks
        opponents.remember(self.policy)
        opponents.seat(ppo.envs, self.generator)

    @property
    def board(self) -> Board:
        """The deck of the coming update."""
        return self.boards[self.updates % len(self.boards)]

    @property
    def game(self) -> BatchedGame:
        """The games of the coming update, at the beginning of a turn."""
        return self.games[self.updates % len(self.boards)]

    @property
    def learned(self) -> Policy:
        """What is evaluated and kept: the mean of the policy over about the last quarter of its updates.

        Learning against oneself goes in circles, from a way to play to what beats it and on; their middle is better.
        """
        return cast("Policy", self.average.module)

    def update(self) -> dict[str, float]:
        """Play and learn once; returns figures of both."""
        began, in_games = time.perf_counter(), self.env_seconds
        batch, played = self.collect()
        figures = {**played, **self.learn(batch)}
        self.average.update_parameters(self.policy)
        if self.updates % REMEMBER == 0:
            self.opponents.remember(self.policy)
        seconds = time.perf_counter() - began
        return {**figures, "seconds": seconds, "env_seconds": self.env_seconds - in_games}

    # 1. Play.

    @torch.no_grad()
    def decide(self, game: BatchedGame) -> tuple[Decisions, Tensor, Tensor]:
        """The decisions of the learner now, which seats they are of, bool (B, P), and all choices: int64 (B, A)."""
        phase, seats = game.phase, list(game.seats)
        began = time.perf_counter()
        observation, mask = game.observe(), game.masks()
        self.env_seconds += time.perf_counter() - began
        moment = self.board.moment(phase, observation, mask, self.generator)
        mine = self.opponents.learner[:, seats]
        own = moment.rows(mine.flatten().nonzero().squeeze(1))
        read = self.observe(own.seen) if self.observe else own.seen
        log_probs, value = self.policy(read, phase, own.choices, own.legal)
        choice = sample(log_probs, self.generator)
        log_prob = log_probs.gather(1, choice[:, None]).squeeze(1)
        made = torch.zeros_like(mine, dtype=torch.int64).masked_scatter_(mine, choice)
        made = self.opponents.replace(made, seats, moment)
        decided = torch.zeros_like(self.opponents.learner)
        decided[:, seats] = mine
        return Decisions(read, own.legal, choice, log_prob, value, torch.zeros_like(value)), decided, made

    def collect(self) -> tuple[dict[Phase, Decisions], dict[str, float]]:
        """Play `turns` turns. Returns the decisions of the learner's seats by phase, and figures of the play."""
        ppo, game = self.ppo, self.game
        self.opponents.seat(game.games, self.generator)
        played: dict[Phase, list[tuple[Decisions, Tensor]]] = {phase: [] for phase in PHASES}
        tellers: list[int] = []
        shape = (ppo.turns, game.games, game.players)
        first, second, rewards = (torch.zeros(shape, device=game.device) for _ in range(3))
        over = torch.zeros(shape[:2], dtype=torch.bool, device=game.device)
        outcomes, found = [], []
        for turn in range(ppo.turns):
            tellers.append(game.storyteller)
            for phase in PHASES:
                decisions, mine, made = self.decide(game)
                (second if phase is Phase.VOTES else first)[turn][mine] = decisions.value
                if phase is Phase.VOTES:
                    found.append(self._found(game, made))
                before = game.scores
                began = time.perf_counter()
                step = game.step(made + game.spaces.first[phase])
                self.env_seconds += time.perf_counter() - began
                played[phase].append((decisions, mine))
            rewards[turn] = self.reward(game, step) if self.reward else step.rewards
            over[turn] = step.over
            outcomes.append((step.scores - before)[:, tellers[-1]] > 0)
        after = self.look_ahead()
        gain_first, gain_second = advantages(first, second, rewards, over, tellers, after, ppo.gamma, ppo.trace)
        batch = {}
        for phase in PHASES:
            gains = gain_second if phase is Phase.VOTES else gain_first
            parts = zip(played[phase], gains, strict=True)
            batch[phase] = _joined([some._replace(advantage=gain[mine]) for (some, mine), gain in parts])
        figures = {"storyteller_scores": torch.stack(outcomes).float(), "games_ended": over.float()}
        for name, readers in zip(("itself", "others"), zip(*found, strict=True), strict=True):
            figures[f"found_by/{name}"] = torch.cat(readers)
        return batch, {name: values.mean().item() for name, values in figures.items() if len(values)}

    def _found(self, game: BatchedGame, made: Tensor) -> tuple[Tensor, Tensor]:
        """Which voters find the card when the learner tells, 1 or 0: its own other seats, and all others'. When only
        the first do, it speaks a code."""
        target = game.slot_of[:, game.storyteller * game.rules.gives, None]  # (B, 1)
        found = (self.home.encoder.choices[Phase.VOTES].hold(made, target) > 0).float()  # (B, A)
        told = self.opponents.learner[:, game.storyteller, None]
        own = self.opponents.learner[:, list(game.seats)]
        return found[told & own], found[told & ~own]

    @torch.no_grad()
    def look_ahead(self) -> Tensor:
        """(B, P) the value of the next decision of the learner's seats: the storyteller's clue, and the decoys once it
        is given.

        The games stay where they are: the clue is given in a copy of them.
        """
        ahead = copy.copy(self.game)
        value = torch.zeros((ahead.games, ahead.players), device=ahead.device)
        decisions, mine, made = self.decide(ahead)
        value[mine] = decisions.value
        ahead.step(made + ahead.spaces.first[Phase.CLUE])
        decisions, mine, _ = self.decide(ahead)
        value[mine] = decisions.value
        return value

    # 2. Learn.

    def learn(self, batch: dict[Phase, Decisions]) -> dict[str, float]:
        """A few passes over the decisions; returns the mean of every figure over the steps taken."""
        ppo = self.ppo
        fade = 0.5 ** (self.updates / ppo.halving)
        for group in self.optimizer.param_groups:
            group["lr"] = ppo.learning_rate * fade
        targets = {phase: some.value + some.advantage for phase, some in batch.items()}
        scaled = {phase: some._replace(advantage=_normal(some.advantage)) for phase, some in batch.items()}
        total = sum(len(some.value) for some in batch.values())
        figures: list[dict[str, float]] = []
        for _ in range(ppo.epochs):
            orders = {phase: self._shuffled(len(some.value)) for phase, some in batch.items()}
            moved = []
            for number in range(ppo.minibatches):
                loss, kl = torch.zeros((), device=self.device), 0.0
                told: dict[str, float] = {}
                for phase, some in scaled.items():
                    index = orders[phase][number :: ppo.minibatches]
                    share = len(some.value) / total
                    part, figure = self.loss(phase, some.rows(index), targets[phase][index], ppo.entropy * fade)
                    loss = loss + share * part
                    kl += share * figure["kl"]
                    told |= {f"{name}/{phase}": value for name, value in figure.items()}
                self.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                parallel.average_gradients(self.policy)
                nn.utils.clip_grad_norm_(self.policy.parameters(), ppo.max_grad)
                self.optimizer.step()
                figures.append(told)
                moved.append(kl)
            if parallel.mean(sum(moved) / len(moved)) > ppo.max_kl:
                break
        self.updates += 1
        self.decisions += total * parallel.size()
        means = {name: sum(told[name] for told in figures) / len(figures) for name in figures[0]}
        explained = {f"explained_variance/{phase}": _explained(batch[phase].value, targets[phase]) for phase in batch}
        return {**means, **explained, "decisions": total * parallel.size(), "steps": len(figures)}

    def loss(self, phase: Phase, some: Decisions, target: Tensor, entropy: float) -> tuple[Tensor, dict[str, float]]:
        """The loss of one role over N decisions, and its terms."""
        ppo, choices = self.ppo, self.home.encoder.choices[phase]
        log_probs, value = self.policy(some.seen, phase, choices, some.legal)
        log_ratio = log_probs.gather(1, some.choice[:, None]).squeeze(1) - some.log_prob
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - ppo.clip_range, 1 + ppo.clip_range)
        policy_loss = -torch.minimum(ratio * some.advantage, clipped * some.advantage).mean()
        near = some.value + (value - some.value).clamp(-ppo.clip_range * 5, ppo.clip_range * 5)  # values span points
        value_loss = torch.maximum((value - target) ** 2, (near - target) ** 2).mean() / 2
        disorder = -(log_probs.exp() * log_probs).sum(1).mean()
        figures = {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "entropy": disorder,
            "kl": (ratio - 1 - log_ratio).mean(),
            "clipped": ((ratio - 1).abs() > ppo.clip_range).float().mean(),
        }
        if phase is Phase.VOTES:
            figures["spread"] = (choices.kind[some.choice] == 2).float().mean()
        names, values = list(figures), torch.stack([value.detach() for value in figures.values()]).tolist()
        loss = policy_loss + ppo.value_weight * value_loss - entropy * disorder
        return loss, dict(zip(names, values, strict=True))

    def _shuffled(self, count: int) -> Tensor:
        return torch.randperm(count, generator=self.generator, device=self.device)

    # 3. Stop and go on.

    def state(self) -> dict[str, Any]:
        """All of it, as tensors and plain values: what `restore` needs to go on bit for bit."""
        return {
            "policy": self.policy.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "league": list(self.opponents.league),
            "counts": [self.updates, self.decisions],
            "games": [
                {
                    "tensors": {name: value for name, value in vars(game).items() if isinstance(value, Tensor)},
                    "storyteller": game.storyteller,
                    "deals": game.generator.get_state(),
                }
                for game in self.games
            ],
        }

    def restore(self, state: dict[str, Any], games: bool = True) -> None:
        """Go on from what `state` returned between two updates; without `games` only what was learned is taken over."""
        self.policy.load_state_dict(state["policy"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.opponents.league.clear()
        self.opponents.league.extend(state["league"])
        self.updates, self.decisions = state["counts"]
        if not games:
            self.generator.manual_seed(self.generator.initial_seed() + self.updates)
            return
        self.generator.set_state(state["generator"].cpu())
        for game, saved in zip(self.games, state["games"], strict=True):
            for name, value in saved["tensors"].items():
                setattr(game, name, value)
            game.storyteller = saved["storyteller"]
            game.generator.set_state(saved["deals"].cpu())


def advantages(
    first: Tensor,
    second: Tensor,
    rewards: Tensor,
    over: Tensor,
    tellers: Sequence[int],
    after: Tensor,
    discount: float,
    trace: float,
) -> tuple[Tensor, Tensor]:
    """Generalised advantage estimation (Schulman et al. 2016) along each seat's own decisions.

    Args:
        first: (T, B, P) value of each seat's first decision in a turn: the storyteller's clue, the others' decoys.
        second: (T, B, P) value of the votes; not read for the storyteller.
        rewards: (T, B, P) of each turn, which come after its last decision.
        over: (T, B) bool, games that ended with the turn: nothing that follows belongs to them.
        tellers: (T,) the storyteller's seat.
        after: (B, P) value of each seat's first decision in the turn after the last.
        discount: from one turn to the next; within a turn nothing is discounted.
        trace: λ, from decision to decision.

    Returns:
        The advantages of the first and of the second decisions, each (T, B, P).
    """
    gain_first, gain_second = torch.zeros_like(first), torch.zeros_like(second)
    next_value, next_gain = after, torch.zeros_like(after)
    for turn in reversed(range(len(tellers))):
        goes_on = ~over[turn, :, None]
        coming = rewards[turn] + discount * goes_on * next_value  # (B, P) from the last decision on
        later = discount * trace * goes_on * next_gain
        gain_second[turn] = coming - second[turn] + later
        gain_first[turn] = second[turn] - first[turn] + trace * gain_second[turn]
        teller = tellers[turn]
        gain_first[turn, :, teller] = (coming - first[turn] + later)[:, teller]
        gain_second[turn, :, teller] = 0
        next_value, next_gain = first[turn], gain_first[turn]
    return gain_first, gain_second


def _averaged(mean: Tensor, new: Tensor, count: Tensor | int) -> Tensor:
    """Polynomial-decay averaging (Shamir and Zhang 2013) with η = 3."""
    return mean + 4 / (count + 4) * (new - mean)


def _joined(parts: Sequence[Decisions]) -> Decisions:
    seen = Seen(*(torch.cat(values) for values in zip(*(part.seen for part in parts), strict=True)))
    rest = zip(*(part[1:] for part in parts), strict=True)
    return Decisions(seen, *(torch.cat(values) for values in rest))


def _normal(values: Tensor) -> Tensor:
    return (values - values.mean()) / (values.std() + 1e-8)


def _explained(value: Tensor, target: Tensor) -> float:
    """The share of the variance of the targets that the values foresaw."""
    return (1 - (target - value).var() / target.var().clamp(min=1e-8)).item()
