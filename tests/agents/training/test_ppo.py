"""PPO: who is credited for what, what a learner learns from, and whom it plays against."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from learners import learner
from numpy.testing import assert_allclose

from dixit_env import DixitError
from dixit_env.agents.clip.player_models import HABITS
from dixit_env.agents.clip.storyteller import PLAINNESS
from dixit_env.agents.hooks import hook
from dixit_env.agents.training import scripted
from dixit_env.agents.training.opponents import LEARNER_SHARE, PAST_SHARE
from dixit_env.agents.training.ppo import Learner, Rollout, Samples, advantages, samples
from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.clip_table import ClipTable
from dixit_env.game.engine import Phase
from dixit_env.models.policy import Inputs


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


@pytest.mark.parametrize("play_as", scripted.SCRIPTED.values(), ids=scripted.SCRIPTED.keys())
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
    chosen, sure = scripted.viewer(batch), scripted.greedy(batch)
    stacked, spread = HABITS.stacking
    kinds = batch.choices.kind[chosen]
    assert float((kinds == 1).float().mean()) == pytest.approx(stacked / (stacked + spread), abs=0.04)
    hit = (batch.choices.first[chosen] == batch.choices.first[sure]).float().mean()
    assert 0.3 < float(hit) < 0.7


def test_viewers_tell_as_plainly_as_the_prior_of_players_has_it(table: ClipTable) -> None:
    """The clue nearest to a plainness that is drawn, for any card of the hand."""
    made = learner(table, envs=2048)
    batch = made.task.decisions(made.game, made.game.observe(), made.game.masks(), made.generator)
    chosen = scripted.viewer(batch)
    rungs = made.game.ladders.shape[2]
    assert_allclose((chosen // rungs).bincount() / len(chosen), 1 / 6, atol=0.03)
    told = batch.z.gather(1, chosen[:, None]).squeeze(1)
    expected = (HABITS.plainness * np.minimum(PLAINNESS, float(batch.z.max(1).values.mean()))).sum()
    assert float(told.mean()) == pytest.approx(expected, abs=0.15)


def test_greedy_stacks_on_the_best_match_that_is_not_its_own(table: ClipTable) -> None:
    made = learner(table)
    game = made.game
    for _ in range(2):
        game.step(game.random_actions())
    batch = made.task.decisions(game, game.observe(), game.masks(), made.generator)
    chosen = scripted.greedy(batch)
    z = batch.z.masked_fill(batch.inputs.items[..., -1] > 0, -torch.inf)
    assert torch.equal(batch.choices.first[chosen], z.argmax(1))
    assert (batch.choices.kind[chosen] == 1).all()


def test_ablations_take_away_what_they_name(table: ClipTable) -> None:
    alone = learner(table, no_league=True, no_scripted=True)
    alone.collect_rollout()
    assert alone.pool.learner_seats.all()
    assert (learner(table, no_clip=True).eval_task.encoder.marks == 0).all()


def blindfold(inputs: Inputs) -> Inputs:
    """An observation hook for tests."""
    return inputs._replace(items=torch.zeros_like(inputs.items))


def test_own_opponents_and_observations_take_part(table: ClipTable) -> None:
    here = learner(table, no_league=True, no_scripted=True, opponent=("learners:first_legal",))
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
