"""A participant of a study, from the link to the code."""

from collections.abc import Callable

import pytest
from player import Player

Visit = Callable[..., Player]


def answer(ana: Player) -> None:
    """Choose the last but one of every group of answers, and send them."""
    for group in ana.page.locator(".questions fieldset").all():
        group.locator("input").nth(-2).check(force=True)
    ana.page.click(".questions button[type=submit]")
    ana.page.wait_for_selector(".sheet-questions", state="detached")


def close_reveal(ana: Player) -> bool:
    """Read a reveal and close it; were there questions?"""
    ana.page.evaluate("document.querySelector('.deed .quiet:not(.enlarge-all)')?.click()")
    ana.page.wait_for_selector(".points")
    ana.page.click(".deed .button")
    ana.until("document.querySelector('.sheet-questions') || !document.querySelector('.reveal')")
    return bool(ana.page.locator(".sheet-questions").count())


@pytest.mark.parametrize(("size", "scheme"), [("phone", "dark")])
def test_a_participant_agrees_plays_answers_and_gets_the_code(
    visit: Visit, axe: Callable[[Player], list[str]], size: str, scheme: str
) -> None:
    ana = visit("/study?participant=P1", size, color_scheme=scheme)
    ana.page.wait_for_selector("text=You will play a game of Dixit")
    assert axe(ana) == []
    ana.page.get_by_role("button", name="I agree: begin").click()
    ana.page.wait_for_selector(".table")
    asked = 0
    while (scene := ana.scene()) != "over":
        if scene != "reveal":
            getattr(ana, scene)()
            continue
        if not close_reveal(ana):
            continue
        asked += 1
        if asked == 1:
            ana.page.click(".questions button[type=submit]")
            ana.page.wait_for_selector("text=Some questions are not answered yet.")
            assert axe(ana) == []
            ana.page.reload()  # nothing is lost: the result is shown, and the question asked, again
            ana.page.wait_for_selector(".reveal")
            assert close_reveal(ana)
        answer(ana)
        ana.leave("reveal")
    told = ana.page.locator(".seat.me bdi").inner_text()
    assert told == "You"
    assert asked >= 2
    ana.page.get_by_role("button", name="On to the last questions").click()
    ana.page.fill("textarea", "They <b>said</b> “rain” often.")
    answer(ana)
    ana.page.wait_for_selector(".completion .code:has-text('DREAMS-27')")
    assert axe(ana) == []

    path = ana.page.evaluate("location.pathname")
    ana.page.goto(ana.page.evaluate("location.origin") + "/study?participant=P1")
    ana.page.wait_for_url(f"**{path}")  # who has begun comes back to the same table
    ana.page.wait_for_selector(".completion")


def test_a_link_without_an_id_says_so(visit: Visit) -> None:
    guest = visit("/study", locale="da")
    guest.page.wait_for_selector("text=Der er intet deltager-id i dette link")
