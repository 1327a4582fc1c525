"""Thousands of games as tensors, compared with the turn engine move by move."""

from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from dixit_env import (
    DIXIT,
    EDITIONS,
    ODYSSEY,
    ODYSSEY_2011,
    DixitError,
    GameState,
    Outcome,
    Phase,
    PlayedTurn,
    Rules,
    TurnScore,
    apply,
    new_game,
    view,
)
from dixit_env.envs.batch import BatchedGame
from dixit_env.envs.batch_view import views as views_of
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.episode import Episode, Reward
from dixit_env.envs.shuffles import RandomShuffles
from dixit_env.game.rules import TableRules
from dixit_env.game.streams import shuffled

TABLES = [(name, players) for name, rules in EDITIONS.items() for players in range(3, rules.max_players + 1)]
TINY = ClipTable.random(clues=200, width=4, rungs=3)


class EngineShuffles:
    """The turn engine's own shuffles for a batch. Row r plays the games of the seeds r, r + batch, r + 2 · batch, …"""

    def __init__(self, batch: int, cards: int, rules: TableRules) -> None:
        self.batch, self.cards, self.slots = batch, cards, rules.slots
        self.stock = cards - rules.players * rules.hand + rules.slots
        self.seeds = [row - batch for row in range(batch)]
        self.turns = [0] * batch
        self.reshuffles = [0] * batch

    def deal(self, games: Tensor) -> Tensor:
        orders = torch.zeros((self.batch, self.cards), dtype=torch.int64)
        for row in games.nonzero().flatten().tolist():
            self.seeds[row] += self.batch
            self.turns[row] = self.reshuffles[row] = 0
            orders[row] = torch.tensor(shuffled(self.seeds[row], "deal", 0, range(self.cards)))
        return orders

    def table(self) -> Tensor:
        self.turns = [turn + 1 for turn in self.turns]
        rows = zip(self.seeds, self.turns, strict=True)
        return torch.tensor([shuffled(seed, "table", turn, range(self.slots)) for seed, turn in rows])

    def reshuffle(self, games: Tensor, keep: Tensor) -> Tensor:
        orders = torch.zeros((self.batch, self.stock), dtype=torch.int64)
        for row in games.nonzero().flatten().tolist():
            self.reshuffles[row] += 1
            kept = int(keep[row])
            loose = shuffled(self.seeds[row], "deal", self.reshuffles[row], range(kept, self.stock))
            orders[row] = torch.tensor([*range(kept), *loose])
        return orders


