"""Eyes in batched games: how far seats agree, whose ladder a clue is from, and policies among strangers."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from PIL import Image

from dixit_env.agents.clip.agent import ClipAgent, ClipOptions
from dixit_env.agents.training.clip_seats import ClipSeats
from dixit_env.agents.training.cross_play import cross_play, draw
from dixit_env.agents.training.decisions import DecisionBatch
from dixit_env.agents.training.evaluation import alone
from dixit_env.agents.training.eyes import EyeRange, ReadDeck
from dixit_env.agents.training.players import fixed_player
from dixit_env.agents.training.run import Training, make_learner
from dixit_env.agents.training.scripted import SCRIPTED, clip, greedy
from dixit_env.agents.training.task import Task
from dixit_env.envs.batch_view import views
from dixit_env.envs.clip_table import ClipTable
from dixit_env.errors import SpecError
from dixit_env.game.engine import Phase
from dixit_env.models.eyes import noisy
from dixit_env.models.policy import MARKS
from dixit_env.models.sight import z_scores

NOISE = EyeRange(0.5, 0.5)
SMALL = Training(
    players=4, envs=16, turns=3, minibatches=2, evaluation_deals=2, device="cpu", width=16, eyes="noise:0.67"
)


@pytest.fixture(scope="module")
def table() -> ClipTable:
    return ClipTable.random(cards=60, clues=300)


@pytest.fixture(scope="module")
def task(table: ClipTable) -> Task:
    return Task(ReadDeck.of(table), 4, "odyssey", NOISE, seed=3)


def agreement(seats: list[np.ndarray]) -> float:
    """The mean over pairs of seats and over clues of the correlation over cards."""
    return float(np.mean([(one * other).mean() for one, other in combinations(seats, 2)]))


@pytest.mark.parametrize("asked", [0.2, 0.5, 0.67, 0.9])
def test_z_scores_of_two_seats_correlate_as_asked(table: ClipTable, asked: float) -> None:
    deck, rng = ReadDeck.of(table), np.random.default_rng(5)
    seats = [deck.seen(asked, rng)[0] for _ in range(8)]
    assert agreement(seats) == pytest.approx(asked, abs=0.03)
    assert np.mean([(seat * deck.ways[0]).mean() for seat in seats]) == pytest.approx(asked**0.5, abs=0.03)


def test_noise_is_that_of_tournaments(table: ClipTable) -> None:
    """There it is put on the cards' vectors: z-scores agree as far, and are spread over clues as much."""
    deck, rng = ReadDeck.of(table), np.random.default_rng(5)
    ours = [deck.seen(0.67, rng)[0] for _ in range(8)]
    theirs = [z_scores(table.clues @ noisy(table.cards, 0.67, seed).T) for seed in range(8)]
    assert agreement(ours) == pytest.approx(agreement(theirs), abs=0.03)
    for share in (0.5, 0.9, 0.99):
        assert_allclose(np.quantile(ours, share), np.quantile(theirs, share), atol=0.1)


def test_ways_of_reading_have_noise_of_their_own(table: ClipTable) -> None:
    """Two ways that say the same of every clue: their mean is less noisy than one."""
    (way,) = ReadDeck.of(table).ways
    deck, rng = replace(ReadDeck.of(table), ways=np.stack([way, way])), np.random.default_rng(5)
    assert agreement([deck.seen(0.5, rng)[0] for _ in range(8)]) == pytest.approx(0.5 / 0.75, abs=0.03)


def test_a_clue_that_nothing_vouches_for_says_less_to_its_teller_than_to_its_hearers(table: ClipTable) -> None:
    (way,) = ReadDeck.of(table).ways
    vouched = np.arange(len(way)) % 2 == 0
    heard, told = replace(ReadDeck.of(table), together=way * vouched[:, None]).seen(0.7, np.random.default_rng(5))
    assert_allclose(told[vouched], heard[vouched], atol=1e-5)  # one eye has one noise, whatever it looks at
    assert_allclose(told[~vouched], heard[~vouched] / 2, atol=1e-5)


