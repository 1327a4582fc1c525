"""A participant of a blind test judges its tables on a phone, comes back and gets the code; answers are exported."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from player import Player
from toy_deck import toy_deck

from dixit_env.bench.viewers.folder import answer_files, read_key
from dixit_env.bench.viewers.guesses import Table, answered, write_tables
from dixit_env.bench.viewers.online import export_blind
from dixit_env.decks.deck import Deck
from dixit_env.web.store import Store
from dixit_env.web.study import read_study

STUDY = """
name = "blind"
languages = ["en", "da"]
code = "SUITS-31"
tables = "sealed"
title = {en = "Clues", da = "Ledetråde"}
consent = {en = "Do you agree?", da = "Er du med?"}
[[end]]
key = "fun"
ask = {en = "Fun?", da = "Sjovt?"}
"""
SEALED = [
    Table("home & <i>hearth</i>", "clip", ("toy/00", "toy/01", "toy/02", "toy/03"), 1),
    Table("sea", "clip", ("toy/02", "toy/00", "toy/01", "toy/03"), 0),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("blind")
    write_tables(SEALED, Deck.from_folder(toy_deck(made, 4)).cards, made / "sealed")
    (made / "study.toml").write_text(STUDY, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """The address of a server with the blind test."""
    command = [sys.executable, str(Path(__file__).with_name("serve.py")), "--deck", str(folder / "toy")]
    command += ["--study", str(folder / "study.toml"), "--db", str(folder / "games.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def test_a_participant_judges_the_tables_comes_back_and_gets_the_code(
    visit: Callable[..., Player], axe: Callable[[Player], list[str]], folder: Path
) -> None:
    ana = visit("/study?participant=P1", "narrow phone")
    page = ana.page
    page.get_by_role("button", name="I agree: begin").click()
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("text=Table 1 of 2")
    page.wait_for_selector("progress:not(:indeterminate)")
    shown = [page.locator("h1").inner_text()]
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Say how likely the cards are")
    for key in ("2", "2", "2", "4", "4", "Shift+4"):  # three parts for the second card, one for the last
        page.keyboard.press(key.replace("+", "+Digit") if "+" in key else f"Digit{key}")
    assert page.locator(".blind-cards .share").all_inner_texts() == ["0 %", "75 %", "0 %", "25 %"]
    page.get_by_label("2 well").check()
    assert axe(ana) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name="Next").click()
    page.wait_for_selector("text=Table 2 of 2")

    page.reload()  # the answers so far are kept
    page.wait_for_selector("text=Table 2 of 2")
    shown.append(page.locator("h1").inner_text())
    page.get_by_role("button", name="Back").click()
    page.wait_for_selector("text=75 %")
    assert page.get_by_label("2 well").is_checked()
    page.get_by_role("button", name="Next").click()
    page.wait_for_selector("text=Table 2 of 2")
    page.get_by_role("slider", name="Card 3").fill("4")
    page.locator(".enlarge").first.click()
    page.locator(".zoom-actions button").last.click()
    page.wait_for_selector(".zoom-actions .share:has-text('20 %')")
    page.keyboard.press("Escape")
    page.get_by_label("0 no relation").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_label("3", exact=True).check()
    page.get_by_role("button", name="Send").click()
    page.wait_for_selector(".completion .code:has-text('SUITS-31')")
    assert axe(ana) == []
    page.reload()
    page.wait_for_selector(".completion .code:has-text('SUITS-31')")

    store = Store(str(folder / "games.sqlite"))
    assert export_blind(store, read_study(folder / "study.toml"), folder / "out") == 1
    store.close()
    guesses = {guess.table.clue: guess for guess in answered(read_key(folder / "out"), answer_files(folder / "out"))}
    assert sorted(shown) == sorted(guesses)
    assert [(guesses[clue].belief, guesses[clue].suits) for clue in shown] == [
        ((0, 0.75, 0, 0.25), 2),
        ((0.2, 0, 0.8, 0), 0),
    ]
