"""What is over: the end of a game, another one, and pages that step through a finished one."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from player import Player

from dixit_env import Decision, Rules, View, play
from dixit_env.decks.deck import Deck
from dixit_env.game.engine import Phase
from dixit_env.table.records import read, recorded
from dixit_env.web.replay import replay_frame
from dixit_env.web.replay_file import replay_html

Visit = Callable[..., Player]
NewTable = Callable[..., str]
Axe = Callable[[Player], list[str]]


def test_a_game_by_rounds_ends_with_its_race_and_the_next_one_begins_at_once(
    visit: Visit, new_table: NewTable, axe: Axe
) -> None:
    path = new_table(seats=4, rounds=1)
    ana = visit(path)
    ana.sit()
    ana.start()
    ana.play_until("over")
    page = ana.page
    assert ana.text(".bar h1") == "Turn 4 of 4"
    assert sorted(map(int, page.locator(".race-score").all_text_contents())) == sorted(ana.scores())
    assert page.locator(".race-line").count() == page.locator(".best > li").count() == 4
    best = str(max(ana.scores()))
    assert best in ana.text(".finished li")
    page.get_by_role("link", name="Look back").wait_for()

    page.get_by_role("button", name="Play again").click()
    ana.until("document.querySelector('.bar h1').innerText === 'Turn 1 of 4'")
    assert ana.scores() == [0, 0, 0, 0]

    past = visit(f"{path}/games/1")
    past.page.wait_for_selector(".turn")
    assert past.text(".stepper strong") == "Turn 1 of 4"
    past.page.get_by_role("button", name="Next turn").click()
    past.page.keyboard.press("ArrowRight")
    past.until("document.querySelector('.stepper strong').innerText === 'Turn 3 of 4'")
    assert past.page.url.endswith("#3")
    assert past.page.locator(".hand-seat").count() == 4
    past.page.locator(".hand-seat:not(.on)").first.click()
    assert past.page.locator(".past-part:has(.hand-seats) .told").count() == 1, "what that seat gave is marked"
    past.until("[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
    assert past.page.get_by_role("link", name="To the table").get_attribute("href") == path
    assert axe(past) == []


class Talks:
    """Any legal move, with words that are markup, and a belief."""

    name = "</script><b>bot</b>"

    def begin(self, seat: int, rng: random.Random) -> None:
        self.rng = rng

    def act(self, view: View) -> Decision:
        even = [1 / len(view.slots)] * len(view.slots) if view.phase is Phase.VOTES else []
        return Decision(self.rng.choice(view.moves), {"belief": even, "text": "<i>hm</i>"})


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    for number in range(84):
        Image.new("RGB", (40, 60), (3 * number, 90, 10)).save(tmp_path / f"{number:02}.png")
    deck = Deck.from_folder(tmp_path)
    for _ in recorded(play([Talks() for _ in range(12)], Rules(rounds=1), deck, seed=2), tmp_path / "game.jsonl"):
        pass
    (tmp_path / "game.html").write_text(replay_html(replay_frame(read(tmp_path / "game.jsonl")), deck))
    return tmp_path / "game.html"


def test_a_game_in_one_file_needs_no_server(chromium: Any, page_file: Path, axe: Axe) -> None:
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": 320, "height": 568}, locale="da")
    page = context.new_page()
    page.set_default_timeout(40_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on(
        "request", lambda request: complaints.extend([request.url] * (not request.url.startswith(("file:", "data:"))))
    )
    page.goto(f"{page_file.as_uri()}#12")
    page.wait_for_selector(".turn")
    reader = Player(page, lambda context, path: reader)
    assert reader.text(".stepper strong") == "Tur 12 af 12"
    assert page.locator(".beliefs tbody tr").count() == 11
    assert "</script><b>bot</b>" in reader.text(".best > li")
    reader.until("[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.locator(".turn .mini").first.click()
    page.keyboard.press("ArrowRight")
    reader.until("document.querySelector('.zoom-place').innerText.includes('2')")
    page.keyboard.press("Escape")
    page.locator(".radio", has_text="English").click()
    page.get_by_role("button", name="Previous turn").click()
    reader.until("document.querySelector('.stepper strong').innerText === 'Turn 11 of 12'")
    assert complaints == []
    assert axe(reader) == []
    context.close()
