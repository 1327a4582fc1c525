"""PPO: credit, ratios, opponents, resuming, several processes, and that it learns."""

import json
import os
import re
import signal
import subprocess
import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from numpy.testing import assert_allclose

from dixit_env import DixitError, edition, play
from dixit_env.agents.clip.player_models import HABITS
from dixit_env.agents.hooks import hook
from dixit_env.agents.training import scripted_ports, vote_optimality
from dixit_env.agents.training.evaluation import alone, evaluate, most_probable
from dixit_env.agents.training.eyes import EyedGame, ReadDeck
from dixit_env.agents.training.imitation import imitate
from dixit_env.agents.training.opponents import LEARNER_SHARE, PAST_SHARE
from dixit_env.agents.training.ppo import Learner, Rollout, Samples, advantages, samples
from dixit_env.agents.training.run import Run, Training, make_learner
from dixit_env.agents.training.task import Task
from dixit_env.agents.training.vote_optimality import spreading
from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.spaces import PHASES
from dixit_env.game.engine import Phase
from dixit_env.models.checkpoint import load_policy
from dixit_env.models.policy import Inputs
from dixit_env.models.sight import Sight
from dixit_env.table.records import recorded

CPU = torch.device("cpu")
SMALL = Training(
    players=4, envs=16, turns=3, minibatches=2, evaluation_deals=8, device="cpu", width=16, eyes="noise:0.67"
)


@pytest.fixture(scope="module")
def table() -> ClipTable:
    return ClipTable.random(cards=60, clues=300)


def learner(table: ClipTable, **changes: Any) -> Learner:
    return make_learner(replace(SMALL, **changes), ReadDeck.of(table), CPU)


def played(made: Learner) -> dict[Phase, Samples]:
    """The samples of one rollout."""
    rollout, _ = made.collect_rollout()
    return samples(rollout, made.ppo.gamma, made.ppo.trace)


def seat_number(game: BatchedGame, step: Step) -> torch.Tensor:
    """A reward for tests: every turn, every seat gets its number."""
    return torch.arange(float(game.players)).expand(game.games, -1)


# Credit


def test_advantages_follow_each_seat_by_hand() -> None:
    """Two turns, one game, three seats; seat 0 is the storyteller, then seat 1. Discount 0.5 a turn, λ 0.8."""
    first = torch.tensor([[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]])
    second = torch.tensor([[[9.0, 0.5, 1.5]], [[2.5, 9.0, 3.5]]])  # 9: the storyteller has no second decision
    rewards = torch.tensor([[[3.0, 0.0, 6.0]], [[1.0, 3.0, 2.0]]])
    after = torch.tensor([[2.0, 4.0, 8.0]])
    over = torch.zeros((2, 1), dtype=torch.bool)
    gain_first, gain_second = advantages(Rollout(first, second, rewards, over, [0, 1], after), 0.5, 0.8)

    # Turn 2. Seats 0 and 2 vote last: reward + 0.5 · after − value of the vote; before it the decoy.
    vote_0, vote_2 = 1 + 1 - 2.5, 2 + 4 - 3.5
    decoy_0, decoy_2 = (2.5 - 4) + 0.8 * vote_0, (3.5 - 6) + 0.8 * vote_2
    clue_1 = 3 + 2 - 5
    assert_allclose(gain_second[1, 0], [vote_0, 0, vote_2], rtol=1e-5)
    assert_allclose(gain_first[1, 0], [decoy_0, clue_1, decoy_2], rtol=1e-5, atol=1e-6)
    # Turn 1. Seat 0 was the storyteller: its next decision is the decoy of turn 2. Seats 1 and 2 voted.
    clue_0 = (3 + 0.5 * 4 - 1) + 0.5 * 0.8 * decoy_0
    vote_1 = (0 + 0.5 * 5 - 0.5) + 0.5 * 0.8 * clue_1
    vote_2 = (6 + 0.5 * 6 - 1.5) + 0.5 * 0.8 * decoy_2
    assert_allclose(gain_second[0, 0], [0, vote_1, vote_2], rtol=1e-5)
    assert_allclose(gain_first[0, 0], [clue_0, (0.5 - 2) + 0.8 * vote_1, (1.5 - 3) + 0.8 * vote_2], rtol=1e-5)


def test_nothing_after_the_end_of_a_game_counts() -> None:
    shape = (2, 1, 3)
    values, rewards = torch.rand(shape), torch.rand(shape)
    over = torch.tensor([[True], [False]])
    after = torch.rand(1, 3)
    one = advantages(Rollout(values, values, rewards, over, [0, 1], after), 0.9, 0.9)
    rewards[1] += 100
    other = advantages(Rollout(values, values, rewards, over, [0, 1], after + 7), 0.9, 0.9)
    assert torch.equal(one[0][0], other[0][0])
    assert torch.equal(one[1][0], other[1][0])
    assert not torch.equal(one[0][1], other[0][1])


