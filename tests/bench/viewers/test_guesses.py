"""Tables for viewers: what is on them, and what answers are worth."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from toy_deck import colour, toy_deck

from dixit_env.bench.viewers.clues import ViewersClue
from dixit_env.bench.viewers.folder import ViewersError
from dixit_env.bench.viewers.guesses import (
    Guess,
    Table,
    among_six,
    answered,
    figures,
    read_guesses,
    reader_figures,
    with_controls,
    write_guesses,
    write_tables,
)
from dixit_env.bench.viewers.layout import CARD, lay_out
from dixit_env.decks.deck import Deck

NAMES = [f"toy/{number:02}" for number in range(12)]
SIX = Table("a clue", "clip", tuple(NAMES[:6]), 2)
FOUR = replace(SIX, cards=SIX.cards[:4])


def key(*tables: Table) -> dict[str, dict[str, object]]:
    return {f"{number:03}": asdict(table) for number, table in enumerate(tables, 1)}


@pytest.fixture
def answer(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: str, viewer: str = "anna") -> Path:
        file = tmp_path / f"{viewer}.tsv"
        file.write_text("".join(line.replace(" ", "\t") + "\n" for line in lines))
        return file

    return write


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    return Deck.from_folder(toy_deck(tmp_path, 6))


# Tables


@st.composite
def tables(draw: st.DrawFn) -> list[Table]:
    clue, source = st.sampled_from(["moon", "sun", "home", "sea"]), st.sampled_from(["clip", "viewers"])
    cards = st.lists(st.sampled_from(NAMES), min_size=3, max_size=6, unique=True).map(tuple)
    made = st.builds(lambda clue, source, cards: Table(clue, source, cards, len(cards) // 2), clue, source, cards)
    return draw(st.lists(made, max_size=24))


@settings(max_examples=50, deadline=None)
@given(tables(), st.integers(0, 99))
def test_a_control_never_has_its_own_clue_or_the_card_that_the_clue_is_about(real: list[Table], seed: int) -> None:
    shown = with_controls(real, np.random.default_rng(seed))
    assert sorted(table.cards for table in shown) == sorted(table.cards for table in real)
    controls = [table for table in shown if table.control]
    assert len(controls) <= round(len(real) / 4)
    assert [table for table in shown if not table.control and table not in real] == []
    for table in controls:
        twins = [one for one in real if (one.cards, one.source) == (table.cards, table.source)]
        assert any(one.clue != table.clue for one in twins)
        givers = [one for one in real if one.clue == table.clue and one.source == table.source]
        assert any(giver.cards[giver.target] not in table.cards for giver in givers)


def test_a_quarter_of_many_different_tables_are_controls() -> None:
    real = [Table(f"clue {n}", "clip", (f"toy/{n}", f"toy/{n}b", f"toy/{n}c"), 0) for n in range(40)]
    shown = with_controls(real, np.random.default_rng(0))
    assert sum(table.control for table in shown) == 10
    assert not {table.clue for table in shown if table.control} & {
        one.clue for one in real if one.cards in {table.cards for table in shown if table.control}
    }


def test_a_viewers_clue_lies_among_five_other_cards() -> None:
    clue, rng = ViewersClue("toy/03", "idea", "home"), np.random.default_rng(0)
    drawn = [among_six(clue, NAMES, rng) for _ in range(60)]
    assert {table.target for table in drawn} == set(range(6))
    for table in drawn:
        assert (table.clue, table.source, table.cards[table.target]) == ("home", "viewers", "toy/03")
        assert len(set(table.cards)) == 6
    with pytest.raises(ViewersError, match="a deck of 5 cards makes no table of 6"):
        among_six(clue, NAMES[:5], rng)


# What viewers see


def test_a_picture_depends_on_nothing_but_the_clue_and_the_cards(deck: Deck, tmp_path: Path) -> None:
    table = Table("a clue", "clip", tuple(card.name for card in deck.cards), 1)
    write_tables([table, replace(table, source="viewers", target=4, control=True)], deck.cards, tmp_path / "study")
    first, second = sorted((tmp_path / "study" / "pictures").iterdir())
    assert first.read_bytes() == second.read_bytes()
    with Image.open(first) as picture:
        assert picture.info == {}


def test_beside_cards_numbers_and_clue_there_is_only_ground(deck: Deck) -> None:
    pictures = [card.picture() for card in deck.cards]
    plain, headed = (np.array(lay_out(pictures, 3, heading)) for heading in ("", "a clue"))
    heading = len(headed) - len(plain)
    assert heading > 0
    assert (headed[heading + 12 :] == plain[12:]).all()  # the gap above the cards
    ground = plain[0, 0]
    for number in range(6):
        x, y = 12 + number % 3 * (CARD[0] + 12), 12 + number // 3 * (CARD[1] + 40 + 12)
        card = plain[y : y + CARD[1], x : x + CARD[0]]
        assert (card == colour(number)).all()
        label = plain[y + CARD[1] : y + CARD[1] + 40, x : x + CARD[0]]
        assert 0 < (label != ground).any(2).sum() < 400
        card[:] = ground
        label[:] = ground
    assert (plain == ground).all()


def test_a_long_clue_is_wrapped_and_stays_on_the_picture(deck: Deck) -> None:
    pictures = [card.picture() for card in deck.cards]
    long = np.asarray(lay_out(pictures, 3, "the way home is long and dark " * 10))
    short = np.asarray(lay_out(pictures, 3, "the way home"))
    assert len(long) > len(short)
    ground = long[0, 0]
    assert (long[:, :12] == ground).all()
    assert (long[:, -12:] == ground).all()


def test_a_picture_of_another_shape_is_not_stretched() -> None:
    wide = Image.new("RGB", (300, 100), "red")
    shown = np.asarray(lay_out([wide], 1))
    red = np.argwhere((shown == (255, 0, 0)).all(2))
    height, width = np.ptp(red, axis=0) + 1
    assert width / height == pytest.approx(3, abs=0.1)


# Answers


def test_probabilities_are_normalised_and_a_tie_counts_as_its_share(answer: Callable[..., Path]) -> None:
    (guess,) = answered(key(SIX), [answer("1 40 0 40 40 0 0 2.5")])
    assert guess == Guess("anna", "001", SIX, (1 / 3, 0, 1 / 3, 1 / 3, 0, 0), 2.5)
    assert guess.found == pytest.approx(1 / 3)


def test_tables_of_one_study_may_have_different_sizes(answer: Callable[..., Path]) -> None:
    guesses = answered(key(SIX, FOUR), [answer("002 0 0 100 0 3", "001 100 0 0 0 0 0 0")])
    assert [guess.found for guess in guesses] == [1, 0]


def test_viewers_who_answer_the_same_table_make_one_table(answer: Callable[..., Path]) -> None:
    files = [answer("1 0 0 100 0 3", "2 0 100 0 0 1"), answer("1 100 0 0 0 1", viewer="bo")]
    (told,) = figures(answered(key(FOUR, replace(FOUR, control=True)), files)).values()
    assert (told["tables"], told["answers"], told["found"], told["belief"], told["suits"]) == (1, 2, 0.5, 0.5, 2)
    assert told["control"] | {"suits": 1} == told["control"]
    assert told["control"]["tables"] == 1


def test_figures_without_tables_are_none(answer: Callable[..., Path]) -> None:
    told = figures(answered(key(SIX), [answer("1 0 0 1 0 0 0 3")]))["clip"]
    assert told["found"] == told["found_low"] == told["found_high"] == 1
    assert told["control"]["tables"] == 0
    assert {told["control"][name] for name in ("found", "belief_low", "suits_high")} == {None}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_figures_are_means_inside_their_intervals(chosen: list[tuple[int, int]]) -> None:
    guesses = [
        Guess("anna", str(number), FOUR, tuple(float(place == card) for place in range(4)), float(suits))
        for number, (card, suits) in enumerate(chosen)
    ]
    told = figures(guesses)["clip"]
    assert told["found"] == pytest.approx(np.mean([card == 2 for card, _ in chosen]))
    assert told["suits"] == pytest.approx(np.mean([suits for _, suits in chosen]))
    for name in ("found", "belief", "suits"):
        assert told[f"{name}_low"] - 1e-9 <= told[name] <= told[f"{name}_high"] + 1e-9


def test_lift_is_how_much_more_often_cards_are_found_than_at_controls() -> None:
    def said(rights: list[bool], control: bool) -> list[Guess]:
        table = replace(FOUR, control=control)
        return [
            Guess(
                "anna", f"{control}{number}", table, tuple(float(place == (2 if right else 0)) for place in range(4)), 1
            )
            for number, right in enumerate(rights)
        ]

    told = figures(said([True] * 30 + [False] * 10, False) + said([True] * 4 + [False] * 12, True))["clip"]
    assert told["lift"] == pytest.approx(0.75 - 0.25)
    error = np.sqrt(0.75 * 0.25 / 40 + 0.25 * 0.75 / 16)  # of a difference of two independent shares
    assert told["lift_low"] == pytest.approx(0.5 - 1.96 * error, abs=0.04)
    assert told["lift_high"] == pytest.approx(0.5 + 1.96 * error, abs=0.04)
    assert figures(said([True], False))["clip"]["lift"] is None


BELIEFS = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(BELIEFS, BELIEFS), min_size=1, max_size=8))
def test_agreement_of_two_viewers_is_that_of_their_answers(told: list[tuple[list[int], list[int]]]) -> None:
    rows = [[np.array(belief) / sum(belief) for belief in pair] for pair in told]
    guesses = [
        Guess(viewer, str(number), FOUR, tuple(belief.tolist()), 1)
        for number, pair in enumerate(rows)
        for viewer, belief in zip(("anna", "bo"), pair, strict=True)
    ]
    alone = Guess("anna", "alone", FOUR, (0, 0, 1, 0), 1)
    found = figures([*guesses, alone])["clip"]["agreement"]
    assert found["tables"] == len(told)
    tops = [[set(np.flatnonzero(belief == belief.max())) for belief in pair] for pair in rows]
    same = [len(one & other) / (len(one) * len(other)) for one, other in tops]
    assert found["same_card"] == pytest.approx(np.mean(same))
    both = np.array(np.hstack([np.hstack([[one, other], [other, one]]) for one, other in rows]))
    if both.std() > 1e-9:
        assert found["correlation"] == pytest.approx(np.corrcoef(both[0], both[1])[0, 1])
    else:
        assert found["correlation"] is None


def test_viewers_who_never_share_a_table_agree_in_nothing() -> None:
    guesses = [Guess(viewer, viewer, FOUR, (0, 0, 1, 0), 1) for viewer in ("anna", "bo")]
    assert figures(guesses)["clip"]["agreement"] == {"tables": 0, "same_card": None, "correlation": None}


def test_another_reader_is_measured_on_the_tables_that_viewers_guessed() -> None:
    control = replace(FOUR, control=True)
    sure, even = (0.0, 0.0, 1.0, 0.0), (0.25,) * 4
    guesses = [Guess("anna", "1", FOUR, sure, 3), Guess("bo", "1", FOUR, even, 0), Guess("anna", "3", control, sure, 1)]
    readings = {name: Guess("embedded", name, FOUR, sure, float("nan")) for name in ("1", "2", "3")}
    told = reader_figures(guesses, readings)["clip"]
    assert (told["tables"], told["found"], told["belief"]) == (1, 1, 1)
    assert told["same_card"] == pytest.approx((1 + 1 / 4) / 2)
    assert "suits" not in told


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("7 1 1 1 1 1 1 2", "there is no table 7"),
        ("1 1 1 1 1 1 2", "7 cells, separated by tabs, instead of 8"),
        ("1 1 1 1 1 1 x 2", "a number was wanted"),
        ("1 1 1 1 1 1 -1 2", "probabilities are 0 or more"),
        ("1 0 0 0 0 0 0 2", "not all of them 0"),
        ("1 nan 0 0 0 0 1 2", "probabilities"),
        ("1 inf 0 0 0 0 1 2", "probabilities"),
        ("1 1 1 1 1 1 1 4", "from 0 to 3, not 4"),
        ("1 1 1 1 1 1 1 nan", "from 0 to 3"),
        ("2 0 0 1 0 0 0 2", "anna has answered table 2 before"),
    ],
)
def test_a_line_that_makes_no_sense_is_named(answer: Callable[..., Path], line: str, fault: str) -> None:
    with pytest.raises(ViewersError, match=rf"anna\.tsv, line 2: .*{fault}"):
        answered(key(SIX, SIX), [answer("2 0 0 1 0 0 0 3", line)])


# Guesses on disk


def test_guesses_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Also for clues and file names with spaces, to three digits of the belief."""
    table = Table("the long way home", "clip:lang=pt", tuple(f"my deck/card {n}" for n in range(4)), 1, control=True)
    guesses = [Guess("anna", "001", table, (0.5, 0.25, 0.125, 0.125), 2.0), Guess("bo", "002", FOUR, (0.25,) * 4, 0.5)]
    write_guesses(guesses, tmp_path / "guesses.tsv")
    assert read_guesses(tmp_path / "guesses.tsv") == guesses


def test_a_file_of_another_kind_holds_no_guesses(tmp_path: Path) -> None:
    (tmp_path / "clues.tsv").write_text("card\tkind\tclue\ntoy/01\tidea\thome\n")
    with pytest.raises(ViewersError, match="begins with card"):
        read_guesses(tmp_path / "clues.tsv")