class Pair:
    """A batch and the same games in the turn engine, played with the same actions and compared after every phase."""

    def __init__(
        self,
        rules: Rules,
        players: int,
        batch: int,
        cards: int = 84,
        clip: ClipTable | None = None,
        embeddings: bool = False,
    ) -> None:
        self.rules, self.players, self.cards = rules, players, cards
        self.shuffles = EngineShuffles(batch, cards, rules.seated(players))
        self.game = BatchedGame(
            batch, players, rules, cards=cards, clip=clip, embeddings=embeddings, shuffles=self.shuffles
        )
        self.spaces = self.game.spaces
        self.states = [self._new(row) for row in range(batch)]
        self.rng = Random(f"{rules.name}{players}")
        self.finished = 0

    def _new(self, row: int) -> GameState:
        return new_game(self.rules, self.players, self.cards, self.shuffles.seeds[row], self.game.storyteller)

    def compare(self) -> None:
        """Every seat's observation and mask, and the piles that no seat sees."""
        game, seats = self.game, list(self.game.seats)
        features, masks = game.observe(range(self.players)).numpy(), game.masks(range(self.players)).numpy()
        views = [[view(state, seat) for seat in range(self.players)] for state in self.states]
        np.testing.assert_array_equal(features, [[self.spaces.features(seen) for seen in row] for row in views])
        np.testing.assert_array_equal(masks, [[self.spaces.mask(seen) for seen in row] for row in views])
        going_on = [row for row, state in enumerate(self.states) if state.phase is not Phase.OVER]
        rows, deciding = [row for row in going_on for _ in seats], seats * len(going_on)
        histories = [self.states[row].history for row in rows]
        expected = [views[row][seat] for row, seat in zip(rows, deciding, strict=True)]
        assert views_of(game, rows, deciding, histories) == expected
        used = torch.full((len(features), len(seats), self.spaces.size), 9.0)
        np.testing.assert_array_equal(game.observe(out=used).numpy(), features[:, seats])
        np.testing.assert_array_equal(used.numpy(), game.observe().numpy())
        np.testing.assert_array_equal(game.masks().numpy(), masks[:, seats])
        for row, state in enumerate(self.states):
            if state.phase is not Phase.OVER:
                assert tuple(game.stock[row].tolist()) == state.pile + state.discard
                assert (int(game.pile[row]), int(game.turn[row])) == (len(state.pile), state.turn)

    def step(self, illegal: float = 0.1) -> None:
        """One phase of random actions, some of them illegal."""
        game, seats, voted = self.game, self.game.seats, self.game.phase is Phase.VOTES
        actions = game.random_actions()
        wild = torch.randint(self.spaces.actions, actions.shape, generator=game.generator)
        actions = torch.where(torch.rand(actions.shape, generator=game.generator) < illegal, wild, actions)
        step = game.step(actions, autoreset=False)
        for row, before in enumerate(self.states):
            state = before
            for place, seat in enumerate(seats):
                seen = view(before, seat)
                move = self.spaces.move(seen, int(actions[row, place]))
                assert bool(step.illegal[row, place]) == (move is None)
                move = move or self.spaces.move(seen, int(self.spaces.mask(seen).argmax()))
                assert move is not None
                state = apply(state, seat, move)
            self.states[row] = state
        points = [state.history[-1].score.points if voted else (0,) * self.players for state in self.states]
        assert step.rewards.tolist() == [list(row) for row in points]
        assert step.scores.tolist() == [list(state.scores) for state in self.states]
        assert step.over.tolist() == [state.phase is Phase.OVER for state in self.states]
        self.compare()
        if voted:
            game.reset(step.over)  # only now: games that are over can still be looked at
            for row in step.over.nonzero().flatten().tolist():
                self.states[row] = self._new(row)
                self.finished += 1

    def play(self, games: int) -> None:
        """Until so many games have ended."""
        self.compare()
        while self.finished < games:
            self.step()
        self.compare()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_game_is_the_turn_engines_game(name: str, players: int) -> None:
    Pair(EDITIONS[name], players, batch=40, clip=TINY).play(games=70)


HOUSE_RULES = {
    "Spanish: all the persons": (replace(ODYSSEY, all_means="voters"), 5, 84),
    "Spanish: one bonus for two cards": (replace(ODYSSEY, three_player_bonus="once"), 3, 84),
    "every player gives two": (replace(ODYSSEY, gives=2), 4, 60),
    "every player gives three": (replace(DIXIT, gives=3), 3, 40),
    "no card beyond the hands": (ODYSSEY, 12, 72),
    "a deck that runs dry at once": (DIXIT, 8, 53),
    "four decks, far to go": (replace(ODYSSEY_2011, target=90), 7, 336),
    "everybody tells twice": (replace(ODYSSEY, rounds=2), 5, 84),
    "2011: a bonus when all found, too": (replace(ODYSSEY_2011, single_bonus_when_all=True), 7, 84),
    "no points for decoys": (replace(ODYSSEY, decoy_points=0, dial_points=1), 4, 84),
}


@pytest.mark.parametrize("house", HOUSE_RULES)
def test_house_rules_are_the_turn_engines_too(house: str) -> None:
    rules, players, cards = HOUSE_RULES[house]
    Pair(rules, players, batch=20, cards=cards).play(games=20)


