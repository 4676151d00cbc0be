"""What a model will be worth on new rows: the method that made it, cross-validated or tried on a held-out set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.parallel import part, progress_bar

FOLDS = 5
FEW_ROWS = 2_000
"""Up to so many rows every row is predicted once; of more, a fifth is enough, at a fifth of the time."""


@dataclass(frozen=True)
class Estimate:
    """A mean over held-out rows, and its standard error."""

    mean: float
    standard_error: float
    rows: int
    how: str

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.standard_error:.4f} ({self.how})"


def estimate(
    estimator: Any, X: Any, y: NDArray[Any], weights: NDArray[Any] | None, folds: int | None, seed: int, shown: bool
) -> Estimate | None:
    """Return the accuracy, or R2, of an estimator's method on rows that it was not fitted to.

    Parameters
    ----------
    estimator : of any kind; it is cloned
    X : data frame
    y : classes or numbers
    weights : of the rows, or None
    folds : of the cross-validation; None: by the number of rows (see `FEW_ROWS`); 0: no estimate
    seed : of the division into folds
    shown : whether to show progress

    Returns
    -------
    estimate : None if there are too few rows, or none is asked for
    """
    n_folds = min(FOLDS if folds is None else folds, len(y))
    if n_folds < 2:
        return None
    classes = hasattr(estimator, "classes_")
    fold = _divide(y if classes else np.zeros(len(y)), n_folds, seed)
    once = folds is None and len(y) > FEW_ROWS
    how = f"held-out {(fold == 0).sum()} rows" if once else f"{n_folds}-fold cross-validation"
    kept, loss = [], []
    with progress_bar(how, shown) as progress:
        for out, predicted in _predictions(estimator, X, y, weights, fold, 1 if once else n_folds, progress):
            kept.append(out)
            loss.append(predicted != y[out] if classes else (predicted - y[out]) ** 2)
    rows = np.concatenate(kept)
    weight = np.ones(rows.size) if weights is None else np.asarray(weights, dtype=np.float64)[rows]
    return _of(np.concatenate(loss).astype(np.float64), y[rows], weight, classes, how)


def _of(
    loss: NDArray[np.float64], y: NDArray[Any], weight: NDArray[np.float64], classes: bool, how: str
) -> Estimate | None:
    """Return one less the mean loss; of numbers, in units of their variance."""
    share = weight / weight.sum() if weight.any() else np.full(weight.size, 1 / weight.size)
    if not classes and np.ptp(y) == 0:
        return None
    unit = 1.0 if classes else float(share @ (y - share @ y) ** 2)
    mean = float(share @ loss)
    error = sqrt(float(share @ (loss - mean) ** 2) * float(share @ share))
    return Estimate(1 - mean / unit, error / unit, loss.size, how)


def _divide(y: NDArray[Any], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row; every class is divided evenly, at random."""
    codes = np.unique(y, return_inverse=True)[1]
    order = np.lexsort((np.random.default_rng(seed).random(len(y)), codes))
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % n_folds
    return fold


def _predictions(
    estimator: Any, X: Any, y: Any, weights: Any, fold: NDArray[np.int64], n_folds: int, progress: Any
) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
    """Yield the rows of each fold, and what a model of the others predicts for them."""
    from sklearn.base import clone

    for number in range(n_folds):
        out, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        given = None if weights is None else weights[rest]
        if given is not None and not given.any():
            continue
        told = None if progress is None else part(progress, number, n_folds)
        model = clone(estimator).fit(X.iloc[rest], y[rest], given)
        yield out, model.predict(X.iloc[out])
        if told is not None:
            told(1.0)
