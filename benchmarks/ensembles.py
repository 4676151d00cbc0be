"""Forests and boosting beside scikit-learn's: fit, predict, memory, accuracy on other rows; forests on two threads."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from askew import ObliqueBoostingClassifier, ObliqueForestClassifier
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import best_of, in_own_process, peak

KINDS = {
    kind.__name__: kind
    for kind in (
        ObliqueForestClassifier,
        RandomForestClassifier,
        ObliqueBoostingClassifier,
        HistGradientBoostingClassifier,
    )
}
COLUMNS = ("data", "fit", "predict", "memory", "ours: fit", "predict", "memory", "accuracy", "scikit-learn's")


def run(options: Options) -> list[Section]:
    # Training rows, rows that are predicted, rounds.
    sizes = ((1_000, 2_000, 1),) if options.quick else ((10_000, 100_000, 2), (100_000, 100_000, 1))
    return [
        _section("Forests of 100 trees", ObliqueForestClassifier, RandomForestClassifier, sizes, 1.0),
        _section("Boosting, 100 stages", ObliqueBoostingClassifier, HistGradientBoostingClassifier, sizes, 3.0),
        _two_threads(1_000 if options.quick else 10_000),
    ]


def _section(title: str, ours: Any, theirs: Any, sizes: tuple[tuple[int, int, int], ...], slower: float) -> Section:
    found = {n: _compare(n, m, rounds, ours.__name__, theirs.__name__) for n, m, rounds in sizes}
    beside = "scikit-learn's" if slower == 1 else f"{slower:g}x scikit-learn's"
    ratios = {name: [a[name] / b[name] for a, b in found.values()] for name in ("fit", "predict", "memory")}
    return Section(
        title,
        f"`{ours.__name__}` beside `{theirs.__name__}`, both with defaults, on one thread, by processor time, each fit "
        f"in a process of its own, in turns. {sizes[-1][1]:,} other rows are predicted. Memory is what a fit adds to "
        "the peak of its process.",
        COLUMNS,
        [
            [
                f"{n:,} x 20",
                *(times(ours[name] / theirs[name]) for name in ("fit", "predict", "memory")),
                f"{ours['fit']:.2f} s",
                f"{ours['predict']:.2f} s",
                f"{ours['memory'] / 1e6:,.0f} MB",
                f"{ours['score']:.1%}",
                f"{theirs['score']:.1%}",
            ]
            for n, (ours, theirs) in found.items()
        ],
        [
            Goal(f"fit no slower than {beside}", max(ratios["fit"]) <= slower),
            Goal("predict no slower than scikit-learn's", max(ratios["predict"]) <= 1),
            Goal("fit adds no more memory than scikit-learn's", max(ratios["memory"]) <= 1),
        ],
    )


def _two_threads(n: int) -> Section:
    """Return the times of a fit on one thread and on two, wall time."""
    X, y = sets.classes(n)
    fits = {jobs: lambda jobs=jobs: ObliqueForestClassifier(random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 2)}
    found = best_of({str(jobs): fit for jobs, fit in fits.items()}, 3)
    ratio = found["1"] / found["2"]
    return Section(
        "Forests on two threads",
        "A fit on one thread and on two, in turns, wall time: other work on the machine lowers the ratio.",
        ("data", "one thread", "two threads", "ratio"),
        [[f"{n:,} x 20", f"{found['1']:.2f} s", f"{found['2']:.2f} s", times(ratio)]],
        [Goal("two threads at least 1.8x as fast", ratio >= 1.8)],
    )


# --- a fit in a process of its own


def _compare(n: int, m: int, rounds: int, *names: str) -> list[dict[str, float]]:
    """Return the best of some rounds of each estimator, which take turns."""
    with tempfile.TemporaryDirectory() as folder:
        X, y = sets.classes(n + m)
        np.savez(Path(folder) / "data.npz", X=X[:n], y=y[:n], others=X[n:], truth=y[n:])
        found = [[in_own_process(measure, name, folder) for name in names] for _ in range(rounds)]
    return [{key: min(one[i][key] for one in found) for key in found[0][i]} for i in range(len(names))]


def measure(name: str, folder: str) -> dict[str, float]:
    """Return the time of a fit and of predictions, the bytes that the fit adds, and the accuracy on other rows."""
    estimator = KINDS[name](random_state=0)
    KINDS[name]().fit(np.zeros((40, 1)) + np.arange(40)[:, None], np.arange(40) % 2)  # loads what is loaded late
    data = np.load(Path(folder) / "data.npz")
    X, y, others, truth = (data[key] for key in ("X", "y", "others", "truth"))
    before = peak()
    fit = best_of({"fit": lambda: estimator.fit(X, y)}, 1, process_time)
    memory = peak() - before
    predict = best_of({"predict": lambda: estimator.predict(others)}, 3, process_time)
    return {**fit, **predict, "memory": float(memory), "score": float(estimator.score(others, truth))}
