"""Several people, several tabs, and whatever they write."""

from collections.abc import Callable

import pytest
from player import Player

Visit = Callable[..., Player]
NewTable = Callable[..., str]

NAMES = (
    "<img src=x onerror=alert(1)>",
    "</title><script>alert(2)</script>",
    "عبد الرحمن",
    "\u202eright to left override",
    "👩‍👩‍👧‍👦 & co",
    "Ana " + "very " * 38 + "long",
)


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_names_and_clues_are_text_and_nothing_else(visit: Visit, new_table: NewTable, size: str) -> None:
    path = new_table(seats=6)
    people = []
    for name in NAMES:
        people.append(visit(path, size))
        people[-1].sit(name)
    people[0].start()
    for person in people:
        person.page.wait_for_selector(".table")
    names = people[0].page.locator(".seat-name bdi").all_text_contents()
    assert names == [name.strip() for name in NAMES]
    teller = next(person for person in people if person.page.locator("input[name=clue]").count())
    clue = "<b>I <3 you</b> & \"'` {name} ${1} " + "w" * 120
    teller.clue(clue)
    for person in people:
        person.page.wait_for_selector(".clue bdi")
        assert person.page.locator(".clue bdi").text_content() == clue
        assert person.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert person.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert person.page.locator("img[src=x], .clue b").count() == 0


def test_two_people_and_two_tabs(visit: Visit, new_table: NewTable) -> None:
    path = new_table(seats=4)
    ana, ben = visit(path), visit(path)
    ana.sit("Ana")
    ben.sit("Ben")
    ana.page.wait_for_selector(".people >> text=Ben")
    assert ben.page.locator(".start").count() == 0
    ana.start()
    ben.page.wait_for_selector(".table")
    second = ana.another_tab()
    ana.play_until_both(ben, "votes")
    ana.votes()
    second.page.wait_for_selector(".sentence:has-text('voted'), .reveal")
    assert second.page.locator(".deed .dials").count() == 0  # decided here is decided there
    ben.page.wait_for_selector(".seat:has-text('Ana') .mark.did")


def test_a_reload_changes_nothing(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=4))
    ana.sit()
    ana.start()
    ana.play_until("votes")
    before = ana.pictures()
    ana.page.reload()
    assert ana.scene() == "votes"
    assert ana.pictures() == before
    assert ana.page.locator(".seat.me bdi").inner_text() == "Ana"


def test_leaving_and_coming_back(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=4))
    ana.sit()
    ana.start()
    ana.play_until("cards")
    ana.page.click("[aria-label=Menu]")
    ana.page.get_by_role("button", name="Leave", exact=True).click()
    ana.page.get_by_role("button", name="I am back").click()
    ana.page.wait_for_selector(".deed button:has-text('I am back')", state="detached")


def test_guests_watch_and_sit_down_later(visit: Visit, new_table: NewTable) -> None:
    path = new_table(seats=4)
    ana = visit(path)
    ana.sit()
    ana.start()
    guest = visit(path)
    guest.page.wait_for_selector(".deed:has-text('You are watching')")
    assert guest.page.locator(".face").count() == 0
    screen = visit(path + "/watch")
    screen.page.wait_for_selector(".table.watch")
    assert screen.page.get_by_role("button", name="Take a seat").count() == 0
    guest.page.click(".deed .button")
    guest.page.fill("input[name=name]", "Eva")
    guest.page.click(".join button")
    guest.page.wait_for_selector(".seat.me bdi:has-text('Eva')")


def test_an_unknown_table_says_so(visit: Visit) -> None:
    player = visit("/t/NOTABLE222")
    player.page.wait_for_selector("text=There is no table with this code.")
    player.page.click("text=To the first page")
    player.page.wait_for_selector("text=A new table")
