"""Eyes per seat: how far seats agree, and who sees through what."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dixit_env.agents.clues.bank import load_bank
from dixit_env.errors import SpecError
from dixit_env.models.eyes import SHARED, Eyes
from dixit_env.models.sight import Sight


def correlation(one: Sight, other: Sight, texts: list[str]) -> float:
    """The mean over texts of the correlation over cards."""
    pairs = zip(one.similarity(texts), other.similarity(texts), strict=True)
    return float(np.mean([np.corrcoef(*pair)[0, 1] for pair in pairs]))


@pytest.fixture(scope="module")
def texts(sight: Sight) -> dict[str, list[str]]:
    """Texts of three kinds."""
    return {
        "captions": [card.captions["en"] for card in sight.deck.cards],
        "plain": [clue.text for clue in load_bank() if clue.kind == "concrete"][:100],
        "remote": [clue.text for clue in load_bank() if clue.kind in ("proverb", "abstract")][:100],
    }


@pytest.mark.parametrize("agreement", [0.2, 0.5, 0.67, 0.9])
@pytest.mark.parametrize("kind", ["captions", "plain", "remote"])
def test_z_scores_of_two_seats_correlate_as_asked_for_texts_of_any_kind(
    sight: Sight, texts: dict[str, list[str]], kind: str, agreement: float
) -> None:
    seats = [Eyes(("embedded",), agreement).sight(seat, 7, lambda clip: sight) for seat in range(6)]
    found = [correlation(one, other, texts[kind]) for one, other in combinations(seats, 2)]
    assert np.mean(found) == pytest.approx(agreement, abs=0.05)
    with_clear = [correlation(seat, sight, texts[kind]) for seat in seats]
    assert np.mean(with_clear) == pytest.approx(agreement**0.5, abs=0.05)


def test_noise_leaves_the_similarities_as_large_as_they_were(sight: Sight, texts: dict[str, list[str]]) -> None:
    """What agents read of cosines is on the same scale."""
    seats = [Eyes(("embedded",), 0.3).sight(seat, 7, lambda clip: sight) for seat in range(6)]
    every = [text for kind in texts.values() for text in kind]
    clear = sight.similarity(every)
    noisy = np.stack([seat.similarity(every) for seat in seats])
    assert noisy.mean() == pytest.approx(clear.mean(), abs=0.02)
    assert noisy.std(-1).mean() == pytest.approx(clear.std(-1).mean(), rel=0.1)


def test_an_eye_belongs_to_its_seat_and_its_game(sight: Sight) -> None:
    def cards(seat: int, seed: int) -> bytes:
        return Eyes(("embedded",), 0.5).sight(seat, seed, lambda clip: sight).cards.tobytes()

    assert cards(2, 7) == cards(2, 7)
    assert len({cards(seat, seed) for seat in range(3) for seed in range(3)} | {sight.cards.tobytes()}) == 10


def test_without_noise_all_seats_share_one_sight(sight: Sight) -> None:
    for eyes in (SHARED, Eyes.parse("noise:1")):
        assert all(eyes.sight(seat, seat, lambda clip: sight) is sight for seat in range(6))


def test_clips_are_dealt_to_the_seats_in_turn(sight: Sight) -> None:
    eyes = Eyes.parse("one, two,three")
    dealt = [eyes.sight(seat, 7, lambda clip: Sight(sight.deck, clip)).clip_name for seat in range(5)]
    assert dealt == ["one", "two", "three", "one", "two"]


@given(st.floats(0, 1, exclude_min=True))
def test_noise_is_read_as_it_is_written(agreement: float) -> None:
    assert Eyes.parse(f"noise:{agreement}", "some") == Eyes(("some",), agreement)


def test_eyes_are_named_as_on_the_command_line() -> None:
    assert Eyes.parse("shared", "some") == Eyes(("some",))
    assert Eyes.parse("ViT-B-32:openai,embedded", "some") == Eyes(("ViT-B-32:openai", "embedded"))


@pytest.mark.parametrize(
    "text", ["", "noise", "noise:", "noise:0", "noise:1.1", "noise:-1", "noise:nan", "noise:x", "a,,b"]
)
def test_what_are_no_eyes_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="noise:R"):
        Eyes.parse(text)


@pytest.mark.parametrize(
    ("text", "said"), [("shared", "All seats see"), ("noise:0.5", "correlate by 0.5"), ("a,b", "in turn: a, b")]
)
def test_a_report_says_what_the_seats_see_through(text: str, said: str) -> None:
    assert said in str(Eyes.parse(text))
