"""Axis-parallel trees (CART, C4.5, ID3) beside scikit-learn's, growth with the rows, and every regressor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log2
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from askew import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from askew.datasets import UnknownDatasetError, encode, load
from askew.estimators.registry import METHODS
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import best_of


def run(options: Options) -> list[Section]:
    return [_classification(options), _regression(options), *_c45(options), *_growth(options), *_regressors(options)]


# --- CART


COLUMNS = ("data", "fit", "predict", "ours: fit", "predict", "leaves", "scikit-learn's", "score", "scikit-learn's")


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


# --- C4.5 and ID3


MODELS: dict[str, Any] = {
    "C4.5": C45Classifier(),
    "C4.5, not pruned": C45Classifier(pruning=None),
    "ID3": ID3Classifier(),
}


def _c45(options: Options) -> list[Section]:
    n = 10_000 if options.quick else 100_000
    data = [(f"{n:,} x 20", *sets.classes(n)), *sets.from_folder(options.data, sets.CLASSIFICATION_FILES)]
    rows, ratios = [], {}
    for name, X, y in data:
        theirs = DecisionTreeClassifier(random_state=0)
        models = {**MODELS, "scikit-learn": theirs}
        calls = {label: lambda model=model, X=X, y=y: model.fit(X, y) for label, model in models.items()}
        seconds = best_of(calls, 2 if options.quick else 3, process_time)
        for label in MODELS:
            ratio = seconds[label] / seconds["scikit-learn"]
            rows.append(
                [
                    name,
                    label,
                    times(ratio),
                    f"{seconds[label]:.3g} s",
                    f"{MODELS[label].get_n_leaves():,}",
                    f"{theirs.get_n_leaves():,}",
                ]
            )
            ratios[name, label] = ratio
    return [
        Section(
            "C4.5 and ID3",
            "Fit, beside scikit-learn's DecisionTreeClassifier with its defaults (gini, not pruned). C4.5 prunes.",
            ("data", "method", "fit", "ours: fit", "leaves", "scikit-learn's"),
            rows,
            [Goal(f"C4.5 no slower than 2x scikit-learn on {n:,} rows", ratios[data[0][0], "C4.5"] <= 2)],
        )
    ]


# --- growth with the rows


SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def _growth(options: Options) -> list[Section]:
    sizes = SIZES[:3] if options.quick else SIZES
    X, y = sets.classes(sizes[-1])
    rows, first = [], 0.0
    for n in sizes:
        tree = CARTClassifier()
        seconds = best_of({"fit": lambda n=n, tree=tree: tree.fit(X[:n], y[:n])}, 2 if n > 100_000 else 4)["fit"]
        unit = seconds / (n * log2(n))
        first = first or unit
        rows.append(
            [f"{n:,}", f"{seconds:.3g} s", times(unit / first), f"{tree.get_n_leaves():,}", str(tree.get_depth())]
        )
    return [
        Section(
            "Growth with the rows",
            "The first rows of one made-up set of 20 features. 1.00x in the third column would be n log n exactly; "
            "a deeper tree and caches that no longer hold the rows raise it.",
            ("rows", "fit", f"time / n log n, to that of {sizes[0]:,}", "leaves", "depth"),
            rows,
        )
    ]


# --- every regressor


REGRESSION_SETS = ("abalone", "concrete", "airfoil", "california_housing")
LIMITS = {"max_depth": 6, "min_samples_leaf": 5}
SCIKIT_LEARN, CART = "scikit-learn", "cart"
REGRESSORS = (CART, "oc1", "cart_lc", "cart_elc", "hhcart", "sadt", "ce_dt")
# CART-ELC's search of all planes takes hours on thousands of rows: planes are drawn at random.
SETTINGS: dict[str, dict[str, Any]] = {"cart_elc": {"max_candidates": 20_000}}


@dataclass(frozen=True)
class Figures:
    """Means over the folds."""

    r2: float
    error: float
    leaves: float
    seconds: float


def _regressors(options: Options) -> list[Section]:
    rows, explained = [], []
    for name, X, y in _regression_sets(options):
        found = {method: _cross_validated(method, X, y) for method in (SCIKIT_LEARN, *REGRESSORS)}
        explained.append({method: figures.r2 for method, figures in found.items()})
        rows += [
            [
                f"{name} {X.shape[0]} x {X.shape[1]}",
                method,
                f"{f.r2:.3f}",
                f"{f.error:.4g}",
                f"{f.leaves:.1f}",
                f"{f.seconds:.2f} s",
            ]
            for method, f in found.items()
        ]
    oblique = [m for m in REGRESSORS if m != CART]
    better = [max(of[m] for m in oblique) > of[SCIKIT_LEARN] for of in explained]
    return [
        Section(
            "Regression by every method",
            f"5-fold cross-validation, depth {LIMITS['max_depth']} and {LIMITS['min_samples_leaf']} samples in a leaf "
            "at most and at least, no pruning, squared error. CART-ELC looks at 20,000 planes a node.",
            ("data", "method", "R^2", "mean absolute error", "leaves", "time of a fit"),
            rows,
            [
                Goal(
                    "CART explains as much as scikit-learn's tree, within 0.02",
                    all(abs(of[CART] - of[SCIKIT_LEARN]) < 0.02 for of in explained),
                ),
                Goal("every method explains something everywhere", all(min(of.values()) > 0 for of in explained)),
                Goal(
                    f"on most data sets an oblique method explains more than scikit-learn's tree ({sum(better)})",
                    2 * sum(better) > len(better),
                ),
            ],
        )
    ]


def _cross_validated(method: str, X: NDArray[np.float64], y: NDArray[np.float64]) -> Figures:
    figures = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        model = _made(method)
        start = process_time()
        model.fit(X[train], y[train])
        seconds = process_time() - start
        answer = model.predict(X[test])
        figures.append((r2_score(y[test], answer), mean_absolute_error(y[test], answer), model.get_n_leaves(), seconds))
    return Figures(*np.mean(figures, axis=0))


def _made(method: str) -> Any:
    if method == SCIKIT_LEARN:
        return DecisionTreeRegressor(**LIMITS, random_state=0)
    _, regressor = METHODS[method].classes
    assert regressor is not None
    return regressor(**LIMITS, **SETTINGS.get(method, {}), pruning=None, random_state=0)


def _regression_sets(options: Options) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.float64]]]:
    yield _arrays("diabetes", None)
    for name in () if options.quick or options.data is None else REGRESSION_SETS:
        try:
            yield _arrays(name, options.data)
        except UnknownDatasetError:
            continue


def _arrays(name: str, folder: Path | None) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
    found = load(name, folder)
    X = encode(found.X) if hasattr(found.X, "items") else np.asarray(found.X, dtype=np.float64)
    return name, X, np.asarray(found.y, dtype=np.float64)
