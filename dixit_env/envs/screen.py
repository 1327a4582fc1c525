"""The table as text."""

from dixit_env.decks.deck import Deck
from dixit_env.game.engine import Phase
from dixit_env.game.view import View
from dixit_env.table.log import turn_lines


def table_text(view: View, deck: Deck) -> str:
    """The last turn, once it is scored, and what the table waits for now. Seats and slots count from 1."""
    lines = []
    if view.history and view.phase in (Phase.CLUE, Phase.OVER):
        lines += turn_lines(view.history[-1], view.scores, ["player"] * view.players, deck, view.rules.target)
    if view.phase is Phase.OVER:
        lines.append(f"The game is over, won by player {', '.join(str(seat + 1) for seat in view.winners)}")
        return "\n".join(lines)
    head = f"Turn {view.turn} · player {view.storyteller + 1} "
    if view.phase is Phase.CLUE:
        return "\n".join([*lines, head + "thinks of a clue"])
    lines.append(head + f"tells: “{view.clue}”")
    lines += [f"  {slot + 1:2}   {deck.cards[card].name}" for slot, card in enumerate(view.slots)]
    waits = [str(seat + 1) for seat, acted in enumerate(view.acted) if not acted and seat != view.storyteller]
    doing = "chooses cards" if view.phase is Phase.CARDS else "votes"
    return "\n".join([*lines, f"  {doing}: player {', '.join(waits)}"])
