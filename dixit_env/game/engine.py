"""The turn engine: a frozen `GameState`, and `apply(state, seat, move)` that returns the next one.

A turn has three phases. In `Phase.CLUE` the storyteller gives a clue; in `Phase.CARDS` everybody else gives cards
(Odyssey en l. 52); in `Phase.VOTES` everybody else votes (l. 56 to 65). Decisions of one phase are simultaneous: they
are accepted in any order, and the last one closes the phase. The last vote scores the turn (l. 67 to 98), refills the
hands and opens the next turn, or ends the game (l. 102 to 106); what happened is `state.history[-1]`. The rulebooks
cited are named in `dixit_env.game.rules`.

No I/O and no generator in here: every shuffle is drawn from a stream named by the seed, its purpose and its number
(`dixit_env.game.streams`), so the same seed and moves give the same game on any machine.
"""

from dataclasses import dataclass
from enum import StrEnum
from operator import add
from typing import NamedTuple

from dixit_env.errors import IllegalMove, RulesError
from dixit_env.game.moves import (
    CastVotes,
    GiveClue,
    Move,
    PlayCards,
    clue_fault,
    legal_clues,
    legal_plays,
    legal_votes,
    plain_move,
    shown,
    whole_number,
)
from dixit_env.game.rules import ODYSSEY, Rules, TableRules
from dixit_env.game.scoring import TurnScore, score_checked, vote_fault
from dixit_env.game.streams import shuffled, stream


class Phase(StrEnum):
    """What the table waits for."""

    CLUE = "clue"
    CARDS = "cards"
    VOTES = "votes"
    OVER = "over"


CLUE, CARDS, VOTES, OVER = Phase  # as names of the module: to look one up in the class takes ten times as long


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A finished turn, all of it public."""

    number: int  # from 1
    storyteller: int
    clue: str
    slots: tuple[int, ...]  # the card in each slot
    owners: tuple[int, ...]  # the seat that owns each slot
    votes: tuple[tuple[int, ...], ...]  # (players,) each seat's dials, ascending; () for the storyteller
    score: TurnScore

    @property
    def target(self) -> int:
        """The storyteller's slot."""
        return self.owners.index(self.storyteller)


