"""How sure a belief should be: scales are found again from answers that were drawn with them."""

from pathlib import Path

import numpy as np
import pytest

from dixit_env.models.clip_training.pipeline import GUESSES
from dixit_env.models.clip_training.sharpness import (
    HELD_OUT_GUESSES,
    Viewers,
    fit_viewers,
    own_scale,
    read_guesses,
)


def test_the_scale_that_answers_were_drawn_with_is_found() -> None:
    rng = np.random.default_rng(0)
    cosines = rng.normal(0, 0.2, (4_000, 6))
    odds = np.exp(12 * cosines)
    targets = [int(rng.choice(6, p=row / row.sum())) for row in odds]
    assert own_scale(cosines, targets) == pytest.approx(12, rel=0.1)


def test_how_viewers_read_is_found_and_kept(tmp_path: Path) -> None:
    cosines = np.random.default_rng(0).normal(0, 0.2, (500, 6))
    viewers = Viewers(scale=9.0, lapse=0.15)
    fitted = fit_viewers(cosines, viewers.belief(cosines))
    assert fitted.scale == pytest.approx(9, rel=0.05)
    assert fitted.lapse == pytest.approx(0.15, abs=0.02)
    fitted.write(tmp_path)
    assert Viewers.read(tmp_path) == fitted


def test_a_lost_viewer_believes_evenly() -> None:
    assert Viewers(scale=20, lapse=1).belief(np.array([[1.0, 0, 0, 0]])) == pytest.approx(0.25)


@pytest.mark.parametrize("file", [GUESSES, HELD_OUT_GUESSES])
def test_kept_guesses_are_beliefs_over_six_cards(file: Path) -> None:
    tables = read_guesses(file)
    for table in tables:
        assert len(set(table.cards)) == len(table.belief) == 6
        assert sum(table.belief) == pytest.approx(1, abs=0.01)
        assert 0 <= table.target < 6
    assert 0 < sum(table.control for table in tables) < len(tables) / 2
