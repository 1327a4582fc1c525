"""How the CLIP agent thinks: closed forms, simulation against exact values, learning from reveals."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dixit_env import EDITIONS, ODYSSEY, ODYSSEY_2011, PlayedTurn, Rules, apply, new_game, play, score
from dixit_env.agents.clip.fitting import beliefs, calibration_error, fit, log_loss
from dixit_env.agents.clip.outlook import clue_outlook, decoy_outlook
from dixit_env.agents.clip.race import futures, hit_rates, turn_points, win_share
from dixit_env.agents.clip.reading import HABITS, Reading
from dixit_env.agents.clip.sharpness import KINDS, SHARPNESS, Floats, appeal, choices, learned, standard
from dixit_env.agents.clip.spreading import points_gained, standings, win_gained
from dixit_env.agents.clip.table import turn_gains
from dixit_env.agents.clip.telling import Teller, belief, telling
from dixit_env.agents.clip.votes import Others, all_and_none, ballot_points, finding
from dixit_env.agents.registry import make_agents
from dixit_env.game.moves import legal_votes
from dixit_env.models.sight import Sight
from dixit_env.table.play import Decided

TELLER = Teller(HABITS.telling, 0.6, 6.0)
SIX = ODYSSEY.seated(6)


def only(sharpness: float) -> Floats:
    """All weight on one kind of voter."""
    return np.eye(KINDS)[int(np.flatnonzero(sharpness == SHARPNESS)[0])]


def logits(z: Floats) -> Floats:
    """How the cards draw each kind of voter."""
    return appeal(z, TELLER.log_odds(z))


def voters(count: int, sharpness: float = 1.5, stacks: float = 1.0, rho: float = 0.0) -> Others:
    return Others(np.tile(only(sharpness), (count, 1)), np.full(count, stacks), np.ones(count), rho)


@st.composite
def chances(draw: st.DrawFn) -> Floats:
    raw = np.array(draw(st.lists(st.floats(0.01, 1), min_size=6, max_size=6)))
    raw[draw(st.integers(0, 5))] = 0  # the own slot
    return raw / raw.sum()


@given(chances(), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_stack_and_spread_are_worth_the_closed_forms(belief: Floats, a: float, z_1: float, z_2: float) -> None:
    order = np.argsort(-belief)
    first, second = int(order[0]), int(order[1])
    nobody = np.linspace(0, 1, 6)
    nobody[first], nobody[second] = z_1, z_2
    everybody = np.full(6, a)
    stack, spread = ballot_points(SIX, [(first, first), (first, second)], belief, everybody, nobody)
    p_1, p_2 = belief[first], belief[second]
    rest = sum(belief[s] * 2 * nobody[s] for s in range(6) if s not in (first, second))
    assert stack == pytest.approx(p_1 * (6 - 2 * a) + rest + p_2 * 2 * z_2)
    assert spread == pytest.approx(3 * (p_1 + p_2) + rest)
    assert (stack > spread + 1e-9) == (p_1 * (3 - 2 * a) > p_2 * (3 - 2 * z_2) + 1e-9)


@given(st.data())
def test_for_the_lead_over_the_others_spreading_never_pays(data: st.DataObject) -> None:
    """The second dial on a card is worth 3 + 1 / V or more if it is the storyteller's; on the next card no more."""
    players = data.draw(st.integers(4, 8))
    rules, others = ODYSSEY.seated(players), players - 1
    owners = data.draw(st.permutations(range(players)))
    me, target = 0, owners.index(1)
    mine = owners.index(me)
    votes: list[tuple[int, ...]] = [()] * players
    for seat in range(2, players):
        open_slots = [slot for slot in range(players) if owners[slot] != seat]
        votes[seat] = tuple(data.draw(st.lists(st.sampled_from(open_slots), min_size=2, max_size=2)))

    def lead(*dials: int) -> float:
        votes[me] = dials
        points = score(rules, 1, owners, votes).points
        return points[me] - (sum(points) - points[me]) / others

    decoy, another = [slot for slot in range(players) if slot not in (mine, target)][:2]
    assert lead(target, target) - lead(target, decoy) >= 3 + 1 / others - 1e-9
    assert lead(target, decoy) - lead(decoy, decoy) <= 3 + 1 / others + 1e-9
    assert lead(decoy, decoy) == pytest.approx(lead(decoy, another))


