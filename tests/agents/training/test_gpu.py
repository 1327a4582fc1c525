"""A GPU plays and learns what a CPU does, step by step, from the same shuffles, actions and noise.

`make gpu` runs these on a machine with a GPU. Elsewhere the comparisons compare the CPU with itself, which shows that
they compare what they should, and what is marked `gpu` is skipped.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close
from torch.utils._pytree import tree_map_only

from dixit_env.agents.training import vote_optimality
from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.eyed_game import EyedGame
from dixit_env.agents.training.eyes import EyeRange, ReadDeck
from dixit_env.agents.training.ppo import Learner, Rollout, samples
from dixit_env.agents.training.run import Run, Training, make_learner
from dixit_env.agents.training.scripted import SCRIPTED
from dixit_env.agents.training.task import Task
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.shuffles import Shuffles
from dixit_env.game.engine import Phase

CPU = torch.device("cpu")
ON_GPU = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU here"))
DEVICES = [CPU, pytest.param(torch.device("cuda"), marks=ON_GPU)]
TABLE = ClipTable.random(clues=100, width=8, rungs=3)
SMALL = Training(players=4, envs=16, turns=3, minibatches=2, evaluation_deals=8, width=16, eyes="noise:0.67")

Tensors = Any  # a tensor, or a tuple, a list or a mapping of them


class Kept:
    """The shuffles of another source, which are kept."""

    def __init__(self, source: Shuffles) -> None:
        self.source = source
        self.orders: deque[Tensor] = deque()

    def _keep(self, order: Tensor) -> Tensor:
        self.orders.append(order.clone())
        return order

    def deal(self, games: Tensor) -> Tensor:
        return self._keep(self.source.deal(games))

    def table(self) -> Tensor:
        return self._keep(self.source.table())

    def reshuffle(self, games: Tensor, keep: Tensor) -> Tensor:
        return self._keep(self.source.reshuffle(games, keep))


class Again:
    """Kept shuffles once more, on a device."""

    def __init__(self, kept: Kept, device: torch.device) -> None:
        self.kept, self.device = kept, device

    def table(self) -> Tensor:
        return self.kept.orders.popleft().to(self.device)

    def deal(self, games: Tensor) -> Tensor:
        return self.table()

    def reshuffle(self, games: Tensor, keep: Tensor) -> Tensor:
        return self.table()


def dealt_alike(here: BatchedGame, there: BatchedGame) -> None:
    """Begin both batches anew; from here on `there` gets the shuffles of `here`."""
    here.shuffles = kept = Kept(here.shuffles)
    there.shuffles = Again(kept, there.device)
    here.reset()
    there.reset()


def on(device: torch.device, values: Tensors) -> Tensors:
    return tree_map_only(Tensor, lambda value: value.to(device), values)


def assert_same(there: Sequence[Tensor], here: Sequence[Tensor], device: torch.device) -> None:
    """Whole numbers and truth values are equal, floats but for rounding; and what is `there` is on the device."""
    for found, expected in zip(there, here, strict=True):
        assert found.device.type == device.type
        assert_close(found.cpu(), expected)


@pytest.mark.parametrize(
    ("rules", "players", "reward"),
    [("odyssey", 6, "points"), ("odyssey", 3, "difference"), ("odyssey-2011", 7, "win"), ("dixit-2008", 4, "win")],
)
@pytest.mark.parametrize("device", DEVICES)
def test_batched_games_are_the_same(device: torch.device, rules: str, players: int, reward: Any) -> None:
    settings = {"players": players, "rules": rules, "clip": TABLE, "embeddings": True, "reward": reward}
    here, there = BatchedGame(24, **settings), BatchedGame(24, device=device, **settings)
    dealt_alike(here, there)
    ended = torch.zeros(24, dtype=torch.bool)
    for _ in range(75):
        everybody = range(players)
        assert_same([there.observe(everybody), there.observe()], [here.observe(everybody), here.observe()], device)
        assert_same([there.masks(everybody), there.masks()], [here.masks(everybody), here.masks()], device)
        actions = here.random_actions()
        wild = torch.randint(here.spaces.actions, actions.shape, generator=here.generator)
        actions = torch.where(torch.rand(actions.shape, generator=here.generator) < 0.1, wild, actions)
        step = here.step(actions)
        assert_same(there.step(actions.to(device)), step, device)
        ended |= step.over
    assert ended.float().mean() > 0.9


@pytest.mark.parametrize("device", DEVICES)
def test_random_games_are_legal(device: torch.device) -> None:
    """The GPU's own shuffles and random actions."""
    game = BatchedGame(256, players=5, rules="dixit", device=device)
    cards = torch.arange(84, device=device).expand(256, -1)
    ended = torch.zeros(256, dtype=torch.bool, device=device)
    for _ in range(60):
        step = game.step(game.random_actions())
        assert not step.illegal.any()
        ended |= step.over
        if game.phase is Phase.CLUE:
            assert torch.equal(torch.cat((game.hands.flatten(1), game.stock), 1).sort(1).values.long(), cards)
    assert ended.float().mean() > 0.5
    assert len({tuple(row) for row in game.hands.flatten(1).tolist()}) == 256


