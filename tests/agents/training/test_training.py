"""Training runs: resuming, evaluations, several processes, and that something is learned."""

import json
import os
import signal
import subprocess
import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from learners import CPU, SMALL, first_legal, learner
from numpy.testing import assert_allclose

from dixit_env import DixitError, edition, play
from dixit_env.agents.training import scripted, vote_optimality
from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.evaluation import alone, evaluate, most_probable
from dixit_env.agents.training.eyed_game import EyedGame
from dixit_env.agents.training.eyes import ReadDeck
from dixit_env.agents.training.imitation import imitate
from dixit_env.agents.training.ppo import Learner
from dixit_env.agents.training.run import Run, make_learner
from dixit_env.agents.training.task import Task
from dixit_env.agents.training.vote_optimality import spreading
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.spaces import PHASES
from dixit_env.game.engine import Phase
from dixit_env.models.checkpoint import load_policy
from dixit_env.models.sight import Sight
from dixit_env.table.records import recorded

# A run


def test_a_run_that_was_stopped_goes_on_bit_for_bit(table: ClipTable, tmp_path: Path) -> None:
    def trained(out: Path, updates: int, resume: bool) -> None:
        settings = replace(SMALL, updates=updates)
        run = Run(settings, make_learner(settings, ReadDeck.of(table), CPU), out)
        if resume:
            run.load()
        run.go()

    trained(tmp_path / "whole", 5, resume=False)
    trained(tmp_path / "parts", 2, resume=False)
    with (tmp_path / "parts" / "log.jsonl").open("a") as file:
        file.write('{"update": 3, "minutes"')  # the kill came in mid-line
    trained(tmp_path / "parts", 5, resume=True)
    whole, _ = load_policy(tmp_path / "whole" / "last.safetensors")
    parts, config = load_policy(tmp_path / "parts" / "last.safetensors")
    assert config["players"] == 4
    for name, value in whole.state_dict().items():
        assert torch.equal(value, parts.state_dict()[name]), name
    lines = [json.loads(line) for line in (tmp_path / "parts" / "log.jsonl").read_text().splitlines()]
    assert [line["update"] for line in lines if "kl/clue" in line] == [1, 2, 3, 4, 5]


def test_practice_takes_other_decks_in_turn_and_resumes(table: ClipTable) -> None:
    others = [ClipTable.random(seed=seed) for seed in (1, 2)]

    def made() -> Learner:
        return make_learner(SMALL, ReadDeck.of(table), CPU, [ReadDeck.of(other) for other in others])

    here = made()
    decks = []
    for _ in range(5):
        decks.append(here.task.deck.table)
        here.update()
    assert decks == [others[0], others[1], others[0], others[1], others[0]]  # never the one it is measured on
    assert here.eval_task.deck.table is table

    again = made()
    again.restore(deepcopy(here.state()))
    here.update()
    again.update()
    for name, value in here.policy.state_dict().items():
        assert torch.equal(value, again.policy.state_dict()[name]), name


def test_another_network_is_not_resumed(table: ClipTable, tmp_path: Path) -> None:
    settings = replace(SMALL, updates=0)
    Run(settings, make_learner(settings, ReadDeck.of(table), CPU), tmp_path).go()
    wide = replace(settings, width=24)
    with pytest.raises(DixitError, match="resume it with the same"):
        Run(wide, make_learner(wide, ReadDeck.of(table), CPU), tmp_path).load()


def test_settings_that_cannot_work_are_told() -> None:
    with pytest.raises(DixitError, match="must be 1 or more"):
        replace(SMALL, turns=0)
    with pytest.raises(DixitError, match="too few clues"):
        replace(SMALL, envs=15)


