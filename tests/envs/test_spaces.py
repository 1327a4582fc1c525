"""Moves as integers, views as arrays, and nothing in them that a seat may not know."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env import EDITIONS, ODYSSEY, DixitError, GameState, GiveClue, Phase, apply, legal_moves, new_game, view
from dixit_env.envs.clip_table import ClipTable
from dixit_env.envs.spaces import NO_CARD, SILENT, WAIT, Spaces
from dixit_env.game.engine import waiting_for

CLIP = ClipTable.random(clues=120, width=6, rungs=3)
TABLES = [(name, players) for name in EDITIONS for players in (3, 4, 6, 7, 12) if players <= EDITIONS[name].max_players]


def spaces_of(name: str, players: int, clip: ClipTable | None = CLIP, embeddings: bool = False) -> Spaces:
    return Spaces(EDITIONS[name].seated(players), 84, clip, embeddings)


def act_at_random(spaces: Spaces, state: GameState, rng: Random) -> GameState:
    """The state after one random legal action of the first seat that the table waits for."""
    seat = waiting_for(state)[0]
    seen = view(state, seat)
    move = spaces.move(seen, rng.choice(np.flatnonzero(spaces.mask(seen)).tolist()))
    assert move is not None
    return apply(state, seat, move)


def states_of(spaces: Spaces, players: int, seed: int, name: str = "odyssey") -> list[GameState]:
    """A whole random game."""
    rng = Random(seed)
    states = [new_game(EDITIONS[name], players, 84, seed)]
    while states[-1].phase is not Phase.OVER:
        states.append(act_at_random(spaces, states[-1], rng))
    return states


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_actions_are_the_legal_moves(name: str, players: int) -> None:
    """The mask has one action for each legal move, and all other actions mean nothing."""
    spaces = spaces_of(name, players)
    for state in states_of(spaces, players, seed=5, name=name)[:40]:
        for seat in range(players):
            seen = view(state, seat)
            legal = np.flatnonzero(spaces.mask(seen)).tolist()
            if seen.idle:
                assert legal == [WAIT]
                continue
            moves = [spaces.move(seen, action) for action in legal]
            if state.phase is Phase.CLUE:
                assert {move.card for move in moves if isinstance(move, GiveClue)} == set(seen.hand)
                assert len(set(moves)) == len(moves) == len(seen.hand) * CLIP.rungs
            else:
                assert moves == list(legal_moves(state, seat))
            for move in moves:
                assert move is not None
                apply(state, seat, move)
            others = set(range(-3, spaces.actions + 3)) - set(legal)
            assert all(spaces.move(seen, action) is None for action in others)


def test_the_storyteller_speaks_the_ladder_of_the_card() -> None:
    spaces, state = spaces_of("odyssey", 6), new_game(first=2)
    seen = view(state, 2)
    for action in range(1, 1 + 6 * CLIP.rungs):
        position, rung = divmod(action - 1, CLIP.rungs)
        card = seen.hand[position]
        assert spaces.move(seen, action) == GiveClue(card, CLIP.texts[CLIP.ladder[card, rung]])
    assert spaces_of("odyssey", 6, clip=None).move(seen, 1) == GiveClue(seen.hand[0], SILENT)


@pytest.mark.parametrize("embeddings", [False, True])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_observations_lie_in_their_space(name: str, players: int, embeddings: bool) -> None:
    spaces = spaces_of(name, players, embeddings=embeddings)
    space = spaces.observation_space()
    for state in states_of(spaces, players, seed=11, name=name)[-30:]:
        for seat in range(players):
            assert space.contains(spaces.observe(view(state, seat)))


def test_every_piece_says_what_it_should() -> None:
    """A table with one dial on slot 0 or so, looked at by two seats."""
    spaces = spaces_of("odyssey", 4, embeddings=True)
    state = new_game(ODYSSEY, 4, 84, seed=3, first=1)
    state = state._replace(scores=(3, 6, 9, 12))
    rng = Random(0)

    def pieces(seat: int) -> dict[str, np.ndarray]:
        vector = spaces.features(view(state, seat))
        return {name: vector[piece.where].reshape(piece.shape) for name, piece in spaces.pieces.items()}

    teller = pieces(1)
    assert teller["phase"].tolist() == [1, 0, 0]
    assert teller["storyteller"].tolist() == [1, 0, 0, 0]
    assert teller["scores"] == pytest.approx([6 / 30, 9 / 30, 12 / 30, 3 / 30])
    assert teller["hand"].tolist() == list(state.hands[1])
    assert teller["clue"] == teller["slots"].max() == NO_CARD
    assert np.array_equal(teller["rung_similarity"], CLIP.rung_similarity[list(state.hands[1])])
    assert not pieces(0)["rung_similarity"].any()  # whoever doesn't tell has no clues to choose from

    while state.phase is not Phase.VOTES:
        state = act_at_random(spaces, state, rng)
    voter = pieces(3)
    clue = CLIP.numbers[state.clue]
    left = [card for card in state.hands[3] if card not in state.given[3]]
    assert voter["phase"].tolist() == [0, 0, 1]
    assert voter["storyteller"].tolist() == [0, 0, 1, 0]  # seat 1 sits two seats on from seat 3
    assert voter["target"] == 1
    assert voter["players"] == pytest.approx(4 / 12)
    assert voter["pile"] == pytest.approx(60 / 84)
    assert voter["clue"] == clue
    assert voter["hand"].tolist() == [*left, NO_CARD]
    assert voter["slots"].tolist() == list(state.slots)
    assert [state.slots[slot] for slot in np.flatnonzero(voter["own"])] == list(state.given[3])
    assert voter["slot_similarity"] == pytest.approx(CLIP.cards[list(state.slots)] @ CLIP.clues[clue], abs=1e-6)
    assert voter["hand_similarity"] == pytest.approx([*CLIP.cards[left] @ CLIP.clues[clue], 0], abs=1e-6)
    assert np.array_equal(voter["clue_embedding"], CLIP.clues[clue])
    assert np.array_equal(voter["slot_embedding"], CLIP.cards[list(state.slots)])
    assert np.array_equal(voter["hand_embedding"], np.vstack([CLIP.cards[left], np.zeros((1, CLIP.width))]))


def test_a_clue_from_outside_the_table_is_unknown() -> None:
    spaces, state = spaces_of("odyssey", 6), new_game(first=0)
    state = apply(state, 0, GiveClue(state.hands[0][0], "a clue by a person"))
    vector = spaces.features(view(state, 1))
    assert vector[spaces.pieces["clue"].where] == NO_CARD
    assert not vector[spaces.pieces["hand_similarity"].where].any()


def hidden_twin(state: GameState, seat: int, rng: Random) -> GameState:
    """The same game for `seat`, another one behind its back: other hands, other owners and votes, another pile."""
    others = [other for other in range(state.players) if other != seat]
    tabled = set(state.slots)
    loose = [card for other in others for card in state.hands[other] if card not in tabled] + list(state.pile)
    rng.shuffle(loose)
    lying = [card for other in others for card in state.given[other] if state.slots]
    rng.shuffle(lying)
    hands, given, votes = list(state.hands), list(state.given), list(state.votes)
    for other in others:
        if state.slots:
            given[other] = tuple(lying.pop() for _ in state.given[other])
            votes[other] = tuple((slot + 1) % len(state.slots) for slot in votes[other])
        kept = [loose.pop() for card in state.hands[other] if card not in tabled]
        hands[other] = (*given[other], *kept) if state.slots else tuple(kept)
        if not state.slots and state.given[other]:
            given[other] = hands[other][: len(state.given[other])]
    return state._replace(
        seed=state.seed + 1, hands=tuple(hands), given=tuple(given), votes=tuple(votes), pile=tuple(loose)
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([3, 4, 6, 12]), st.sampled_from(["odyssey", "odyssey-2011"]))
def test_what_a_seat_cannot_see_changes_nothing(seed: int, players: int, name: str) -> None:
    spaces, rng = spaces_of(name, players, embeddings=True), Random(seed)
    for state in rng.sample(states_of(spaces, players, seed, name)[:-1], 12):
        for seat in range(players):
            twin = hidden_twin(state, seat, rng)
            assert twin != state
            mine, same = spaces.observe(view(state, seat)), spaces.observe(view(twin, seat))
            assert np.array_equal(mine["observation"], same["observation"])
            assert np.array_equal(mine["action_mask"], same["action_mask"])


def test_what_a_seat_can_see_makes_a_difference() -> None:
    spaces = spaces_of("odyssey", 4)
    rng = Random(2)
    state = new_game(ODYSSEY, 4, 84, seed=3, first=1)
    while state.phase is not Phase.VOTES:
        state = act_at_random(spaces, state, rng)
    hands = list(state.hands)
    hands[0] = tuple(
        card if card in state.given[0] else other for card, other in zip(hands[0], state.pile, strict=False)
    )
    changes: dict[str, dict[str, Any]] = {
        "hand": {"hands": tuple(hands)},
        "clue": {"clue": next(text for text in CLIP.texts if text != state.clue)},
        "slots": {"slots": state.slots[::-1]},
        "scores": {"scores": (0, 0, 1, 0)},
        "pile": {"pile": state.pile[1:]},
        "storyteller": {"storyteller": 2},
    }
    before = spaces.features(view(state, 0))
    for name, change in changes.items():
        after = spaces.features(view(state._replace(**change), 0))
        where = spaces.pieces[name].where
        assert not np.array_equal(before[where], after[where]), name


def test_arrays_are_new_with_every_call() -> None:
    spaces, seen = spaces_of("odyssey", 6), view(new_game(first=0), 0)
    first, second = spaces.observe(seen), spaces.observe(seen)
    for name in first:
        assert not np.shares_memory(first[name], second[name])


def test_the_layout_in_the_docs_is_the_layout() -> None:
    text = (Path(__file__).parents[2] / "docs" / "environments.md").read_text(encoding="utf-8")
    assert Spaces(ODYSSEY.seated(6), 84, ClipTable.random(rungs=8)).describe() in text


def test_a_table_for_another_deck_is_refused() -> None:
    with pytest.raises(DixitError, match="for 84 cards, the deck has 100"):
        Spaces(ODYSSEY.seated(6), 100, CLIP)
    with pytest.raises(DixitError, match="embeddings come from a CLIP table"):
        Spaces(ODYSSEY.seated(6), 84, None, embeddings=True)


def test_ladders_descend_from_literal_to_remote() -> None:
    table = ClipTable.random(rungs=6)
    belief = np.exp(10 * table.similarity)  # the scale of made-up tables
    belief /= belief.sum(axis=1, keepdims=True)
    for card, ladder in enumerate(table.ladder):
        falling = belief[ladder, card]
        assert len(set(ladder.tolist())) == 6
        assert np.all(np.diff(falling) <= 0)
        assert falling[0] == belief[:, card].max()
        assert falling[-1] < max(2 / 84, falling[0] / 2)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"clues": CLIP.clues[:, :3]}, "of the same width"),
        ({"texts": ("a",) * len(CLIP.texts)}, "different texts"),
        ({"ladder": CLIP.ladder[:5]}, "must be"),
        ({"ladder": CLIP.ladder + 1000}, "clue numbers"),
    ],
)
def test_a_table_that_does_not_fit_together_is_refused(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(DixitError, match=fault):
        replace(CLIP, **change)


def test_fewer_clues_than_rungs_are_refused() -> None:
    with pytest.raises(DixitError, match="can't fill"):
        ClipTable.build(CLIP.cards, CLIP.clues[:2], CLIP.texts[:2], rungs=3)
