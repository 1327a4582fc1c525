"""DixitBench: its file is read as it was published, and readers are measured on its line-ups."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dixit_env.bench.listeners.dixit_bench import read_dixit_bench, right_by_level
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DixitError
from dixit_env.scripts.benchmarks import listeners

LEVELS = ("hard", "medium", "easy")  # in the order of the file


def sample(target: int, level: str, *others: int) -> dict[str, Any]:
    return {
        "image_id": target,
        "caption_type": "phrase",
        "difficulty": level,
        "target": {"img": f"images/{target}.png", "caption": f"phrase {target}"},
        "distractors": [{"img": f"images/{other}.png"} for other in others],
    }


SAMPLES = [
    sample(1, "hard", 2, 3, 4, 5, 6),
    sample(1, "medium", 7, 3, 4, 5, 6),
    sample(1, "easy", 7, 8, 4, 5, 6),
    sample(2, "hard", 1, 3, 4, 5, 6),
    sample(2, "medium", 8, 3, 4, 5, 6),
    sample(2, "easy", 8, 7, 4, 5, 6),
]
DECK = Deck("images", tuple(Card(f"id{n}", f"images/{n}") for n in range(1, 9)))


def write(folder: Path, content: Any) -> Path:
    file = folder / "distractor_dataset.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_a_question_is_a_phrase_and_the_pictures_that_it_names(tmp_path: Path) -> None:
    questions = read_dixit_bench(write(tmp_path, {"metadata": {}, "dataset": SAMPLES}), DECK)
    assert [question["id"] for question in questions] == [f"{n}-{level}" for n in (1, 2) for level in LEVELS]
    first = questions[0]
    assert (first["clue"], first["level"]) == ("phrase 1", "hard")
    assert first["options"][first["answer"]] == "id1"
    assert first["options"] == ["id1", "id2", "id3", "id4", "id5", "id6"]
    assert first["files"] == ["1", "2", "3", "4", "5", "6"]


def test_only_the_pictures_shown_count_and_a_tie_is_shared(tmp_path: Path) -> None:
    """A reader that likes cards 7 and 8 best, then 1 and 2 alike, is right where 7 and 8 are not shown."""
    questions = read_dixit_bench(write(tmp_path, {"dataset": SAMPLES}), DECK)
    liking = np.array([2, 2, 0, 0, 0, 0, 3, 4.0])
    liking_one = np.array([3, 2, 0, 0, 0, 0, 0, 1.0])
    told = right_by_level(np.stack([liking] * 3 + [liking_one] * 3), questions, DECK)
    assert list(told) == ["easy", "medium", "hard", "all"]
    assert told["hard"].value == pytest.approx((1 / 2 + 0) / 2)  # a tie of two; 1 before 2
    assert told["medium"].value == pytest.approx((0 + 1) / 2)
    assert told["easy"].value == pytest.approx((0 + 1) / 2)
    assert told["all"].value == pytest.approx((1 / 6 + 2 / 3) / 2)
    assert told["all"].low <= told["all"].value <= told["all"].high


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ({"dataset": [sample(1, "hard", 2, 3, 99)]}, r"images lacks 1 pictures of .*, such as 99"),
        ({"items": []}, "is no DixitBench"),
        ([], "is no DixitBench"),
        ({"dataset": [{**SAMPLES[0], "difficulty": "mild"}]}, "is no DixitBench"),
        ({"dataset": [sample(1, "hard", 2, 2, 3)]}, "is no DixitBench"),
        ({"dataset": []}, "holds no line-ups"),
    ],
)
def test_another_file_is_refused_in_one_line(tmp_path: Path, content: Any, fault: str) -> None:
    with pytest.raises(DixitError, match=fault):
        read_dixit_bench(write(tmp_path, content), DECK)


def test_the_script_measures_readers_by_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    for number in range(1, 9):
        Image.new("RGB", (20, 30), (30 * number, 0, 0)).save(folder / f"{number}.png")

    def knows(deck: Deck, clues: list[str]) -> np.ndarray:
        return np.array([[card.name == f"images/{clue.split()[1]}" for card in deck.cards] for clue in clues], float)

    def captions_only(deck: Deck, clues: list[str]) -> np.ndarray:
        raise AssertionError("these cards have no captions")

    monkeypatch.setattr(listeners, "readers", lambda clip: ({"clip": knows, "minilm": captions_only}, {}))
    file = write(tmp_path, {"dataset": SAMPLES})
    listeners.main(listeners.Args(out=tmp_path / "out", dixitbench=file, pictures=str(folder)))
    told = json.loads((tmp_path / "out" / "results.json").read_text())["dixitbench"]
    assert told["clip"]["right_of_six"] == {"easy": 1, "medium": 1, "hard": 1, "all": 1}
    assert set(told["clip"]["intervals"]) == {"easy", "medium", "hard", "all"}
    assert list(told) == ["clip"]
    shown = capsys.readouterr().out
    assert "DixitBench, 6 line-ups" in shown
    assert "chance" in shown
