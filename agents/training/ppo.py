"""Proximal policy optimisation (Schulman et al. 2017) against a pool of scripted agents and past policies.

One update, from top to bottom: all games play a rollout (`collect_rollout`, whose steps are `act`), every decision of
the learner gets its advantage and return (`samples`, by `advantages`), and the network takes its gradient steps
(`optimise`, by `loss`).

A turn is one decision of the storyteller and two of everyone else, the decoy and the vote; its points come after the
votes. Each seat has its own chain of decisions: clue → next turn, or decoy → vote → next turn.

Letters in shapes: B games, P players, A seats that decide in a phase, T turns, N decisions of one phase, C choices.
"""

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from dixit_env.agents.clip.agent import UNDERSTOOD as CLIP_UNDERSTOOD
from dixit_env.agents.training import parallel
from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.eyed_game import EyedGame
from dixit_env.agents.training.opponents import InputsHook, OpponentPool, sample
from dixit_env.agents.training.seeds import derived_seed, generator
from dixit_env.agents.training.task import Task
from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.episode import Reward
from dixit_env.envs.spaces import PHASES
from dixit_env.game.engine import Phase
from dixit_env.models.policy import Inputs, Policy

SNAPSHOT_UPDATES = 20  # updates between two snapshots for the league; chosen
# Chosen: for the lead a third of what a finder with two dials takes from it, for points as the CLIP agent.
UNDERSTOOD: dict[Reward, float] = {"difference": 2.0, "points": CLIP_UNDERSTOOD, "win": 0.0}
VALUE_CLIP = 5  # times the clip range: the values span points, where probability ratios span 1; chosen

RewardHook = Callable[[BatchedGame, Step], Tensor]


@dataclass(frozen=True)
class PPO:
    """The settings of the algorithm."""

    players: int = 6
    """Seats at the table."""
    rules: str = "odyssey"
    """Edition: odyssey, dixit, odyssey-2011 or dixit-2008."""
    envs: int = 1024
    """Games at once, in each process."""
    objective: Reward = "difference"
    """What is learned: points, their difference to the others' mean, or win, the share of the victory."""
    understood: float | None = None
    """What a storyteller gains besides, by the share of strangers who find its card, in units of the objective: a taste
    for clues that people understand (default: 2 for differences, 0.6 for points, 0 to win)."""
    turns: int = 4
    """Turns of every game between two updates."""
    epochs: int = 2
    """Passes over the samples of an update."""
    minibatches: int = 16
    """Gradient steps in one epoch."""
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
    """How far the probability ratio may move in one update before its gradient is cut; the value likewise."""
    value_weight: float = 0.5
    """Of the value loss beside the policy loss."""
    max_kl: float = 0.03
    """The epochs of an update stop when the policy has moved so far: the mean KL divergence, nats."""
    max_grad: float = 0.5
    """The norm that gradients are clipped to."""
    width: int = 48
    """Of the network's hidden layers."""
    seed: int = 0
    """Of weights, deals and choices."""

    @property
    def gamma(self) -> float:
        return self.discount if self.discount is not None else 1.0 if self.objective == "win" else 0.5

    @property
    def understood_weight(self) -> float:
        """`understood`, or the default of the objective."""
        return self.understood if self.understood is not None else UNDERSTOOD[self.objective]


class Samples(NamedTuple):
    """Decisions of the learner in one phase, and what PPO needs of each."""

    inputs: Inputs
    legal: Tensor  # (N, C) bool
    choice: Tensor  # (N,) int64
    log_prob: Tensor  # (N,) of the choice, by the policy that made it
    value: Tensor  # (N,) estimated when the choice was made
    advantage: Tensor  # (N,) 0 until the rollout is complete
    returns: Tensor  # (N,) value + advantage: the target of the value estimate; 0 until the rollout is complete

    def rows(self, index: Tensor) -> "Samples":
        """Some of the decisions."""
        return Samples(self.inputs.rows(index), *(values[index] for values in self[1:]))