class GameState(NamedTuple):
    """Everything about a game, hidden things included. Only `dixit_env.game.view` may show parts of it to a seat.

    A named tuple, like `View`: every move makes a new one. The last five fields change with the moves of a turn, the
    others only when it ends.
    """

    rules: TableRules
    seed: int
    salt: str  # goes into the order on the table; "" for none
    turn: int  # from 1
    storyteller: int
    scores: tuple[int, ...]  # (players,)
    hands: tuple[tuple[int, ...], ...]  # (players, hand): cards given this turn stay in place until the refill takes it
    pile: tuple[int, ...]  # next card first
    discard: tuple[int, ...]
    reshuffles: int
    history: tuple[PlayedTurn, ...]
    phase: Phase
    clue: str
    given: tuple[tuple[int, ...], ...]  # (players,) cards given this turn; () = not yet
    slots: tuple[int, ...]  # the card in each slot, from the vote on
    votes: tuple[tuple[int, ...], ...]  # (players,) dials, ascending; () = not yet

    @property
    def players(self) -> int:
        return self.rules.players

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the most points once the game is over; a tie is shared (Odyssey en l. 106, Dixit pt l. 96)."""
        if self.phase is not OVER:
            return ()
        best = max(self.scores)
        return tuple(seat for seat, points in enumerate(self.scores) if points == best)


def new_game(
    rules: Rules = ODYSSEY,
    players: int = 6,
    cards: int = 84,
    seed: int = 0,
    first: int | None = None,
    salt: str = "",
) -> GameState:
    """Deal a game with a deck of `cards` numbered from 0 (Odyssey en l. 110 and 111; Dixit pt l. 48 and 49).

    The seed alone says who gets which cards, and who begins. The order of the cards on the table depends on `salt` too,
    a text that keeps it secret from whoever guesses the seed.

    `first` names the first storyteller's seat; by default it is drawn, for the rulebooks' "first player who finds a
    clue" (Odyssey en l. 48) is a race of people. Raises `RulesError` when the rules don't allow
    that many players or the deck is too small for them.
    """
    table = rules.seated(players)
    rules.check_deck(players, cards)
    exact = whole_number(seed)
    if exact is None:
        raise RulesError(f"a seed is a whole number, not {shown(seed)}")
    seed = exact
    storyteller = stream(seed, "first").randrange(players) if first is None else whole_number(first)
    if storyteller is None or not 0 <= storyteller < players:
        raise RulesError(f"seat {shown(first)} can't be the first storyteller: seats are 0 to {players - 1}")
    deck = shuffled(seed, "deal", 0, range(cards))
    size = table.hand
    nothing: tuple[tuple[int, ...], ...] = ((),) * players
    return GameState(
        rules=table,
        seed=seed,
        salt=salt,
        turn=1,
        storyteller=storyteller,
        scores=(0,) * players,
        hands=tuple(deck[seat * size : (seat + 1) * size] for seat in range(players)),
        pile=deck[players * size :],
        discard=(),
        reshuffles=0,
        history=(),
        phase=CLUE,
        clue="",
        given=nothing,
        slots=(),
        votes=nothing,
    )


def move_in(phase: Phase, numbers: tuple[int, ...], clue: str = "") -> Move:
    """The move that these numbers (`numbers_in`) are in a phase: a card with its clue, cards, or slots."""
    if phase is CLUE:
        return GiveClue(numbers[0], clue)
    return PlayCards(numbers) if phase is CARDS else CastVotes(numbers)


def own_slots(state: GameState, seat: int) -> tuple[int, ...]:
    """The slots of the cards that a seat gave; () before the vote."""
    slots = state.slots
    if not slots:
        return ()
    given = state.given[seat]
    if len(given) == 1:  # the usual case, and this is asked at every vote
        return (slots.index(given[0]),)
    return tuple(sorted([slots.index(card) for card in given]))


def may_act(state: GameState, seat: int) -> bool:
    """Does the table wait for (or, where `may_change`, still accept) a decision of this seat?"""
    phase = state.phase
    if phase is CLUE:
        return seat == state.storyteller
    if phase is OVER or seat == state.storyteller:
        return False
    decided = (state.given if phase is CARDS else state.votes)[seat]
    return not decided or state.rules.may_change


def waiting_for(state: GameState) -> tuple[int, ...]:
    """The seats whose decision the open phase still lacks, ascending; () when the game is over."""
    phase = state.phase
    if phase is CLUE:
        return (state.storyteller,)
    if phase is OVER:
        return ()
    decided = state.given if phase is CARDS else state.votes
    storyteller = state.storyteller
    return tuple([seat for seat, decision in enumerate(decided) if not decision and seat != storyteller])


def idle_reason(state: GameState, seat: int) -> str:
    """Why a seat has nothing to do now, in words; "" when it may act."""
    if may_act(state, seat):
        return ""
    phase = state.phase
    if phase is OVER:
        return "the game is over"
    if phase is CLUE:
        return f"seat {state.storyteller} is the storyteller and thinks of a clue"
    if seat == state.storyteller:
        waiting = "the others choose their cards" if phase is CARDS else "only the others vote"
        return f"the storyteller has given the clue; {waiting}"
    return "its cards are given" if phase is CARDS else "its vote is cast"


def seat_in(state: GameState, seat: object) -> int:
    """The seat as an `int`; raises `RulesError` when there is no such seat, negative numbers included."""
    number = whole_number(seat)
    if number is None or not 0 <= number < state.rules.players:
        raise RulesError(f"there is no seat {shown(seat)}: seats are 0 to {state.rules.players - 1}")
    return number


def legal_moves(state: GameState, seat: int, clue: str = "…") -> tuple[Move, ...]:
    """Every legal move of a seat; () when it has nothing to do.

    A clue is free text, so the storyteller gets one move for each card of the hand, with the text `clue`. Raises
    `RulesError` when there is no such seat.
    """
    if type(seat) is not int or not 0 <= seat < state.rules.players:
        seat = seat_in(state, seat)
    if not may_act(state, seat):
        return ()
    return moves_open(state.rules, state.phase, state.hands[seat], own_slots(state, seat), clue)


def moves_open(
    rules: TableRules, phase: Phase, hand: tuple[int, ...], own: tuple[int, ...], clue: str
) -> tuple[Move, ...]:
    """The legal moves of a seat that may act, with that hand and own cards in those slots."""
    if phase is CLUE:
        return legal_clues(hand, clue)
    if phase is CARDS:
        return legal_plays(hand, rules.gives)
    return legal_votes(rules.slots, own, rules.dials_least, rules.dials_most, rules.may_stack)


def apply(state: GameState, seat: int, move: Move) -> GameState:
    """The state after `seat` makes `move`.

    Whatever `move` is, a faulty one raises `IllegalMove` (what was wrong, what is legal) and nothing else. The new
    state holds `int`, `str` and tuples only: other whole numbers and lists are converted (`plain_move`).
    """
    if type(seat) is not int or not 0 <= seat < state.rules.players:
        try:
            seat = seat_in(state, seat)
        except RulesError as error:
            raise IllegalMove(str(error)) from None
    if not may_act(state, seat):
        raise IllegalMove(f"seat {seat} can't move: {idle_reason(state, seat)}")
    move = plain_move(move)
    if state.phase is CLUE:
        return _give_clue(state, seat, move)
    if state.phase is CARDS:
        return _play_cards(state, seat, move)
    return _cast_votes(state, seat, move)


def _give_clue(state: GameState, seat: int, move: Move) -> GameState:
    if not isinstance(move, GiveClue):
        raise IllegalMove(f"seat {seat} must give a clue now, not {shown(move)}")
    if move.card not in state.hands[seat]:
        raise IllegalMove(f"card {move.card} is not in the hand of seat {seat}: choose one of {state.hands[seat]}")
    if fault := clue_fault(move.clue):
        raise IllegalMove(fault)
    given = _with(state.given, seat, (move.card,))
    return _in_turn(state, CARDS, move.clue, given, (), state.votes)


def _play_cards(state: GameState, seat: int, move: Move) -> GameState:
    gives = state.rules.gives
    if not isinstance(move, PlayCards):
        raise IllegalMove(f"seat {seat} must give {gives} card(s) now, not {shown(move)}")
    cards = move.cards
    if len(cards) != gives or (gives > 1 and len(set(cards)) != gives):
        raise IllegalMove(f"seat {seat} must give {gives} different card(s), not {shown(cards)}")
    hand = state.hands[seat]
    for card in cards:
        if card not in hand:
            raise IllegalMove(f"card {card} is not in the hand of seat {seat}: choose from {hand}")
    given = _with(state.given, seat, cards)
    if not all(given):
        return _in_turn(state, CARDS, state.clue, given, (), state.votes)
    table = shuffled(state.seed, "table", state.turn, [card for cards in given for card in cards], state.salt)
    return _in_turn(state, VOTES, state.clue, given, table, state.votes)


def _cast_votes(state: GameState, seat: int, move: Move) -> GameState:
    if not isinstance(move, CastVotes):
        raise IllegalMove(f"seat {seat} must vote now, not {shown(move)}")
    slots = tuple(sorted(move.slots))
    if fault := vote_fault(state.rules, slots, own_slots(state, seat)):
        raise IllegalMove(f"seat {seat} can't vote {shown(slots)}: {fault}")
    votes = _with(state.votes, seat, slots)
    if votes.count(()) > 1:  # somebody besides the storyteller has not voted
        return _in_turn(state, VOTES, state.clue, state.given, state.slots, votes)
    return _end_turn(state, votes)


def _end_turn(state: GameState, votes: tuple[tuple[int, ...], ...]) -> GameState:
    """Score, discard, refill (Odyssey en l. 102), and open the next turn (l. 104) or end the game (l. 106)."""
    rules = state.rules
    owner = {card: seat for seat, cards in enumerate(state.given) for card in cards}
    owners = tuple([owner[card] for card in state.slots])
    result = score_checked(rules, state.storyteller, owners, votes)
    turn = PlayedTurn(state.turn, state.storyteller, state.clue, state.slots, owners, votes, result)
    scores = tuple(map(add, state.scores, result.points))

    pile, discard, reshuffles = state.pile, state.discard + state.slots, state.reshuffles
    over = rules.ended(state.turn, scores)
    need = len(state.slots)
    if len(pile) < need and not over:
        if rules.reshuffle == "never":
            over = True
        elif rules.reshuffle == "discard":
            reshuffles += 1
            pile, discard = pile + shuffled(state.seed, "deal", reshuffles, discard), ()
        else:
            reshuffles += 1
            pile, discard = shuffled(state.seed, "deal", reshuffles, pile + discard), ()
    hands = list(state.hands)
    if over:  # no refill: the played cards leave the hands and lie in the discard
        hands = [tuple([card for card in hand if card not in owner]) for hand in hands]
    else:
        drawn = iter(pile)
        hands = [tuple([next(drawn) if card in owner else card for card in hand]) for hand in hands]
        pile = pile[need:]
        over = rules.reshuffle == "never" and not pile
    nothing: tuple[tuple[int, ...], ...] = ((),) * rules.players
    return GameState(  # by position: with sixteen keywords a state takes three times as long to build
        rules,
        state.seed,
        state.salt,
        state.turn if over else state.turn + 1,
        state.storyteller if over else (state.storyteller + 1) % rules.players,
        scores,
        tuple(hands),
        pile,
        discard,
        reshuffles,
        (*state.history, turn),
        OVER if over else CLUE,
        "",
        nothing,
        (),
        nothing,
    )


def _in_turn(
    state: GameState,
    phase: Phase,
    clue: str,
    given: tuple[tuple[int, ...], ...],
    slots: tuple[int, ...],
    votes: tuple[tuple[int, ...], ...],
) -> GameState:
    """The state with other values of its last five fields. `_replace` takes more than twice as long."""
    return GameState._make((*state[:-5], phase, clue, given, slots, votes))


def _with(row: tuple[tuple[int, ...], ...], seat: int, value: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    changed = list(row)
    changed[seat] = value
    return tuple(changed)
