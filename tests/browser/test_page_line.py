"""A page whose line or server dies, that is loaded again, or that may keep nothing: what was done is not lost."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import CHROMIUM, PATIENCE
from player import Player, open_table

from dixit_env.web.events import Moved
from dixit_env.web.store import Store


class Server:
    """A server that can be killed and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self.command = [sys.executable, str(Path(__file__).with_name("serve.py")), "--db", str(folder / "games.sqlite")]
        self.begin()
        self.command += ["--port", self.address.rpartition(":")[2]]

    def begin(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def test_a_vote_given_while_the_server_is_down_counts_when_it_is_back(chromium: Any, tmp_path: Path) -> None:
    server = Server(tmp_path)
    context = chromium.new_context(locale="en")
    try:
        page = context.new_page()
        page.goto(server.address + open_table(server.address, seats=4))
        ana = Player(page, lambda context, path: ana)
        page.wait_for_selector("input[name=name]")
        ana.sit()
        ana.start()
        ana.play_until("votes")
        before = ana.pictures()
        server.kill()
        page.wait_for_selector("text=Connection lost")
        page.set_viewport_size({"width": 320, "height": 568})
        assert page.evaluate("document.querySelector('.bar').scrollHeight <= 46"), "it stays within the bar"
        votable = page.locator(".face[aria-pressed]")
        votable.nth(0).click()
        votable.nth(1).click()
        page.click(".deed .button")
        server.begin()
        page.wait_for_selector("text=Connection lost", state="detached")
        ana.leave("votes")
        assert ana.scene() == "reveal"
        assert ana.pictures() == before, "the table lies as it lay"
    finally:
        context.close()
        server.kill()
    store = Store(str(tmp_path / "games.sqlite"))
    decided = [event for event in store.read(page.url.rpartition("/")[2]) if isinstance(event, Moved)]
    store.close()
    [seat] = {event.seat for event in decided if event.by}
    hers = [event for event in decided if event.seat == seat]
    assert len(hers[-1].numbers) == 2, "two dials"
    assert all(event.by for event in hers), "no bot in her place"


def test_a_line_that_dies_in_silence_is_noticed_and_what_was_sent_arrives_later(chromium: Any, server: str) -> None:
    context = chromium.new_context(locale="en")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    dead: list[bool] = []

    def through(socket: Any) -> None:
        there = socket.connect_to_server()
        socket.on_message(lambda text: dead or there.send(text))
        there.on_message(lambda text: dead or socket.send(text))

    page.route_web_socket("**/ws", through)
    page.goto(server + open_table(server, seats=4))
    ana = Player(page, lambda context, path: ana)
    page.wait_for_selector("input[name=name]")
    ana.sit()
    ana.start()
    ana.play_until("votes")
    dead.append(True)
    page.locator(".face[aria-pressed]").nth(0).click()
    page.locator(".face[aria-pressed]").nth(0).click()
    page.locator(".deed .button").click()
    page.wait_for_selector(".deed:has-text('Sending …')")
    page.wait_for_selector(".lost:has-text('Connection lost')")
    page.wait_for_selector(".deed:has-text('Not sent yet')")
    assert page.locator(".deed .button").count() == 0, "it is not sent twice"
    dead.clear()
    ana.leave("votes")
    assert ana.scene() == "reveal"
    page.wait_for_selector(".lost", state="detached")
    context.close()


def test_a_server_that_is_full_is_asked_again(chromium: Any, server: str) -> None:
    context = chromium.new_context(locale="en")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    tries: list[Any] = []

    def busy_at_first(socket: Any) -> None:
        tries.append(socket)
        if len(tries) > 1:
            socket.connect_to_server()
        else:
            socket.send(json.dumps({"type": "error", "id": None, "code": "busy", "message": "full"}))
            socket.close(code=4429)

    page.route_web_socket("**/ws", busy_at_first)
    page.goto(server + open_table(server, seats=4))
    page.wait_for_selector("text=Many people are here just now")
    page.wait_for_selector("input[name=name]")
    context.close()


def test_loading_the_page_again_keeps_what_was_chosen_and_written(
    visit: Callable[..., Player], new_table: Callable[..., str]
) -> None:
    ana = visit(new_table(seats=3))
    ana.sit()
    ana.start()
    ana.play_until("clue")
    ana.page.click(".card:nth-child(3) .face")
    ana.page.fill("input[name=clue]", "half a clue")
    ana.page.reload()
    assert ana.scene() == "clue"
    assert ana.page.input_value("input[name=clue]") == "half a clue"
    assert ana.page.locator(".card:nth-child(3).chosen").count() == 1
    ana.page.click(".deed button[type=submit]")
    ana.leave("clue")
    ana.play_until("votes")
    ana.page.locator(".face[aria-pressed]").nth(1).click()
    dials = ana.texts(".dial")
    assert dials[1] == "?"
    ana.page.reload()
    assert ana.scene() == "votes"
    assert ana.texts(".dial") == dials


def test_a_browser_that_keeps_nothing_plays_for_the_visit_and_says_so(
    chromium: Any, server: str, tmp_path: Path
) -> None:
    settings = tmp_path / "Default" / "Preferences"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
    browser = chromium.browser_type.launch_persistent_context(
        str(tmp_path), executable_path=CHROMIUM, args=["--no-sandbox"], locale="en"
    )
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(server + open_table(server, seats=3))
    ana = Player(page, lambda context, path: ana)
    page.wait_for_selector(".join:has-text('This browser keeps nothing')")
    ana.sit()
    ana.start()
    ana.scene()
    page.click("[aria-label=Menu]")
    page.locator(".radio", has_text="Dansk").click()
    page.wait_for_selector("h2:has-text('Menu')")
    browser.close()
    assert faults == []
