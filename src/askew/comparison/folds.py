"""Fits of a comparison: one method on one fold, stopped when it takes too long."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone

from askew.data.frames import some_rows
from askew.parameters import InvalidParameterError


@dataclass(frozen=True)
class Fold:
    """What a method came to on one fold.

    Attributes
    ----------
    method : its name
    number : of the fold, over all repetitions
    score : accuracy, or R2 of a regression; None if it did not finish
    leaves, depth, terms : leaves, depth and weights that are not zero; all leaves and terms of an ensemble
    seconds : time of the fit, by the clock that the time limit goes by
    trouble : why it did not finish
    """

    method: str
    number: int
    score: float | None = None
    leaves: float | None = None
    depth: float | None = None
    terms: float | None = None
    seconds: float = 0.0
    trouble: str = ""


@dataclass(frozen=True)
class Task:
    """One fit."""

    method: str
    number: int
    estimator: Any
    train: NDArray[np.int64]
    test: NDArray[np.int64]


def run(
    tasks: list[Task], X: Any, y: Any, weights: Any, time_limit: float | None, n_jobs: int | None
) -> Iterator[Fold]:
    """Give what each fit came to. A method that is too slow, or cannot learn from this table, is not tried again."""
    stopped: dict[str, str] = {}
    given_up: list[Task] = []

    def left() -> Iterator[Task]:  # asked for the next one when there is room for it
        for task in tasks:
            if task.method in stopped:
                given_up.append(task)
            else:
                yield task

    if n_jobs == 1 or effective_n_jobs(n_jobs) == 1:
        results: Iterable[Fold] = (_fit(task, X, y, weights, time_limit) for task in left())
    else:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
        results = parallel(delayed(_fit)(task, X, y, weights, time_limit) for task in left())
    for fold in results:
        if fold.trouble:
            stopped[fold.method] = fold.trouble
        yield fold
    for task in given_up:
        yield Fold(task.method, task.number, trouble=stopped[task.method])


def _fit(task: Task, X: Any, y: Any, weights: Any, time_limit: float | None) -> Fold:
    labels = np.asarray(y)
    start = perf_counter()
    fold = Fold(task.method, task.number)
    try:
        with _limited(time_limit):
            estimator = clone(task.estimator).fit(
                some_rows(X, task.train), labels[task.train], *_weights(weights, task.train)
            )
        seconds = perf_counter() - start
        score = float(estimator.score(some_rows(X, task.test), labels[task.test], *_weights(weights, task.test)))
    except TimeoutError:
        return replace(fold, seconds=perf_counter() - start, trouble=f"stopped after {time_limit:g} s")
    except InvalidParameterError:
        raise  # what the caller gave is wrong, not what a method makes of the table
    except (ValueError, MemoryError) as error:
        return replace(fold, trouble=" ".join(str(error).split()) or "memory ran out")
    return replace(_sized(fold, estimator), score=score, seconds=seconds)


def _weights(weights: Any, rows: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Return the weights of some rows as an argument; none if there are no weights."""
    return () if weights is None else (np.asarray(weights)[rows],)


def _sized(fold: Fold, estimator: Any) -> Fold:
    """Add the size of the tree, or of all trees of an ensemble."""
    trees = getattr(estimator, "estimators_", [estimator])
    weights: list[Any] = [getattr(getattr(tree, "tree_", None), "weight", None) for tree in trees]
    if all(weight is not None for weight in weights):
        fold = replace(fold, terms=float(np.count_nonzero(np.concatenate(weights))))
    if all(hasattr(tree, "get_n_leaves") for tree in trees):
        leaves, depth = sum(tree.get_n_leaves() for tree in trees), max(tree.get_depth() for tree in trees)
        fold = replace(fold, leaves=float(leaves), depth=float(depth))
    return fold


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raise TimeoutError after so many seconds; the kernels look for signals as they look for Ctrl-C.

    Where there are no timers (Windows, or a thread that is not the main one) nothing is stopped.
    """
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not able:
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
