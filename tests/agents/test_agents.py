"""The players: every one plays whole games by the rules, and does what its name says."""

import io
import sys
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import torch
from rich.console import Console

from dixit_env import (
    DIXIT,
    DIXIT_2008,
    ODYSSEY,
    ODYSSEY_2011,
    CastVotes,
    Deck,
    GiveClue,
    Outcome,
    PlayCards,
    Rules,
    SpecError,
    play,
    view,
)
from dixit_env.agents.clip.agent import ClipAgent
from dixit_env.agents.clues.bank import load_bank
from dixit_env.agents.clues.index import clue_index, clue_z_scores
from dixit_env.agents.human import HumanAgent
from dixit_env.agents.learned.agent import dial_shares
from dixit_env.agents.registry import in_language, make_agent, make_agents, split_specs
from dixit_env.game.engine import apply, new_game
from dixit_env.game.view import View
from dixit_env.models.policy import Choices
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decided, GameEnded, TurnEnded
from dixit_env.web.events import belief_in


@pytest.mark.parametrize(
    ("rules", "players"),
    [(ODYSSEY, 3), (ODYSSEY, 6), (ODYSSEY, 12), (DIXIT, 3), (DIXIT, 4), (ODYSSEY_2011, 7), (DIXIT_2008, 5)],
)
def test_every_scripted_agent_plays_every_edition(sight: Sight, rules: Rules, players: int) -> None:
    specs = ["clip", "greedy", "random", "clip:votes=win", "clip:clue=literal,decoy=argmax,votes=argmax"]
    agents = make_agents([specs[seat % 5] for seat in range(players)], sight)
    *_, end = play(agents, rules, sight.deck, seed=1, strict=True)
    assert isinstance(end, GameEnded)


def test_same_seed_same_game(sight: Sight) -> None:
    def moves() -> list[object]:
        agents = make_agents(["clip:votes=win", "clip", "greedy", "random"], sight)
        return [
            event.decision.move for event in play(agents, ODYSSEY, sight.deck, seed=4) if isinstance(event, Decided)
        ]

    assert moves() == moves()


def test_greedy_says_what_is_to_be_seen_and_stacks_on_the_best_match(sight: Sight) -> None:
    agents = make_agents(["greedy"] * 4, sight)
    captions = {card.captions["en"] for card in sight.deck.cards}
    for event in play(agents, ODYSSEY, sight.deck, seed=2, strict=True):
        if isinstance(event, TurnEnded):
            turn = event.turn
            assert turn.clue in captions
            z = clue_z_scores(sight, turn.clue)
            for seat, dials in enumerate(turn.votes):
                open_slots = [slot for slot, owner in enumerate(turn.owners) if owner != seat]
                if dials:
                    assert dials == (max(open_slots, key=lambda slot: z[turn.slots[slot]]),) * 2


def test_clip_aims_at_some(sight: Sight) -> None:
    outcomes = []
    for seed in range(12):
        agents = make_agents(["clip", "greedy", "random", "clip", "greedy", "random"], sight)
        for event in play(agents, ODYSSEY, sight.deck, seed=seed, strict=True):
            if isinstance(event, TurnEnded) and event.turn.storyteller in (0, 3):
                outcomes.append(event.turn.score.outcome)
    assert outcomes.count(Outcome.SOME) / len(outcomes) > 0.75


def test_clip_explains_every_decision(sight: Sight) -> None:
    agents = make_agents(["clip"] * 5, sight)
    for event in play(agents, ODYSSEY, sight.deck, seed=3, strict=True):
        if isinstance(event, Decided):
            why = event.decision.why
            assert why["alternatives"][0]["utility"] >= why["alternatives"][-1]["utility"]
            if event.phase == "votes":
                assert sum(why["belief"]) == pytest.approx(1, abs=0.01)
            elif event.phase == "clue":
                assert 0 <= why["expected"]["finders"] <= 4


@pytest.mark.parametrize("aim", ["points", "win", "margin", "literal"])
def test_clip_tells_whatever_its_aim_where_no_card_has_captions(sight: Sight, aim: str) -> None:
    bare = Deck(sight.deck.name, tuple(replace(card, captions={}) for card in sight.deck.cards))
    agents = make_agents([f"clip:clue={aim}"] * 3, Sight(bare))
    told = next(event for event in play(agents, ODYSSEY, bare, seed=3, strict=True) if isinstance(event, Decided))
    assert isinstance(told.decision.move, GiveClue)
    assert told.decision.move.clue in {clue.text for clue in load_bank()}


