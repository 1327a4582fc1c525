"""A trained listener: kernel ridge regression from clues to cards, and a softmax over the cards on the table.

1. Clues are compared by sentence vectors of several encoders and by character n-grams; the kernel is a sum of
   exponentials of their mean similarity, one wide and one narrow.
2. Two ridge regressions on all past clues estimate, for each card of the deck, how likely the clue was told about it
   and what share of the votes it draws, so a card that misled people counts as well as the storyteller's.
3. The belief is a softmax over the table, linear in the logarithms of the two estimates and of the cards' own
   frequencies. Its few weights are fitted on leave-one-out estimates, which ridge regression gives in closed form:
   y − (K + λ)⁻¹y / diag (K + λ)⁻¹.

The settings below were chosen by cross-validation within X_val alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

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


def kernel_listener(encoders: Sequence[str]) -> Listener:
    """The listener with these sentence encoders (names in `models.sentences.ENCODERS`)."""

    def fit(history: Rounds) -> Scores:
        comparison = _Comparison.fit(history.clues, encoders)
        labels = np.concatenate([history.by_card(history.is_target), history.by_card(history.shares)], 1)
        means = labels.mean(0)  # (2 · deck,): each card's own frequencies
        weights, left_out = _ridge(comparison.kernel(history.clues), labels - means)
        mixture = _fit_softmax(_logs(left_out + means, means, history), history)

        def scores(rounds: Rounds) -> Floats:
            estimates = comparison.kernel(rounds.clues) @ weights + means  # (n, 2 · deck)
            logits = _logs(estimates, means, rounds) @ mixture
            return np.where(rounds.shown, logits, -np.inf)

        return scores

    return fit


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Clues compared with the past ones."""

    encoders: Sequence[str]
    means: Sequence[NDArray[np.float32]]  # of each encoder's vectors; what all clues share says nothing
    past: Sequence[NDArray[np.float32]]  # centred unit vectors of the past clues, (past, dim) each
    vectoriser: Any
    ngrams: Any  # sparse (past, terms)

    @classmethod
    def fit(cls, clues: Sequence[str], encoders: Sequence[str]) -> "_Comparison":
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectors = [sentence_vectors(clues, encoder) for encoder in encoders]
        means = [each.mean(0) for each in vectors]
        past = [_unit(each - mean) for each, mean in zip(vectors, means, strict=True)]
        vectoriser = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True, min_df=2)
        return cls(encoders, means, past, vectoriser, vectoriser.fit_transform(clues))

    def kernel(self, clues: Sequence[str]) -> NDArray[np.float32]:
        """(n, past)."""
        similarity = NGRAMS * (self.vectoriser.transform(clues) @ self.ngrams.T).toarray().astype(np.float32)
        for encoder, mean, past in zip(self.encoders, self.means, self.past, strict=True):
            similarity += np.float32(WEIGHTS[encoder]) * (_unit(sentence_vectors(clues, encoder) - mean) @ past.T)
        similarity /= NGRAMS + sum(WEIGHTS[encoder] for encoder in self.encoders)
        return sum(np.float32(part) * np.exp(np.float32(sharpness) * (similarity - 1)) for sharpness, part in KERNEL)


def _ridge(kernel: NDArray[np.float32], labels: Floats) -> tuple[Floats, Floats]:
    """Dual weights (past, labels) and the leave-one-out estimates of the labels (past, labels)."""
    gram, wanted = torch.from_numpy(kernel), torch.from_numpy(labels.astype(np.float32))
    gram.diagonal().add_(RIDGE)
    factor = torch.linalg.cholesky(gram)
    weights = torch.cholesky_solve(wanted, factor)
    spread = torch.cholesky_inverse(factor).diagonal()[:, None]
    return weights.double().numpy(), (wanted - weights / spread).double().numpy()


def _logs(estimates: Floats, means: Floats, rounds: Rounds) -> Floats:
    """Logarithms of a slot's two estimates and of its card's two frequencies, (n, SLOTS, 4); 0 where no card lies."""
    told, drawn = np.split(np.log(np.maximum(estimates, FLOOR)), 2, axis=1)
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
