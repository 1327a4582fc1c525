"""A trained listener: kernel ridge regression from clues to cards, and a softmax over the cards on the table.

1. Clues are compared by sentence vectors of several encoders and by character n-grams; the kernel is a sum of
   exponentials of their mean similarity, one wide and one narrow.
2. Two ridge regressions on all past clues estimate, for each card of the deck, how likely the clue was told about it
   and what share of the votes it draws, so a card that misled people counts as well as the storyteller's.
3. The belief is a softmax over the table, linear in the logarithms of the two estimates and of the cards' own
   frequencies. Its few weights are fitted on leave-one-out estimates, which ridge regression gives in closed form:
   the residual divided by 1 − the leverage.

The kernel matrix of all past clues would grow with their square. It is approximated by comparing every clue with a
fixed number of them, the landmarks (Nyström's method: Williams and Seeger, NeurIPS 2000); with no more clues than
landmarks this is exact. Past clues are read in blocks, so memory hardly grows with their number.

The settings below were chosen by cross-validation within X_val alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dixit_env.agents.listeners.unknown import unknown_as, unknown_logit
from dixit_env.bench.listeners.measure import Listener, Scores
from dixit_env.bench.listeners.rounds import Rounds
from dixit_env.models.sentences import sentence_vectors

Floats = NDArray[np.float64]

WEIGHTS = {"minilm": 1.0, "e5": 0.5, "mpnet": 1.0}  # of the encoders' similarities in the mean
NGRAMS = 0.7  # weight of the character n-grams
KERNEL = ((3.0, 1.0), (12.0, 0.5))  # (sharpness, weight) of its parts
RIDGE = 2.0  # λ
FLOOR = 0.002  # least probability whose logarithm is taken
TARGET = 0.8  # share of the storyteller's card in what the softmax is fitted to; the rest are the votes

LANDMARKS = 8192  # past clues that all clues are compared with; their square is what memory grows with
FITTED = 10_000  # past rounds that the softmax is fitted on
BLOCK = 1024  # clues at a time
JITTER = 1e-3  # on the diagonal of the regression: near copies among the landmarks make it singular


def kernel_listener(encoders: Sequence[str]) -> Listener:
    """The listener with these sentence encoders (names in `models.sentences.ENCODERS`)."""

    def fit(history: Rounds) -> Scores:
        ridge = _Ridge.fit(_Comparison.fit(history.clues, encoders), history)
        part = history[_drawn(len(history), FITTED)]
        logs = ridge.left_out_logs(part)
        mixture = _fit_softmax(logs, part)

        def scores(rounds: Rounds) -> Floats:
            return np.where(rounds.shown, ridge.logs(rounds) @ mixture, -np.inf)

        unknown = unknown_logit(np.where(part.shown, logs @ mixture, -np.inf), part)
        return unknown_as(unknown, history, scores)

    return fit


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Clues compared with the landmarks."""

    landmarks: Sequence[str]  # (m,)
    encoders: Sequence[str]
    means: Sequence[NDArray[np.float32]]  # of each encoder's vectors; what all clues share says nothing
    vectors: Sequence[NDArray[np.float32]]  # centred unit vectors of the landmarks, (m, dim) each
    vectoriser: Any
    ngrams: Any  # sparse (m, terms)

    @classmethod
    def fit(cls, clues: Sequence[str], encoders: Sequence[str]) -> "_Comparison":
        from sklearn.feature_extraction.text import TfidfVectorizer

        different = list(dict.fromkeys(clues))
        landmarks = [different[number] for number in _drawn(len(different), LANDMARKS)]
        vectors = [sentence_vectors(landmarks, encoder) for encoder in encoders]
        means = [each.mean(0) for each in vectors]
        past = [_unit(each - mean) for each, mean in zip(vectors, means, strict=True)]
        rarest = 2 if len(clues) >= 100 else 1  # chosen: a handful of clues may share no n-gram
        vectoriser = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True, min_df=rarest)
        vectoriser.fit(clues)
        return cls(landmarks, encoders, means, past, vectoriser, vectoriser.transform(landmarks))

    def kernel(self, clues: Sequence[str]) -> NDArray[np.float32]:
        """Clues and landmarks, (n, m)."""
        similarity = NGRAMS * (self.vectoriser.transform(clues) @ self.ngrams.T).toarray().astype(np.float32)
        for encoder, mean, past in zip(self.encoders, self.means, self.vectors, strict=True):
            similarity += np.float32(WEIGHTS[encoder]) * (_unit(sentence_vectors(clues, encoder) - mean) @ past.T)
        similarity /= NGRAMS + sum(WEIGHTS[encoder] for encoder in self.encoders)
        return sum(np.float32(part) * np.exp(np.float32(sharpness) * (similarity - 1)) for sharpness, part in KERNEL)