@dataclass(frozen=True, eq=False)
class Rollout:
    """T turns of B games, by seat; what is not the learner's is 0."""

    first_value: Tensor  # (T, B, P) of each seat's first decision in a turn: the storyteller's clue, the others' decoys
    vote_value: Tensor  # (T, B, P) of the votes; not read for the storyteller
    rewards: Tensor  # (T, B, P) of each turn, which come after its last decision
    over: Tensor  # (T, B) bool, games that ended with the turn: nothing that follows belongs to them
    storytellers: Sequence[int]  # (T,) seats
    next_value: Tensor  # (B, P) of each seat's first decision in the turn after the last
    decisions: Mapping[Phase, Sequence[tuple[Samples, Tensor]]] = field(default_factory=dict)
    """By phase and turn: the learner's N decisions, and the seats that made them, bool (B, P)."""


class Learner:
    """Everything that changes while learning.

    Args:
        ppo: the settings.
        tasks: the decks that are practised on, one update each in turn.
        eval_task: the deck that the policy is evaluated on.
        pool: who plays the seats that the learner doesn't.
        reward: what a step is worth to every seat (B, P), instead of the objective and of `understood`.
        observe: changes what the network reads.
    """

    def __init__(
        self,
        ppo: PPO,
        tasks: Sequence[Task],
        eval_task: Task,
        pool: OpponentPool,
        reward: RewardHook | None = None,
        observe: InputsHook | None = None,
    ) -> None:
        self.ppo, self.tasks, self.eval_task, self.pool = ppo, tasks, eval_task, pool
        self.reward, self.observe = reward, observe
        self.understood = 0.0 if reward else ppo.understood_weight
        self.device = eval_task.device
        process = f"process {parallel.rank()}"
        seeds = [derived_seed(ppo.seed, f"{process}, deals of task {number}") for number in range(len(tasks))]
        self.games = [task.new_games(ppo.envs, seed, ppo.objective) for task, seed in zip(tasks, seeds, strict=True)]
        torch.manual_seed(derived_seed(ppo.seed, "weights"))  # the same in every process
        self.policy = Policy(ppo.width).to(self.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=ppo.learning_rate, eps=1e-5)
        self.average = AveragedModel(self.policy, avg_fn=_polynomial_decay)
        self.generator = generator(self.device, ppo.seed, f"{process}, choices")
        self.updates = 0
        self.decisions = 0
        self.env_seconds = 0.0  # spent in the games: steps, observations and masks
        pool.add_snapshot(self.policy)
        pool.assign_seats(ppo.envs, self.generator)

    @property
    def task(self) -> Task:
        """The deck of the coming update."""
        return self.tasks[self.updates % len(self.tasks)]

    @property
    def game(self) -> EyedGame:
        """The games of the coming update, at the beginning of a turn."""
        return self.games[self.updates % len(self.tasks)]

    @property
    def averaged_policy(self) -> Policy:
        """What is evaluated and kept: the mean of the policy over about the last quarter of its updates.

        Self-play cycles: each policy beats the one before and loses to the next. Their mean plays better.
        """
        return cast("Policy", self.average.module)

    def update(self) -> dict[str, float]:
        """Play a rollout and learn from it; returns figures of both."""
        began, in_games = time.perf_counter(), self.env_seconds
        rollout, played = self.collect_rollout()
        learned = self.optimise(samples(rollout, self.ppo.gamma, self.ppo.trace))
        self.average.update_parameters(self.policy)
        if self.updates % SNAPSHOT_UPDATES == 0:
            self.pool.add_snapshot(self.policy)
        seconds = time.perf_counter() - began
        return {**played, **learned, "seconds": seconds, "env_seconds": self.env_seconds - in_games}

    # 1. Observation and action.

    @torch.no_grad()
    def own_decisions(self, game: EyedGame) -> tuple[Samples, Tensor, DecisionBatch]:
        """Observe the open phase and choose for the learner's seats that decide.

        Returns its N decisions, the seats that made them, bool (B, P), and what all seats have to decide.
        """
        phase, seats = game.phase, list(game.seats)
        began = time.perf_counter()
        observation, mask = game.observe(), game.masks()
        self.env_seconds += time.perf_counter() - began
        batch = self.task.decisions(game, observation, mask, self.generator)
        is_learner = self.pool.learner_seats[:, seats]
        own = batch.rows(is_learner.flatten().nonzero().squeeze(1))
        inputs = self.observe(own.inputs) if self.observe else own.inputs
        log_probs, value = self.policy(inputs, phase, own.choices, own.legal)
        choice = sample(log_probs, self.generator)
        log_prob = log_probs.gather(1, choice[:, None]).squeeze(1)
        decided = torch.zeros_like(self.pool.learner_seats)
        decided[:, seats] = is_learner
        unknown = torch.zeros_like(value)
        return Samples(inputs, own.legal, choice, log_prob, value, unknown, unknown), decided, batch

    @torch.no_grad()
    def act(self, game: EyedGame) -> tuple[Samples, Tensor, Tensor]:
        """Choose for every seat that decides.

        Returns the learner's N decisions, the seats that made them, bool (B, P), and all seats' choices, int64 (B, A).
        """
        made, decided, batch = self.own_decisions(game)
        is_learner = decided[:, list(game.seats)]
        choices = torch.zeros_like(is_learner, dtype=torch.int64).masked_scatter_(is_learner, made.choice)
        return made, decided, self.pool.override(choices, game.seats, batch)

    # 2. Rollout.

    def collect_rollout(self) -> tuple[Rollout, dict[str, float]]:
        """Play `turns` turns; returns them, and figures of the play."""
        ppo, game = self.ppo, self.game
        self.pool.assign_seats(game.games, self.generator)
        shape = (ppo.turns, game.games, game.players)
        first_value, vote_value, rewards = (torch.zeros(shape, device=game.device) for _ in range(3))
        over = torch.zeros(shape[:2], dtype=torch.bool, device=game.device)
        decisions: dict[Phase, list[tuple[Samples, Tensor]]] = {phase: [] for phase in PHASES}
        storytellers: list[int] = []
        storyteller_scored, found_by = [], []
        for turn in range(ppo.turns):
            storytellers.append(game.storyteller)
            for phase in PHASES:
                made, decided, choices = self.act(game)
                decisions[phase].append((made, decided))
                (vote_value if phase is Phase.VOTES else first_value)[turn][decided] = made.value
                if phase is Phase.VOTES:
                    found, own = self._found(game, choices)
                scores = game.scores
                began = time.perf_counter()
                step = game.step(choices + game.spaces.first[phase])
                self.env_seconds += time.perf_counter() - began
            storyteller, strangers = storytellers[-1], ~own
            share = (found * strangers).sum(1) / strangers.sum(1).clamp(min=1)  # (B,) who find the card
            rewards[turn] = self.reward(game, step) if self.reward else step.rewards
            rewards[turn, :, storyteller] += self.understood * share
            # When only its own seats find the learner's cards, it speaks a private code.
            is_learner = self.pool.learner_seats[:, storyteller, None]
            found_by.append((found[is_learner & own], found[is_learner & strangers]))
            over[turn] = step.over
            storyteller_scored.append((step.scores - scores)[:, storyteller] > 0)
        rollout = Rollout(first_value, vote_value, rewards, over, storytellers, self.bootstrap_value(), decisions)
        figures = {"storyteller_scores": torch.stack(storyteller_scored).float(), "games_ended": over.float()}
        for name, voters in zip(("itself", "others"), zip(*found_by, strict=True), strict=True):
            figures[f"found_by/{name}"] = torch.cat(voters)
        return rollout, {name: values.mean().item() for name, values in figures.items() if len(values)}

    def _found(self, game: BatchedGame, choices: Tensor) -> tuple[Tensor, Tensor]:
        """(B, A) which voters find the storyteller's card, 1 or 0, and which of them are the learner's, bool."""
        target = game.slot_of[:, game.storyteller * game.rules.gives, None]  # (B, 1)
        found = self.task.encoder.choices[Phase.VOTES].count(choices, target) > 0
        return found.float(), self.pool.learner_seats[:, list(game.seats)]

    @torch.no_grad()
    def bootstrap_value(self) -> Tensor:
        """(B, P) the value of the next decision of the learner's seats: the storyteller's clue, and the decoys once it
        is given.

        The games stay where they are: the clue is given in a copy of them.
        """
        ahead = copy.copy(self.game)
        value = torch.zeros((ahead.games, ahead.players), device=ahead.device)
        made, decided, choices = self.act(ahead)
        value[decided] = made.value
        ahead.step(choices + ahead.spaces.first[Phase.CLUE])
        made, decided, _ = self.own_decisions(ahead)
        value[decided] = made.value
        return value

    # 3. Advantage: `samples` and `advantages`, below the class.

    # 4. Update.

    def optimise(self, batch: Mapping[Phase, Samples]) -> dict[str, float]:
        """A few epochs of minibatches over the samples; returns the mean of every figure over the gradient steps."""
        ppo = self.ppo
        decay = 0.5 ** (self.updates / ppo.halving)
        for group in self.optimizer.param_groups:
            group["lr"] = ppo.learning_rate * decay
        normalised = {phase: some._replace(advantage=_normalised(some.advantage)) for phase, some in batch.items()}
        total = sum(len(some.value) for some in batch.values())
        figures: list[dict[str, float]] = []
        for _ in range(ppo.epochs):
            orders = {phase: self._permutation(len(some.value)) for phase, some in batch.items()}
            kls = []
            for number in range(ppo.minibatches):
                loss, kl = torch.zeros((), device=self.device), 0.0
                terms: dict[str, float] = {}
                for phase, some in normalised.items():
                    minibatch = some.rows(orders[phase][number :: ppo.minibatches])
                    share = len(some.value) / total
                    phase_loss, phase_terms = self.loss(phase, minibatch, ppo.entropy * decay)
                    loss = loss + share * phase_loss
                    kl += share * phase_terms["kl"]
                    terms |= {f"{name}/{phase}": value for name, value in phase_terms.items()}
                self.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                parallel.average_gradients(self.policy)
                nn.utils.clip_grad_norm_(self.policy.parameters(), ppo.max_grad)
                self.optimizer.step()
                figures.append(terms)
                kls.append(kl)
            if parallel.mean(sum(kls) / len(kls)) > ppo.max_kl:
                break
        self.updates += 1
        self.decisions += total * parallel.size()
        means = {name: sum(terms[name] for terms in figures) / len(figures) for name in figures[0]}
        for phase, some in batch.items():
            means[f"explained_variance/{phase}"] = _explained(some.value, some.returns)
        return {**means, "decisions": total * parallel.size(), "steps": len(figures)}

    def loss(self, phase: Phase, some: Samples, entropy_weight: float) -> tuple[Tensor, dict[str, float]]:
        """The loss over a minibatch of one phase, and its terms."""
        ppo, choices = self.ppo, self.task.encoder.choices[phase]
        log_probs, value = self.policy(some.inputs, phase, choices, some.legal)
        log_ratio = log_probs.gather(1, some.choice[:, None]).squeeze(1) - some.log_prob
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - ppo.clip_range, 1 + ppo.clip_range)
        policy_loss = -torch.minimum(ratio * some.advantage, clipped * some.advantage).mean()
        step = ppo.clip_range * VALUE_CLIP
        clipped_value = some.value + (value - some.value).clamp(-step, step)
        value_loss = torch.maximum((value - some.returns) ** 2, (clipped_value - some.returns) ** 2).mean() / 2
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        terms = {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "entropy": entropy,
            "kl": (ratio - 1 - log_ratio).mean(),
            "clipped": ((ratio - 1).abs() > ppo.clip_range).float().mean(),
        }
        if phase is Phase.VOTES:
            terms["spread"] = (choices.kind[some.choice] == 2).float().mean()
        names, values = list(terms), torch.stack([value.detach() for value in terms.values()]).tolist()
        loss = policy_loss + ppo.value_weight * value_loss - entropy_weight * entropy
        return loss, dict(zip(names, values, strict=True))

    def _permutation(self, count: int) -> Tensor:
        return torch.randperm(count, generator=self.generator, device=self.device)

    # Checkpoints.

    def state(self) -> dict[str, Any]:
        """All of it, as tensors and plain values: what `restore` needs to go on bit for bit."""
        return {
            "policy": self.policy.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": {"state": self.optimizer.state_dict()["state"]},  # the rest are settings
            "generator": self.generator.get_state(),
            "league": list(self.pool.league),
            "counts": [self.updates, self.decisions],
            "games": [game.state() for game in self.games],
        }

    def restore(self, state: Mapping[str, Any], games: bool = True) -> None:
        """Go on from what `state` returned between two updates; without `games` only what was learned is taken over."""
        self.policy.load_state_dict(state["policy"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state["optimizer"]["state"]})
        self.pool.league.clear()
        self.pool.league.extend(state["league"])
        self.updates, self.decisions = state["counts"]
        if not games:
            here = f"process {parallel.rank()}, resumed at update {self.updates}"
            self.generator.manual_seed(derived_seed(self.ppo.seed, f"{here}, choices"))
            for number, game in enumerate(self.games):
                game.generator.manual_seed(derived_seed(self.ppo.seed, f"{here}, deals of task {number}"))
                game.reset()
            return
        self.generator.set_state(state["generator"].cpu())
        for game, saved in zip(self.games, state["games"], strict=True):
            game.restore(saved)


