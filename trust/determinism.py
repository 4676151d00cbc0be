"""The same model for any number of threads, and for any order of the rows where that is promised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from benchmarks.report import Goal, Section
from registry import accepts
from sklearn.datasets import load_diabetes, load_wine
from threads import threads_on_small_data

import askew
from trust.budget import Budget
from trust.models import KINDS, digest, is_classifier, make

THREADS = (1, 2, 3, 8, 64)
# Decision 0002: counts of classes are exact in any order, and scores of axis-parallel cuts are rounded before they are
# compared. The forest draws its samples by the values of rows.
ANY_ORDER = (
    askew.CARTClassifier,
    askew.CARTRegressor,
    askew.C45Classifier,
    askew.ID3Classifier,
    askew.ObliqueForestClassifier,
)


def run(budget: Budget) -> list[Section]:
    """Fit every estimator with every number of threads."""
    rows, other = [], []
    for cls in KINDS[:: 6 if budget.quick else 1]:
        threads = "the same"
        if not accepts(cls, n_jobs=1):
            threads = "one thread"
        elif len({digest(model) for model in _with_threads(cls)}) > 1:
            threads = "**differs**"
        order = "not promised"
        if cls in ANY_ORDER:
            order = "the same" if _same_tests(*_with_orders(cls)) else "**differs**"
        rows.append((cls.__name__, threads, order))
        other += [cls.__name__] * ("**differs**" in (threads, order))
    text = (
        f"Hashes of all arrays of the model, for n_jobs of {', '.join(map(str, THREADS))}, with threads started "
        "however small the data; tests and values of the tree for five orders of the rows, where the order is "
        "promised not to matter."
    )
    goal = Goal(f"the same model for every number of threads and every promised order; {len(other)} differ", not other)
    return [Section("Determinism: threads and rows", text, ("estimator", "threads", "order of rows"), rows, (goal,))]


def data(cls: type[Any]) -> tuple[Any, Any]:
    """Return a small table for a class of estimators; whole numbers where they are the target."""
    if is_classifier(cls):
        X, y = load_wine(return_X_y=True)
        return X[::2, :6], y[::2]
    X, y = load_diabetes(return_X_y=True)
    return X[:150, :5], y[:150]


def _with_threads(cls: type[Any]) -> Iterator[Any]:
    X, y = data(cls)
    with threads_on_small_data():
        for number in THREADS:
            yield make(cls, n_jobs=number).fit(X, y)


def _with_orders(cls: type[Any]) -> Iterator[Any]:
    X, y = data(cls)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y)) if seed else np.arange(len(y))
        yield make(cls, pruning=None).fit(X[order], y[order])


def _same_tests(first: Any, *others: Any) -> bool:
    """Whether all models have the same nodes; sums over rows may differ in their last bits."""
    X, _ = data(type(first))
    return all(
        _parts_agree(first, other) and np.allclose(_numbers(first, X), _numbers(other, X), rtol=1e-9)
        for other in others
    )


def _numbers(model: Any, X: Any) -> Any:
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def _parts_agree(one: Any, other: Any) -> bool:
    pairs = zip(getattr(one, "estimators_", [one]), getattr(other, "estimators_", [other]), strict=True)
    return all(
        np.array_equal(getattr(a.tree_, name), getattr(b.tree_, name))
        for a, b in pairs
        for name in ("kind", "first_child", "feature", "weight", "threshold")
    )
