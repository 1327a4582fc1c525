"""The page in Firefox: two people in two windows play a game to its end and look back on it."""

from collections.abc import Callable
from typing import Any

import pytest
from player import Player
from test_page_game import fits

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser(firefox: Any) -> Any:
    """The one that `visit` opens pages in."""
    return firefox


def test_two_people_play_a_game_in_firefox(visit: Callable[..., Player], new_table: Callable[..., str]) -> None:
    path = new_table(seats=4, rounds=1)
    ana, ben = visit(path, "phone"), visit(path)
    ana.sit("Ana")
    ben.sit("Ben")
    ana.page.wait_for_selector(".people >> text=Ben")
    ana.start()
    for scene in ("votes", "reveal"):
        ana.play_until_both(ben, scene)
        assert fits(ana)
        assert ana.pictures() == ben.pictures()
        assert ben.page.locator(".seat bdi").all_inner_texts()[:2] == ["Ana", "Ben"]
    ana.play_until_both(ben, "over")
    assert ana.scores() == ben.scores()

    past = visit(f"{path}/games/1")
    past.page.wait_for_selector(".turn")
    past.page.keyboard.press("ArrowRight")
    past.until("document.querySelector('.stepper strong').innerText === 'Turn 2 of 4'")
    past.until("[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
