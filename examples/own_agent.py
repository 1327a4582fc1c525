"""An own agent at a table: any object with a name, `begin` and `act`.

    python examples/own_agent.py

The agent gives a clue of its own for its first card, gives its last cards, and puts all dials on the first slot that
isn't its own.
"""

from random import Random

from dixit_env import CastVotes, Decision, GiveClue, Phase, PlayCards, View, play
from dixit_env.agents.registry import make_agents
from dixit_env.models.sight import Sight
from dixit_env.table.play import GameEnded


class FirstSlot:
    """Votes for the first slot it may vote for."""

    name = "first-slot"

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts; draw random numbers from `rng` only, and a game can be played again."""
        self.rng = rng

    def act(self, view: View) -> Decision:
        """Decide, from what the seat may see."""
        if view.phase is Phase.CLUE:
            return Decision(GiveClue(view.hand[0], self.rng.choice(["almost home", "the last guest", "too late"])))
        if view.phase is Phase.CARDS:
            return Decision(PlayCards(view.hand[-view.rules.gives :]))
        free = next(slot for slot in range(len(view.slots)) if slot not in view.own_slots)
        return Decision(CastVotes((free,) * view.rules.dials_most), {"reason": "the first that isn't mine"})


def main() -> None:
    """Play one game against the agents that come with the project."""
    sight = Sight.load(["dreams"], clip="embedded")
    agents = [FirstSlot(), *make_agents(["clip", "greedy", "random"], sight)]
    for event in play(agents, deck=sight.deck, seed=1):
        if isinstance(event, GameEnded):
            for agent, points in zip(agents, event.scores, strict=True):
                print(f"{agent.name:>12}: {points}")


if __name__ == "__main__":
    main()
