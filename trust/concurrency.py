"""Many threads at once, processes forked after a fit, and memory over a mixed load."""

from __future__ import annotations

import gc
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.report import Goal, Section
from sklearn.datasets import load_diabetes, load_wine
from threads import threads_on_small_data

import askew
from trust.budget import Budget, count
from trust.models import KINDS, digest, is_classifier, make, to_bytes
from trust.tables import through_file

GROWTH = 4_000_000  # bytes by which the process may grow after the first half: arenas of the allocator


def run(budget: Budget) -> list[Section]:
    """Predict, fit and fork at the same time, then look at the memory over a loop of everything."""
    kinds = [cls for cls in KINDS if not cls.__name__.startswith("AutoTree")][:: 6 if budget.quick else 1]
    fits = {cls.__name__: make(cls).fit(*_data(cls)) for cls in kinds}
    with threads_on_small_data():
        predicted = sum(not _predict(model, _data(type(model))[0]) for model in fits.values())
        fitted = sum(not _fit(cls, digest(fits[cls.__name__])) for cls in kinds)
        forked = sum(not _fork(cls, digest(fits[cls.__name__])) for cls in kinds)
    rounds, growth = _load(budget, kinds)
    rows = [
        ("predict from 16 threads at once", count(len(kinds)), count(predicted)),
        ("8 fits in 4 threads at once", count(len(kinds)), count(fitted)),
        ("fork after a fit, fit again in the child", count(len(kinds)), count(forked)),
        ("fit, predict, save, load, export over and over", count(rounds), f"{growth / 1e6:+.1f} MB"),
    ]
    text = (
        "The answer must be that of one thread, bit for bit. Growth of memory is that of the second half of the rounds."
    )
    goals = (
        Goal("the same answers", predicted + fitted + forked == 0),
        Goal(f"memory grows by no more than {GROWTH / 1e6:.0f} MB", growth <= GROWTH),
    )
    return [Section("Concurrency", text, ("load", "estimators or rounds", "wrong, or growth"), rows, goals)]


def _data(cls: type[Any]) -> tuple[Any, Any]:
    X, y = load_wine(return_X_y=True) if is_classifier(cls) else load_diabetes(return_X_y=True)
    return X[::3, :5], y[::3]


def _predict(model: Any, X: Any) -> bool:
    expected = model.predict(X)
    with ThreadPoolExecutor(16) as pool:
        return all(np.array_equal(expected, found) for found in pool.map(model.predict, [X] * 64))


def _fit(cls: type[Any], expected: str) -> bool:
    X, y = _data(cls)
    with ThreadPoolExecutor(4) as pool:
        return all(digest(model) == expected for model in pool.map(lambda _: make(cls, n_jobs=2).fit(X, y), range(8)))


def _fork(cls: type[Any], expected: str) -> bool:
    child = os.fork()
    if child == 0:
        same = False
        try:
            same = digest(make(cls, n_jobs=2).fit(*_data(cls))) == expected
        finally:
            os._exit(0 if same else 3)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _load(budget: Budget, kinds: list[type[Any]]) -> tuple[int, int]:
    """Return the rounds of a mixed load, and the bytes by which the process grew in the second half of them."""
    sizes = []
    for _ in budget.rounds(0.7):
        for cls in kinds:
            X, y = _data(cls)
            model = make(cls).fit(X, y)
            through_file(model).predict(X)
            askew.export_json(model)
            to_bytes(model)
        gc.collect()
        sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize())
    return len(sizes), sizes[-1] - sizes[len(sizes) // 2]
