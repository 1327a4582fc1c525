"""The two baselines: blind chance, and what published Dixit bots do."""

from dataclasses import dataclass

import numpy as np

from dixit_env.agents.base import Player, legal_ballots, legal_cards, legal_clues
from dixit_env.agents.clues.bank import load_bank
from dixit_env.agents.clues.index import clue_index, clue_z_scores
from dixit_env.game.moves import CastVotes, GiveClue
from dixit_env.game.view import View
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decision


@dataclass(frozen=True)
class ScriptedOptions:
    """Options of both: `greedy:lang=pt`."""

    lang: str = "en"
    """Language of the clues: en, pt, es or da."""


class RandomAgent(Player):
    """Any legal move; as storyteller any card with any clue of the bank."""

    name = "random"

    def __init__(self, options: ScriptedOptions = ScriptedOptions()) -> None:
        self.bank = load_bank((options.lang,))

    def act(self, view: View) -> Decision:
        """Decide."""
        move = self.rng.choice(view.moves)
        if isinstance(move, GiveClue):
            move = GiveClue(move.card, self.rng.choice(self.bank).text)
        return Decision(move)


class GreedyAgent(Player):
    """A literal clue for a random card, the best match as decoy, every dial on the best match."""

    name = "greedy"

    def __init__(self, sight: Sight, options: ScriptedOptions = ScriptedOptions()) -> None:
        self.sight = sight
        self.lang = options.lang
        load_bank((self.lang,))  # a wrong language is an error now
        clue_z_scores(sight, "")  # loads the CLIP and the cards' vectors now, so that errors surface at construction

    def clue(self, view: View) -> Decision:
        """The card's caption, or the clue of the bank that fits it best where it has none."""
        card = self.rng.choice(legal_clues(view)).card
        caption = self.sight.deck.cards[card].captions.get(self.lang)
        if caption is None:
            index = clue_index(self.sight, (self.lang,))
            caption = index.texts[index.by_card[card, 0]]
        return Decision(GiveClue(card, caption))

    def cards(self, view: View) -> Decision:
        """The card(s) of the hand that match the clue best."""
        z = clue_z_scores(self.sight, view.clue)
        best = max(legal_cards(view), key=lambda move: float(sum(z[card] for card in move.cards)))
        return Decision(best)

    def votes(self, view: View) -> Decision:
        """All dials on the best match; on the two best where stacking is not allowed."""
        z = clue_z_scores(self.sight, view.clue)[list(view.slots)]
        dials = max(len(ballot.slots) for ballot in legal_ballots(view))
        order = [int(slot) for slot in np.argsort(-z) if slot not in view.own_slots]
        stack = CastVotes((order[0],) * dials)
        return Decision(stack if stack in view.moves else CastVotes(tuple(sorted(order[:dials]))))