def test_seats_of_a_game_have_different_eyes_of_one_agreement(table: ClipTable) -> None:
    pool = Task(ReadDeck.of(table), 4, "odyssey", EyeRange(0.3, 0.9)).pool
    eyes = pool.assigned(2000, 4, torch.Generator().manual_seed(0))
    each = len(pool.ladder) // len(pool.agreements)
    assert (eyes // each == eyes[:, :1] // each).all()
    assert all(len(set(row)) == 4 for row in eyes.tolist())
    assert_allclose(eyes.flatten().bincount(minlength=len(pool.ladder)) / 8000, 1 / len(pool.ladder), atol=0.02)
    assert 0.3 <= min(pool.agreements) < 0.5 < 0.7 < max(pool.agreements) <= 0.9


def test_through_shared_eyes_there_is_one(table: ClipTable) -> None:
    shared = Task(ReadDeck.of(table), 4, "odyssey", EyeRange())
    assert shared.pool.heard.shape == (1, 300, 60)
    assert_allclose(shared.pool.heard[0], z_scores(table.similarity), atol=1e-5)
    assert (shared.new_games(5, seed=0).eyes == 0).all()


def decided(task: Task, choose: Any, phase: Phase) -> tuple[Any, DecisionBatch, torch.Tensor]:
    """Games at a phase after random moves, with the decisions there and what `choose` makes of them."""
    game = task.new_games(32, seed=1)
    while game.phase is not phase:
        game.step(game.random_actions())
    batch = task.decisions(game, game.observe(), game.masks(), torch.Generator().manual_seed(0))
    return game, batch, choose(batch).view(32, -1)


def test_a_clue_stands_on_the_ladder_that_its_storyteller_sees(task: Task) -> None:
    game, batch, choice = decided(task, SCRIPTED["random"], Phase.CLUE)
    teller, hands = game.storyteller, game.hands[:, game.storyteller].long()
    game.step(choice + game.spaces.first[Phase.CLUE])
    for row in range(32):
        position, rung = game.spaces.clues[int(choice[row, 0])]
        eye, card = int(game.eyes[row, teller]), int(hands[row, position])
        assert int(game.clue[row]) == task.pool.ladder[eye, card, rung]
        seen = batch.inputs.items[row, int(choice[row, 0]), 0]
        assert seen == pytest.approx(task.pool.told[eye, card, rung, card])


def test_each_voter_reads_the_clue_through_its_own_eye(task: Task) -> None:
    game, batch, _ = decided(task, greedy, Phase.VOTES)
    eyes = game.eyes[:, list(game.seats)]
    expected = task.pool.heard[eyes[:, :, None], game.clue[:, None, None], game.slots.long()[:, None]]
    assert_allclose(batch.inputs.items[..., 0].view(expected.shape), expected, rtol=1e-5)
    assert batch.inputs.items.shape[2] == MARKS + 1


def test_eyes_change_with_the_game_and_are_taken_up_again(task: Task) -> None:
    game = task.new_games(16, seed=1)
    first = game.eyes
    saved = game.state()
    ended = torch.arange(16) < 8
    game.reset(ended)
    assert (game.eyes[8:] == first[8:]).all()
    assert (game.eyes[:8] != first[:8]).any()
    then = game.eyes
    game.restore(saved)
    assert torch.equal(game.eyes, first)
    game.reset(ended)
    assert torch.equal(game.eyes, then)


def test_past_turns_are_those_that_were_played(task: Task) -> None:
    """Scored by the rules of the turn engine they give the points of the batch."""
    game = task.new_games(16, seed=1)
    for _ in range(90):
        rows = [0, 3, 3, *range(16)]
        for row, history in zip(rows, game.histories(rows), strict=True):
            assert len(history) == int(game.turn[row]) - 1
            assert [turn.number for turn in history] == list(range(1, len(history) + 1))
            points = [turn.score.points for turn in history]
            assert [sum(of_seat) for of_seat in zip(*points, strict=True)] == game.scores[row].tolist() or not history
        game.step(game.random_actions())
    again = task.new_games(16, seed=2)
    again.restore(game.state())
    assert again.histories(range(16)) == game.histories(range(16))


def test_the_clip_agent_sits_there_itself(task: Task) -> None:
    """With the eye of its seat, what its view shows, and all that it has learned of the others."""
    options = ClipOptions(votes="points", decoy="argmax")  # draws nothing after the clue
    game, play = task.new_games(8, seed=1), ClipSeats(options)
    for step in range(24):
        batch = task.decisions(game, game.observe(), game.masks(), torch.Generator().manual_seed(step))
        chosen = play(batch)
        if game.phase is not Phase.CLUE:
            rows, seats = batch.games.tolist(), batch.seats.tolist()
            for place, seen in enumerate(views(game, rows, seats, game.histories(rows))):
                heard, told = task.pool.eyes[int(game.eyes[rows[place], seats[place]])]
                alone = ClipAgent(task.pool.deck, heard, told, options)
                alone.begin(seats[place], Random(0))
                action = game.spaces.first[game.phase] + int(chosen[place])
                assert alone.act(seen).move == game.spaces.move(seen, action)
        game.step(chosen.view(8, -1) + game.spaces.first[game.phase])


def test_the_clip_agent_tells_any_clue_of_the_bank(task: Task) -> None:
    game, _, choice = decided(task, clip, Phase.CLUE)
    teller, hands = game.storyteller, game.hands[:, game.storyteller].tolist()
    game.step(choice + game.spaces.first[Phase.CLUE])
    told = task.pool.banks[0].texts
    on_ladder = []
    for row in range(32):
        card = hands[row][int(game.given[row, teller]) - 1]
        eye = int(game.eyes[row, teller])
        assert choice[row, 0] == game.free_clue(int(game.given[row, teller]) - 1, int(game.clue[row]))
        assert int(game.clue[row]) < len(told)
        on_ladder.append(int(game.clue[row]) in task.pool.ladder[eye, card])
        z = task.pool.banks[eye].z[int(game.clue[row])]
        assert z[card] > np.median(z), "a clue that fits its card"
    assert not all(on_ladder)


def test_the_clip_agent_sits_there_with_any_options_but_another_language() -> None:
    player, policy = fixed_player("clip:votes=points,rho=0.2", torch.device("cpu"))
    assert isinstance(player, ClipSeats)
    assert (player.options.votes, player.options.rho, policy) == ("points", 0.2, None)
    for spec, said in (("clip:lang=pt", "English"), ("clip:votes=none", "votes=none"), ("human", "learned:FILE")):
        with pytest.raises(SpecError, match=said):
            fixed_player(spec, torch.device("cpu"))


@given(st.floats(0.01, 1), st.floats(0.01, 1))
@settings(max_examples=30)
def test_eyes_are_read_as_they_are_written(one: float, other: float) -> None:
    low, high = sorted((round(one, 3), round(other, 3)))
    assert EyeRange.parse(f"noise:{low}-{high}") == EyeRange(low, high)
    assert EyeRange.parse(str(EyeRange(low, high))) == EyeRange(low, high)


@pytest.mark.parametrize(
    "text", ["", "noise", "noise:", "noise:0", "noise:0.9-0.4", "noise:0.5-1.1", "noise:nan", "a,b"]
)
def test_what_are_no_eyes_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="noise:LOW-HIGH"):
        EyeRange.parse(text)


