"""The errors that a user can cause. Each message says what was wrong and what to do."""


class DixitError(ValueError):
    """Base of every error that a user of this project can cause; scripts print it as one line."""


class RulesError(DixitError):
    """Rules that contradict themselves, or a number of players or cards that they don't allow."""


class IllegalMove(DixitError):
    """A move that the rules don't allow now; the message says what is legal. The state is unchanged."""


class DeckError(DixitError):
    """A folder of pictures that can't be played with."""


class RecordError(DixitError):
    """A game record that can't be read, or whose replay differs from what it says."""


class SpecError(DixitError):
    """An agent, clip or deck name that can't be understood."""


class NoAnswer(DixitError):
    """Somebody behind a network could not be asked. It says nothing of how well they play; asking later may work."""
