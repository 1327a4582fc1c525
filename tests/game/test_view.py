"""What a seat may see: everything public, nothing hidden."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dixit_env import EDITIONS, ODYSSEY, GameState, Phase, Rules, View, apply, legal_moves, new_game, view, waiting_for


def play_until(rules: Rules, players: int, seed: int, decisions: int) -> GameState:
    rng = random.Random(seed)
    state = new_game(rules, players, 84, seed)
    for _ in range(decisions):
        waiting = waiting_for(state)
        if not waiting:
            break
        seat = rng.choice(waiting)
        state = apply(state, seat, rng.choice(legal_moves(state, seat)))
    return state


def rearranged(state: GameState, seat: int | None, rng: random.Random) -> GameState:
    """The same game for `seat`, with everything that is hidden from it dealt anew.

    Other hands and the pile are mixed; the cards on the table get other owners; the others vote otherwise.
    """
    players = range(state.players)
    others = [s for s in players if s != seat]
    given_away = {card for cards in state.given for card in cards}
    hidden = [card for s in others for card in state.hands[s] if card not in given_away] + list(state.pile)
    rng.shuffle(hidden)
    given = [list(cards) for cards in state.given]
    if state.slots:  # the owners are hidden, the cards are not
        loose = [card for s in others for card in given[s]]
        rng.shuffle(loose)
        for s in others:
            given[s] = [loose.pop() for _ in given[s]]
    else:  # the cards themselves are hidden too
        for s in others:
            given[s] = [hidden.pop() for _ in given[s]]
            hidden.extend(state.given[s])
        rng.shuffle(hidden)
    hands = []
    for s in players:
        if s == seat:
            hands.append(state.hands[s])
        else:
            kept = len(state.hands[s]) - len(given[s])
            hands.append((*given[s], *(hidden.pop() for _ in range(kept))))
    voted = [s for s in others if state.votes[s]]
    votes = list(state.votes)
    changed = state._replace(
        seed=state.seed + 1,
        hands=tuple(hands),
        given=tuple(tuple(cards) for cards in given),
        pile=tuple(hidden),
    )
    for s in voted:
        votes[s] = rng.choice(legal_moves(changed._replace(votes=((),) * state.players), s)).slots  # type: ignore[union-attr]
    return changed._replace(votes=tuple(votes))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(list(EDITIONS.values())), st.data())
def test_states_that_differ_in_hidden_things_look_the_same(rules: Rules, data: st.DataObject) -> None:
    players = data.draw(st.integers(rules.min_players, rules.max_players))
    state = play_until(rules, players, data.draw(st.integers(0, 10**6)), data.draw(st.integers(0, 60)))
    if state.phase is Phase.OVER:
        return
    seat = data.draw(st.sampled_from([None, *range(players)]))
    for _ in range(3):
        other = rearranged(state, seat, random.Random(data.draw(st.integers(0, 10**6))))
        assert view(other, seat) == view(state, seat)


def test_the_rearrangement_does_change_what_is_hidden() -> None:
    state = play_until(ODYSSEY, 6, 1, 8)
    assert state.phase is Phase.VOTES
    other = rearranged(state, 0, random.Random(1))
    assert other.hands[1:] != state.hands[1:]
    assert other.given != state.given
    assert other.votes != state.votes
    assert any(view(other, seat) != view(state, seat) for seat in range(1, 6))


@pytest.mark.parametrize("phase", [Phase.CLUE, Phase.CARDS, Phase.VOTES])
def test_a_seat_sees_its_own(phase: Phase) -> None:
    state = new_game(seed=4, first=2)
    while state.phase is not phase:
        seat = waiting_for(state)[0]
        state = apply(state, seat, legal_moves(state, seat)[0])
    for seat in range(6):
        seen = view(state, seat)
        assert {*seen.hand, *seen.given} == set(state.hands[seat])
        assert seen.moves == legal_moves(state, seat)
        assert bool(seen.idle) != bool(seen.moves)
    teller = view(state, 2)
    assert teller.is_storyteller
    if phase is not Phase.CLUE:
        assert teller.given == state.given[2]
        assert teller.clue == state.clue


def test_a_spectator_sees_no_hand_and_can_do_nothing() -> None:
    for decisions in (0, 3, 8):
        seen = view(play_until(ODYSSEY, 6, 2, decisions), None)
        assert (seen.hand, seen.given, seen.own_slots, seen.dials, seen.moves) == ((), (), (), (), ())
        assert seen.idle


def test_after_scoring_everybody_sees_owners_and_votes() -> None:
    state = play_until(ODYSSEY, 6, 3, 11)
    assert state.turn == 2
    for seat in (None, 0, 5):
        assert view(state, seat).history == state.history
        assert all(turn.owners and turn.votes for turn in view(state, seat).history)


def test_a_view_has_no_way_back_to_the_game() -> None:
    assert "seed" not in View._fields
    seen = view(new_game(seed=987654321), 0)
    assert "987654321" not in repr(seen)
