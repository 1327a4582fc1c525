"""A page whose server dies and comes back: nothing is lost, and nothing has to be done twice."""

import subprocess
import sys
from pathlib import Path
from typing import Any

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
