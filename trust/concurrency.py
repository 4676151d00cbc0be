"""Many threads at once, and processes forked after a fit."""

from __future__ import annotations

import os
import signal
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from benchmarks.report import Goal, Section
from sklearn.datasets import load_diabetes, load_wine
from threads import threads_on_small_data

from trust.budget import Budget, count
from trust.models import KINDS, digest, is_classifier, make

LONG = 600  # seconds after which a forked process hangs


def run(budget: Budget) -> list[Section]:
    """Predict, fit and fork at the same time."""
    kinds = KINDS[:: 6 if budget.quick else 1]
    fits = {cls.__name__: make(cls).fit(*_data(cls)) for cls in kinds}
    with threads_on_small_data():
        predicted = sum(not _predict(model, _data(type(model))[0]) for model in fits.values())
        fitted = sum(not _fit(cls, digest(fits[cls.__name__])) for cls in kinds)
        forked = sum(not _fork(cls, digest(fits[cls.__name__])) for cls in kinds)
    rows = [
        ("predict from 16 threads at once", count(len(kinds)), count(predicted)),
        ("8 fits in 4 threads at once", count(len(kinds)), count(fitted)),
        ("fork after a fit, fit again in the child", count(len(kinds)), count(forked)),
    ]
    free = sysconfig.get_config_var("Py_GIL_DISABLED")
    text = (
        "The answer must be that of one thread, bit for bit; kernels work without the lock of the interpreter. "
        f"This Python is {'' if free else 'not '}free-threaded."
    )
    goal = Goal("the same answers, and no forked process hangs", predicted + fitted + forked == 0)
    return [Section("Concurrency", text, ("load", "estimators", "wrong"), rows, (goal,))]


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
        signal.alarm(LONG)  # ends this process
        try:
            same = digest(make(cls, n_jobs=2).fit(*_data(cls))) == expected
        finally:
            os._exit(0 if same else 3)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
