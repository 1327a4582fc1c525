"""A reward for language models that learn to give clues: exact expected points before a panel of listeners.

    python examples/clue_rewards.py            (pip install 'dixit-env[listeners]')

The same function trains a model. With TRL:

    GRPOTrainer(model, reward_funcs=grpo_reward(scorer), train_dataset=Dataset.from_list(rows(scorer, range(500))))

and with verifiers: `Rubric(funcs=[rubric_reward(scorer)])`, with `deal` and `card` in each row's `info`.

Train on a deck that you paint for it (`scripts/make_deck.py`): `dreams` stays unseen, and can tell what the model
has learned.
"""

from collections.abc import Iterable

from dixit_env import ODYSSEY
from dixit_env.agents.panels import PanelAgents, default_panels
from dixit_env.bench.clues.rewards import ClueScorer, grpo_reward

ASKED = "You tell in a game of Dixit. Your card shows this: {} Give a clue that some of the others understand, not all."


def rows(scorer: ClueScorer, deals: Iterable[int]) -> list[dict[str, str | int]]:
    """A training set: a row for each card of the storyteller's hand on each deal."""
    return [
        {"prompt": ASKED.format(card.captions["en"]), "deal": deal, "card": card.id}
        for deal in deals
        for card in scorer.hand(deal)
    ]


def main() -> None:
    """Rank a few clues for one card, as a trainer would."""
    source = PanelAgents(decks=("dreams",))
    scorer = ClueScorer(source, default_panels(source.deck())[0], ODYSSEY, players=6)
    card, other = scorer.hand(0)[:2]
    clues = {
        "its caption": card.captions["en"],
        "its title": card.title["en"],
        "one of its tags": card.tags["en"][0],
        "another card's title": other.title["en"],
        "no words": "hmm",
        "no clue": '{"clue": "…"}',
    }
    row, *_ = rows(scorer, [0])
    batch = {f"{name}s" if name == "prompt" else name: [value] * len(clues) for name, value in row.items()}
    batch["completions"] = list(clues.values())
    margins, points, lifts = (grpo_reward(scorer, reward)(**batch) for reward in ("margin", "points", "lift"))
    print(row["prompt"], "margin  points    lift", sep="\n")
    for margin, earned, lift, what in sorted(zip(margins, points, lifts, clues, strict=True), reverse=True):
        print(f"{margin:+6.2f}  {earned:6.2f}  {lift:+6.2f}  {what}: {clues[what]}")


if __name__ == "__main__":
    main()