@given(st.floats(0.05, 0.95), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_single_dial_of_2011_gives_up_the_second_choice_for_a_point(
    p_1: float, a_1: float, a_2: float, z_2: float
) -> None:
    belief = np.array([p_1, 1 - p_1, 0, 0, 0, 0, 0])
    everybody = np.array([a_1, a_2, 0, 0, 0, 0, 0])
    nobody = np.array([0, z_2, 0, 0, 0, 0, 0])
    single, both = ballot_points(ODYSSEY_2011.seated(7), [(0,), (0, 1)], belief, everybody, nobody)
    assert single - both == pytest.approx(p_1 * (1 - a_1) - (1 - p_1) * (3 - a_2 - 2 * z_2))


@given(st.floats(0, 1))
def test_all_and_none_follow_from_the_first_choices(stacks: float) -> None:
    table = ODYSSEY.seated(4)
    others = voters(2, stacks=stacks)
    found = finding(logits(np.array([0.3, -1.0, 1.2, 0.1])), (0,), others, 1)
    everybody, nobody = all_and_none(found, others, table)
    for target in (1, 2, 3):
        q = found[:, target]
        assert everybody[target] == pytest.approx(np.prod(stacks * q))
        assert nobody[target] == pytest.approx(np.prod(stacks * (1 - q) + (1 - stacks) * (1 - q) ** 2))


def test_a_voter_is_more_likely_to_find_what_stands_out() -> None:
    found = finding(logits(np.array([0.0, 2.0, 0.5, 0.0])), (0,), voters(2), 1)
    assert found[0, 1] > found[0, 2] > found[0, 3]
    assert found[0, 0] == 0
    blind = finding(logits(np.array([0.0, 2.0, 0.5, 0.0])), (0,), voters(2, 0.0), 1)
    assert blind[0, 1:] == pytest.approx([1 / 3] * 3)  # four slots less the voter's own


def test_correlated_voters_agree_more_often() -> None:
    found = np.full((4, 3), 0.5)
    apart = all_and_none(found, voters(4), SIX)
    together = all_and_none(found, voters(4, rho=0.3), SIX)
    assert apart[0] == pytest.approx([0.5**4] * 3)
    assert together[0] == pytest.approx([0.3 * 0.5 + 0.7 * 0.5**4] * 3)
    assert (together[1] > apart[1]).all()


@given(st.sampled_from(list(EDITIONS.values())), st.data())
def test_points_of_many_turns_equal_the_scoring(rules: Rules, data: st.DataObject) -> None:
    players = data.draw(st.integers(rules.min_players, rules.max_players))
    table = rules.seated(players)
    teller = data.draw(st.integers(0, players - 1))
    owners = data.draw(
        st.permutations([teller, *(s for s in range(players) if s != teller for _ in range(table.gives))])
    )
    votes = []
    for seat in range(players):
        own = tuple(slot for slot, owner in enumerate(owners) if owner == seat)
        ballots = legal_votes(len(owners), own, table.dials_least, table.dials_most, table.may_stack)
        votes.append(() if seat == teller else data.draw(st.sampled_from(ballots)).slots)
    found = np.array([sum(owners[slot] == teller for slot in ballot) for ballot in votes])
    drawn = np.array([sum(owners[slot] == seat for b in votes for slot in b) for seat in range(players)])
    dials = np.array([len(ballot) for ballot in votes])
    points = turn_points(table, np.array(teller), found, dials, drawn)
    assert tuple(points) == score(table, teller, owners, votes).points


def test_sampled_turns_agree_with_the_exact_points() -> None:
    z = np.array([1.0, 0.4, -0.3, 0.9, -1.0, 0.2])
    own, chance = (2,), np.array([0.35, 0.2, 0.0, 0.25, 0.05, 0.15])
    others = voters(4, stacks=0.7)
    ballots = [(0, 0), (0, 3), (1, 1), (3, 4)]
    drawn_to = logits(z)
    found = finding(drawn_to, own, others, 1)
    exact = ballot_points(SIX, ballots, chance, *all_and_none(found, others, SIX))
    gains = turn_gains(np.random.default_rng(1), SIX, 1, 0, own, drawn_to, chance, others, ballots, 60_000)
    without_decoys = gains[..., 1].mean(1)
    differences = without_decoys - without_decoys[0]  # the decoy bonus is the same for every ballot
    assert differences == pytest.approx(exact - exact[0], abs=0.06)


def test_the_leader_wins_the_race_more_often() -> None:
    rng = np.random.default_rng(0)
    coming = futures(rng, SIX, 0, np.full(6, 0.4), 4000, 14)
    scores = np.zeros((3, 4000, 6), int)
    scores[1, :, 2] = 6
    scores[2, :, 2] = 30
    even, ahead, there = win_share(SIX, scores, coming, 2)
    assert even == pytest.approx(1 / 6, abs=0.04)
    assert ahead > even + 0.1
    assert there == 1


def test_shares_of_a_tie_add_up() -> None:
    coming = futures(np.random.default_rng(0), SIX, 3, np.full(6, 0.4), 500, 14)
    scores = np.zeros((1, 500, 6), int)
    assert sum(win_share(SIX, scores, coming, seat)[0] for seat in range(6)) == pytest.approx(1)


def test_sharpness_is_learned_from_choices() -> None:
    z = standard(np.random.default_rng(3).normal(size=(40, 84)).astype(np.float32))[:, :6]
    for true in (0.0, 1.5, 15.0):
        rng = np.random.default_rng(4)
        weights = np.full(KINDS, 1 / KINDS)
        for table in z:
            chance = choices(logits(table))  # (slots, K)
            weights = learned(weights, chance[rng.choice(6, p=chance @ only(true))])
        assert weights @ hit_rates(np.eye(KINDS), 6) == pytest.approx(hit_rates(only(true)[None], 6)[0], abs=0.12)
        assert weights.sum() == pytest.approx(1)


def test_a_reading_tells_blind_voters_from_sharp_ones() -> None:
    rng = np.random.default_rng(5)
    reading = Reading(6)
    for number in range(12):
        z = standard(rng.normal(size=84).astype(np.float32)[None])[0]
        slots = tuple(int(card) for card in rng.choice(84, 6, replace=False))
        owners = (0, 1, 2, 3, 4, 5)
        table = z[list(slots)]
        votes: list[tuple[int, ...]] = [()]
        for seat in range(1, 6):
            open_slots = [slot for slot in range(6) if slot != seat]
            sharp = max(open_slots, key=lambda slot: table[slot])
            first = sharp if seat > 2 else int(rng.choice(open_slots))
            votes.append((first, first))
        reading.observe(PlayedTurn(number, 0, "x", slots, owners, tuple(votes), score(SIX, 0, owners, votes)), z, SIX)
    hits = hit_rates(reading.voting, 6)
    assert max(hits[1], hits[2]) < min(hits[3:])
    assert reading.others([3]).stacks[0] > 0.9


def test_a_plain_storyteller_is_believed_to_own_the_best_match_and_a_blind_one_the_worst() -> None:
    z = np.array([1.2, 3.9, -0.8, 1.5, 0.9, 2.0])
    plain = Teller(np.eye(len(HABITS.telling))[-2], 0.9, 6.0)
    blind = Teller(np.eye(len(HABITS.telling))[0], 0.9, 6.0)
    assert belief(z, (0,), plain).argmax() == 1
    assert belief(z, (0,), blind).argmax() == 2
    assert belief(z, (0,), blind)[0] == 0


def test_the_belief_is_the_posterior_of_the_model() -> None:
    """Tables drawn from the model itself: among slots believed in by p, a share p is the storyteller's."""
    rng = np.random.default_rng(9)
    teller = Teller(HABITS.telling, 1.0, 6.0)
    width = np.array([1.0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 1.2])
    plainness = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.5])
    chances, truths = [], []
    for _ in range(4000):
        kind = rng.choice(len(plainness), p=HABITS.telling)
        decoys = rng.normal(size=(4, 6)).max(1)
        table = np.array([rng.normal(plainness[kind], width[kind]), *decoys, 0.0])
        chances.append(belief(table, (5,), teller)[:5])
        truths.append(np.eye(5)[0])
    chance, truth = np.concatenate(chances), np.concatenate(truths)
    bins = np.digitize(chance, np.linspace(0, 1, 11)[1:-1])
    error = sum(abs(chance[bins == b].sum() - truth[bins == b].sum()) for b in range(10)) / len(chance)
    assert error < 0.03
    assert telling(np.array(5.0)).argmax() == len(plainness) - 1


