"""How well a listener finds the storyteller's card, and predicts the votes, in rounds that people played.

A listener is a function: given past rounds it returns a function that scores the slots of new rounds. Scores are
logits. Their softmax over a round's slots is the listener's belief, the share of votes that it predicts for each slot.
The top slot is its own vote.

The figures:
- storyteller's card: how often the top slot is the storyteller's; equal tops share the credit.
- most-voted card: how often the top slot drew as many votes as any other (19.7 % of the public rounds have several).
- log-loss: −Σ share · log(belief) over the slots, in nats; its least possible value is the entropy of the shares.
- ECE: expected calibration error of the belief in a slot against its share of votes, in 15 bins of equal width.

Two views. A **spectator** chooses among all n cards, as in published work. A **player** never votes for an own card
and chooses among n − 1. The data doesn't say who owned which decoy, but each voter owned exactly one, so the player
view averages over the n − 1 decoys as the voter's own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from dixit_env.bench.listeners.rounds import Rounds, folds
from dixit_env.bench.stats import Floats, calibration_error, interval, resample
from dixit_env.words import normalised

Scores = Callable[[Rounds], Floats]
"""New rounds → logits (n, SLOTS), −inf where no card lies."""
Listener = Callable[[Rounds], Scores]
"""Past rounds → what it learned from them."""

DRAWS = 1000  # of the bootstrap over rounds
BINS = 15  # of the calibration error, as in Guo et al. 2017


Figures = dict[str, float]


class SplitResult(TypedDict):
    """Figures on one split, as in `results.json`. Tables are "all" and the numbers of players."""

    history: int  # rounds
    test: int  # rounds
    people: dict[str, Figures]  # table → `people`
    listeners: dict[str, dict[str, dict[str, Figures]]]  # listener → view → table → `figures`
    seconds: NotRequired[dict[str, float]]  # listener → time to learn; on the published split


@dataclass(frozen=True, eq=False)
class Marks:
    """A listener's marks round by round, each (n,)."""

    storyteller: Floats  # credit in [0, 1]
    most_voted: Floats  # credit in [0, 1]
    log_loss: Floats  # nats
    gap: float  # expected calibration error over all of the rounds


def belief(logits: Floats) -> Floats:
    """Softmax over the last axis; −inf becomes 0."""
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(odds / odds.sum(-1, keepdims=True))


def spectator(logits: Floats, rounds: Rounds) -> Marks:
    """Marks of a listener that chooses among all cards."""
    predicted = belief(logits)
    storyteller, most_voted = _credits(logits, rounds.votes, rounds)
    return Marks(storyteller, most_voted, cross_entropy(predicted, rounds), _calibration(predicted, rounds))


def player(logits: Floats, rounds: Rounds) -> Marks:
    """Marks of a listener that can't vote for one of the decoys: the mean over which decoy that is."""
    decoys = rounds.players - 1
    storyteller, most_voted, predicted = np.zeros(len(rounds)), np.zeros(len(rounds)), player_belief(logits, rounds)
    for own in _own_slots(rounds):
        own_card, weight = own[:, None] == np.arange(logits.shape[1]), (own >= 0) / decoys
        hits = _credits(np.where(own_card, -np.inf, logits), np.where(own_card, -1, rounds.votes), rounds)
        storyteller += weight * hits[0]
        most_voted += weight * hits[1]
    return Marks(storyteller, most_voted, cross_entropy(predicted, rounds), _calibration(predicted, rounds))


def player_belief(logits: Floats, rounds: Rounds) -> Floats:
    """The share of votes that each slot draws from voters who each leave out one decoy, (n, SLOTS)."""
    predicted = np.zeros(logits.shape)
    for own in _own_slots(rounds):
        own_card = own[:, None] == np.arange(logits.shape[1])
        predicted += ((own >= 0) / (rounds.players - 1))[:, None] * belief(np.where(own_card, -np.inf, logits))
    return predicted


VIEWS: Mapping[str, Callable[[Floats, Rounds], Marks]] = {"spectator": spectator, "player": player}


def cross_entropy(predicted: Floats, rounds: Rounds) -> Floats:
    """−Σ share · log(belief) in nats, (n,)."""
    return -np.where(rounds.votes > 0, rounds.shares * np.log(np.maximum(predicted, 1e-12)), 0).sum(1)


def people(rounds: Rounds) -> Figures:
    """How the people at the table voted; means over rounds.

    `storyteller_accuracy`: share of the votes on the storyteller's card. `most_voted_accuracy`: share of the votes on a
    top card. `plurality`: is the top card the storyteller's, with ties shared? `plurality_any_top`: is it among the top
    ones? `some`, `all`, `none`: outcomes for the storyteller. `log_loss`: entropy of the shares, the least that any
    belief can have. `chance` and `legal_chance`: one of n or n − 1.
    """
    shares, found = rounds.shares, rounds.shares[rounds.is_target]
    top = rounds.votes == rounds.votes.max(1, keepdims=True)
    means = {
        "storyteller_accuracy": found,
        "most_voted_accuracy": (shares * top).sum(1),
        "plurality": top[rounds.is_target] / top.sum(1),
        "plurality_any_top": top[rounds.is_target],
        "all": found == 1,
        "some": (found > 0) & (found < 1),
        "none": found == 0,
        "log_loss": cross_entropy(shares, rounds),
        "chance": 1 / rounds.players,
        "legal_chance": 1 / (rounds.players - 1),
    }
    return {name: float(np.mean(values)) for name, values in means.items()}