@dataclass(frozen=True, eq=False)
class _Ridge:
    """Regression from clues to what happened to each card: told about (deck) and voted for (deck).

    With K of past clues and landmarks and M of landmarks among themselves, the weights solve
    (KᵀK + λM) w = Kᵀ labels, and the leverage of a clue with kernel values k is kᵀ (KᵀK + λM)⁻¹ k.
    """

    comparison: _Comparison
    means: Floats  # (2 · deck,) each card's own frequencies
    weights: Floats  # (m, 2 · deck) of the deviations from them
    factor: Floats  # (m, m) lower Cholesky factor of KᵀK + λM; what lies above the diagonal is arbitrary

    @classmethod
    def fit(cls, comparison: _Comparison, history: Rounds) -> "_Ridge":
        from scipy.linalg import cho_solve, cholesky

        size = len(comparison.landmarks)
        system, wanted = np.empty((size, size), order="F"), np.zeros((size, 2 * history.deck))
        for rows in _blocks(size):
            system[rows] = RIDGE * comparison.kernel(comparison.landmarks[rows[0] : rows[-1] + 1])
        system[np.diag_indices(size)] += JITTER
        means = np.sum([_labels(history[rows]).sum(0) for rows in _blocks(len(history))], axis=0) / len(history)
        for rows in _blocks(len(history)):
            part = history[rows]
            kernel = comparison.kernel(part.clues).astype(np.float64)
            wanted += kernel.T @ (_labels(part) - means)
            torch.from_numpy(system.T).addmm_(torch.from_numpy(kernel).T, torch.from_numpy(kernel))
        factor = cholesky(system, lower=True, overwrite_a=True, check_finite=False)
        return cls(comparison, means, cho_solve((factor, True), wanted, check_finite=False), factor)

    def logs(self, rounds: Rounds) -> Floats:
        """`_logs` of new rounds, (n, SLOTS, 4)."""
        parts = [rounds[rows] for rows in _blocks(len(rounds))]
        return np.concatenate(
            [_logs(self.comparison.kernel(part.clues) @ self.weights, self.means, part) for part in parts]
        )

    def left_out_logs(self, history: Rounds) -> Floats:
        """`_logs` of past rounds, each as estimated from all others, (n, SLOTS, 4)."""
        from scipy.linalg import solve_triangular

        logs = []
        for rows in _blocks(len(history)):
            part = history[rows]
            kernel, labels = self.comparison.kernel(part.clues).astype(np.float64), _labels(part) - self.means
            residual = labels - kernel @ self.weights
            half = solve_triangular(self.factor, kernel.T, lower=True, overwrite_b=True, check_finite=False)
            left_out = labels - residual / (1 - np.square(half).sum(0)[:, None])
            logs.append(_logs(left_out, self.means, part))
        return np.concatenate(logs)


def _drawn(count: int, most: int) -> NDArray[np.int64]:
    """All numbers below `count`, or as many of them as there may be, always the same, in order."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, most, replace=False))


def _labels(rounds: Rounds) -> Floats:
    """Was the clue told about the card, and which share of the votes did it draw, (n, 2 · deck)."""
    return np.concatenate([rounds.by_card(rounds.is_target), rounds.by_card(rounds.shares)], 1)


def _blocks(count: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, count, BLOCK):
        yield np.arange(start, min(start + BLOCK, count))


def _logs(deviations: Floats | NDArray[np.float32], means: Floats, rounds: Rounds) -> Floats:
    """Logarithms of a slot's two estimates and of its card's two frequencies, (n, SLOTS, 4); 0 where no card lies."""
    told, drawn = np.split(np.log(np.maximum(deviations + means, FLOOR)), 2, axis=1)
    told_ever, drawn_ever = np.split(np.log(np.maximum(means, FLOOR)), 2)
    columns = np.stack([rounds.by_slot(values) for values in (told, drawn, told_ever, drawn_ever)], -1)
    return np.where(rounds.shown[..., None], columns, 0)


def _fit_softmax(logs: Floats, history: Rounds) -> Floats:
    """Weights of the columns that make the softmax over the table closest to storyteller's cards and votes."""
    inputs, empty = torch.from_numpy(logs), torch.from_numpy(~history.shown)
    wanted = torch.from_numpy(TARGET * history.is_target + (1 - TARGET) * history.shares)
    weights = torch.zeros(logs.shape[-1], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        beliefs = (inputs @ weights).masked_fill(empty, -torch.inf).log_softmax(1)
        surprise = -(wanted * beliefs.masked_fill(empty, 0)).sum(1).mean()
        surprise.backward()  # type: ignore[no-untyped-call]
        return surprise

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return weights.detach().numpy()


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
