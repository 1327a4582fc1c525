"""How long bots take to answer: about as long as people do, every seat at a pace of its own."""

import math

from dixit_env.game.engine import GameState, Phase
from dixit_env.game.streams import stream

TYPICAL = {Phase.CLUE: 5.0, Phase.CARDS: 3.5, Phase.VOTES: 3.0}  # seconds; chosen by playing with it
LOOK = 0.6  # seconds for each card on the table before a bot votes: the storyteller sees the cards from then on only
TEMPERAMENT = 0.3  # how far seats differ: standard deviation of the logarithm of their seconds
MOOD = 0.4  # how far one seat's decisions differ, likewise
SLOWEST = 2.5  # times the typical seconds


def pause(play: GameState, seat: int) -> float:
    """Seconds that a bot lets pass before it decides in the open phase.

    They depend on the game's seed, the seat, the turn and the phase, and on no card.
    """
    temperament = stream(play.seed, "pace", seat).gauss(0, TEMPERAMENT)
    mood = stream(play.seed, f"pace/{seat}/{play.phase}", play.turn).gauss(0, MOOD)
    look = LOOK * len(play.slots) if play.phase is Phase.VOTES else 0.0
    return look + TYPICAL[play.phase] * min(math.exp(temperament + mood), SLOWEST)
