"""Dixit and Dixit Odyssey as a research environment.

The rules engine (`new_game`, `apply`, `view`), decks, the table where agents play, and records. Importing this package
registers the environments with Gymnasium and PettingZoo, and loads neither torch nor open_clip.
"""

from dixit_env.decks.deck import Card, Deck
from dixit_env.envs.ids import register as _register
from dixit_env.errors import DeckError, DixitError, IllegalMove, RecordError, RulesError, SpecError
from dixit_env.game.engine import GameState, Phase, PlayedTurn, apply, legal_moves, new_game, waiting_for
from dixit_env.game.moves import CastVotes, GiveClue, Move, PlayCards
from dixit_env.game.rules import DIXIT, DIXIT_2008, EDITIONS, ODYSSEY, ODYSSEY_2011, Rules, edition
from dixit_env.game.scoring import Outcome, TurnScore, score
from dixit_env.game.view import View, view
from dixit_env.table.play import Agent, Decision, play
from dixit_env.version import VERSION as __version__

__all__ = [
    "DIXIT",
    "DIXIT_2008",
    "EDITIONS",
    "ODYSSEY",
    "ODYSSEY_2011",
    "Agent",
    "Card",
    "CastVotes",
    "Decision",
    "Deck",
    "DeckError",
    "DixitError",
    "GameState",
    "GiveClue",
    "IllegalMove",
    "Move",
    "Outcome",
    "Phase",
    "PlayCards",
    "PlayedTurn",
    "RecordError",
    "Rules",
    "RulesError",
    "SpecError",
    "TurnScore",
    "View",
    "__version__",
    "apply",
    "edition",
    "legal_moves",
    "new_game",
    "play",
    "score",
    "view",
    "waiting_for",
]

_register()
