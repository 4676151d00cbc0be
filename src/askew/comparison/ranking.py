"""What a comparison came to: means over the folds, ranks, and the p-values of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from askew.comparison.folds import Fold
from askew.experiments.statistics import average_ranks, friedman, holm, mean, sd

if TYPE_CHECKING:
    import pandas


def summary(done: Sequence[Fold], methods: Sequence[str], measure: str) -> pandas.DataFrame:
    """Return the ranking of what is finished, as `compare` does."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("compare returns a pandas.DataFrame: pip install 'askew[data]'") from error

    by_method = {name: sorted((f for f in done if f.method == name), key=lambda f: f.number) for name in methods}
    rows = [_row(name, by_method[name], measure) for name in methods]
    frame = pandas.DataFrame(rows).set_index("method").sort_values(measure, ascending=False, kind="stable")
    # The tests need figures of the same folds: of those methods that finished every fold that the best one did.
    scores = {name: {f.number: f.score for f in by_method[name] if f.score is not None} for name in frame.index}
    most = max((len(of) for of in scores.values()), default=0)
    whole = [name for name in frame.index if scores[name] and len(scores[name]) == most]
    frame["rank"], frame["p"] = np.nan, np.nan
    frame.attrs["friedman"] = None
    common = sorted(set.intersection(*(set(scores[name]) for name in whole))) if whole else []
    if len(whole) > 1 and len(common) > 1:
        figures = np.array([[scores[name][i] for name in whole] for i in common], dtype=np.float64)
        ranks = average_ranks(figures, better=1)
        frame.loc[whole, "rank"] = ranks
        frame.loc[whole[1:], "p"] = _differences(figures, ranks)
        if len(whole) > 2:
            frame.attrs["friedman"] = friedman(figures)
    frame.attrs["measure"] = measure
    frame.attrs["folds"] = [fold for name in methods for fold in by_method[name]]
    columns = [measure, "sd", "rank", "p", "leaves", "depth", "terms", "seconds", "folds", "trouble"]
    return frame[columns]


def _row(name: str, folds: list[Fold], measure: str) -> dict[str, Any]:
    finished = [fold for fold in folds if fold.score is not None]
    scores = [fold.score for fold in finished if fold.score is not None]

    def average(values: list[float | None]) -> float:
        known = [value for value in values if value is not None]
        return mean(known) if known else float("nan")

    return {
        "method": name,
        measure: average(list(scores)),
        "sd": sd(scores) if len(scores) > 1 else float("nan"),
        "leaves": average([fold.leaves for fold in finished]),
        "depth": average([fold.depth for fold in finished]),
        "terms": average([fold.terms for fold in finished]),
        "seconds": average([fold.seconds for fold in folds]),
        "folds": len(finished),
        "trouble": next((fold.trouble for fold in folds if fold.trouble), ""),
    }


def _differences(figures: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-value of each method but the first against the first."""
    if ranks.size > 2:
        return holm(ranks, figures.shape[0])
    apart = figures[:, 0] - figures[:, 1]
    return np.array([float(wilcoxon(apart).pvalue) if apart.any() else 1.0])