def test_every_decision_is_credited_to_the_seat_that_made_it(table: ClipTable) -> None:
    """With values 0 and no future the advantage is the seat's own reward, here its number."""
    made = learner(table, discount=0.0, trace=1.0, no_league=True, no_scripted=True, reward=f"{__name__}:seat_number")
    for head in made.policy.values:
        torch.nn.init.zeros_(head.get_parameter("weight"))
    batch = played(made)  # the storyturns_as_storyteller are seats 0, 1 and 2
    for turn, storyteller in enumerate((0, 1, 2)):
        others = [float(seat) for seat in range(4) if seat != storyteller]
        assert batch[Phase.CLUE].advantage.view(3, 16)[turn].tolist() == [storyteller] * 16
        for phase in (Phase.CARDS, Phase.VOTES):
            assert batch[phase].advantage.view(3, 16, 3)[turn].tolist() == [others] * 16


def test_who_finds_a_card_and_who_is_the_learner_are_told_apart(table: ClipTable) -> None:
    made = learner(table)
    game, seats = made.game, made.pool
    for _ in range(2):
        game.step(game.random_actions())
    seats.learner_seats = torch.zeros((16, 4), dtype=torch.bool)
    seats.learner_seats[:8, [game.storyteller, game.seats[0]]] = True  # storyteller in eight games, and a voter there
    votes = made.eval_task.encoder.choices[Phase.VOTES]
    target = game.slot_of[:, game.storyteller * game.rules.gives, None]
    held = votes.count(torch.arange(len(votes))[None], target)
    right, wrong = held.argmax(1), held.argmin(1)
    found, own = made._found(game, torch.stack((right, wrong, right), dim=1))
    assert found.tolist() == [[1, 0, 1]] * 16
    assert own.tolist() == [[True, False, False]] * 8 + [[False] * 3] * 8


def test_a_clue_earns_the_more_the_more_strangers_find_its_card(table: ClipTable) -> None:
    """With values 0 and no future the advantage is the reward: `understood` adds its part to that of clues alone."""

    def rewarded(understood: float) -> tuple[dict[Phase, Samples], float]:
        made = learner(table, discount=0.0, trace=1.0, understood=understood)
        made.pool.learner_share = 0  # one seat is the learner's, so all others are strangers
        for head in made.policy.values:
            torch.nn.init.zeros_(head.get_parameter("weight"))
        rollout, figures = made.collect_rollout()
        return samples(rollout, 0.0, 1.0), figures["found_by/others"]

    (plain, found), (fond, _) = rewarded(0.0), rewarded(3.0)
    gained = fond[Phase.CLUE].advantage - plain[Phase.CLUE].advantage
    assert gained.mean() == pytest.approx(3 * found, abs=1e-5)
    assert set(gained.round().tolist()) > {0.0}
    for phase in (Phase.CARDS, Phase.VOTES):
        assert torch.equal(fond[phase].advantage, plain[phase].advantage)


def test_looking_ahead_leaves_the_games_where_they_are(table: ClipTable) -> None:
    made = learner(table)
    before = {name: value.clone() for name, value in vars(made.game).items() if isinstance(value, torch.Tensor)}
    made.bootstrap_value()
    assert made.game.phase is Phase.CLUE
    for name, value in before.items():
        assert torch.equal(value, getattr(made.game, name)), name


# The policy's part


def test_ratio_is_one_in_the_first_epoch(table: ClipTable) -> None:
    made = learner(table)
    batch = played(made)
    for phase, some in batch.items():
        assert len(some.value) > 0
        log_probs, value = made.policy(some.inputs, phase, made.task.encoder.choices[phase], some.legal)
        chosen = log_probs.gather(1, some.choice[:, None]).squeeze(1)
        assert_allclose((chosen - some.log_prob).exp().detach(), 1, rtol=1e-4)
        assert_allclose(value.detach(), some.value, atol=1e-5)


def test_all_that_is_learned_from_was_legal_and_the_learners_own(table: ClipTable) -> None:
    made = learner(table)
    batch = played(made)
    for some in batch.values():
        assert some.legal.gather(1, some.choice[:, None]).all()
    own = int(made.pool.learner_seats.sum())
    decisions = {phase: len(some.choice) for phase, some in batch.items()}
    turns_as_storyteller = int(made.pool.learner_seats[:, [0, 1, 2]].sum())  # three turns
    assert decisions[Phase.CLUE] == turns_as_storyteller
    assert decisions[Phase.CARDS] == decisions[Phase.VOTES] == 3 * own - turns_as_storyteller
    assert own < 16 * 4


def test_most_of_the_others_are_somebody_else(table: ClipTable) -> None:
    """The learner sits in every game; most others are scripted agents, each of them as often as the next."""
    seats = learner(table, players=6, envs=32).pool
    seats.assign_seats(4000, torch.Generator().manual_seed(0))
    assert seats.learner_seats.any(1).all()
    assert_allclose((seats.learner_seats.sum(1) - 1).float().mean() / 5, LEARNER_SHARE, atol=0.01)
    assert_allclose(seats.learner_seats.float().mean(0), (1 + 5 * LEARNER_SHARE) / 6, atol=0.03)  # no seat is preferred
    others = seats.opponent_of[~seats.learner_seats].bincount() / (~seats.learner_seats).sum()
    past = PAST_SHARE / (1 - LEARNER_SHARE)
    assert_allclose(others, [(1 - past) / 4] * 4 + [past], atol=0.01)


