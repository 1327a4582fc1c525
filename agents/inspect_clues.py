"""The clue benchmark as a task of Inspect, the evaluation framework of the UK AI Security Institute (`inspect_ai`).

    inspect eval dixit_env/dixit_clues --model openai/gpt-4o -T deals=60 -T pictures=true

A sample is a deal: the storyteller's hand, as captions or as pictures. The solver asks the model for a card and a clue,
with the prompts of the language agents, and once more where the reply can't be read. The scorer gives the exact points
of the clue before a panel, the metrics those of all clues beside their shuffled control: `ClueScorer` computes both,
as `benchmark.py clues` does.

Needs the extra `inspect`.
"""

from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from dixit_env.agents.language.chat import picture_url
from dixit_env.agents.language.prompts import FailedReply, Prompt, check_deck, read_reply, render
from dixit_env.agents.panels import PanelAgents, default_panels, instructions
from dixit_env.bench.clues.rewards import ClueScorer
from dixit_env.bench.clues.text import reply_fault
from dixit_env.bench.stats import mean, resample
from dixit_env.game.moves import GiveClue
from dixit_env.game.rules import edition

PROMPTS = "v2"
MEASURED = ("points", "some", "all", "guess_rate")
"""Of `judging.MEASURES`, those that the task reports."""


@task  # type: ignore[untyped-decorator, unused-ignore] # Inspect is an extra
def dixit_clues(
    deck: str = "dreams",
    deals: int = 60,
    players: int = 6,
    rules: str = "odyssey",
    pictures: bool = False,
    language: str = "en",
    seed: int = 0,
) -> Task:
    """Clues before the benchmark's main panel.

    Args:
        deck: name or folder.
        deals: samples; at least two, for the control.
        players: seats at the table.
        rules: the edition.
        pictures: the model sees pictures; else it reads captions.
        language: of the clues.
        seed: of the deals, as `benchmark.py clues --seed`.
    """
    source = PanelAgents((deck,))
    judge = ClueScorer(source, default_panels(source.deck())[0], edition(rules), players, seed)
    return clue_task(judge, deals, pictures=pictures, language=language)


def clue_task(judge: ClueScorer, deals: int, *, pictures: bool = False, language: str = "en") -> Task:
    """The same before any panel of listeners; raises `DeckError` for a deck that can't be shown in that way."""
    check_deck(judge.deck, pictures)
    prompts = [
        render(judge.view(number), judge.deck, version=PROMPTS, lang=language, vision=pictures, think=True)
        for number in range(deals)
    ]
    samples = [
        Sample(input=_messages(prompt), id=f"deal {number}", metadata={"deal": number})
        for number, prompt in enumerate(prompts)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{judge.deck.name}, seed {judge.seed}"),
        solver=give_clue(prompts),
        scorer=before_panel(judge, prompts),
        metrics=[over_shuffled(judge)],
        name="dixit_clues",
    )


@solver  # type: ignore[untyped-decorator, unused-ignore] # Inspect is an extra
def give_clue(prompts: Sequence[Prompt]) -> Solver:
    """Ask for a clue, and once more where the reply is none; `prompts` by deal."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        prompt = prompts[state.metadata["deal"]]
        try:
            read_reply(state.output.completion, prompt)
        except FailedReply as error:
            again = prompt.again.substitute(fault=error, example=prompt.example)
            state.messages.append(ChatMessageUser(content=again))
            state = await generate(state)
        return state

    return solve


@scorer(metrics=[])  # type: ignore[untyped-decorator, unused-ignore] # Inspect is an extra
def before_panel(judge: ClueScorer, prompts: Sequence[Prompt]) -> Scorer:
    """The storyteller's exact points; what is no clue has 0 and counts as not valid. `prompts` by deal."""

    async def score(state: TaskState, target: Target) -> Score:
        number = state.metadata["deal"]
        told = _clue(state.output.completion, prompts[number])
        if isinstance(told, str):
            return Score(value=0.0, explanation=told, metadata={"deal": number, "valid": False})
        card = judge.deck.cards[told.card].id
        values = judge.measures([number], [card], [told.clue])
        found = {measure: float(values[measure][0]) for measure in MEASURED}
        return Score(
            value=found["points"],
            answer=told.clue,
            metadata={"deal": number, "valid": True, "card": card, "clue": told.clue, **found},
        )

    return score


@metric  # type: ignore[untyped-decorator, unused-ignore] # Inspect is an extra
def over_shuffled(judge: ClueScorer) -> Metric:
    """`MEASURED` of the valid clues, with 95 % intervals over deals; `guess_rate_over_shuffled`, by which the benchmark
    ranks; and the share of `valid` replies. Of one epoch: a deal counts once."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        about = [score.score.metadata or {} for score in scores]
        given = sorted((told for told in about if told["valid"]), key=lambda told: told["deal"])
        figures = {"valid": len(given) / len(about)} if about else {}
        if not given:
            return figures
        rows = [[told[key] for told in given] for key in ("deal", "card", "clue")]
        values = judge.measures(*rows)
        measured = {measure: values[measure] for measure in MEASURED}
        if control := judge.control(*rows):
            measured["guess_rate_over_shuffled"] = values["guess_rate"] - control["guess_rate"]
        draws = resample(len(given))
        for name, by_deal in measured.items():
            estimate = mean(by_deal, draws)
            figures |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
        return figures

    return compute


def _clue(reply: str, prompt: Prompt) -> GiveClue | str:
    """The clue of a reply, or why there is none that counts."""
    try:
        move = read_reply(reply, prompt).move
    except FailedReply as error:
        return str(error)
    assert isinstance(move, GiveClue)  # what the storyteller's view asks for
    return reply_fault(move.clue, instructions()) or move


def _messages(prompt: Prompt) -> list[ChatMessage]:
    content: list[Content] = [
        ContentImage(image=picture_url(part)) if isinstance(part, Path) else ContentText(text=part)
        for part in prompt.parts
    ]
    return [ChatMessageSystem(content=prompt.system), ChatMessageUser(content=content)]
