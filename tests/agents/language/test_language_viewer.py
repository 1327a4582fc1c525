"""A language model that looks at tables of cards: what it is shown, and what its replies count for."""

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from chat_endpoint import Endpoint, running_endpoint, saying, status
from PIL import Image

from dixit_env.agents.language.viewer import Judgement, LanguageViewer
from dixit_env.agents.listeners.readers import OUTAGES, ask
from dixit_env.bench.viewers.layout import lay_out
from dixit_env.bench.viewers.measure import DECKS, sampled
from dixit_env.decks.deck import Deck
from dixit_env.errors import NoAnswer, SpecError


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    yield from running_endpoint(tmp_path, monkeypatch)


@pytest.fixture
def table() -> Image.Image:
    return lay_out([Image.new("RGB", (40, 60), (40 * number, 90, 10)) for number in range(6)], 3, "home")


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Deck]:
    """Decks of one-coloured cards, called like those that viewers wrote for."""
    folder = tmp_path_factory.mktemp("decks")
    for place, name in enumerate(DECKS):
        (folder / name).mkdir()
        for number in range(84):
            Image.new("RGB", (20, 30), (3 * number, 90 * place, 10)).save(folder / name / f"{number + 1:03}.png")
    return {name: Deck.from_folder(folder / name) for name in DECKS}


def viewer(endpoint: Endpoint, options: str = "") -> LanguageViewer:
    return LanguageViewer.named(f"toy@{endpoint.url}{options}")


def test_it_is_shown_the_table_and_the_clue_and_nothing_else(endpoint: Endpoint, table: Image.Image) -> None:
    assert viewer(endpoint).choose(table, 'say "home"', 6) == 5
    (request,) = endpoint.requests
    _, asked = request["messages"]
    text, picture = asked["content"]
    assert 'The clue is "say \\"home\\"". Which of the 6 pictures' in text["text"]
    data = base64.b64decode(picture["image_url"]["url"].removeprefix("data:image/jpeg;base64,"))
    with Image.open(io.BytesIO(data)) as sent:
        assert sent.size == table.size
        assert np.abs(np.asarray(sent, float) - np.asarray(table)).mean() < 3


@pytest.mark.parametrize("reply", ['{"card": "3"}', '{"card": 3}', '```json\n{"thought": "so", "card": "3"}\n```'])
def test_a_reply_is_the_place_of_a_card(endpoint: Endpoint, table: Image.Image, reply: str) -> None:
    endpoint.script = [saying(reply)]
    assert viewer(endpoint).choose(table, "home", 6) == 2


@pytest.mark.parametrize("reply", ["the third", '{"card": "7"}', '{"card": "0"}', '{"place": "3"}'])
def test_a_reply_that_names_no_card_is_asked_for_once_more(endpoint: Endpoint, table: Image.Image, reply: str) -> None:
    endpoint.script = [saying(reply), saying('{"card": "1"}'), saying(reply), saying(reply)]
    assert viewer(endpoint).choose(table, "home", 6) == 0
    assert "That can't be read" in endpoint.requests[-1]["messages"][-1]["content"]
    assert viewer(endpoint).choose(table, "another home", 6) is None


def test_without_thinking_it_is_asked_for_the_number_alone(endpoint: Endpoint, table: Image.Image) -> None:
    viewer(endpoint, ",think=off").choose(table, "home", 6)
    assert list(endpoint.requests[0]["response_format"]["json_schema"]["schema"]["properties"]) == ["card"]


def judged(shares: list[int], suits: object) -> str:
    return json.dumps({**{f"picture_{number}": share for number, share in enumerate(shares, 1)}, "suits": suits})


def test_a_judgement_says_how_likely_each_card_is_and_how_well_the_clue_suits(
    endpoint: Endpoint, table: Image.Image
) -> None:
    endpoint.script = [saying(judged([5, 60, 10, 5, 10, 10], "2"))]
    assert viewer(endpoint).judge(table, "home", 6) == Judgement((5, 60, 10, 5, 10, 10), 2)
    (request,) = endpoint.requests
    fields = request["response_format"]["json_schema"]["schema"]["properties"]
    assert list(fields) == ["thought", *(f"picture_{number}" for number in range(1, 7)), "suits"]
    assert "0 no relation, 1 a little, 2 well, 3 lovely" in request["messages"][1]["content"][0]["text"]


@pytest.mark.parametrize(
    "reply",
    [
        judged([0, 0, 0], "2"),
        judged([-1, 2, 0], "2"),
        judged([1, 2, 0], "4"),
        judged([1, 2, 0], "well"),
        judged([1, 2], "2"),
        '{"card": "2"}',
    ],
)
def test_a_judgement_that_makes_no_sense_is_asked_for_once_more(
    endpoint: Endpoint, table: Image.Image, reply: str
) -> None:
    endpoint.script = [saying(reply), saying(judged([0, 0, 1], 0)), saying(reply), saying(reply)]
    assert viewer(endpoint).judge(table, "home", 3) == Judgement((0, 0, 1), 0)
    assert "That can't be read" in endpoint.requests[-1]["messages"][-1]["content"]
    assert viewer(endpoint).judge(table, "another home", 3) is None


def test_an_outage_is_no_answer(endpoint: Endpoint, table: Image.Image) -> None:
    endpoint.script = [status(500)]
    with pytest.raises(NoAnswer, match="answered 500"):
        viewer(endpoint, ",retries=0").choose(table, "home", 6)


@pytest.mark.parametrize("spec", ["toy", "toy@http://127.0.0.1/v1,dry=on", "toy@http://127.0.0.1/v1,colour=red"])
def test_a_viewer_that_cannot_be_is_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        LanguageViewer.named(spec)


def test_its_figures_are_of_the_answers_alone(endpoint: Endpoint, decks: dict[str, Deck]) -> None:
    right = [saying(json.dumps({"card": str(table.target + 1)})) for _, table in sampled(decks, 12)]
    mute = saying("I can't tell")
    endpoint.script = [status(500), *right[1:6], mute, mute, status(500), *right[8:]]
    answers = ask(viewer(endpoint, ",retries=0"), decks, 12)
    assert (answers.asked, answers.failed, answers.outages) == (12, 1, 2)
    found = [told.value for told in answers.figures.values()]
    assert found == [0, 1, 1, 1, 1, 1], "the first measure has an outage and a failed reply"

    endpoint.script = [right[0], right[7]]
    before = len(endpoint.requests)
    again = ask(viewer(endpoint, ",retries=0"), decks, 12)
    assert len(endpoint.requests) - before == 2, "what was answered is on disk"
    assert (again.failed, again.outages) == (1, 0)
    assert [told.value for told in again.figures.values()] == [0.5, 1, 1, 1, 1, 1]


def test_an_endpoint_that_is_down_is_soon_let_be(endpoint: Endpoint, decks: dict[str, Deck]) -> None:
    endpoint.script = [status(500)] * 30
    answers = ask(viewer(endpoint, ",retries=0"), decks, 20)
    assert len(endpoint.requests) == OUTAGES
    assert (answers.asked, answers.failed, answers.outages) == (20, 0, 20)
    assert all(np.isnan(told.value) for told in answers.figures.values())