def test_a_literal_clip_tells_captions_in_its_language(sight: Sight) -> None:
    agents = make_agents(["clip:clue=literal,lang=da"] * 3, sight)
    told = next(event for event in play(agents, ODYSSEY, sight.deck, seed=3, strict=True) if isinstance(event, Decided))
    assert isinstance(told.decision.move, GiveClue)
    assert told.decision.move.clue == sight.deck.cards[told.decision.move.card].captions["da"]


def test_clip_never_repeats_a_clue_in_a_game(sight: Sight) -> None:
    agents = make_agents(["clip"] * 3, sight)
    turns = [e.turn.clue for e in play(agents, ODYSSEY, sight.deck, seed=5, strict=True) if isinstance(e, TurnEnded)]
    assert len(set(turns)) == len(turns)


def test_clip_agents_of_decks_of_any_size_decide_together(sight: Sight) -> None:
    def asked() -> tuple[list[ClipAgent], list[View]]:
        agents, views = [], []
        for number, cards in enumerate((84, 60, 84)):
            deck = Deck(f"deck of {cards}", sight.deck.cards[:cards])
            agents.append(ClipAgent.through(Sight(deck)))
            agents[-1].begin(0, Random(number))
            views.append(view(new_game(players=4, cards=cards, seed=number, first=0), 0))
        return agents, views

    together = ClipAgent.act_many(*asked())
    assert together == [agent.act(seen) for agent, seen in zip(*asked(), strict=True)]


def test_own_slots_get_no_belief(sight: Sight) -> None:
    state = new_game(seed=1, first=0)
    state = apply(state, 0, GiveClue(state.hands[0][0], "a whale in the sky"))
    for seat in range(1, 6):
        state = apply(state, seat, PlayCards((state.hands[seat][0],)))
    agent = make_agent("clip", sight)
    assert isinstance(agent, ClipAgent)
    agent.begin(3, Random(0))
    seen = view(state, 3)
    chance = agent.belief(seen)
    assert chance[list(seen.own_slots)] == pytest.approx(0)
    assert chance.sum() == pytest.approx(1)


@pytest.mark.parametrize(("rules", "players"), [(DIXIT, 4), (ODYSSEY, 6)])
def test_a_learned_voter_tells_its_belief(sight: Sight, rules: Rules, players: int) -> None:
    state = new_game(rules, players, seed=1, first=0)
    state = apply(state, 0, GiveClue(state.hands[0][0], "a whale in the sky"))
    for seat in range(1, players):
        state = apply(state, seat, PlayCards((state.hands[seat][0],)))
    seen = view(state, 3)
    why = make_agent(in_language("learned", "pt"), sight).act(seen).why  # whose clues another test here makes too
    belief = dict(enumerate(belief_in(why, len(seen.slots))))  # as the page reads it
    assert sum(belief.values()) == pytest.approx(1, abs=1e-3)
    assert [belief.pop(slot) for slot in seen.own_slots] == [0]
    chances = {one["move"]: one["probability"] for one in why["alternatives"]}
    if rules is DIXIT:  # one dial and three slots to vote for, so all its ballots are told
        assert chances == {str(CastVotes((slot,))): share for slot, share in belief.items()}


def test_a_dial_of_a_ballot_is_a_share_of_it() -> None:
    ballots = Choices.of([(0,), (0, 0), (0, 1), (1, 2)], torch.device("cpu"))
    shares = dial_shares(torch.tensor([0.1, 0.2, 0.3, 0.4]), ballots, 4)
    assert shares.tolist() == pytest.approx([0.1 + 0.2 + 0.15, 0.15 + 0.2, 0.2, 0])


@pytest.mark.parametrize("spec", ["clip", "greedy", "random", "learned"])
def test_clues_are_in_the_language_asked_for(sight: Sight, spec: str) -> None:
    known = {*clue_index(sight, ("pt",)).texts, *(card.captions["pt"] for card in sight.deck.cards)}
    agents = make_agents([in_language(spec, "pt")] * 3, sight)
    turn = next(event.turn for event in play(agents, ODYSSEY, sight.deck, seed=5) if isinstance(event, TurnEnded))
    assert turn.clue in known


