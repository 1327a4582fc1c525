"""The guided turn with which the page teaches the game: six players, real cards, and what every ballot brings.

The page plays it by itself, without a table on the server. So that it has neither the rules nor the frames' shape a
second time, all that it shows is made here by the scoring and the projection of real tables.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from itertools import combinations_with_replacement

from dixit_env.decks.deck import Card, Deck
from dixit_env.game.engine import PlayedTurn
from dixit_env.game.rules import ODYSSEY
from dixit_env.game.scoring import score
from dixit_env.web.events import Joined, Note, Opened, RoomState, Started, restore
from dixit_env.web.pictures import SIZES, Pictures
from dixit_env.web.projection import Frame, Live, state_frame, turns_frame
from dixit_env.web.protocol import Settings

DECK = "dreams"
HAND = {"055": 2, "012": 0, "039": 1, "045": 0, "084": 1, "061": 0}
"""The learner's cards, and how many dials each would lure away."""
NEXT = "037"  # the card that refills the hand
YOU, TELLER = 0, 5  # seats
OWNERS = (1, 3, YOU, TELLER, 4, 2)  # by slot
SLOTS = ("018", "050", "", "077", "070", "062")  # the learner's own card comes into the empty place
VOTES: Mapping[int, tuple[tuple[int, ...], ...]] = {  # of the other seats, by how many dials are lured away
    0: ((), (3, 3), (0, 3), (3, 4), (0, 5), ()),
    1: ((), (3, 3), (0, 3), (3, 4), (2, 5), ()),
    2: ((), (3, 3), (2, 3), (3, 4), (2, 5), ()),
}
_PERSON = "learner"


@cache
def lesson() -> Frame:
    """What the page plays the lesson from.

    `state` is a state frame of the first phase. `hand` are the cards, `lures` the dials that each draws, `next` the
    card that refills the hand, and `slots` the cards on the table, with null for the learner's own.
    `turns[lures][ballot]` is the finished turn; a ballot is two slots with a comma between, ascending.
    """
    cards = {_name(card): {"id": _name(card), "words": dict(card.captions)} for card in _deck().cards}
    table = _table()
    state = state_frame("", table, Live({_PERSON: "here"}), _PERSON)
    dials = [slot for slot, owner in enumerate(OWNERS) if owner != YOU]
    ballots = list(combinations_with_replacement(dials, 2))
    return {
        "state": state,
        "hand": [cards[name] for name in HAND],
        "lures": list(HAND.values()),
        "next": cards[NEXT],
        "slots": [cards[name] if name else None for name in SLOTS],
        "turns": [
            {",".join(map(str, ballot)): _turn(table, (ballot, *votes[1:])) for ballot in ballots}
            for votes in VOTES.values()
        ],
    }


@cache
def lesson_pictures() -> Mapping[str, bytes]:
    """The pictures of its cards as WebP files, by name: `077-small.webp`, `077-full.webp`.

    The first page shows some of them too.
    """
    deck = _deck()
    pictures = Pictures(deck)
    return {
        f"{_name(card)}-{size}.webp": pictures.webp(number, size)
        for number, card in enumerate(deck.cards)
        for size in SIZES
    }


def _deck() -> Deck:
    return Deck.some(DECK, [*HAND, NEXT, *filter(None, SLOTS)])


def _name(card: Card) -> str:
    return card.name.rpartition("/")[2]


def _table() -> RoomState:
    """A table of one person and five bots, in its first turn."""
    people = (_PERSON, *("",) * 5)
    state = restore(
        [
            Opened(key="", settings=Settings(seats=len(people), limit=None)),
            Joined(person=_PERSON, name="", consent=False),
            Started(rules=asdict(ODYSSEY), deck=DECK, cards=("",) * 84, people=people, bots="", seed=0),
        ]
    )
    assert state.play is not None
    return replace(state, play=state.play._replace(storyteller=TELLER))


def _turn(table: RoomState, votes: tuple[tuple[int, ...], ...]) -> Frame:
    """The finished turn, as in a frame of turns but without its cards."""
    play = table.play
    assert play is not None
    points = score(play.rules, TELLER, OWNERS, votes)
    turn = PlayedTurn(1, TELLER, "", tuple(range(len(OWNERS))), OWNERS, votes, points)
    play = play._replace(history=(turn,), scores=points.points)
    [shown] = turns_frame(replace(table, play=play, notes=(Note(), Note())), 0)["turns"]
    return {name: value for name, value in shown.items() if name != "slots"}
