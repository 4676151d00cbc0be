"""`CARTClassifier` and `CARTRegressor` beside scikit-learn's trees: fit, predict, and the trees themselves."""

from __future__ import annotations

from typing import Any

from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from askew import CARTClassifier, CARTRegressor
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import best_of

COLUMNS = ("data", "fit", "predict", "ours: fit", "predict", "leaves", "scikit-learn's", "score", "scikit-learn's")


def run(options: Options) -> list[Section]:
    return [_classification(options), _regression(options)]


def _classification(options: Options) -> Section:
    n = 10_000 if options.quick else 100_000
    data = [(f"{n:,} x 20", *sets.classes(n)), *sets.from_folder(options.data, sets.CLASSIFICATION_FILES)]
    found = [
        _compare(name, CARTClassifier(), DecisionTreeClassifier(random_state=0), X, y, 2 if options.quick else 5)
        for name, X, y in data
    ]
    return Section(
        "CART: classification",
        "gini, unlimited depth, no pruning; the score is the accuracy on the training rows.",
        COLUMNS,
        [_row(f) for f in found],
        [
            Goal("fit no slower than scikit-learn", all(f["fit"] <= 1 for f in found)),
            Goal("predict no slower than scikit-learn", all(f["predict"] <= 1 for f in found)),
            Goal("fit below 0.6x", all(f["fit"] < 0.6 for f in found)),
            Goal("predict below 0.6x", all(f["predict"] < 0.6 for f in found)),
            Goal("same training accuracy", all(f["score"] == f["their score"] for f in found)),
            Goal(
                "same number of leaves within 1%", all(abs(f["leaves"] / f["their leaves"] - 1) < 0.01 for f in found)
            ),
        ],
    )


def _regression(options: Options) -> Section:
    n = 2_000 if options.quick else 20_000
    data = [(f"{n:,} x 20", *sets.numbers(n)), *sets.from_folder(options.data, sets.REGRESSION_FILES)]
    found = []
    for name, X, y in data:
        # scikit-learn's absolute error is slow from a few thousand rows on: fewer of them, to end today.
        for criterion, rows in (("squared_error", n), ("absolute_error", min(n, 10_000))):
            label = f"{name if rows >= len(y) else f'{name}, first {rows:,}'}, {criterion}"
            ours = CARTRegressor(criterion=criterion)
            theirs = DecisionTreeRegressor(criterion=criterion, random_state=0)
            found.append(_compare(label, ours, theirs, X[:rows], y[:rows], 2 if options.quick else 3))
    return Section(
        "CART: regression",
        "Unlimited depth, no pruning; the score is R squared on the training rows.",
        COLUMNS,
        [_row(f) for f in found],
        [
            Goal("fit no slower than scikit-learn", all(f["fit"] <= 1 for f in found)),
            Goal("predict no slower than scikit-learn", all(f["predict"] <= 1 for f in found)),
        ],
    )


def _compare(name: str, ours: Any, theirs: Any, X: Any, y: Any, rounds: int) -> dict[str, Any]:
    """Time both on the same rows, in turns."""
    fit = best_of({"ours": lambda: ours.fit(X, y), "theirs": lambda: theirs.fit(X, y)}, rounds)
    predict = best_of({"ours": lambda: ours.predict(X), "theirs": lambda: theirs.predict(X)}, 5 * rounds)
    return {
        "name": name,
        "fit": fit["ours"] / fit["theirs"],
        "predict": predict["ours"] / predict["theirs"],
        "seconds": fit["ours"],
        "predict seconds": predict["ours"],
        "leaves": ours.get_n_leaves(),
        "their leaves": theirs.get_n_leaves(),
        "score": ours.score(X, y),
        "their score": theirs.score(X, y),
    }


def _row(f: dict[str, Any]) -> list[str]:
    return [
        f["name"],
        times(f["fit"]),
        times(f["predict"]),
        f"{f['seconds']:.3g} s",
        f"{1000 * f['predict seconds']:.3g} ms",
        f"{f['leaves']:,}",
        f"{f['their leaves']:,}",
        f"{f['score']:.4f}",
        f"{f['their score']:.4f}",
    ]
