"""The statistics of the experiments."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, inf, sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, norm, rankdata, ttest_ind_from_stats


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once."""
    return fmean(values)


def sd(values: Sequence[float]) -> float | None:
    """Return the standard deviation of a sample (divided by n - 1); None of fewer than two values."""
    return stdev(values) if len(values) > 1 else None


def average_ranks(figures: NDArray[np.float64], better: int) -> NDArray[np.float64]:
    """Return the average rank of each method (figures: data sets x methods); 1 is the best, ties share theirs.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.experiments.statistics import average_ranks
    >>> average_ranks(np.array([[90.0, 80.0], [70.0, 70.0]]), better=1)
    array([1.25, 1.75])
    """
    ranks: NDArray[np.float64] = rankdata(-better * figures, axis=1).mean(axis=0)
    return ranks


def friedman(figures: NDArray[np.float64]) -> float:
    """Return the p-value of Friedman's test, by which the methods (columns, three or more) do not differ.

    It is 1 where all of them tie everywhere, and SciPy would divide by 0.
    """
    if (figures == figures[:, :1]).all():
        return 1.0
    return float(friedmanchisquare(*figures.T).pvalue)


def holm(ranks: NDArray[np.float64], n_data: int) -> NDArray[np.float64]:
    """Return the adjusted p-values of the methods against the first, by Holm's procedure (Demsar 2006).

    The difference of two average ranks over `n_data` data sets is normal, with variance k (k + 1) / (6 n).

    Examples
    --------
    >>> import numpy as np
    >>> from askew.experiments.statistics import holm
    >>> holm(np.array([1.5, 2.25, 2.25]), 20).round(3)
    array([0.035, 0.035])
    """
    k = ranks.size
    p = 2 * norm.sf(np.abs(ranks[1:] - ranks[0]) / np.sqrt(k * (k + 1) / (6 * n_data)))
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(k - 1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(k - 1, 0, -1)))
    return adjusted


def welch(a: tuple[float, float], b: tuple[float, float], n: int) -> float:
    """Return the p-value of Welch's test: a and b, mean and standard deviation of n values each, do not differ.

    Examples
    --------
    >>> from askew.experiments.statistics import welch
    >>> round(welch((96.3, 0.4), (96.9, 0.3), 10), 3)
    0.001
    """
    if a[1] == b[1] == 0:
        return 1.0 if a[0] == b[0] else 0.0
    return float(ttest_ind_from_stats(*a, n, *b, n, equal_var=False).pvalue)


def cohen_d(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the difference of two means over the root of their mean variance; 0 if there is none.

    Examples
    --------
    >>> from askew.experiments.statistics import cohen_d
    >>> round(cohen_d((96.3, 0.4), (96.9, 0.3)), 3)
    -1.697
    """
    difference, spread = a[0] - b[0], sqrt((a[1] ** 2 + b[1] ** 2) / 2)
    return difference / spread if spread else copysign(inf, difference) if difference else 0.0