@pytest.mark.parametrize("play_as", scripted_ports.SCRIPTED.values(), ids=scripted_ports.SCRIPTED.keys())
def test_scripted_opponents_make_legal_moves_only(play_as: Any, table: ClipTable) -> None:
    made = learner(table, players=3)
    game = made.game
    for _ in range(6):
        batch = made.task.decisions(game, game.observe(), game.masks(), made.generator)
        step = game.step(play_as(batch).view(16, -1) + game.spaces.first[game.phase])
        assert not step.illegal.any()


def test_viewers_vote_as_the_prior_of_players_has_it(table: ClipTable) -> None:
    """Less sure of the best match than greedy, and with as many stacked votes as there are expected."""
    made = learner(table, envs=512)
    game = made.game
    for _ in range(2):
        game.step(game.random_actions())
    batch = made.task.decisions(game, game.observe(), game.masks(), made.generator)
    chosen, sure = scripted_ports.viewer(batch), scripted_ports.greedy(batch)
    stacked, spread = HABITS.stacking
    kinds = batch.choices.kind[chosen]
    assert float((kinds == 1).float().mean()) == pytest.approx(stacked / (stacked + spread), abs=0.04)
    hit = (batch.choices.first[chosen] == batch.choices.first[sure]).float().mean()
    assert 0.3 < float(hit) < 0.7


def test_greedy_stacks_on_the_best_match_that_is_not_its_own(table: ClipTable) -> None:
    made = learner(table)
    game = made.game
    for _ in range(2):
        game.step(game.random_actions())
    batch = made.task.decisions(game, game.observe(), game.masks(), made.generator)
    chosen = scripted_ports.greedy(batch)
    z = batch.z.masked_fill(batch.inputs.items[..., -1] > 0, -torch.inf)
    assert torch.equal(batch.choices.first[chosen], z.argmax(1))
    assert (batch.choices.kind[chosen] == 1).all()


def test_ablations_take_away_what_they_name(table: ClipTable) -> None:
    alone = learner(table, no_league=True, no_scripted=True)
    alone.collect_rollout()
    assert alone.pool.learner_seats.all()
    assert (learner(table, no_clip=True).eval_task.encoder.marks == 0).all()


def first_legal(batch: scripted_ports.DecisionBatch) -> torch.Tensor:
    """An opponent for tests."""
    return batch.legal.float().argmax(1)


def blindfold(inputs: Inputs) -> Inputs:
    """An observation hook for tests."""
    return inputs._replace(items=torch.zeros_like(inputs.items))


def test_own_opponents_and_observations_take_part(table: ClipTable) -> None:
    here = learner(table, no_league=True, no_scripted=True, opponent=(f"{__name__}:first_legal",))
    here.pool.learner_seats[:] = True
    decisions, _, made = here.act(here.game)
    here.pool.learner_seats[-1] = False
    *_, theirs = here.act(here.game)
    assert theirs[-1] == 0
    assert (theirs[:12] != 0).any()
    assert made.shape == (16, 1)
    assert (decisions.inputs.items != 0).any()
    blind = learner(table, observe=f"{__name__}:blindfold")
    assert (blind.act(blind.game)[0].inputs.items == 0).all()


def test_the_functions_in_the_documentation_work(table: ClipTable, root: Path) -> None:
    text = (root / "docs" / "training.md").read_text(encoding="utf-8")
    example = next(block for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if "def shy" in block)
    functions: dict[str, Any] = {}
    exec(example, functions)
    made = learner(table)
    made.reward, made.pool.scripted = functions["shy"], (functions["stubborn"],)
    made.observe = made.pool.observe = functions["no_scores"]
    made.update()
    samples, *_ = made.act(made.game)
    assert (samples.inputs.players[..., :3] == 0).all()


def test_past_selves_read_what_the_learner_reads(table: ClipTable) -> None:
    read: list[int] = []

    def watched(inputs: Inputs) -> Inputs:
        read.append(len(inputs.items))
        return inputs

    made = learner(table, no_scripted=True)
    made.observe = made.pool.observe = watched
    made.act(made.game)
    assert sum(read) == 16  # the storyturns_as_storyteller of all games, whoever they are


def test_a_hook_that_is_not_there_is_told() -> None:
    assert hook(f"{__name__}:seat_number") is seat_number
    for path in ("nothing", "json:nothing", "no.such.module:name", ".relative:name", ":", "sys:path"):
        with pytest.raises(DixitError, match=r"package\.module:name"):
            hook(path)


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

    def player(batch: scripted_ports.DecisionBatch) -> torch.Tensor:
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
    those = list(scripted_ports.SCRIPTED.values())
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
    before = evaluate(task, player, scripted_ports.random, deals=100, seed=1)
    for _ in range(25):
        made.update()
    after = evaluate(task, player, scripted_ports.random, deals=100, seed=1)
    assert after.low > max(0.6, before.high)


# Several processes


def torchrun(root: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "29617"]
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
