"""Error-based pruning of C4.5: a subtree is kept only if it lowers a pessimistic estimate of the errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.recipe import Regrowth
from askew.grow.rows import recounted
from askew.model.edit import rearranged
from askew.model.tree import Tree
from askew.parameters import InvalidParameterError, Strategy, boolean, param, real

_SLACK = 0.1  # additional errors that a smaller tree may make
# Quantiles of the normal distribution that C4.5 interpolates.
_CONFIDENCE = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
_DEVIATION = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)


@dataclass(frozen=True)
class ErrorBased(Strategy):
    """Error-based pruning (C4.5), for classification.

    The errors of a leaf are estimated by the upper confidence limit of a binomial distribution, from the training rows;
    none are held out. From the bottom up, each subtree is replaced by a leaf, or by its largest branch (subtree
    raising), if the estimated errors rise by no more than 0.1.

    Parameters
    ----------
    confidence : float, default=0.25
        CF of C4.5: the probability that a leaf makes more errors than estimated. Lower values prune more.
    raising : bool, default=True
        Whether a subtree may be replaced by its largest branch.

    References
    ----------
    Quinlan: C4.5: Programs for Machine Learning (1993), chapter 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CARTClassifier
    >>> from askew.prune import ErrorBased
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTClassifier().fit(X, y).get_n_leaves(), CARTClassifier(pruning=ErrorBased()).fit(X, y).get_n_leaves()
    (9, 7)
    """

    confidence: float = param(0.25, real(0.0, 1.0, open_low=True))
    raising: bool = param(True, boolean)

    def hold_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        """Hold no rows out."""
        if not table.classification:
            raise InvalidParameterError("Error-based pruning supports classification only.")
        return table, None

    def prune(self, tree: Tree, grown_on: Table, held_out: Table | None, regrow: Regrowth, seed: int) -> Tree:
        """Return the pruned tree."""
        # The estimates need numbers of cases: weights that are not repetitions are scaled to sum to the samples.
        weight, multiplicity = grown_on.weight, grown_on.multiplicity
        scale = 1.0 if np.array_equal(weight, multiplicity) else float(multiplicity.sum() / weight.sum())
        log_confidence, deviation = _limit(self.confidence)
        now, raised = _core.prune_errors(
            tree.kernel,
            mass=tree.mass,
            counts=np.ascontiguousarray(tree.value * scale),
            X=grown_on.X,
            label=grown_on.y.astype(np.int32, copy=False),
            row_weight=weight * scale,
            log_confidence=log_confidence,
            deviation=deviation,
            slack=_SLACK,
            raising=bool(self.raising),
        )
        if not raised:
            return tree.collapse(np.flatnonzero(now < 0))
        return recounted(rearranged(tree, now), grown_on, regrow.criterion)


def estimated_errors(cases: ArrayLike, errors: ArrayLike, confidence: float) -> NDArray[np.float64]:
    """Return the pessimistic estimate of the errors of a leaf: C4.5's upper confidence limit.

    Parameters
    ----------
    cases, errors : array-like
        Weight of all rows of a leaf, and of its misclassified rows.
    confidence : float
        CF of C4.5.

    Returns
    -------
    errors : ndarray
        Errors that are expected among as many new cases.

    Examples
    --------
    >>> from askew.prune.error_based import estimated_errors
    >>> estimated_errors([6, 9, 16], [0, 0, 1], 0.25).round(3)
    array([1.238, 1.285, 2.507])
    """
    n, e = np.broadcast_arrays(np.asarray(cases, dtype=np.float64), np.asarray(errors, dtype=np.float64))
    log_confidence, deviation = _limit(confidence)
    limits = _core.error_limit(cases=n.ravel(), errors=e.ravel(), log_confidence=log_confidence, deviation=deviation)
    return limits.reshape(n.shape)


@cache
def _limit(confidence: float) -> tuple[float, float]:
    """Return the logarithm of the confidence, and the quantile of the normal distribution."""
    return float(np.log(confidence)), float(np.interp(confidence, _CONFIDENCE, _DEVIATION))