def test_when_to_spread() -> None:
    """The findings that the tournament page tells, each far from its border."""
    assert points_gained(SIX, hit=0.4, ratio=1.5) > 0.2  # stack, in general …
    assert points_gained(SIX, hit=1.0, ratio=2.0) < -0.1  # … unless the others surely find it
    assert points_gained(SIX, hit=1.0, ratio=4.0) > 0.1  # and not even then with p₁ > 3 p₂
    moments = {moment.name: moment for moment in standings(6, 30)}
    rng = np.random.default_rng(1)
    assert win_gained(rng, SIX, moments["ahead"], 0.6, 1.5, 3000) < -0.1  # one dial is enough: spread
    assert win_gained(rng, SIX, moments["the storyteller needs 3"], 0.8, 1.5, 3000) > 0.1  # all found stops him


def test_a_storyteller_prefers_few_finders_to_none_and_to_all() -> None:
    rng = np.random.default_rng(6)
    z = rng.normal(size=(1, 84))
    pool = np.arange(20, 84)
    leads = np.array([-3.0, 1.2, 8.0])  # how far the own card stands out
    outlook = clue_outlook(rng, SIX, np.repeat(z, 3, 0), leads, pool, TELLER, voters(5, 3.0), 400)
    assert outlook.nobody[0] > 0.9
    assert outlook.everybody[2] > 0.9
    assert outlook.margin[1] > max(outlook.margin[0], outlook.margin[2])
    assert outlook.finders[0] < outlook.finders[1] < outlook.finders[2]
    assert outlook.some + outlook.everybody + outlook.nobody == pytest.approx(np.ones(3))


