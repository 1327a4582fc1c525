"""What every agent shares: a method for each of the three roles."""

from random import Random

from dixit_env.game.engine import Phase
from dixit_env.game.moves import CastVotes, GiveClue, PlayCards
from dixit_env.game.view import View
from dixit_env.table.play import Decision


class Player:
    """Base of the agents here: sends each decision to `clue`, `cards` or `votes`."""

    name = "player"

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts; all chance comes from `rng`."""
        self.seat = seat
        self.rng = rng

    def act(self, view: View) -> Decision:
        """Decide in the open phase."""
        if view.phase is Phase.CLUE:
            return self.clue(view)
        if view.phase is Phase.CARDS:
            return self.cards(view)
        return self.votes(view)

    def clue(self, view: View) -> Decision:
        """As storyteller: choose a card of the hand and a clue."""
        raise NotImplementedError

    def cards(self, view: View) -> Decision:
        """Choose the decoy(s) for the clue."""
        raise NotImplementedError

    def votes(self, view: View) -> Decision:
        """Set the dials."""
        raise NotImplementedError


def legal_clues(view: View) -> tuple[GiveClue, ...]:
    """The storyteller's legal moves, one for each card of the hand; the text is to be replaced."""
    return tuple(move for move in view.moves if isinstance(move, GiveClue))


def legal_cards(view: View) -> tuple[PlayCards, ...]:
    """The legal choices of decoys."""
    return tuple(move for move in view.moves if isinstance(move, PlayCards))


def legal_ballots(view: View) -> tuple[CastVotes, ...]:
    """The legal ways to set the dials."""
    return tuple(move for move in view.moves if isinstance(move, CastVotes))