# Strangers


def coded(card: int) -> Any:
    """A player with a code: as storyteller the `card`-th of the hand with the emptiest clue, as voter … see below."""

    def choose(batch: DecisionBatch) -> torch.Tensor:
        if batch.phase is Phase.CLUE:
            values = torch.zeros(batch.legal.shape)
            rungs = batch.game.ladders.shape[2]
            values[:, rungs * card + rungs - 1] = 1
            return batch.best(values)
        if batch.phase is Phase.CARDS:
            return greedy(batch)
        return batch.best(batch.choices.total(-batch.z.abs()))  # the card for which the clue says nothing

    return choose


def test_a_private_code_is_told_from_a_clue_that_everybody_reads(table: ClipTable, tmp_path: Path) -> None:
    players = {"code": coded(0), "clip": clip, "greedy": greedy}
    results = cross_play(players, {"here": ReadDeck.of(table)}, [EyeRange()], 4, "odyssey", 40, 0)
    found = results["here"]["shared"]
    assert found["players"] == ["code", "clip", "greedy"]
    assert found["code_index"]["code"]["low"] > 0.2
    assert abs(found["code_index"]["greedy"]["mean"]) < found["code_index"]["code"]["mean"]
    wins = np.array(found["win_share"])
    assert_allclose(wins + wins.T, 1)
    assert found["found"][2][2] > 0.9  # the literal clue
    draw(results, tmp_path / "cross_play.webp")
    with Image.open(tmp_path / "cross_play.webp") as picture:
        assert picture.width > picture.height > 100


def test_strangers_do_not_share_a_code(table: ClipTable) -> None:
    """The same code through eyes of their own says little."""
    found = cross_play(
        {"code": coded(0), "greedy": greedy}, {"here": ReadDeck.of(table)}, [EyeRange(), NOISE], 4, "odyssey", 40, 0
    )["here"]
    shared, own = (found[eyes]["code_index"]["code"]["mean"] for eyes in ("shared", "noise:0.5"))
    assert own < shared / 2


def test_an_exploiter_learns_among_those_that_it_exploits(table: ClipTable) -> None:
    """Random players are exploited by everybody; the learner has one seat, all others are theirs."""
    settings = replace(SMALL, best_response="random")
    made = make_learner(settings, ReadDeck.of(table), torch.device("cpu"))
    assert Counter(made.pool.learner_seats.sum(1).tolist()) == {1: 16}
    assert made.pool.opponents == (SCRIPTED["random"],)
    equal = alone(made.eval_task, SCRIPTED["random"], [SCRIPTED["random"]], deals=40, seed=0)
    assert equal.low <= 1 / 4 <= equal.high
