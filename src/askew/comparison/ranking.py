"""Results of a comparison: means over the folds, ranks, and tests of their differences (Friedman, Holm, Wilcoxon)."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, inf, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, norm, rankdata, ttest_ind_from_stats, wilcoxon

from askew.comparison.folds import FoldResult

if TYPE_CHECKING:
    import pandas


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
    >>> from askew.comparison.ranking import average_ranks
    >>> average_ranks(np.array([[90.0, 80.0], [70.0, 70.0]]), better=1)
    array([1.25, 1.75])
    """
    ranks: NDArray[np.float64] = rankdata(-better * figures, axis=1).mean(axis=0)
    return ranks


def friedman(figures: NDArray[np.float64]) -> float:
    """Return the p-value of Friedman's test that the methods (columns, three or more) do not differ.

    It is 1 if all of them tie everywhere: SciPy would divide by 0.
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
    >>> from askew.comparison.ranking import holm
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
    >>> from askew.comparison.ranking import welch
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
    >>> from askew.comparison.ranking import cohen_d
    >>> round(cohen_d((96.3, 0.4), (96.9, 0.3)), 3)
    -1.697
    """
    difference, spread = a[0] - b[0], sqrt((a[1] ** 2 + b[1] ** 2) / 2)
    return difference / spread if spread else copysign(inf, difference) if difference else 0.0


def summary(done: Sequence[FoldResult], methods: Sequence[str], measure: str) -> pandas.DataFrame:
    """Return the ranking of the methods by the finished folds, as `compare` returns it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("compare returns a pandas.DataFrame: pip install 'askew[data]'") from error

    by_method = {name: sorted((f for f in done if f.method == name), key=lambda f: f.number) for name in methods}
    rows = [_row(name, by_method[name], measure) for name in methods]
    frame = pandas.DataFrame(rows).set_index("method").sort_values(measure, ascending=False, kind="stable")
    # The tests need figures of the same folds: of those methods that finished every fold that the best one did.
    scores = {name: {f.number: f.score for f in by_method[name] if f.score is not None} for name in frame.index}
    most = max(map(len, scores.values()), default=0)
    complete = [name for name in frame.index if scores[name] and len(scores[name]) == most]
    frame["rank"], frame["p"] = np.nan, np.nan
    frame.attrs["friedman"] = None
    common = sorted(set.intersection(*(set(scores[name]) for name in complete))) if complete else []
    if len(complete) > 1 and len(common) > 1:
        figures = np.array([[scores[name][i] for name in complete] for i in common], dtype=np.float64)
        ranks = average_ranks(figures, better=1)
        frame.loc[complete, "rank"] = ranks
        frame.loc[complete[1:], "p"] = _differences(figures, ranks)
        if len(complete) > 2:
            frame.attrs["friedman"] = friedman(figures)
    frame.attrs["measure"] = measure
    frame.attrs["folds"] = [fold for name in methods for fold in by_method[name]]
    columns = [measure, "sd", "rank", "p", "leaves", "depth", "terms", "seconds", "folds", "error"]
    return frame[columns]


def _row(name: str, folds: list[FoldResult], measure: str) -> dict[str, str | float]:
    finished = [fold for fold in folds if fold.score is not None]
    scores = [fold.score for fold in finished if fold.score is not None]

    def average(values: list[float | None]) -> float:
        known = [value for value in values if value is not None]
        return mean(known) if known else float("nan")

    return {
        "method": name,
        measure: average(list(scores)),
        "sd": average([sd(scores)]),
        "leaves": average([fold.leaves for fold in finished]),
        "depth": average([fold.depth for fold in finished]),
        "terms": average([fold.terms for fold in finished]),
        "seconds": average([fold.seconds for fold in folds]),
        "folds": len(finished),
        "error": next((fold.error for fold in folds if fold.error), ""),
    }


def _differences(figures: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-value of each method but the first against the first."""
    if ranks.size > 2:
        return holm(ranks, figures.shape[0])
    difference = figures[:, 0] - figures[:, 1]
    return np.array([float(wilcoxon(difference).pvalue) if difference.any() else 1.0])


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table in Markdown, line by line."""
    cells = [[text.replace("|", "\\|") for text in row] for row in (headings, *rows)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return [lines[0], "|" + "---|" * len(headings), *lines[1:]]
