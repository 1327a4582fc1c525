"""The clue benchmark as a task of Inspect: a model that Inspect mocks gives clues, which score as in the benchmark."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from number_cards import Numbers

from dixit_env.bench.clues.panels import Panel
from dixit_env.bench.clues.rewards import ClueScorer
from dixit_env.decks.deck import Deck
from dixit_env.game.rules import DIXIT

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed: make test-integrations")

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from dixit_env.agents.inspect_clues import MEASURED, clue_task

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect's own, of its dependencies


class Titled(Numbers):
    """Number cards with titles, which a model reads where there are no captions."""

    def deck(self) -> Deck:
        cards = super().deck().cards
        return Deck("numbers", tuple(replace(card, title={"en": f"number {card.name}"}) for card in cards))


JUDGE = ClueScorer(Titled(), Panel("mixed", ("clip@2", "tilted@4")), DIXIT, 5)
DEALS = 4


def reply(number: int, clue: str | None = None) -> str:
    """The first card of a hand, told by its number."""
    card = int(JUDGE.hand(number)[0].id, 16)
    return json.dumps({"thought": "…", "card": "1", "clue": clue or f"about {card}"})


def evaluated(folder: Path, replies: Iterable[str]) -> EvalLog:
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in replies]
    for output in outputs:
        output.usage = ModelUsage()  # else the model counts tokens, for which it loads a vocabulary from the network
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = inspect_eval(
        clue_task(JUDGE, DEALS), model=model, log_dir=str(folder), display="none", max_samples=1, max_connections=1
    )
    assert log.status == "success", log.error
    return log


def figures(log: EvalLog) -> dict[str, Any]:
    assert log.results
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def test_clues_score_as_in_the_benchmark_with_their_shuffled_control(tmp_path: Path) -> None:
    log = evaluated(tmp_path, map(reply, range(DEALS)))
    rows = (
        list(range(DEALS)),
        [JUDGE.hand(number)[0].id for number in range(DEALS)],
        [json.loads(reply(number))["clue"] for number in range(DEALS)],
    )
    values, control = JUDGE.measures(*rows), JUDGE.control(*rows)
    assert control is not None
    assert log.samples
    points = {sample.metadata["deal"]: sample.scores["before_panel"].value for sample in log.samples if sample.scores}
    assert [points[number] for number in range(DEALS)] == pytest.approx(values["points"])
    found = figures(log)
    assert found["valid"] == 1
    for measure in MEASURED:
        assert found[measure] == pytest.approx(values[measure].mean())
    above = values["guess_rate"] - control["guess_rate"]
    assert found["guess_rate_over_shuffled"] == pytest.approx(above.mean())
    assert found["points_low"] <= found["points"] <= found["points_high"]


def test_a_reply_that_is_none_is_asked_for_once_more_and_then_counts_as_not_valid(tmp_path: Path) -> None:
    replies = ["hm", reply(0), "hm", "still nothing", reply(2), reply(3, '{"clue": 3}')]
    log = evaluated(tmp_path, replies)
    assert figures(log)["valid"] == 2 / DEALS
    assert log.samples
    told = {sample.metadata["deal"]: sample for sample in log.samples}
    assert len(told[0].messages) == 5  # the system's, the question, a reply, the second question, the clue
    faults = {
        number: sample.scores["before_panel"].explanation
        for number, sample in told.items()
        if sample.scores and sample.scores["before_panel"].explanation
    }
    assert faults == {1: "it holds no JSON object", 3: "json"}
