"""A person answers the page of `viewers.py tables --page`, and its file is read as any viewer's."""

from pathlib import Path
from typing import Any

import pytest
from toy_deck import toy_deck

from dixit_env.bench.viewers.folder import answer_files, read_key
from dixit_env.bench.viewers.guesses import Table, answered, write_tables
from dixit_env.bench.viewers.page import write_page
from dixit_env.decks.deck import Deck

TABLES = [
    Table("home & <i>hearth</i>", "clip", ("toy/00", "toy/01", "toy/02", "toy/03"), 1),
    Table("sea", "clip", ("toy/02", "toy/00", "toy/01"), 0),
    Table("moon", "clip", ("toy/03", "toy/02", "toy/01"), 2),
]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    cards = Deck.from_folder(toy_deck(tmp_path, 4)).cards
    write_tables(TABLES, cards, tmp_path / "study")
    write_page(TABLES, cards, tmp_path / "study")
    return tmp_path / "study"


def local(url: str) -> bool:
    return url.startswith(("file:", "data:", "blob:"))


def opened(context: Any, study: Path, complaints: list[str]) -> Any:
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: complaints.extend([] if local(request.url) else [request.url]))
    page.goto((study / "page.html").as_uri())
    return page


def heading(page: Any) -> str:
    return str(page.locator("h1").inner_text())


def test_answers_go_from_the_page_to_the_figures(chromium: Any, study: Path) -> None:
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": 360, "height": 640})
    page = opened(context, study, complaints)
    page.get_by_role("button", name="Start").click()
    assert heading(page) == "home & <i>hearth</i>"
    for key in ("2", "2", "2", "4", "4", "Shift+4"):  # three parts for the second card, one for the last
        page.keyboard.press(f"Shift+Digit{key[-1]}" if key.startswith("Shift") else f"Digit{key}")
    assert [share.inner_text() for share in page.locator("output").all()] == ["0 %", "75 %", "0 %", "25 %"]
    page.get_by_label("2 well").check()
    page.keyboard.press("Enter")
    assert heading(page) == "sea"

    page.reload()
    assert heading(page) == "sea", "progress is kept"
    page.get_by_role("button", name="Back").click()
    assert page.get_by_label("2 well").is_checked()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("img", name="Card 1").click()
    page.get_by_role("slider").nth(2).fill("4")
    page.get_by_label("0 no relation").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Next").click()
    assert heading(page) == "2 of 3 tables answered"
    page.get_by_label("Your name").fill("Anna B.")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save").click()
    saving.value.save_as(study / "answers" / saving.value.suggested_filename)

    guesses = answered(read_key(study), answer_files(study))
    told = [(guess.viewer, guess.number, guess.belief, guess.suits) for guess in guesses]
    assert told == [("Anna_B_", "001", (0, 0.75, 0, 0.25), 2), ("Anna_B_", "003", (0.2, 0, 0.8), 0)]
    assert complaints == []
    context.close()


def test_a_browser_that_keeps_nothing_can_still_answer(chromium: Any, study: Path) -> None:
    complaints: list[str] = []
    context = chromium.new_context()
    context.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('no') }})")
    page = opened(context, study, complaints)
    page.get_by_role("button", name="Start").click()
    for _ in TABLES:
        page.get_by_role("button", name="All alike").click()
        page.get_by_label("1 a little").check()
        page.get_by_role("button", name="Next").click()
    assert heading(page) == "3 of 3 tables answered"
    (study / "answers" / "bo.tsv").write_text(page.get_by_label("Your answers").input_value())
    guesses = answered(read_key(study), answer_files(study))
    assert [guess.belief for guess in guesses] == [
        (0.25,) * 4,
        (pytest.approx(1 / 3),) * 3,
        (pytest.approx(1 / 3),) * 3,
    ]
    assert complaints == []
    context.close()
