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

CUT = """() => {
  const scores = [...document.querySelectorAll('.seat-score')];
  for (const score of scores) score.firstChild.data = '30';
  const cut = [...scores, document.querySelector('.seats')].filter((e) => e.scrollWidth > e.clientWidth);
  return cut.map((e) => e.className);
}"""


@pytest.mark.parametrize("size", ["phone", pytest.param("desktop", marks=pytest.mark.slow)])
def test_names_and_clues_are_text_and_nothing_else(visit: Visit, new_table: NewTable, size: str) -> None:
    path = new_table(seats=6)
    people = []
    for name in NAMES:
        people.append(visit(path, size))
        people[-1].sit(name)
    people[0].page.wait_for_selector(".people >> text=very")
    assert people[0].page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the host's list of people"
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
    assert people[0].page.evaluate(CUT) == []


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


def test_removing_somebody_asks_first_tells_them_why_and_holds(visit: Visit, new_table: NewTable) -> None:
    path = new_table(seats=4)
    ana, ben = visit(path), visit(path)
    ana.sit("Ana")
    ben.sit("Ben")
    remove = ana.page.locator(".people button", has_text="Ben")
    remove.click()
    words = ana.page.locator(".sheet-remove .together")
    assert words.inner_text() == "Ben’s", "a name and its possessive are never torn apart"
    ana.page.click(".sheet-remove >> text=Cancel")
    ana.page.wait_for_selector(".sheet-remove", state="detached")
    assert ana.page.locator(".people bdi", has_text="Ben").count() == 1
    remove.click()
    ana.page.get_by_role("button", name="Remove", exact=True).click()
    ben.page.wait_for_selector("text=The host took you off this table")
    ben.page.reload()
    ben.page.wait_for_selector("text=The host took you off this table")
    assert ben.page.locator(".join").count() == 0
    ana.start()
    ben.page.wait_for_selector(".deed:has-text('The host took you off')")
    assert ben.page.locator(".deed .button").count() == 0


def test_the_back_button_closes_what_lies_over_the_table(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=3))
    path = ana.page.evaluate("location.pathname")
    ana.sit()
    ana.start()
    ana.scene()
    for opener, over in (("[aria-label=Menu]", ".sheet-menu"), (".enlarge-all", ".zoom")):
        ana.page.click(opener)
        ana.page.wait_for_selector(over)
        ana.page.go_back()
        ana.page.wait_for_selector(over, state="detached")
        ana.page.click(opener)
        ana.page.wait_for_selector(over)
        ana.page.keyboard.press("Escape")
        ana.page.wait_for_selector(over, state="detached")
        ana.until("!history.state?.layers")
    assert ana.page.evaluate("location.pathname") == path


def test_a_double_click_does_one_thing_and_alarms_nobody(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=3))
    ana.page.fill("input[name=name]", "Ana")
    ana.page.dblclick(".join button")
    ana.page.dblclick(".start")
    ana.page.wait_for_selector(".table")
    ana.play_until("cards")
    for number in (1, 2):
        ana.page.dblclick(f".card:nth-child({number}) .face")
    assert ana.page.locator(".card.chosen").count() == 2
    ana.page.dblclick(".deed .button")
    ana.leave("cards")
    ana.play_until("reveal")
    ana.page.click(".deed .quiet:not(.enlarge-all)")
    ana.page.dblclick(".deed .button")
    ana.leave("reveal")
    assert ana.page.text_content("#alert") == ""


def test_a_full_table_offers_watching(visit: Visit, new_table: NewTable) -> None:
    path = new_table(seats=3)
    people = [visit(path) for _ in range(3)]
    for number, person in enumerate(people):
        person.sit(f"P{number}")
    guest = visit(path)
    guest.page.wait_for_selector("text=All seats are taken")
    assert guest.page.locator(".join").count() == 0
    guest.page.click("text=Show the table on a big screen")
    guest.page.wait_for_url("**/watch")
    guest.page.wait_for_selector(".lobby")


def test_codes_and_links_are_understood_however_they_are_pasted(visit: Visit, new_table: NewTable, server: str) -> None:
    code = new_table(seats=3).removeprefix("/t/")
    small = code.lower()
    guest = visit("/")
    for pasted in (f" {small} ", f"{small[:5]} {small[5:]}", f"{server}/t/{code}", f"{server}/t/{small}/watch"):
        guest.page.fill("input[name=code]", pasted)
        guest.page.click(".go button")
        guest.page.wait_for_url(f"**/t/{code}")
        guest.page.goto(server)
        guest.page.wait_for_selector("input[name=code]")


def test_a_link_in_small_letters_leads_to_the_table(visit: Visit, new_table: NewTable) -> None:
    guest = visit(new_table(seats=3).lower())
    guest.page.wait_for_selector("input[name=name]")


def test_alone_and_out_of_time_the_game_waits_and_says_so(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=3, limit=1))
    ana.sit()
    ana.start()
    ana.page.wait_for_selector(".sentence:has-text('the game waits for you')")
    assert "a bot plays" not in str(ana.page.text_content(".table"))
    assert "Nobody plays for you" in ana.text(".deed")
    ana.page.get_by_role("button", name="I am back").click()
    ana.page.wait_for_selector(".sentence:has-text('the game waits for you')", state="detached")
