"""A page whose server dies and comes back: nothing is lost, and nothing has to be done twice."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from player import Player

from dixit_env.web.events import Decided
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

    def new_table(self, **settings: object) -> str:
        body = json.dumps({"bots": "random", "limit": None, **settings}).encode()
        request = urllib.request.Request(f"{self.address}/api/tables", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return f"{self.address}/t/{json.load(answer)['table']}"


def test_a_vote_given_while_the_server_is_down_counts_when_it_is_back(chromium: Any, tmp_path: Path) -> None:
    server = Server(tmp_path)
    context = chromium.new_context(locale="en")
    try:
        page = context.new_page()
        page.goto(server.new_table(seats=4))
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
    decided = [event for event in store.read(page.url.rpartition("/")[2]) if isinstance(event, Decided)]
    store.close()
    by_people = [event for event in decided if event.by]
    assert by_people[-1].numbers, "it was her vote, not that of a bot in her place"
    assert not [event for event in decided if event.seat == by_people[-1].seat and event.fault]