def figures(marks: Marks, draws: Floats) -> Figures:
    """Means with 95 % bootstrap intervals; `draws` is how often each round is drawn, (draws, n)."""

    def span(values: Floats) -> tuple[float, float]:
        return interval(draws @ values / len(values))

    low, high = span(marks.storyteller)
    most_low, most_high = span(marks.most_voted)
    return {
        "storyteller_accuracy": float(marks.storyteller.mean()),
        "low": low,
        "high": high,
        "most_voted_accuracy": float(marks.most_voted.mean()),
        "most_voted_low": most_low,
        "most_voted_high": most_high,
        "log_loss": float(marks.log_loss.mean()),
        "ece": marks.gap,
    }


def measure(logits: Floats, rounds: Rounds, seed: int = 0) -> dict[str, dict[str, Figures]]:
    """Figures by view and table size ("all", "4", "5", "6")."""
    groups = {"all": np.arange(len(rounds))}
    groups |= {str(size): np.flatnonzero(rounds.players == size) for size in np.unique(rounds.players)}
    out: dict[str, dict[str, Figures]] = {view: {} for view in VIEWS}
    for group, rows in groups.items():
        draws = resample(len(rows), draws=DRAWS, seed=seed)
        for view, mark in VIEWS.items():
            out[view][group] = figures(mark(logits[rows], rounds[rows]), draws)
    return out


LEAST_HISTORY = 4
"""Rounds of a split's history; below that nothing is left when listeners put a fifth aside to be fitted on."""


@dataclass(frozen=True, eq=False)
class Split:
    """Past rounds that listeners learn from, and new rounds that they are measured on."""

    history: Rounds
    test: Rounds


def published(history: Rounds, test: Rounds, seed: int = 0) -> Split:
    """The parts as they were published. 9.7 % of the test rounds share clue and target with the past ones."""
    return Split(history, test)


def new_clues(history: Rounds, test: Rounds, seed: int = 0) -> Split:
    """Only test rounds whose clue, bar case and punctuation, was never given before."""
    past = {normalised(clue) for clue in history.clues}
    return Split(history, test[[row for row, clue in enumerate(test.clues) if normalised(clue) not in past]])


def new_cards(history: Rounds, test: Rounds, seed: int = 0) -> Split:
    """A quarter of the deck is taken out of the history; test rounds whose storyteller's card is one of these.

    Past rounds whose storyteller's card is hidden are left out. A hidden decoy is taken out of its round with its
    votes; a round without votes left is dropped.
    """
    deck = max(history.deck, test.deck)
    hidden = np.random.default_rng(seed).permutation(deck)[: round(deck / 4)]
    gone = np.isin(history.cards, hidden)
    cards, votes = np.where(gone, -1, history.cards), np.where(gone, 0, history.votes)
    censored = Rounds(history.clues, cards, votes, history.target, deck)
    kept = ~gone[history.is_target] & (votes.sum(1) > 0)
    asked = np.isin(test.cards[test.is_target], hidden)
    return Split(censored[np.flatnonzero(kept)], test[np.flatnonzero(asked)])


def more_history(history: Rounds, test: Rounds, seed: int = 0) -> Split:
    """Half of the test rounds, drawn from `seed`, join the history; the other half is the test."""
    order = np.random.default_rng(seed).permutation(len(test))
    half = len(test) // 2
    return Split(history + test[np.sort(order[:half])], test[np.sort(order[half:])])


SPLITS: Mapping[str, Callable[[Rounds, Rounds, int], Split]] = {
    "published": published,
    "new-clues": new_clues,
    "new-cards": new_cards,
    "more-history": more_history,
}


def calibrated(listener: Listener) -> Listener:
    """The same listener with its logits scaled so that its belief predicts people's votes best.

    The scale is fitted on a fifth of the history that the listener hasn't learned from.
    """

    def fit(history: Rounds) -> Scores:
        learned, kept = next(folds(len(history), 5, seed=0))
        part = history[kept]
        logits = listener(history[learned])(part)
        scale = least(lambda by: float(cross_entropy(belief(by * logits), part).mean()), 0.01, 5.0)
        scores = listener(history)
        return lambda rounds: scale * scores(rounds)

    return fit


def least(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one minimum is least, to about a thousandth of the range: grids that zoom in."""
    for _ in range(4):
        grid = np.linspace(low, high, 13)
        best = int(np.argmin([loss(float(value)) for value in grid]))
        low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, 12)])
    return round(float(grid[best]), 4)


def _credits(logits: Floats, votes: NDArray[np.int64], rounds: Rounds) -> tuple[Floats, Floats]:
    """Credit for the storyteller's card and for the most-voted one, (n,) each."""
    top = logits == logits.max(1, keepdims=True)
    vote = top / top.sum(1, keepdims=True)
    most = votes == np.where(rounds.shown, votes, -1).max(1, keepdims=True)
    return (vote * rounds.is_target).sum(1), (vote * (most & rounds.shown)).sum(1)


def _own_slots(rounds: Rounds) -> Iterator[NDArray[np.int64]]:
    """The slots of the first, second, … decoy, (n,) each; −1 where a round has fewer."""
    decoys = rounds.shown & ~rounds.is_target
    order = np.argsort(~decoys, axis=1, kind="stable")
    for i in range(int(decoys.sum(1).max())):
        yield np.where(i < decoys.sum(1), order[:, i], -1)


def _calibration(predicted: Floats, rounds: Rounds) -> float:
    return calibration_error(predicted[rounds.shown], rounds.shares[rounds.shown], BINS)
