"""Two participants of a study, who wait for each other and play at one table."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from player import Player
from test_page_study import answer, close_reveal

STUDY = """
name = "together"
languages = ["en", "da"]
code = "CROWD-5"
people = 2
bots = ["random"]
title = {en = "Playing together", da = "At spille sammen"}
consent = {en = "You will play with another person.", da = "Du skal spille med et andet menneske."}
[[turn]]
key = "suits"
ask = {en = "Well?", da = "Godt?"}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a study for two at a table."""
    file = tmp_path_factory.mktemp("together") / "study.toml"
    file.write_text(STUDY, encoding="utf-8")
    command = [sys.executable, str(Path(__file__).with_name("serve.py")), "--study", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def test_two_participants_wait_for_each_other_play_and_answer(
    visit: Callable[..., Player], axe: Callable[[Player], list[str]]
) -> None:
    ana, ben = visit("/study?participant=P1", "phone"), visit("/study?participant=P2")
    ana.page.get_by_role("button", name="I agree: begin").click()
    ana.page.wait_for_selector("text=1 more person has to come.")
    assert axe(ana) == []
    ana.page.reload()  # the place is kept
    ana.page.wait_for_selector("text=1 more person has to come.")
    ben.page.get_by_role("button", name="I agree: begin").click()
    for person in (ana, ben):
        person.page.wait_for_selector(".table")
        assert person.text(".seat.me bdi") == "You"
        assert person.page.locator(".faces-button").count() == 0
    ana.play_until_both(ben, "reveal")
    for person in (ana, ben):
        assert close_reveal(person), "both are asked"
        answer(person)
    ana.page.wait_for_selector("h1:has-text('Turn 2')")
