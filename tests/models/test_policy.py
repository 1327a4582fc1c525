"""The policy network: what it reads, what it may choose, and that it fits any table."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from dixit_env import EDITIONS, Agent, edition, play
from dixit_env.agents.clip.reading import read_bank
from dixit_env.agents.learned.agent import learned_agent
from dixit_env.agents.learned.shortlist import FAINT, shortlist, told_z_scores
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.clip_table import ClipTable
from dixit_env.game.engine import Phase, new_game
from dixit_env.game.view import view
from dixit_env.models.checkpoint import save_policy
from dixit_env.models.policy import MARKS, Encoder, Inputs, Policy, marks
from dixit_env.models.sight import Sight, z_scores
from dixit_env.table.play import Decided, GameEnded

TABLES = [(name, players) for name, rules in EDITIONS.items() for players in range(3, rules.max_players + 1)]


@pytest.fixture(scope="module")
def table() -> ClipTable:
    return ClipTable.random()


@pytest.fixture(scope="module")
def z(table: ClipTable) -> np.ndarray:
    return z_scores(table.similarity)


def at_the_vote(table: ClipTable, z: np.ndarray, players: int = 6) -> tuple[BatchedGame, Encoder, Inputs, torch.Tensor]:
    game = BatchedGame(8, players, clip=table)
    for _ in range(2):
        game.step(game.random_actions())
    encoder = Encoder(game.spaces, z[None], z[table.ladder][None])
    legal = encoder.legal(game.masks().flatten(0, 1), Phase.VOTES)
    return game, encoder, encoder(game.observe().flatten(0, 1), Phase.VOTES), legal


def lively(seed: int = 0) -> Policy:
    """A policy with strong opinions: fresh ones hardly have any."""
    torch.manual_seed(seed)
    policy = Policy()
    for head in [*policy.heads, *policy.values]:
        torch.nn.init.normal_(head.weight)
    return policy.eval()


def test_marks_say_how_a_card_stands_out() -> None:
    found = marks(np.array([[2.0, -1.0, 0.5]]))[0]
    assert_allclose(found[:, 0], [2.0, -1.0, 0.5])
    assert_allclose(found[:, 1], -np.log([1 / 4, 3 / 4, 2 / 4]), rtol=1e-6)  # ranks 1, 3, 2 of 3 cards
    assert_allclose(found[:, 2], [1.5, -3.0, -1.5])  # to the best other card


def test_marks_have_no_scale(table: ClipTable) -> None:
    """A CLIP whose cosines are all squeezed and shifted says the same."""
    assert_allclose(
        marks(z_scores(table.similarity)), marks(z_scores(0.1 * table.similarity.astype(float) + 0.2)), atol=2e-4
    )


def test_the_inputs_are_what_lies_on_the_table(table: ClipTable, z: np.ndarray) -> None:
    game, _, inputs, _ = at_the_vote(table, z)
    voters = len(game.seats)
    expected = z[game.clue[:, None], game.slots.long()]  # (B, S)
    assert_allclose(inputs.items[..., 0].view(8, voters, -1)[:, 0], expected, rtol=1e-5)
    assert (inputs.items[..., MARKS].sum(1) == 1).all()  # one own card


def test_no_chance_for_what_is_not_legal(table: ClipTable, z: np.ndarray) -> None:
    _, encoder, inputs, legal = at_the_vote(table, z)
    log_probs, value = lively()(inputs, Phase.VOTES, encoder.choices[Phase.VOTES], legal)
    assert value.shape == (40,)
    assert (log_probs.exp()[~legal] == 0).all()
    assert (log_probs[legal] > -100).all()
    assert_allclose(log_probs.exp().sum(1).detach(), 1, rtol=1e-5)


def test_exchanging_cards_exchanges_the_votes_and_nothing_else(table: ClipTable, z: np.ndarray) -> None:
    game, encoder, inputs, legal = at_the_vote(table, z)
    choices, policy = encoder.choices[Phase.VOTES], lively()
    order = torch.randperm(6, generator=torch.Generator().manual_seed(1))
    votes = game.spaces.votes
    moved = torch.tensor([votes.index(tuple(sorted(int(order[slot]) for slot in vote))) for vote in votes])
    one, value = policy(inputs, Phase.VOTES, choices, legal)
    # slot k of the other table holds the card of slot order[k], so a vote on k there is one on order[k] here
    exchanged = inputs._replace(items=inputs.items[:, order])
    other, same = policy(exchanged, Phase.VOTES, choices, legal[:, moved])
    assert_allclose(other.detach(), one[:, moved].detach(), atol=2e-4)
    assert_allclose(value.detach(), same.detach(), atol=1e-4)


def test_exchanging_opponents_changes_nothing(table: ClipTable, z: np.ndarray) -> None:
    _, encoder, inputs, legal = at_the_vote(table, z)
    policy, choices = lively(), encoder.choices[Phase.VOTES]
    order = torch.tensor([0, 5, 3, 1, 2, 4])  # oneself stays first
    one, _ = policy(inputs, Phase.VOTES, choices, legal)
    other, _ = policy(inputs._replace(players=inputs.players[:, order]), Phase.VOTES, choices, legal)
    assert_allclose(one.detach(), other.detach(), atol=2e-4)


def test_without_clip_all_cards_look_alike(table: ClipTable, z: np.ndarray) -> None:
    game, _, _, legal = at_the_vote(table, z)
    blind = Encoder(game.spaces, z[None], z[table.ladder][None], similarity=False)
    inputs = blind(game.observe().flatten(0, 1), Phase.VOTES)
    log_probs, _ = lively()(inputs, Phase.VOTES, blind.choices[Phase.VOTES], legal)
    stacked = log_probs[:, blind.choices[Phase.VOTES].kind == 1]
    assert ((stacked > -100).sum(1) == 5).all()
    assert_allclose(stacked.amax(1).detach(), stacked.masked_fill(stacked < -100, 0).amin(1).detach(), atol=1e-5)


def test_ladders_fall_from_the_best_clue_to_one_that_says_nothing(sight: Sight) -> None:
    found, z = shortlist(sight), read_bank(sight, "en").z
    rungs = np.take_along_axis(z.T, found.ladder, axis=1)  # (cards, rungs)
    assert found.ladder.shape[0] == len(sight.deck)
    assert_allclose(told_z_scores(sight).diagonal(axis1=0, axis2=2).T, rungs)
    assert_allclose(rungs[:, 0], z.max(axis=0), rtol=1e-4)
    assert (np.diff(rungs, axis=1) <= 1e-6).all()
    assert_allclose(rungs[:, -1], FAINT, atol=0.1)
    assert all(len(set(ladder)) == len(ladder) for ladder in found.ladder)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policy") / "lively.safetensors"
    save_policy(lively(), path, {})
    return path


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_one_policy_plays_at_every_table(name: str, players: int, sight: Sight, checkpoint: Path) -> None:
    agents: list[Agent] = [learned_agent(str(checkpoint), sight) for _ in range(players)]
    rules = replace(edition(name), target=8)
    *_, end = play(agents, rules, sight.deck, seed=players, strict=True)
    assert isinstance(end, GameEnded)


def test_the_shipped_policy_plays_and_says_why(sight: Sight) -> None:
    agents: list[Agent] = [learned_agent("default", sight) for _ in range(6)]
    events = list(play(agents, edition("odyssey"), sight.deck, seed=1, strict=True))
    first = next(event for event in events if isinstance(event, Decided))
    chances = [move["probability"] for move in first.decision.why["alternatives"]]
    assert chances == sorted(chances, reverse=True)


def test_a_clue_that_no_bank_holds_is_understood(sight: Sight, checkpoint: Path) -> None:
    """People say what they like; the vote must not depend on whether the clue is in the table."""
    from dixit_env.game.engine import apply
    from dixit_env.game.moves import GiveClue, PlayCards

    state = new_game(edition("odyssey"), 4, len(sight.deck), seed=3, first=0)
    state = apply(state, 0, GiveClue(state.hands[0][0], "the last tram to Amager, 1953"))
    agent = learned_agent(str(checkpoint), sight)
    agent.begin(1, Random(0))
    move = agent.act(view(state, 1)).move
    assert isinstance(move, PlayCards)
    other = apply(
        new_game(edition("odyssey"), 4, len(sight.deck), seed=3, first=0),
        0,
        GiveClue(state.hands[0][0], "an entirely different matter"),
    )
    assert agent.act(view(other, 1)).why != agent.act(view(state, 1)).why
