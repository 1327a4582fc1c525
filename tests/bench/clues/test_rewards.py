"""Rewards for models that learn to give clues: the figures of the clue benchmark, in the shapes that trainers call."""

import inspect
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from number_cards import Numbers

from dixit_env.bench.clues.asking import Execution
from dixit_env.bench.clues.benchmark import ClueBench, run_bench
from dixit_env.bench.clues.judging import MEASURES, control_values, judge
from dixit_env.bench.clues.panels import Panel
from dixit_env.bench.clues.rewards import ClueScorer, Reward, grpo_reward, least_reward, rubric_reward, text_of
from dixit_env.bench.clues.scoring import Votes, legal, worth
from dixit_env.errors import DixitError
from dixit_env.game.rules import DIXIT, EDITIONS, ODYSSEY

ALIKE = Panel("alike", ("clip@2", "tilted@4"), "simulated")
MIXED = Panel("mixed", ("clip@2", "tilted@4"))
SCORER = ClueScorer(Numbers(), ALIKE, DIXIT, 5)


def row(deal: int = 0, position: int = 0) -> tuple[int, str, int]:
    """Deal, card id and card number."""
    card = SCORER.hand(deal)[position].id
    return deal, card, int(card, 16)


@pytest.mark.parametrize(("panel", "rules", "players"), [(ALIKE, DIXIT, 4), (MIXED, ODYSSEY, 3)])
def test_a_clue_earns_what_the_benchmark_gives_it(tmp_path: Path, panel: Panel, rules: Any, players: int) -> None:
    bench = ClueBench(givers=("vague",), panels=(panel,), deals=4, players=players, rules=rules, seed=3)
    run = run_bench(bench, Numbers(), tmp_path, lambda answer: True, settings={}, how=Execution())
    judged = judge(run, "vague", panel, players)
    assert judged is not None
    turns = [turn for turn in run.turns["vague"] if turn]
    scorer = ClueScorer(Numbers(), panel, rules, players, seed=3)
    rows = (
        [turn.deal for turn in turns],
        [run.deck.cards[turn.card].id for turn in turns],
        [turn.clue for turn in turns],
    )
    told, shuffled = scorer.measures(*rows), scorer.control(*rows)
    control = control_values(run, "vague", panel, rules, players)
    assert control is not None
    assert shuffled is not None
    for measure in MEASURES:
        assert told[measure] == pytest.approx(judged.values[measure]), measure
        assert shuffled[measure] == pytest.approx(control[measure]), measure


def test_clues_are_scored_one_by_one_as_in_a_batch() -> None:
    rows = [row(deal, position) for deal in (0, 4) for position in (1, 2)]
    clues = [f"about {number + shift}" for shift, (_, _, number) in enumerate(rows)]
    deals, cards, _ = zip(*rows, strict=True)
    alone = [
        SCORER.rewards([deal], [card], [clue], "margin")[0]
        for deal, card, clue in zip(deals, cards, clues, strict=True)
    ]
    assert SCORER.rewards(deals, cards, clues, "margin") == pytest.approx(alone)
    assert len(set(alone)) == len(alone)


@pytest.mark.parametrize("reward", get_args(Reward))
def test_both_trainers_get_the_same_reward_for_the_same_text(reward: Any) -> None:
    deal, card, number = row()
    text = f" about {number + 4}\n"
    chat = [{"role": "assistant", "content": "a thought"}, {"role": "assistant", "content": text}]
    by_trl, by_verifiers = grpo_reward(SCORER, reward), rubric_reward(SCORER, reward)
    columns = {"deal": [deal, deal], "card": [card, card], "trainer_state": None, "completion_ids": [[1], [2]]}
    told = by_trl(prompts=["…", "…"], completions=[text, chat], **columns)
    assert told == [SCORER.rewards([deal], [card], [text], reward)[0]] * 2
    assert by_verifiers(completion=chat, info={"deal": deal, "card": card}) == told[0]
    assert by_trl.__name__ == by_verifiers.__name__ == f"clue_{reward}"  # what trainers log
    # verifiers calls a function with parameters in the plural, or one that returns a list, for whole groups
    assert set(inspect.signature(by_verifiers).parameters) == {"completion", "info"}


def test_the_text_of_a_message_may_come_in_parts() -> None:
    parts = [{"type": "text", "text": "a boat "}, {"type": "image"}, {"type": "text", "text": "at night"}]
    assert text_of([{"role": "assistant", "content": parts}]) == "a boat at night"
    assert text_of([{"role": "assistant", "content": None}]) == ""


@pytest.mark.parametrize("text", ["", " \n", "…!", '{"clue": "about 3"}', "two\nlines", "as an AI I can't", "a " * 50])
def test_what_is_no_clue_earns_the_least(text: str) -> None:
    deal, card, number = row()
    clue = f"about {number}"
    worst, best = SCORER.rewards([deal, deal], [card, card], [text, clue], "margin")
    assert worst == least_reward(DIXIT.seated(5), "margin") < best
    assert SCORER.rewards([deal], [card], [text], "points") == [0]
    assert SCORER.rewards([deal], [card], [text], "lift") == [-1]


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(list(EDITIONS.values())),
    st.integers(3, 8),
    st.floats(0, 40),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_no_clue_falls_below_the_least_reward(
    rules: Any, players: int, sharpness: float, seed: int, hidden: bool
) -> None:
    players = min(players, rules.max_players)
    table = rules.seated(players)
    owners = np.array([0, *list(range(1, players)) * table.gives])
    logits = sharpness * np.random.default_rng(seed).normal(size=(players - 1, len(owners)))
    logits[:, 0] += 60 * (-1 if hidden else 1)  # nobody or everybody finds the card, nearly
    odds = np.exp(logits - logits.max(1, keepdims=True))
    first = legal(odds / odds.sum(1, keepdims=True), owners)
    value = worth(table, owners, Votes(first, first))
    assert value.points - value.listeners >= least_reward(table, "margin") - 1e-9
    assert value.points >= least_reward(table, "points")


def test_what_cannot_be_scored_is_refused() -> None:
    stranger = next(card.id for card in Numbers().deck().cards if card not in SCORER.hand(0))
    with pytest.raises(DixitError, match=r"isn't in the storyteller's hand on deal 0"):
        SCORER.rewards([0], [stranger], ["about 3"], "points")
    with pytest.raises(DixitError, match="consists of agents"):
        ClueScorer(Numbers(), Panel("bots", ("clip",), "agents"), DIXIT)
    with pytest.raises(DixitError, match="3 to 8 players"):
        ClueScorer(Numbers(), ALIKE, DIXIT, 9)
    with pytest.raises(DixitError, match="no reward is called 'luck': choose one of points, margin, lift"):
        grpo_reward(SCORER, "luck")  # type: ignore[arg-type]


def test_a_single_clue_has_no_shuffled_control() -> None:
    deal, card, number = row()
    assert SCORER.control([deal], [card], [f"about {number}"]) is None


def test_a_hand_is_the_storytellers() -> None:
    hand = [card.id for card in SCORER.hand(2)]
    assert len(hand) == len(set(hand)) == DIXIT.seated(5).hand
    assert set(hand) <= {card.id for card in Numbers().deck().cards}