@pytest.mark.parametrize(
    ("spec", "same_in_danish"),
    [
        ("clip", "clip:lang=da"),
        ("clip:votes=win", "clip:votes=win,lang=da"),
        ("clip:lang=es", "clip:lang=es"),
        ("learned", "learned:,lang=da"),
        ("language:m@http://127.0.0.1:1/v1", "language:m@http://127.0.0.1:1/v1,lang=da"),
        ("human", "human"),
    ],
)
def test_a_spec_is_put_into_a_language_unless_it_names_one_or_has_no_words(spec: str, same_in_danish: str) -> None:
    assert in_language(spec, "da") == same_in_danish
    assert in_language(spec, "en") == spec


def test_specs_are_split_at_commas_but_not_inside_options() -> None:
    assert split_specs("clip:votes=win,rho=0.2,random, greedy") == ["clip:votes=win,rho=0.2", "random", "greedy"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("clop", "did you mean clip.*random, greedy"),
        ("clip:vote=win", "votes=win"),
        ("clip:votes=best", "win, points, argmax"),
        ("clip:memory=yes", "on, shuffled, off"),
        ("learned:default,trust=yes", "on or off"),
        ("clip:rho=high", "number"),
        ("clip:rho=2", "between 0 and 1"),
        ("random:x=1", "is no option here.*lang=en"),
    ],
)
def test_bad_specs_list_what_is_known(sight: Sight, spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make_agent(spec, sight)


def human_game(
    answers: list[str], deck: Deck, monkeypatch: pytest.MonkeyPatch, seed: int = 1
) -> tuple[list[Decided], str]:
    """The first turn of a person in seat 0 among chance players, typing these answers."""
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(answers) + "\n"))
    person = HumanAgent(deck, Console(file=screen, width=100))
    agents = [person, *make_agents(["random"] * 3, Sight(deck))]
    decisions = []
    for event in play(agents, ODYSSEY, deck, seed, first=1):
        if isinstance(event, Decided) and event.seat == 0:
            decisions.append(event)
        if isinstance(event, TurnEnded):
            break
    return decisions, screen.getvalue()


def test_a_person_is_asked_again_after_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = Deck.blank(84)
    open_slots = human_game(["1", "1 1"], deck, monkeypatch)[1]
    answers = ["x", "9", "1 2", "2", "", "1", "7 7", "1 1", "2 2"]
    decisions, shown = human_game(answers, deck, monkeypatch)
    state = new_game(ODYSSEY, 4, 84, 1, first=1)
    assert decisions[0].decision.move == PlayCards((state.hands[0][1],))
    assert not decisions[0].fault
    assert "Type numbers from 1 to 6" in shown
    assert "Choose 1 different card" in shown
    assert "(yours)" in shown
    assert open_slots


def test_a_storyteller_at_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = Deck.blank(84)
    monkeypatch.setattr(sys, "stdin", io.StringIO("3\n  \nthe long way home\n"))
    person = HumanAgent(deck, Console(file=io.StringIO()))
    person.begin(0, Random(0))
    state = new_game(ODYSSEY, 4, 84, 1, first=0)
    assert person.act(view(state, 0)).move == GiveClue(state.hands[0][2], "the long way home")


def test_the_end_of_input_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        human_game([], Deck.blank(84), monkeypatch)


def test_views_of_a_whole_game_reach_a_belief_that_is_calibrated(sight: Sight) -> None:
    """Mean belief and hit rate agree over many votes (the expected calibration error is measured by the benchmark)."""
    agents = make_agents(["clip", "greedy", "random", "clip", "greedy", "random"], sight)
    beliefs, hits = [], []
    for seed in range(10):
        pending: dict[int, list[float]] = {}
        for event in play(agents, ODYSSEY, sight.deck, seed, strict=True):
            if isinstance(event, Decided) and "belief" in event.decision.why:
                pending[event.seat] = event.decision.why["belief"]
            if isinstance(event, TurnEnded):
                for belief in pending.values():
                    beliefs.append(max(belief))
                    hits.append(int(np.argmax(belief)) == event.turn.target)
                pending = {}
    assert abs(np.mean(beliefs) - np.mean(hits)) < 0.12
