"""Texts compared as words: when two clues count as the same, and when a clue names what a card says of itself."""

from dixit_env.decks.deck import Card


def normalised(text: str) -> str:
    """The letters and digits of a text, case-folded, with single spaces: two clues with equal ones are the same."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def content_words(*texts: str) -> frozenset[str]:
    """Words of four letters and more, normalised, without a plural s."""
    words = (word for text in texts for word in normalised(text).split() if len(word) >= 4)
    return frozenset(word.removesuffix("s") for word in words)


def card_words(card: Card) -> frozenset[str]:
    """Content words of a card's title, captions and tags, in all of its languages."""
    tags = [tag for tags in card.tags.values() for tag in tags]
    return content_words(*card.title.values(), *card.captions.values(), *tags)
