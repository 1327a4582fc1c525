"""Texts compared as words: when two clues count as the same, and when a clue names what a card says of itself."""

import re

from dixit_env.decks.deck import Card

_WORD = re.compile(r"[^\W_]+")  # letters and digits, as `str.isalnum` has them


def normalised(text: str) -> str:
    """The letters and digits of a text, case-folded, with single spaces: two clues with equal ones are the same."""
    return " ".join(_WORD.findall(text.casefold()))


# Words that name nothing: articles, prepositions, pronouns, conjunctions and forms of "be" in the four languages.
_FUNCTION_WORDS = frozenset(
    """
    a about above across after all along alone also am among an and another any are around as at away be because
    been before behind being below beneath beside between both but by can could did do does down each even ever
    every few for from had has have he her here high him his how i if in inside into is it its itself just like
    more most much my near never no not nothing now of off on one only onto or other our out over own she so
    some something still such than that the their them then there these they this those through to too under
    until up upon us very was we were what when where which while who whole whom whose why will with within
    without would you your ao aos até com como da das de dela dele dos e ela ele em entre era essa esse esta
    este eu foi há isso já mais mas me meu minha muito na nas nem nos não o os ou para pela pelo por que quem se
    sem ser seu seus sobre sua suas são só também tem toda todas todo todos um uma umas uns à às é acima abaixo
    dentro fora onde quando cada al algo con cual cuando del desde donde el ella en ese eso esto fue ha hay la
    las le lo los más mi muy ni otra otro pero qué sin sino son su sus te tu un una unas unos y ya yo encima
    debajo ad af alle bag blev dem den der deres det dig din dog du efter eller er et fra få før gennem ham han
    har hen hun hvad hver hvis hvor igen ikke ind inde ingen jeg kan kun man med meget mellem men mig min mod må
    ned noget nogen nu når og også om op på sig skal som til ud uden var ved vi vil være år højt
    """.split()  # noqa: SIM905  (a list of 300 words is no easier to read)
)


def words_of(*texts: str) -> frozenset[str]:
    """The words of some texts, normalised."""
    return frozenset(word for text in texts for word in _WORD.findall(text.casefold()))


def content_words(*texts: str) -> frozenset[str]:
    """The words that may name something, normalised, without a plural s."""
    words = (word for word in words_of(*texts) if len(word) > 1)
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in words if word not in _FUNCTION_WORDS)


def card_words(card: Card) -> frozenset[str]:
    """Content words of what is to be seen on a card: of its captions in all languages, or of its title and tags where
    nobody has written what it shows."""
    if card.captions:
        return content_words(*card.captions.values())
    return content_words(*card.title.values(), *(tag for tags in card.tags.values() for tag in tags))
