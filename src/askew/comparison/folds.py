"""Fits of a comparison: one method on one fold, stopped when it takes too long."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from types import FrameType
from typing import Protocol, Self, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from askew.data.frames import some_rows
from askew.parameters import InvalidParameterError

Rows: TypeAlias = NDArray[np.int64]  # numbers of rows


class Predictor(Protocol):
    """An estimator as a comparison uses it."""

    def fit(self, X: ArrayLike, y: ArrayLike, *sample_weight: ArrayLike) -> Self:
        """Fit the estimator."""
        ...

    def score(self, X: ArrayLike, y: ArrayLike, *sample_weight: ArrayLike) -> float:
        """Return the accuracy, or R squared."""
        ...


@dataclass(frozen=True)
class FoldResult:
    """The result of a method on one fold.

    Attributes
    ----------
    method : str
        Name of the method.
    number : int
        Number of the fold, over all repetitions.
    score : float or None
        Accuracy, or R squared of a regression; None if the fit did not finish.
    leaves, depth, terms : float or None
        Size of the tree, as `get_n_leaves`, `get_depth` and `n_terms_` return it; of an ensemble, leaves and terms of
        all trees and the largest depth. None if the estimator does not have these.
    seconds : float
        Elapsed time of the fit.
    error : str
        Why the fit did not finish; empty if it did.
    """

    method: str
    number: int
    score: float | None = None
    leaves: float | None = None
    depth: float | None = None
    terms: float | None = None
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class FoldTask:
    """One fit: a method, and the rows of a fold."""

    method: str
    number: int
    estimator: Predictor
    train: Rows
    test: Rows


def run(
    tasks: list[FoldTask],
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None,
    time_limit: float | None,
    n_jobs: int | None,
) -> Iterator[FoldResult]:
    """Yield the result of each fit. A method that is too slow, or cannot learn from this table, is not tried again."""
    stopped: dict[str, str] = {}
    skipped: list[FoldTask] = []

    def remaining() -> Iterator[FoldTask]:  # yields the next task when a worker is free
        for task in tasks:
            if task.method in stopped:
                skipped.append(task)
            else:
                yield task

    if n_jobs == 1 or effective_n_jobs(n_jobs) == 1:
        results: Iterable[FoldResult] = (_fit(task, X, y, weights, time_limit) for task in remaining())
    else:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
        results = parallel(delayed(_fit)(task, X, y, weights, time_limit) for task in remaining())
    for result in results:
        if result.error:
            stopped[result.method] = result.error
        yield result
    for task in skipped:
        yield FoldResult(task.method, task.number, error=stopped[task.method])


def _fit(task: FoldTask, X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, time_limit: float | None) -> FoldResult:
    labels = np.asarray(y)
    start = perf_counter()
    result = FoldResult(task.method, task.number)
    try:
        with _limited(time_limit):
            estimator = clone(task.estimator).fit(
                some_rows(X, task.train), labels[task.train], *_weights(weights, task.train)
            )
        seconds = perf_counter() - start
        score = float(estimator.score(some_rows(X, task.test), labels[task.test], *_weights(weights, task.test)))
    except TimeoutError:
        return replace(result, seconds=perf_counter() - start, error=f"stopped after {time_limit:g} s")
    except InvalidParameterError:
        raise  # an error of the caller, not of a method on this table
    except (ValueError, MemoryError) as error:
        return replace(result, error=" ".join(str(error).split()) or "memory ran out")
    return replace(_with_size(result, estimator), score=score, seconds=seconds)


def _weights(weights: ArrayLike | None, rows: Rows) -> tuple[NDArray[np.float64], ...]:
    """Return the weights of some rows as an argument; none if there are no weights."""
    return () if weights is None else (np.asarray(weights)[rows],)


def _with_size(result: FoldResult, estimator: Predictor) -> FoldResult:
    """Add the size of the tree, or of all trees of an ensemble."""
    trees = getattr(estimator, "estimators_", [estimator])
    if all(hasattr(tree, "n_terms_") for tree in trees):
        result = replace(result, terms=float(sum(tree.n_terms_ for tree in trees)))
    if all(hasattr(tree, "get_n_leaves") for tree in trees):
        leaves, depth = sum(tree.get_n_leaves() for tree in trees), max(tree.get_depth() for tree in trees)
        result = replace(result, leaves=float(leaves), depth=float(depth))
    return result


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Raise TimeoutError after this time; the kernels check for signals as they check for Ctrl-C.

    Where there are no timers (Windows, or a thread that is not the main one) nothing is stopped.
    """
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not able:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
