"""How clues read: in several ways, none of which is the truth."""

from dataclasses import replace

import numpy as np
import pytest

from dixit_env.agents.clip.reading import NEAREST, ReadBank, read_bank, reading
from dixit_env.agents.clues.bank import KINDS, load_bank
from dixit_env.decks.deck import Deck
from dixit_env.models.eyes import NoisySight
from dixit_env.models.sight import Sight, z_scores


@pytest.fixture(scope="module")
def bank(sight: Sight) -> ReadBank:
    return read_bank(sight, "en")


def test_a_clue_reads_as_the_mean_of_pictures_and_words(sight: Sight) -> None:
    captions = np.stack([sight.texts(list(card.captions.values())).mean(0) for card in sight.deck.cards])
    captions /= np.linalg.norm(captions, axis=1, keepdims=True)
    clue = sight.texts(["The long way home"])
    ways = z_scores(clue @ sight.cards.T) + z_scores(clue @ captions.T)
    assert reading(sight).z("The long way home") == pytest.approx(z_scores(ways)[0], abs=1e-4)


def test_a_card_without_captions_reads_by_the_names_of_what_is_seen_on_it(sight: Sight) -> None:
    """The captions' words find their card among all 84 far more often than by chance, though nobody wrote them down."""
    bare = Sight(Deck(sight.deck.name, tuple(replace(card, captions={}) for card in sight.deck.cards)))
    words = reading(bare).ways(sight.texts([card.captions["en"] for card in sight.deck.cards]))[1]  # (captions, cards)
    rank = (words > words.diagonal()[:, None]).sum(1)
    assert np.median(rank) < 5


def test_what_nothing_vouches_for_says_a_third_less(sight: Sight, bank: ReadBank) -> None:
    clues = load_bank(("en",))
    unknown = next(row for row, clue in enumerate(clues) if not clue.of)
    ways = reading(sight).ways(sight.texts([clues[unknown].text])).mean(0)[0]
    assert bank.z[unknown] == pytest.approx(ways * 2 / 3, abs=1e-5)


def test_an_association_reads_in_a_third_way_as_all_that_is_of_the_same_thing(sight: Sight, bank: ReadBank) -> None:
    same = [row for row, clue in enumerate(load_bank(("en",))) if clue.of == ("thing:violin",)]
    of_it = [row for row, clue in enumerate(load_bank(("en",))) if "thing:violin" in clue.of]
    direct = reading(sight).ways(sight.texts([bank.texts[same[0]]]))
    together = reading(sight).ways(sight.texts([bank.texts[row] for row in of_it]).mean(0, keepdims=True))
    expected = (direct[0] + direct[1] + together[0])[0] / 3
    assert bank.z[same[0]] == pytest.approx(expected, abs=1e-4)


def test_clues_of_the_same_thing_vouch_for_each_other(sight: Sight, bank: ReadBank) -> None:
    """With the others taken in, clues of one thing agree more about the cards than by themselves."""
    rows = [row for row, clue in enumerate(load_bank(("en",))) if clue.of == ("thing:violin",)]
    assert len(rows) > 3
    alone = reading(sight).ways(sight.texts([bank.texts[row] for row in rows])).mean(0)
    assert np.corrcoef(bank.z[rows]).mean() > np.corrcoef(alone).mean() + 0.1


@pytest.mark.parametrize("kinds", [KINDS, ("mood",), ("proverb", "idiom")])
def test_the_nearest_clues_are_those_of_their_kinds_that_fit_best(bank: ReadBank, kinds: tuple[str, ...]) -> None:
    rows = np.array([row for row, clue in enumerate(load_bank(("en",))) if clue.kind in kinds])
    best = rows[np.argsort(-bank.z[rows], axis=0)[:NEAREST]].T
    assert [set(row) for row in bank.nearest(kinds).tolist()] == [set(row) for row in best.tolist()]


def test_where_a_kind_has_few_clues_all_are_the_nearest(bank: ReadBank) -> None:
    proverbs = [row for row, clue in enumerate(load_bank(("en",))) if clue.kind == "proverb"]
    assert all(sorted(row) == proverbs for row in bank.nearest(("proverb",)).tolist())


def test_a_seat_with_noise_of_its_own_has_it_on_words_too(sight: Sight) -> None:
    texts = sight.texts([clue.text for clue in load_bank(("en",))[::40]])
    one, other = (reading(NoisySight(sight, 0.5, seed)).ways(texts) for seed in (1, 2))
    for way in (0, 1):
        agree = np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(one[way], other[way], strict=True)])
        assert agree == pytest.approx(0.5, abs=0.1)


def test_a_literal_clue_names_what_the_card_shows(sight: Sight, bank: ReadBank) -> None:
    clue = bank.texts.index("Giraffe")
    shown = {row for row, card in enumerate(sight.deck.cards) if "giraffe" in card.captions["en"].lower()}
    assert shown
    assert set(np.flatnonzero(bank.literal(np.array(clue), np.arange(len(sight.deck))))) == shown
