"""The first page: a game at once, the lesson, the own tables; and bots with a character at the table."""

import json
from collections.abc import Callable
from typing import Any

from player import Keys, Player
from test_page_reach import NOTHING, SPREAD

Visit = Callable[..., Player]
NewTable = Callable[..., str]
Axe = Callable[[Player], list[str]]

PERSONAS = {"Bruno", "Ida", "Luna", "Marco", "Nora", "Otto"}


def test_play_now_is_one_click_and_the_table_is_found_again(visit: Visit) -> None:
    ana = visit("/", "phone", locale="pt-BR")
    with ana.page.expect_request("**/api/tables") as asked:
        ana.page.click(".now")
    settings = json.loads(asked.value.post_data)
    assert (settings["rules"], settings["seats"], settings["lang"]) == ("odyssey", 6, "pt")
    ana.page.wait_for_selector(".table .seat.me:has-text('Visitante')")
    names = ana.texts(".seat:not(.me) .seat-name")
    assert len(set(names) & PERSONAS) == 5
    path = ana.page.evaluate("location.pathname")
    ana.page.evaluate("localStorage.tables = JSON.stringify([...JSON.parse(localStorage.tables), 'NOTABLE222'])")

    ana.page.goto(ana.page.url.removesuffix(path))
    ana.page.wait_for_selector(".tables a")
    assert all(name in ana.text(".tables") for name in names)
    ana.until("localStorage.tables.indexOf('NOTABLE222') < 0")  # there is no such table: it is forgotten
    ana.page.click(".tables a")
    ana.page.wait_for_url(f"**{path}")
    ana.page.wait_for_selector(".table .seat.me:has-text('Visitante')")


def test_a_table_is_listed_while_there_is_a_seat_at_it(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=4))
    guest = visit(ana.page.evaluate("location.pathname"))
    ana.sit()
    ana.until("localStorage.tables === JSON.stringify([location.pathname.slice(3)])")
    ana.page.click("[aria-label=Menu]")
    ana.page.get_by_role("button", name="Leave", exact=True).click()
    ana.until("localStorage.tables === '[]'")
    assert guest.page.evaluate("localStorage.tables") is None, "looking on is no seat"


def learn(player: Player, look: Callable[[str], None]) -> None:
    """Go through the lesson by keyboard; `look` is called at each of its steps."""
    page, keys = player.page, Keys(player)

    def go_on(step: str, ready: str) -> None:
        page.wait_for_selector(ready)
        look(step)

    go_on("begin", ".clue.none")
    keys.press(".deed .button")
    go_on("cards", ".clue:not(.none)")
    keys.press(".face", "Space")
    keys.press(".deed .button")
    go_on("votes", ".dials")
    keys.tab_to(".face")
    page.keyboard.press("4")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    keys.press(".deed .button")
    go_on("points", ".points")
    keys.press(".deed .button")
    go_on("tell", "input[name=clue]")
    keys.press(".face", "Space")
    keys.tab_to("input[name=clue]")
    page.keyboard.type("a secret")
    page.keyboard.press("Enter")
    go_on("end", ".deed .now, .deed a")


def test_the_lesson_by_keyboard_and_without_a_table_on_the_server(visit: Visit) -> None:
    player = visit("/", reduced_motion="reduce")
    page = player.page
    sockets: list[str] = []
    methods: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.on("request", lambda request: methods.append(request.method))
    Keys(player).press(".learn")
    page.wait_for_url("**/learn")
    said: dict[str, str] = {}

    def look(step: str) -> None:
        said[step] = str(page.text_content(".sentence[role=status]"))
        if step == "votes":
            assert page.locator(".face .spoken").first.inner_text().startswith("Card 1, ")  # what is on the picture
        if step == "points":
            assert player.text(".points .me .points-sum").startswith("+8")  # two finds, and two votes lured

    learn(player, look)
    assert "Nora’s card, but not all: +3 for Nora, and +3 for each dial" in said["points"]
    assert "30 points" in said["end"]
    assert len(set(said.values())) == 6
    assert player.scores()[0] == 8
    assert (sockets, set(methods)) == ([], {"GET"})
    page.get_by_role("link", name="Leave").click()
    page.wait_for_selector(".learn")


def test_the_lesson_fits_a_narrow_phone(visit: Visit, axe: Axe) -> None:
    player = visit("/learn", "narrow phone", locale="da", reduced_motion="reduce")
    found: dict[str, Any] = {}
    learn(player, lambda step: found.update({step: player.page.evaluate(SPREAD)}))
    assert {step: faults for step, faults in found.items() if faults != NOTHING} == {}
    assert axe(player) == []


def test_the_host_gives_a_seat_to_a_persona(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=4), "narrow phone", locale="es")
    ana.sit()
    page = ana.page
    for seat in (2, 4):  # a persona sits at a table once: the second time it moves
        page.locator(f".people li:nth-child({seat}) button").click()
        page.wait_for_selector(".sheet-cast")
        if seat == 4:
            assert page.evaluate(SPREAD) == NOTHING
        page.locator(".cast-choice", has_text="Otto").click()
        page.wait_for_selector(f".people li:nth-child({seat}) bdi:has-text('Otto')")
    assert page.locator(".people bdi", has_text="Otto").count() == 1
    assert "otto es: a sentence" in ana.text(".people li:nth-child(4)")
    ana.start()
    otto = page.locator(".seat", has_text="Otto")
    assert otto.locator(".emoji").inner_text() == "🦉"
    assert "otto es: a sentence" in str(otto.locator(".mark.bot").get_attribute("title"))