def test_another_seed_is_another_run(table: ClipTable) -> None:
    one, same, other = (learner(table, seed=seed) for seed in (0, 0, 1))
    for made in (one, same, other):
        made.update()
    weights = [made.policy.item.get_parameter("0.weight") for made in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_deals_and_choices_come_from_separate_streams(table: ClipTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generators of one seed draw the same numbers: then how the cards fall would foretell what opponents do."""
    deals, choices = set(), set()
    new_games = Task.new_games

    def dealt(task: Task, count: int, seed: int, **more: Any) -> EyedGame:
        deals.add(seed)
        return new_games(task, count, seed, **more)

    def player(batch: DecisionBatch) -> torch.Tensor:
        choices.add(batch.generator.initial_seed())
        return first_legal(batch)

    made = learner(table)
    monkeypatch.setattr(Task, "new_games", dealt)
    evaluate(made.eval_task, first_legal, player, deals=4, seed=5)
    alone(made.eval_task, player, [first_legal], deals=4, seed=5)
    assert len(deals) == len(choices) == 1  # the same for both seatings: games are paired
    made.pool.scripted = (player,)
    monkeypatch.setattr(vote_optimality, "GAMES", 16)
    monkeypatch.setattr(vote_optimality, "TURNS", 1)
    vote_optimality._play(made, seed=5)
    assert len(deals) == len(choices) == 2
    assert len(deals | choices | {5}) == 5


def test_equals_win_half(table: ClipTable) -> None:
    """The policy against the greedy agent would be 0.5 if it were the greedy agent; seats and deals cancel exactly."""

    class Same(torch.nn.Module):
        def forward(self, inputs: Any, phase: Phase, choices: Any, legal: torch.Tensor) -> tuple[torch.Tensor, None]:
            return torch.zeros(legal.shape).masked_fill(~legal, -1e9), None

    made = learner(table)
    made.average.module = Same()
    share = evaluate(made.eval_task, most_probable(made.averaged_policy), first_legal, deals=60, seed=0)
    assert share.low <= 0.5 <= share.high


def test_alone_others_play_the_same_games_in_its_place(table: ClipTable) -> None:
    made = learner(table)
    those = list(scripted.SCRIPTED.values())
    blind, *others = (alone(made.eval_task, play_as, those, deals=60, seed=0) for play_as in those)
    assert blind.high < 1 / 4  # of four seats, most of the others read clues
    assert all(share.low > blind.high for share in others)


@pytest.mark.parametrize(("kind", "agrees"), [(1, 1), (2, 0)], ids=["stacking", "spreading"])
def test_a_policy_is_held_against_the_rule_for_its_objective(table: ClipTable, kind: int, agrees: float) -> None:
    made = learner(table)
    votes = made.averaged_policy.heads[PHASES.index(Phase.VOTES)]
    with torch.no_grad():
        votes.get_parameter("weight").zero_()
        votes.get_parameter("bias")[kind] = 50  # twice the same, or two
    found = spreading(made)
    assert found.agrees == pytest.approx(agrees, abs=1e-6)
    assert_allclose(found.spread[found.counts > 0], kind - 1, atol=1e-6)
    assert_allclose(found.rule[found.counts > 0], 0)  # for the lead over the others it never pays


@pytest.mark.slow
def test_records_are_imitated(sight: Sight, tmp_path: Path) -> None:
    from dixit_env.agents.registry import make_agents

    for seed in range(3):
        agents = make_agents(["greedy"] * 4, sight)
        for _ in recorded(play(agents, edition("odyssey"), sight.deck, seed), tmp_path / f"{seed}.jsonl"):
            pass
    made = make_learner(replace(SMALL, envs=8, minibatches=1, width=48), ReadDeck.through(sight), CPU)
    share = imitate(made, sight, tmp_path)
    assert share[Phase.VOTES] > 0.7  # the best match of five cards, twice
    assert set(share) == set(PHASES)
    with pytest.raises(DixitError, match="no game records"):
        imitate(made, sight, tmp_path / "empty")


def test_learning_succeeds_on_a_small_table(table: ClipTable) -> None:
    """A minute is enough by far to win most games against random players."""
    settings = replace(SMALL, envs=128, turns=4, learning_rate=4e-3, width=32, minibatches=4)
    made = make_learner(settings, ReadDeck.of(table), CPU)
    task, player = made.eval_task, most_probable(made.averaged_policy)
    before = evaluate(task, player, scripted.random, deals=100, seed=1)
    for _ in range(25):
        made.update()
    after = evaluate(task, player, scripted.random, deals=100, seed=1)
    assert after.low > max(0.6, before.high)


# Several processes


def torchrun(root: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    small = ["--players", "4", "--envs", "16", "--minibatches", "2", "--evaluation-deals", "8"]
    return subprocess.Popen(
        [*command, "scripts/train.py", *small, "--device", "cpu", "--out", str(out), *more],
        cwd=root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.slow
def test_two_processes_train_one_policy_and_go_on_with_it(root: Path, tmp_path: Path) -> None:
    for updates, more in ((3, ()), (5, ("--resume",))):
        process = torchrun(root, tmp_path / "two", "--updates", str(updates), "--minutes", "5", *more)
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said
        results = json.loads((tmp_path / "two" / "results.json").read_text())
        assert results["processes"] == 2
        assert results["updates"] == updates
        lines = [json.loads(line) for line in (tmp_path / "two" / "log.jsonl").read_text().splitlines()]
        logged = [line["update"] for line in lines if "kl/clue" in line]
        assert logged == list(range(1, updates + 1))  # written by one of them


@pytest.mark.slow
def test_a_dead_process_ends_the_job_with_a_word(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "dead"
    process = torchrun(root, out, "--minutes", "5")
    assert process.stdout is not None
    while not (out / "log.jsonl").exists() or not (out / "log.jsonl").read_text():
        assert process.poll() is None
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    said, _ = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "lost another process of this run" in said or "Signal 9" in said