def samples(rollout: Rollout, discount: float, trace: float) -> dict[Phase, Samples]:
    """The learner's decisions by phase, with their advantages and returns."""
    first, votes = advantages(rollout, discount, trace)
    batch = {}
    for phase, turns in rollout.decisions.items():
        advantage = votes if phase is Phase.VOTES else first
        made = _concatenated([some for some, _ in turns])
        own = torch.cat([advantage[turn][decided] for turn, (_, decided) in enumerate(turns)])
        batch[phase] = made._replace(advantage=own, returns=made.value + own)
    return batch


def advantages(rollout: Rollout, discount: float, trace: float) -> tuple[Tensor, Tensor]:
    """Generalised advantage estimation (Schulman et al. 2016) along each seat's own decisions.

    Args:
        rollout: the turns, with T ≥ 1.
        discount: γ from one turn to the next; within a turn nothing is discounted.
        trace: λ, from decision to decision.

    Returns:
        The advantages of the first decisions and of the votes, each (T, B, P).
    """
    first, votes = torch.zeros_like(rollout.first_value), torch.zeros_like(rollout.vote_value)
    next_value, next_advantage = rollout.next_value, torch.zeros_like(rollout.next_value)
    for turn in reversed(range(len(rollout.storytellers))):
        first_value, vote_value = rollout.first_value[turn], rollout.vote_value[turn]
        goes_on = ~rollout.over[turn, :, None]
        backup = rollout.rewards[turn] + discount * goes_on * next_value  # (B, P) one step from the last decision
        later = discount * trace * goes_on * next_advantage
        votes[turn] = backup - vote_value + later
        first[turn] = vote_value - first_value + trace * votes[turn]
        storyteller = rollout.storytellers[turn]
        first[turn, :, storyteller] = (backup - first_value + later)[:, storyteller]
        votes[turn, :, storyteller] = 0
        next_value, next_advantage = first_value, first[turn]
    return first, votes


def _polynomial_decay(mean: Tensor, new: Tensor, count: Tensor | int) -> Tensor:
    """Polynomial-decay averaging (Shamir and Zhang 2013) with η = 3."""
    return mean + 4 / (count + 4) * (new - mean)


def _concatenated(parts: Sequence[Samples]) -> Samples:
    inputs = Inputs(*(torch.cat(values) for values in zip(*(part.inputs for part in parts), strict=True)))
    rest = zip(*(part[1:] for part in parts), strict=True)
    return Samples(inputs, *(torch.cat(values) for values in rest))


def _normalised(values: Tensor) -> Tensor:
    return (values - values.mean()) / (values.std() + 1e-8)


def _explained(value: Tensor, returns: Tensor) -> float:
    """The share of the variance of the returns that the values explain."""
    return (1 - (returns - value).var() / returns.var().clamp(min=1e-8)).item()
