"""Every regressor beside scikit-learn's tree, on real data: what it explains, how far off it is, how large it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor

from askew.datasets import UnknownDatasetError, encode, load
from askew.estimators.registry import METHODS, OWN
from benchmarks.report import Goal, Options, Section

NAMES = ("abalone", "concrete", "airfoil", "california_housing")
LIMITS = {"max_depth": 6, "min_samples_leaf": 5}
SCIKIT_LEARN, CART = "scikit-learn", "cart"
# CART-ELC's search of all planes takes hours on thousands of rows: planes are drawn at random.
SETTINGS: dict[str, dict[str, Any]] = {"cart_elc": {"max_candidates": 20_000}}


@dataclass(frozen=True)
class Figures:
    """Means over the folds."""

    r2: float
    error: float
    leaves: float
    seconds: float


def run(options: Options) -> list[Section]:
    rows, explained = [], []
    for name, X, y in _sets(options):
        found = {method: _cross_validated(method, X, y) for method in (SCIKIT_LEARN, *_methods())}
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
    oblique = [m for m in _methods() if m != CART]
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


def _methods() -> list[str]:
    """Return the methods that have a regressor of their own."""
    return [name for name, (_, regressor) in METHODS.items() if regressor is not None and name != "tree"]


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
    _, regressor = METHODS[method]
    assert regressor is not None
    return regressor(**LIMITS, **OWN.get(method, {}), **SETTINGS.get(method, {}), pruning=None, random_state=0)


def _sets(options: Options) -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.float64]]]:
    yield _arrays("diabetes", None)
    for name in () if options.quick or options.data is None else NAMES:
        try:
            yield _arrays(name, options.data)
        except UnknownDatasetError:
            continue


def _arrays(name: str, folder: Path | None) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
    found = load(name, folder)
    X = encode(found.X) if hasattr(found.X, "items") else np.asarray(found.X, dtype=np.float64)
    return name, X, np.asarray(found.y, dtype=np.float64)
