"""The turn engine as a state machine: what must hold in every state of every game."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dixit_env import (
    DIXIT_2008,
    EDITIONS,
    ODYSSEY,
    CastVotes,
    GameState,
    GiveClue,
    IllegalMove,
    Move,
    Phase,
    PlayCards,
    Rules,
    RulesError,
    apply,
    legal_moves,
    new_game,
    view,
    waiting_for,
)
from dixit_env.game.engine import idle_reason, may_act, own_slots
from dixit_env.game.moves import numbers_in


def random_game(rules: Rules, players: int, cards: int, seed: int) -> list[GameState]:
    """All states of a game of random moves, the seats of a phase in random order."""
    rng = random.Random(seed)
    states = [new_game(rules, players, cards, seed)]
    while waiting := waiting_for(states[-1]):
        seat = rng.choice(waiting)
        states.append(apply(states[-1], seat, rng.choice(legal_moves(states[-1], seat))))
    return states


class Table(RuleBasedStateMachine):
    """Any legal decision of any seat at any time, over all editions, sizes and tiny decks."""

    @initialize(data=st.data())
    def deal(self, data: st.DataObject) -> None:
        self.edition = data.draw(st.sampled_from(list(EDITIONS.values())))
        self.players = data.draw(st.integers(self.edition.min_players, self.edition.max_players))
        least = self.players * self.edition.seated(self.players).hand
        self.deck = data.draw(st.integers(least, least + 20))
        self.state = new_game(self.edition, self.players, self.deck, data.draw(st.integers(0, 2**40)))

    @rule(data=st.data())
    def decide(self, data: st.DataObject) -> None:
        waiting = waiting_for(self.state)
        if not waiting:
            return
        seat = data.draw(st.sampled_from(waiting))
        before = self.state
        self.state = apply(before, seat, data.draw(st.sampled_from(legal_moves(before, seat))))
        assert self.state != before

    @invariant()
    def every_card_is_in_one_place(self) -> None:
        held = [card for hand in self.state.hands for card in hand]
        assert Counter([*held, *self.state.pile, *self.state.discard]) == Counter(range(self.deck))

    @invariant()
    def hands_are_full(self) -> None:
        if self.state.phase is not Phase.OVER:
            assert {len(hand) for hand in self.state.hands} == {self.state.rules.hand}

    @invariant()
    def somebody_can_move_until_the_end(self) -> None:
        waiting = waiting_for(self.state)
        assert bool(waiting) == (self.state.phase is not Phase.OVER)
        for seat in range(self.players):
            moves = legal_moves(self.state, seat)
            assert bool(moves) == may_act(self.state, seat) == (seat in waiting)
            assert bool(idle_reason(self.state, seat)) == (not moves)

    @invariant()
    def no_vote_on_an_own_card(self) -> None:
        for turn in self.state.history:
            for seat, dials in enumerate(turn.votes):
                assert all(turn.owners[slot] != seat for slot in dials)

    @invariant()
    def scores_are_the_sum_of_the_turns(self) -> None:
        totals = [sum(points) for points in zip(*(turn.score.points for turn in self.state.history), strict=True)]
        assert list(self.state.scores) == (totals or [0] * self.players)

    @invariant()
    def the_left_neighbour_tells_next(self) -> None:
        tellers = [turn.storyteller for turn in self.state.history]
        assert all(after == (before + 1) % self.players for before, after in pairwise(tellers))


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(list(EDITIONS.values())), st.data())
def test_games_end_and_the_best_score_wins(rules: Rules, data: st.DataObject) -> None:
    players = data.draw(st.integers(rules.min_players, rules.max_players))
    end = random_game(rules, players, 84, data.draw(st.integers(0, 10**6)))[-1]
    assert end.phase is Phase.OVER
    assert end.winners == tuple(seat for seat in range(players) if end.scores[seat] == max(end.scores))
    if rules.reshuffle != "never":
        assert max(end.scores) >= rules.target
    before_last = [sum(points) for points in zip(*(turn.score.points for turn in end.history[:-1]), strict=True)]
    assert max(before_last, default=0) < rules.target


def test_same_seed_same_game_other_seed_other_game() -> None:
    games = [random_game(ODYSSEY, 6, 84, seed) for seed in (5, 5, 6)]
    assert games[0] == games[1]
    assert games[0][0].hands != games[2][0].hands


def test_the_order_of_decisions_within_a_phase_is_of_no_account() -> None:
    ends = []
    for order in (1, -1):
        state = new_game(seed=3)
        while state.phase is not Phase.OVER:
            for seat in waiting_for(state)[::order]:
                state = apply(state, seat, legal_moves(state, seat)[0])
        ends.append(state)
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("players", "turns"),
    [(3, 12), (4, 15), (5, 10), (6, 8), (7, 6), (8, 4), (9, 3), (10, 2), (11, 1), (12, 1)],
)
def test_84_cards_last_this_many_refills(players: int, turns: int) -> None:
    states = random_game(Rules(target=200), players, 84, 1)
    first = next(state for state in states if state.reshuffles)
    assert first.turn == turns + 2  # the turn after the last refill is played, then the pile is too small


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("players", [3, 12])
def test_a_game_by_rounds_ends_when_everybody_has_told_so_often(players: int, rounds: int) -> None:
    end = random_game(Rules(rounds=rounds, target=1), players, 84, 3)[-1]
    told = Counter(turn.storyteller for turn in end.history)
    assert told == dict.fromkeys(range(players), rounds), "points end nothing here"
    assert end.winners == tuple(seat for seat in range(players) if end.scores[seat] == max(end.scores))


def test_a_game_by_rounds_goes_on_to_its_end_where_nobody_ever_scores() -> None:
    rules = Rules(rounds=1, all_points=0, none_points=0, storyteller_points=0, dial_points=0, decoy_points=0)
    assert len(random_game(rules, 4, 84, 3)[-1].history) == 4


def test_the_2008_game_ends_with_the_last_card_of_the_pile() -> None:
    rules = Rules(**{**{f: getattr(DIXIT_2008, f) for f in DIXIT_2008.__slots__}, "target": 200})
    assert len(random_game(rules, 6, 84, 1)[-1].history) == 8  # 48 cards, 6 a turn
    assert len(random_game(rules, 5, 84, 1)[-1].history) == 11  # 54 cards, 5 a turn: the 4 left over are too few


def test_reshuffle_takes_the_pile_in_or_leaves_it_on_top() -> None:
    for reshuffle in ("pile and discard", "discard"):
        states = random_game(Rules(target=200, reshuffle=reshuffle), 5, 84, 2)
        at = next(i for i, state in enumerate(states) if state.reshuffles)
        before, after = states[at - 1], states[at]
        drawn = {card for hand in after.hands for card in hand} - {card for hand in before.hands for card in hand}
        assert len(before.pile) == 4
        assert after.discard == ()
        assert (set(before.pile) <= drawn) == (reshuffle == "discard")


def test_a_tie_is_shared() -> None:
    ends = [random_game(ODYSSEY, 6, 84, seed)[-1] for seed in range(60)]
    tie = next(end for end in ends if len(end.winners) > 1)
    assert {tie.scores[seat] for seat in tie.winners} == {max(tie.scores)}


def test_a_named_first_storyteller() -> None:
    assert new_game(seed=1, first=4).storyteller == 4
    assert len({new_game(seed=seed).storyteller for seed in range(50)}) == 6
    with pytest.raises(RulesError, match="seats are 0 to 5"):
        new_game(first=6)


def at_phase(phase: Phase, rules: Rules = ODYSSEY, players: int = 6) -> GameState:
    state = new_game(rules, players, 84, 11, first=0)
    while state.phase is not phase:
        seat = waiting_for(state)[0]
        state = apply(state, seat, legal_moves(state, seat)[0])
    return state


def other_card(state: GameState, seat: int) -> int:
    return state.hands[(seat + 1) % state.players][0]


def test_illegal_moves_say_what_is_wrong_and_change_nothing() -> None:
    clue, cards, votes = (at_phase(phase) for phase in (Phase.CLUE, Phase.CARDS, Phase.VOTES))
    own = own_slots(votes, 2)[0]
    faults: list[tuple[GameState, int, Move, str]] = [
        (clue, 1, GiveClue(clue.hands[1][0], "x"), "seat 0 is the storyteller"),
        (clue, 9, GiveClue(0, "x"), "no seat 9"),
        (clue, 0, PlayCards((clue.hands[0][0],)), "must give a clue"),
        (clue, 0, GiveClue(other_card(clue, 0), "x"), "not in the hand"),
        (clue, 0, GiveClue(clue.hands[0][0], "  "), "empty"),
        (clue, 0, GiveClue(clue.hands[0][0], "a\nb"), "line break"),
        (clue, 0, GiveClue(clue.hands[0][0], "x" * 301), "300 are the limit"),
        (clue, 0, GiveClue(float(clue.hands[0][0]), "x"), "not in the hand"),  # type: ignore[arg-type]
        (cards, 0, PlayCards((cards.hands[0][1],)), "the storyteller has given the clue"),
        (cards, 2, PlayCards(()), "different card"),
        (cards, 2, PlayCards(cards.hands[2][:2]), "different card"),
        (cards, 2, PlayCards((other_card(cards, 2),)), "not in the hand"),
        (cards, 2, CastVotes((0, 0)), "must give 1 card"),
        (votes, 0, CastVotes((1, 1)), "only the others vote"),
        (votes, 2, CastVotes((own, own)), "own card"),
        (votes, 2, CastVotes((6, 6)), "slots are 0 to 5"),
        (votes, 2, CastVotes((-1, 0)), "slots are 0 to 5"),
        (votes, 2, CastVotes((0,)), r"use 2 dial"),
        (votes, 2, CastVotes(("0", "0")), "whole numbers"),  # type: ignore[arg-type]
        (votes, 2, GiveClue(0, "x"), "must vote"),
    ]
    for state, seat, move, message in faults:
        with pytest.raises(IllegalMove, match=message):
            apply(state, seat, move)


@pytest.mark.parametrize(
    "move",
    [
        None,
        5,
        "vote",
        GiveClue(0, None),  # type: ignore[arg-type]
        GiveClue(None, "x"),  # type: ignore[arg-type]
        GiveClue(True, "x"),
        PlayCards(5),  # type: ignore[arg-type]
        PlayCards(None),  # type: ignore[arg-type]
        PlayCards("12"),  # type: ignore[arg-type]
        PlayCards((True,)),
        PlayCards(([1],)),  # type: ignore[arg-type]
        CastVotes(None),  # type: ignore[arg-type]
        CastVotes({1, 2}),  # type: ignore[arg-type]
        CastVotes((1.0, 2.0)),  # type: ignore[arg-type]
        CastVotes(np.array([True, False])),  # type: ignore[arg-type]
        CastVotes(np.array(3)),  # type: ignore[arg-type]
        CastVotes(tuple(range(10**6))),
    ],
    ids=lambda move: str(move)[:40],
)
@pytest.mark.parametrize("phase", [Phase.CLUE, Phase.CARDS, Phase.VOTES])
def test_what_is_no_move_is_an_illegal_move_and_no_other_error(phase: Phase, move: Move) -> None:
    state = at_phase(phase)
    with pytest.raises(IllegalMove) as caught:
        apply(state, waiting_for(state)[0], move)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("as_type", [list, np.array, lambda numbers: [np.int64(n) for n in numbers]])
def test_exact_numbers_of_other_types_are_converted_and_nothing_is_shared(as_type: Callable[..., Any]) -> None:
    clue, cards, votes = (at_phase(phase) for phase in (Phase.CLUE, Phase.CARDS, Phase.VOTES))
    after = apply(clue, 0, GiveClue(np.int64(clue.hands[0][2]), np.str_("x")))  # type: ignore[arg-type]
    assert (after.given[0], after.clue) == ((clue.hands[0][2],), "x")
    assert type(after.given[0][0]) is int
    assert type(after.clue) is str
    for state, seat, kind in ((cards, 2, PlayCards), (votes, 2, CastVotes)):
        plain = next(move for move in legal_moves(state, seat) if isinstance(move, kind))
        numbers = as_type(numbers_in(plain))
        after = apply(state, np.int32(seat), kind(numbers))  # type: ignore[arg-type]
        expected = apply(state, seat, plain)
        numbers[0] = -1  # a later change by the agent changes nothing
        assert after == expected
        assert all(type(number) is int for row in (*after.given, *after.votes) for number in row)


def test_seats_that_do_not_exist() -> None:
    state = new_game(seed=1)
    for seat in (-1, 6, True, "0", 1.0):
        for ask in (view, legal_moves):
            with pytest.raises(RulesError, match="no seat"):
                ask(state, seat)  # type: ignore[arg-type]
        with pytest.raises(IllegalMove, match="no seat"):
            apply(state, seat, CastVotes((0, 0)))  # type: ignore[arg-type]


def test_the_three_player_game_gives_two_different_cards_and_forbids_both() -> None:
    state = at_phase(Phase.CARDS, players=3)
    with pytest.raises(IllegalMove, match="2 different"):
        apply(state, 1, PlayCards((state.hands[1][0],) * 2))
    state = at_phase(Phase.VOTES, players=3)
    for slot in own_slots(state, 1):
        with pytest.raises(IllegalMove, match="own card"):
            apply(state, 1, CastVotes((slot, slot)))
    assert len(legal_moves(state, 1)) == 6  # three open slots: three stacks, three spreads


def test_a_decision_stands_unless_the_table_allows_changes() -> None:
    fixed = at_phase(Phase.CARDS)
    given = apply(fixed, 1, PlayCards((fixed.hands[1][0],)))
    with pytest.raises(IllegalMove, match="its cards are given"):
        apply(given, 1, PlayCards((fixed.hands[1][1],)))
    loose = at_phase(Phase.CARDS, Rules(may_change=True))
    given = apply(loose, 1, PlayCards((loose.hands[1][0],)))
    changed = apply(given, 1, PlayCards((loose.hands[1][1],)))
    assert changed.given[1] == (loose.hands[1][1],)
    assert waiting_for(changed) == (2, 3, 4, 5)


@pytest.mark.parametrize("clue", ["雨", "I <3 you", "👨‍👩‍👧", "a", "«לילה טוב»", "ó " * 100])
def test_any_visible_text_is_a_clue(clue: str) -> None:
    state = new_game(seed=1)
    after = apply(state, state.storyteller, GiveClue(state.hands[state.storyteller][0], clue))
    assert after.clue == clue
