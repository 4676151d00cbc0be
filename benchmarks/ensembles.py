"""Forests and boosting beside scikit-learn's: fit, predict, accuracy on rows held out."""

from __future__ import annotations

from time import process_time
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from askew import ObliqueBoostingClassifier, ObliqueForestClassifier
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import best_of

COLUMNS = ("data", "fit", "predict", "ours: fit", "predict", "accuracy", "scikit-learn's")


def run(options: Options) -> list[Section]:
    sizes = (2_000,) if options.quick else (10_000, 100_000)
    return [
        _section("Forests of 100 trees", ObliqueForestClassifier, RandomForestClassifier, sizes, 1.0),
        _section("Boosting, 100 stages", ObliqueBoostingClassifier, HistGradientBoostingClassifier, sizes, 3.0),
    ]


def _section(title: str, ours: Any, theirs: Any, sizes: tuple[int, ...], slower: float) -> Section:
    found = [_compare(n, ours(random_state=0), theirs(random_state=0), 1 if n > 10_000 else 2) for n in sizes]
    beside = "scikit-learn's" if slower == 1 else f"{slower:g}x scikit-learn's"
    return Section(
        title,
        f"`{ours.__name__}` beside `{theirs.__name__}`, both with defaults, on one thread, by processor time. The "
        "accuracy is that on as many other rows.",
        COLUMNS,
        [
            [
                f["name"],
                times(f["fit"]),
                times(f["predict"]),
                f"{f['seconds']:.2f} s",
                f"{f['predict seconds']:.2f} s",
                f"{f['score']:.1%}",
                f"{f['their score']:.1%}",
            ]
            for f in found
        ],
        [
            Goal(f"fit no slower than {beside}", all(f["fit"] <= slower for f in found)),
            Goal("predict no slower than scikit-learn's", all(f["predict"] <= 1 for f in found)),
        ],
    )


def _compare(n: int, ours: Any, theirs: Any, rounds: int) -> dict[str, Any]:
    """Time both on the same rows, in turns."""
    X, y = sets.classes(2 * n)
    train, test = slice(0, n), slice(n, 2 * n)
    fit = best_of(
        {"ours": lambda: ours.fit(X[train], y[train]), "theirs": lambda: theirs.fit(X[train], y[train])},
        rounds,
        process_time,
    )
    predict = best_of(
        {"ours": lambda: ours.predict(X[test]), "theirs": lambda: theirs.predict(X[test])}, 3 * rounds, process_time
    )
    return {
        "name": f"{n:,} x 20",
        "fit": fit["ours"] / fit["theirs"],
        "predict": predict["ours"] / predict["theirs"],
        "seconds": fit["ours"],
        "predict seconds": predict["ours"],
        "score": ours.score(X[test], y[test]),
        "their score": theirs.score(X[test], y[test]),
    }