@pytest.mark.parametrize("device", DEVICES)
def test_the_network_and_scripted_agents_get_and_choose_the_same(
    device: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where two choices are worth the same but for rounding, either may be made: one choice of a thousand differs at
    most. The others draw from generators of the devices' own, so their choices are only legal."""
    deck = ReadDeck.of(TABLE)
    tasks = [Task(deck, 4, "odyssey", EyeRange(0.67, 0.67), device=where) for where in (CPU, device)]
    here, there = (task.new_games(64, seed=3) for task in tasks)
    dealt_alike(here, there)
    noise = torch.Generator().manual_seed(5)
    choices_there = torch.Generator(device)
    alike: defaultdict[tuple[str, Phase], list[Tensor]] = defaultdict(list)
    for _ in range(36):
        there.eyes = here.eyes.to(device)  # each device draws its own
        batch, other = (
            task.decisions(game, game.observe(), game.masks(), generator)
            for task, game, generator in zip(tasks, (here, there), (noise, choices_there), strict=True)
        )
        assert_same(other.inputs, batch.inputs, device)
        assert_same([other.legal], [batch.legal], device)
        drawn = batch.noise()
        monkeypatch.setattr(DecisionBatch, "noise", lambda made, drawn=drawn: drawn.to(made.legal.device, copy=True))
        for name, port in SCRIPTED.items():
            chosen, chosen_there = port(batch), port(other)
            drawn = other.legal.gather(1, chosen_there.clamp(max=other.legal.shape[1] - 1)[:, None])
            assert (drawn.squeeze(1) | (chosen_there >= other.legal.shape[1])).all(), "legal, or a clue on no rung"
            if name in ("random", "greedy"):
                alike[name, here.phase].append(chosen_there.cpu() == chosen)
        monkeypatch.undo()
        actions = chosen.view(64, -1) + here.spaces.first[here.phase]
        step = here.step(actions)
        assert_same(there.step(actions.to(device)), step, device)
    for key, same in alike.items():
        assert torch.cat(same).float().mean() > 0.999, key


@pytest.mark.parametrize("device", DEVICES)
def test_an_update_of_ppo_is_the_same(device: torch.device) -> None:
    """From one rollout: advantages, figures of the loss, and where the weights go in a tenth of a step of Adam."""
    settings = replace(SMALL, minibatches=1)  # one minibatch: the order of the samples does not matter
    here, there = (make_learner(settings, ReadDeck.of(TABLE), where) for where in (CPU, device))
    there.policy.load_state_dict(here.policy.state_dict())
    rollout, _ = here.collect_rollout()
    moved = Rollout(*[on(device, getattr(rollout, field.name)) for field in fields(Rollout)])
    batch, other = (samples(one, settings.gamma, settings.trace) for one in (rollout, moved))
    for phase, some in batch.items():
        assert_same(other[phase].inputs, some.inputs, device)
        assert_same(other[phase][1:], some[1:], device)
    before = [value.clone() for value in here.policy.parameters()]
    figures, figures_there = here.optimise(batch), there.optimise(other)
    assert figures_there == pytest.approx(figures, rel=1e-3, abs=1e-4)
    after = [value.detach() for value in here.policy.parameters()]
    assert max((new - old).abs().max() for new, old in zip(after, before, strict=True)) > settings.learning_rate
    for found, expected in zip(there.policy.parameters(), after, strict=True):
        assert_close(found.detach().cpu(), expected, rtol=0, atol=settings.learning_rate / 10)


@pytest.mark.parametrize("device", [pytest.param(torch.device("cuda"), marks=ON_GPU)])
def test_a_run_trains_evaluates_and_goes_on(
    device: torch.device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that `train.py` does, with everything on the GPU, against a trained policy too."""
    monkeypatch.setattr(vote_optimality, "GAMES", 16)
    monkeypatch.setattr(vote_optimality, "TURNS", 3)

    def learner(settings: Training) -> Learner:
        return make_learner(settings, ReadDeck.of(TABLE), device)

    settings = replace(SMALL, updates=2)
    run = Run(settings, learner(settings), tmp_path)
    run.go()
    assert run.learner.updates == 2
    assert {value.device.type for value in run.learner.policy.parameters()} == {device.type}
    resumed = Run(settings, learner(settings), tmp_path)
    resumed.load()
    games: list[EyedGame] = [one.learner.game for one in (run, resumed)]
    for _ in range(9):
        first, second = (game.step(game.random_actions()) for game in games)
        assert all(map(torch.equal, first, second))
    resumed.learner.update()
    trained = replace(settings, best_response=f"learned:{tmp_path / 'best.safetensors'}", updates=1)
    exploiter = Run(trained, learner(trained), tmp_path / "exploiter")
    exploiter.go()
    assert 0 <= exploiter.results()["best_response"]["win_share"] <= 1
