"""Three turns of a clue benchmark with their pictures: the best, the worst and the most surprising."""

from collections.abc import Sequence

from dixit_env.bench.clues.turn_log import Line
from dixit_env.bench.report import Html, cards, quote, section, text
from dixit_env.decks.deck import Deck


def turn_section(lines: Sequence[Line], deck: Deck, panel: str) -> list[Html]:
    """The section, or nothing when no clue was judged by the panel or the deck has no pictures."""
    judged = [line for line in lines if panel in line["panels"]]
    if not judged or any(card.path is None for card in deck.cards):
        return []

    def margin(line: Line) -> float:
        return float(line["panels"][panel]["margin"])

    def surprise(line: Line) -> float:
        predicted = _predicted_share(line, panel)
        return 0.0 if predicted is None else abs(line["panels"][panel]["guess_rate"] - predicted)

    return [
        section(
            "Three turns",
            _turn("The best", max(judged, key=margin), deck, panel),
            _turn("The worst", min(judged, key=margin), deck, panel),
            _turn("The most surprising", max(judged, key=surprise), deck, panel),
        )
    ]


def _predicted_share(line: Line, panel: str) -> float | None:
    """The share of voters that the giver expected to find the card."""
    expected = (line["expected"] or {}).get("finders")
    return None if expected is None else float(expected) / len(line["panels"][panel]["votes"])


def _turn(label: str, line: Line, deck: Deck, panel: str) -> Html:
    judged, predicted = line["panels"][panel], _predicted_share(line, panel)
    votes = judged["votes"]
    files = {card.id: card.path for card in deck.cards if card.path is not None}
    pictures = [
        (
            files[card],
            f"{'storyteller' if owner == 0 else f'player {owner + 1}'}:"
            f" {sum(vote[column] for vote in votes):.1f} of {len(votes)} first dials",
            owner == 0,
        )
        for column, (card, owner) in enumerate(zip(line["table"], line["owners"], strict=True))
    ]
    expected = "" if predicted is None else f" {predicted:.0%} were expected."
    words = (
        f"{label}: {line['giver']}, deal {line['deal']}. {judged['guess_rate']:.0%} of the listeners find the card."
        f"{expected} Some but not all: {judged['some']:.0%}; {judged['points']:.2f} points, margin"
        f" {judged['margin']:+.2f}."
    )
    return Html(quote(f"“{line['clue']}”") + text(words) + cards(pictures))