def test_embeddings_are_the_turn_engines_too() -> None:
    Pair(ODYSSEY, 4, batch=10, clip=TINY, embeddings=True).play(games=10)


@pytest.mark.parametrize("reward", ["points", "difference", "win"])
def test_rewards_are_those_of_the_turn_based_environments(reward: Reward) -> None:
    game = BatchedGame(50, 4, reward=reward, seed=3)
    env = Episode(4, "odyssey", None, None, False, reward, None)
    ended = 0
    while ended < 20:
        before, phase = game.scores, game.phase
        step = game.step(game.random_actions())
        if phase is not Phase.VOTES:
            assert not step.rewards.any()
            continue
        for row in range(50):
            state = new_game(ODYSSEY, 4)
            points = tuple((step.scores - before)[row].tolist())
            turn = PlayedTurn(1, 0, "", (), (), (), TurnScore(Outcome.SOME, points, (0,) * 4))
            over = Phase.OVER if step.over[row] else Phase.CLUE
            env.state = state._replace(phase=over, scores=tuple(step.scores[row].tolist()), history=(turn,))
            assert step.rewards[row].tolist() == pytest.approx(list(env.rewards()))
        ended += int(step.over.sum())


def everything(game: BatchedGame, steps: int) -> list[Tensor]:
    """All that a batch of random games shows."""
    shown = []
    for _ in range(steps):
        shown += [game.observe(), game.masks()]
        shown += list(game.step(game.random_actions()))
    return shown


def test_a_seed_names_a_batch() -> None:
    first, same, other = (everything(BatchedGame(30, seed=seed, clip=TINY), 60) for seed in (1, 1, 2))
    assert all(map(torch.equal, first, same))
    assert not torch.equal(first[0], other[0])


def test_games_of_a_batch_are_different_and_do_not_end_together() -> None:
    game = BatchedGame(200)
    assert len({tuple(row) for row in game.hands.flatten(1).tolist()}) == 200
    ends = [int(game.step(game.random_actions()).over.sum()) for _ in range(60)]
    assert max(ends) < 150
    assert sum(ends) > 200


def test_autoreset_is_a_reset_at_once() -> None:
    by_itself, by_hand = BatchedGame(50, seed=4), BatchedGame(50, seed=4)
    for _ in range(90):
        ended = by_itself.step(by_itself.random_actions())
        same = by_hand.step(by_hand.random_actions(), autoreset=False)
        assert all(map(torch.equal, ended, same))
        if by_hand.phase is Phase.CLUE:
            by_hand.reset(same.over)
        assert torch.equal(by_itself.observe(), by_hand.observe())


def test_results_stay_what_they_were() -> None:
    """Nothing that a step returned changes with the next steps."""
    game = BatchedGame(20, clip=TINY)
    kept = [(shown, shown.clone()) for shown in everything(game, 30)]
    everything(game, 30)
    assert all(torch.equal(shown, copy) for shown, copy in kept)


def test_random_actions_are_legal_and_take_every_legal_action() -> None:
    game = BatchedGame(2000, 4)
    for _ in range(6):
        masks, actions = game.masks(), game.random_actions()
        assert masks.gather(2, actions[:, :, None]).all()
        taken = torch.zeros(game.spaces.actions, dtype=torch.bool)
        taken[actions.flatten()] = True
        assert torch.equal(taken, masks.flatten(0, 1).any(dim=0))
        assert not game.step(actions).illegal.any()


