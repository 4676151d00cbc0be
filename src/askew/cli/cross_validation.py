"""The accuracy of a model on new rows, estimated by cross-validation or on a held-out set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from askew.cli.model_file import Model
from askew.parallel import Progress, part, progress_bar

if TYPE_CHECKING:
    import pandas

    from askew.data.frames import Labels

FOLDS = 5
FEW_ROWS = 2_000
"""Up to this number of rows, all folds are predicted; with more, one fold is enough, in a fifth of the time."""


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
    estimator: Model,
    X: pandas.DataFrame,
    y: Labels,
    weights: NDArray[np.float64] | None,
    folds: int | None,
    seed: int,
    shown: bool,
) -> Estimate | None:
    """Return the held-out accuracy, or R2, of an estimator.

    Parameters
    ----------
    estimator : Model
        The fitted estimator; it is cloned.
    X : pandas.DataFrame
        The features.
    y : ndarray
        The target.
    weights : ndarray or None
        Weights of the rows.
    folds : int or None
        Number of folds of the cross-validation; None: by the number of rows (see `FEW_ROWS`); 0: no estimate.
    seed : int
        Seed of the division into folds.
    shown : bool
        Whether to show progress.

    Returns
    -------
    estimate : Estimate or None
        None if there are too few rows, or `folds` is 0.
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


def _of(loss: NDArray[np.float64], y: Labels, weight: NDArray[np.float64], classes: bool, how: str) -> Estimate | None:
    """Return the accuracy, 1 - mean loss; for regression R2, 1 - mean loss / variance of y."""
    share = weight / weight.sum() if weight.any() else np.full(weight.size, 1 / weight.size)
    if not classes and np.ptp(y) == 0:
        return None
    unit = 1.0 if classes else float(share @ (y - share @ y) ** 2)
    mean = float(share @ loss)
    error = sqrt(float(share @ (loss - mean) ** 2) * float(share @ share))
    return Estimate(1 - mean / unit, error / unit, loss.size, how)


def _divide(y: Labels, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return a random fold for each row, stratified by class."""
    codes = np.unique(y, return_inverse=True)[1]
    order = np.lexsort((np.random.default_rng(seed).random(len(y)), codes))
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % n_folds
    return fold


def _predictions(
    estimator: Model,
    X: pandas.DataFrame,
    y: Labels,
    weights: NDArray[np.float64] | None,
    fold: NDArray[np.int64],
    n_folds: int,
    progress: Progress | None,
) -> Iterator[tuple[NDArray[np.int64], Labels]]:
    """Yield the rows of each fold, and the predictions for them of a model that is fitted to the other folds."""
    from sklearn.base import clone

    for number in range(n_folds):
        out, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        rest_weights = None if weights is None else weights[rest]
        if rest_weights is not None and not rest_weights.any():
            continue
        model = clone(estimator).fit(X.iloc[rest], y[rest], rest_weights)
        yield out, model.predict(X.iloc[out])
        if progress is not None:
            part(progress, number, n_folds)(1.0)