def test_voters_who_think_alike_find_together_or_not_at_all() -> None:
    z = np.random.default_rng(6).normal(size=(1, 84))
    lead, pool = np.array([1.2]), np.arange(20, 84)
    apart, alike = (
        clue_outlook(np.random.default_rng(1), SIX, z, lead, pool, TELLER, voters(5, 3.0, rho=rho), 400)
        for rho in (0.0, 0.5)
    )
    assert alike.finders == pytest.approx(apart.finders)
    assert alike.everybody > apart.everybody + 0.05
    assert alike.nobody > apart.nobody + 0.05
    assert alike.some + alike.everybody + alike.nobody == pytest.approx(1.0)


def test_a_better_decoy_draws_more_votes() -> None:
    rng = np.random.default_rng(7)
    z = rng.normal(size=84)
    hand = np.argsort(z)[[5, 40, 80]]
    pool = np.array([card for card in range(84) if card not in hand])
    outlook = decoy_outlook(rng, SIX, z, hand[:, None], pool, TELLER, voters(4), 300)
    assert list(np.argsort(outlook.drawn)) == [0, 1, 2]


def test_the_three_player_decoys_are_judged_together() -> None:
    rng = np.random.default_rng(8)
    table = ODYSSEY.seated(3)
    z = rng.normal(size=84)
    pairs = np.array(list(itertools.combinations(range(7), 2)))
    outlook = decoy_outlook(rng, table, z, pairs, np.arange(7, 84), TELLER, voters(1), 400)
    best = pairs[int(outlook.drawn.argmax())]
    assert set(best) == set(np.argsort(-z[:7])[:2])


def test_a_voter_who_owns_the_best_match_still_has_a_choice() -> None:
    found = finding(logits(np.array([0.0, 6.0, -2.0, 1.0])), (0,), voters(1, 15.0), 1)
    assert np.isfinite(found).all()
    assert found[0, 3] == pytest.approx(0.5, abs=0.01)  # found by whoever owns slot 1, not by the owner of slot 2


def test_fitting_finds_the_players_that_there_are(sight: Sight) -> None:
    """Games among blind players only: the fitted prior says so, and beliefs are calibrated on other games of theirs."""
    games = []
    for seed in range(16):
        state = new_game(ODYSSEY, 6, len(sight.deck), seed)
        for event in play(make_agents(["random"] * 6, sight), ODYSSEY, sight.deck, seed):
            if isinstance(event, Decided):
                state = apply(state, event.seat, event.decision.move)
        games.append(state)
    fitted = fit(games[:8], sight, HABITS)
    assert fitted.voting[0] > HABITS.voting[0] + 0.2
    assert fitted.telling[0] > HABITS.telling[0] + 0.2
    assert fitted.stacking[0] < fitted.stacking[1]
    held_out = list(beliefs(games[8:], sight, fitted))
    assert calibration_error(held_out) < 0.05
    assert log_loss(held_out) < log_loss(list(beliefs(games[8:], sight, HABITS)))