def test_shuffles_are_uniform_and_keep_what_they_should() -> None:
    shuffles = RandomShuffles(20_000, cards=10, stock=8, slots=5, generator=torch.Generator().manual_seed(1))
    everyone = torch.ones(20_000, dtype=torch.bool)
    for orders in (shuffles.deal(everyone), shuffles.table(), shuffles.reshuffle(everyone, torch.zeros(20_000))):
        size = orders.shape[1]
        assert torch.equal(orders.sort(dim=1).values, torch.arange(size).expand_as(orders))
        for place in range(size):
            counts = orders[:, place].bincount(minlength=size)
            expected = 20_000 / size
            assert ((counts - expected) ** 2 / expected).sum() < 40  # chi-square, 9 degrees: one in 100,000
    keep = torch.arange(20_000) % 9
    orders = shuffles.reshuffle(everyone, keep)
    assert torch.equal(orders.sort(dim=1).values, torch.arange(8).expand_as(orders))
    stays = orders == torch.arange(8)
    kept = torch.arange(8) < keep[:, None]
    assert stays[kept].all()
    assert not stays[~kept].all()


class NoReadingBack(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Fails on every operation that makes the CPU wait for what a device has computed."""

    WAITING = ("_local_scalar_dense", "nonzero", "masked_select", "is_nonzero", "equal", "unique")

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func.overloadpacket.__name__
        assert name not in self.WAITING, f"{name} would wait for the device"
        if name in ("index", "index_put", "index_put_"):
            assert all(index is None or index.dtype != torch.bool for index in args[1]), "a bool index would wait"
        return func(*args, **(kwargs or {}))


class SameShuffles:
    """Shuffles that were drawn before."""

    def __init__(self, game: BatchedGame) -> None:
        everyone = torch.ones(game.games, dtype=torch.bool)
        source = game.shuffles
        self.orders = source.deal(everyone).clone(), source.table(), source.reshuffle(everyone, game.pile * 0).clone()

    def deal(self, games: Tensor) -> Tensor:
        return self.orders[0]

    def table(self) -> Tensor:
        return self.orders[1]

    def reshuffle(self, games: Tensor, keep: Tensor) -> Tensor:
        return self.orders[2]


@pytest.mark.parametrize(("name", "players"), [("odyssey", 6), ("odyssey", 3), ("dixit", 8), ("odyssey-2011", 7)])
def test_nothing_is_read_back_from_the_device(name: str, players: int) -> None:
    game = BatchedGame(30, players, name, clip=TINY, embeddings=True, reward="win")
    game.shuffles = SameShuffles(game)
    with NoReadingBack():  # type: ignore[no-untyped-call]
        for _ in range(30):
            game.observe(range(players))
            game.masks(range(players))
            everything(game, 1)
    with NoReadingBack(), pytest.raises(AssertionError, match="would wait"):  # type: ignore[no-untyped-call]
        bool(game.over.any())


def test_games_go_on_from_a_state_bit_for_bit() -> None:
    game, other = BatchedGame(20, clip=TINY, seed=1), BatchedGame(20, clip=TINY, seed=2)
    everything(game, 30)
    other.restore(deepcopy(game.state()))
    assert all(map(torch.equal, everything(game, 30), everything(other, 30)))
    game.step(game.random_actions())
    with pytest.raises(DixitError, match="between two turns"):
        game.state()


def test_games_begin_anew_only_between_turns() -> None:
    game = BatchedGame(8)
    some = torch.arange(8) < 3
    game.step(game.random_actions())
    with pytest.raises(DixitError, match="when a turn is over"):
        game.reset(some)
    game.reset()
    assert game.phase is Phase.CLUE
    for _ in range(3):
        game.step(game.random_actions())
    scores = game.scores.clone()
    game.reset(some)
    assert not game.scores[:3].any()
    assert torch.equal(game.scores[3:], scores[3:])


def test_games_that_may_be_over_must_be_reset() -> None:
    game = BatchedGame(4)
    for _ in range(2):
        game.step(game.random_actions())
    game.step(game.random_actions(), autoreset=False)
    with pytest.raises(DixitError, match="call reset"):
        game.step(game.random_actions())


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(DixitError, match="one game or more"):
        BatchedGame(0)
    with pytest.raises(DixitError, match="3 to 8 players"):
        BatchedGame(4, 9, "dixit")
    with pytest.raises(DixitError, match="need 72 cards"):
        BatchedGame(4, 12, cards=71)
