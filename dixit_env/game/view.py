"""What one seat may see of a game.

Everything outside the engine is made from views: agents, observations, prompts, the terminal, the web page. A view is a
plain value with no way back to the game; before a turn is scored it holds nobody else's hand, cards, owners or votes,
and legal moves only of its own seat ("not your own card" would name an owner). Two states that differ only in what a
seat can't see give equal views.
"""

from typing import NamedTuple

from dixit_env.game.engine import GameState, Phase, PlayedTurn, idle_reason, moves_open, own_slots, seat_in
from dixit_env.game.moves import Move
from dixit_env.game.rules import TableRules


class View(NamedTuple):
    """The game as `seat` sees it; `seat` None is a spectator, who sees what is public.

    A named tuple: environments make one at every step, and it is several times as fast to build as a frozen dataclass.
    """

    rules: TableRules
    seat: int | None
    phase: Phase
    turn: int  # from 1
    storyteller: int
    scores: tuple[int, ...]  # (players,)
    hand: tuple[int, ...]  # own cards that are not given away; () for a spectator
    given: tuple[int, ...]  # own cards given this turn, the storyteller's included
    clue: str  # "" until it is given
    slots: tuple[int, ...]  # the card in each slot, from the vote on
    own_slots: tuple[int, ...]  # where the own cards lie, ascending
    dials: tuple[int, ...]  # the own vote, once cast
    acted: tuple[bool, ...]  # (players,) who has decided in this phase
    pile: int  # cards in the draw pile
    discard: tuple[int, ...]  # cards, face up
    idle: str  # why this seat has nothing to do; "" when it may act
    history: tuple[PlayedTurn, ...]  # finished turns, with owners, votes and points
    winners: tuple[int, ...]  # once the game is over

    @property
    def players(self) -> int:
        return self.rules.players

    @property
    def moves(self) -> tuple[Move, ...]:
        """Own legal moves, () when there is nothing to do; a clue stands as "…" for any text."""
        if self.idle:
            return ()
        return moves_open(self.rules, self.phase, self.hand + self.given, self.own_slots, "…")

    @property
    def is_storyteller(self) -> bool:
        return self.seat == self.storyteller


def view(state: GameState, seat: int | None) -> View:
    """The view of `seat`, or of a spectator (None); raises `RulesError` when there is no such seat."""
    if seat is None:
        given: tuple[int, ...] = ()
        hand: tuple[int, ...] = ()
        own: tuple[int, ...] = ()
        dials: tuple[int, ...] = ()
        idle = "a spectator only looks on"
    else:
        if type(seat) is not int or not 0 <= seat < state.rules.players:
            seat = seat_in(state, seat)
        given = state.given[seat]
        hand = tuple([card for card in state.hands[seat] if card not in given]) if given else state.hands[seat]
        own = own_slots(state, seat)
        dials = state.votes[seat]
        idle = idle_reason(state, seat)
    phase = state.phase
    return View(  # by position: with eighteen keywords a view takes half as long again to build
        state.rules,
        seat,
        phase,
        state.turn,
        state.storyteller,
        state.scores,
        hand,
        given,
        state.clue,
        state.slots,
        own,
        dials,
        tuple(map(bool, state.given if phase is Phase.CARDS else state.votes)),
        len(state.pile),
        state.discard,
        idle,
        state.history,
        state.winners,
    )
