"""`compare`: cross-validate every method on one table, and rank them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.base import clone
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target

from askew.errors import InvalidParameterError
from askew.experiments.statistics import average_ranks, friedman, holm, mean, sd
from askew.parameters import Rule, integer, none, real
from askew.progress import progress_bar

if TYPE_CHECKING:
    import pandas

_LEFT_OUT = ("tree",)  # the estimator that takes any search is no method of its own


@dataclass(frozen=True)
class Fold:
    """What a method came to on one fold.

    Attributes
    ----------
    method : its name
    number : of the fold, over all repetitions
    score : accuracy, or R2 of a regression; None if it did not finish
    leaves, depth, coefficients : size of the tree; None where there is no single tree
    seconds : processor time of the fit
    trouble : why it did not finish
    """

    method: str
    number: int
    score: float | None = None
    leaves: float | None = None
    depth: float | None = None
    coefficients: float | None = None
    seconds: float = 0.0
    trouble: str = ""


@dataclass(frozen=True)
class _Task:
    """One fit."""

    method: str
    number: int
    estimator: Any
    train: NDArray[np.int64]
    test: NDArray[np.int64]


def compare(
    X: Any,
    y: Any,
    *,
    methods: Sequence[str] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    folds: int = 10,
    repeats: int = 1,
    time_limit: float | None = 60.0,
    task: str = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    callback: Callable[[list[Fold], int], None] | None = None,
) -> pandas.DataFrame:
    """Cross-validate the methods on a table and rank them.

    All methods see the same folds. With three or more, Friedman's test says whether they differ at all and Holm's
    procedure which differ from the best (Demsar 2006, as the CE-DT paper, with folds in the place of data sets); with
    two, Wilcoxon's signed-rank test. Folds share training rows, so take the p-values as a guide.

    Parameters
    ----------
    X, y : the table, as any estimator takes it
    methods : names (see ``askew train --method``); None: all that can learn y
    parameters : for a method's name, parameters of its estimator; for ``"*"``, of every estimator that has them
    folds, repeats : of the (stratified) cross-validation
    time_limit : seconds that one fit may take; a method that exceeds it is stopped. None: no limit
    task : "classification", "regression", or "auto": by what y holds, as scikit-learn sees it
    random_state : seed of the folds and of the methods
    n_jobs : fits to run at the same time; the results do not depend on it, but for the times
    verbose : above 0: show a progress bar on standard error
    callback : told after each fit: what is finished, and how many fits there are in all

    Returns
    -------
    frame : pandas.DataFrame
        A row a method, the best first: ``accuracy`` (or ``r2``), its standard deviation ``sd``, the average ``rank``
        over the folds, ``p`` against the best method, mean ``leaves``, ``depth`` and non-zero ``coefficients``,
        ``seconds`` a fit, finished ``folds``, and ``trouble``. ``frame.attrs["friedman"]`` is the p-value of
        Friedman's test, ``frame.attrs["folds"]`` holds what each fold came to.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> askew.compare(X, y, methods=["cart", "oc1"], folds=3)["leaves"].round(1)  # doctest: +SKIP
    """
    _check(folds=folds, repeats=repeats, time_limit=time_limit)
    classification = _is_classification(task, y)
    estimators = _estimators(methods, parameters or {}, classification, X, random_state)
    splitter = (RepeatedStratifiedKFold if classification else RepeatedKFold)(
        n_splits=folds, n_repeats=repeats, random_state=random_state
    )
    parts = list(splitter.split(np.zeros(len(y)), y))
    tasks = [_Task(m, i, e, *part) for i, part in enumerate(parts) for m, e in estimators.items()]
    done: list[Fold] = []
    with progress_bar("compare", bool(verbose)) as progress:
        for fold in _run(tasks, X, y, time_limit, n_jobs):
            done.append(fold)
            if progress is not None:
                progress(len(done) / len(tasks))
            if callback is not None:
                callback(done, len(tasks))
    return summary(done, list(estimators), "accuracy" if classification else "r2")


# --- what to run


def _check(**given: Any) -> None:
    rules: dict[str, Rule] = {
        "folds": integer(2),
        "repeats": integer(1),
        "time_limit": real(0.0, open_low=True) | none,
    }
    for name, rule in rules.items():
        if not rule.holds(given[name]):
            raise InvalidParameterError(f"The {name!r} parameter must be {rule.says}. Got {given[name]!r} instead.")


def _is_classification(task: str, y: Any) -> bool:
    if task not in ("auto", "classification", "regression"):
        raise InvalidParameterError(
            f"The 'task' parameter must be 'auto', 'classification' or 'regression'. Got {task!r} instead."
        )
    return not type_of_target(y).startswith("continuous") if task == "auto" else task == "classification"


def _estimators(
    methods: Sequence[str] | None,
    parameters: Mapping[str, Mapping[str, Any]],
    classification: bool,
    X: Any,
    random_state: int,
) -> dict[str, Any]:
    from askew.estimators.methods import METHODS

    column = 0 if classification else 1
    able = [name for name, kinds in METHODS.items() if kinds[column] is not None]
    for name in [*(methods or []), *parameters]:
        if name not in able and name != "*":
            raise InvalidParameterError(f"The methods must be among {able}. Got {name!r} instead.")
    common: dict[str, Any] = {"random_state": random_state}
    if _has_missing(X):
        common["missing"] = "mean"
    chosen = list(dict.fromkeys(methods)) if methods else [name for name in able if name not in _LEFT_OUT]
    if not chosen:
        raise InvalidParameterError("The 'methods' parameter must name a method. Got none.")
    made = {}
    for name in chosen:
        estimator: Any = METHODS[name][column]()  # type: ignore[misc]
        known = estimator.get_params(deep=False)
        for_all = {key: value for key, value in {**common, **parameters.get("*", {})}.items() if key in known}
        made[name] = estimator.set_params(**{**for_all, **parameters.get(name, {})})
    return made


def _has_missing(X: Any) -> bool:
    if hasattr(X, "isna"):
        return bool(X.isna().to_numpy().any())
    array = check_array(X, dtype=None, ensure_all_finite=False)
    return bool(array.dtype.kind == "f" and np.isnan(array).any())


# --- running it


def _run(tasks: list[_Task], X: Any, y: Any, time_limit: float | None, n_jobs: int | None) -> Iterator[Fold]:
    if n_jobs in (None, 1):
        stopped: dict[str, str] = {}
        for task in tasks:
            # A method that is too slow, or cannot learn from this table, is not tried again.
            fold = (
                Fold(task.method, task.number, trouble=stopped[task.method])
                if task.method in stopped
                else _fit(task, X, y, time_limit)
            )
            if fold.trouble:
                stopped[task.method] = fold.trouble
            yield fold
        return
    yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(_fit)(task, X, y, time_limit) for task in tasks
    )


def _fit(task: _Task, X: Any, y: Any, time_limit: float | None) -> Fold:
    labels = np.asarray(y)
    start = process_time()
    fold = Fold(task.method, task.number)
    try:
        with _limited(time_limit):
            estimator = clone(task.estimator).fit(_rows(X, task.train), labels[task.train])
    except TimeoutError:
        return replace(fold, seconds=process_time() - start, trouble=f"stopped after {time_limit:g} s")
    except ValueError as error:
        return replace(fold, trouble=" ".join(str(error).split()))
    seconds = process_time() - start
    score = float(estimator.score(_rows(X, task.test), labels[task.test]))
    return replace(_sized(fold, estimator), score=score, seconds=seconds)


def _rows(X: Any, rows: NDArray[np.int64]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def _sized(fold: Fold, estimator: Any) -> Fold:
    """Add the size of the tree; nothing of an ensemble."""
    weight = getattr(getattr(estimator, "tree_", None), "weight", None)
    if weight is not None:
        fold = replace(fold, coefficients=float(np.count_nonzero(weight)))
    if hasattr(estimator, "get_n_leaves"):
        fold = replace(fold, leaves=float(estimator.get_n_leaves()), depth=float(estimator.get_depth()))
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


# --- what came of it


def summary(done: Sequence[Fold], methods: Sequence[str], measure: str) -> pandas.DataFrame:
    """Return the ranking of what is finished, as `compare` does."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("compare returns a pandas.DataFrame: pip install 'askew[data]'") from error

    by_method = {name: sorted((f for f in done if f.method == name), key=lambda f: f.number) for name in methods}
    rows = [_row(name, by_method[name], measure) for name in methods]
    frame = pandas.DataFrame(rows).set_index("method").sort_values(measure, ascending=False, kind="stable")
    # The tests need figures of the same folds: of those methods that finished every fold that the best one did.
    scores = {name: {f.number: f.score for f in by_method[name] if f.score is not None} for name in frame.index}
    most = max((len(of) for of in scores.values()), default=0)
    whole = [name for name in frame.index if scores[name] and len(scores[name]) == most]
    frame["rank"], frame["p"] = np.nan, np.nan
    frame.attrs["friedman"] = None
    common = sorted(set.intersection(*(set(scores[name]) for name in whole))) if whole else []
    if len(whole) > 1 and len(common) > 1:
        figures = np.array([[scores[name][i] for name in whole] for i in common], dtype=np.float64)
        ranks = average_ranks(figures, better=1)
        frame.loc[whole, "rank"] = ranks
        frame.loc[whole[1:], "p"] = _differences(figures, ranks)
        if len(whole) > 2:
            frame.attrs["friedman"] = friedman(figures)
    frame.attrs["measure"] = measure
    frame.attrs["folds"] = [fold for name in methods for fold in by_method[name]]
    columns = [measure, "sd", "rank", "p", "leaves", "depth", "coefficients", "seconds", "folds", "trouble"]
    return frame[columns]


def _row(name: str, folds: list[Fold], measure: str) -> dict[str, Any]:
    finished = [fold for fold in folds if fold.score is not None]
    scores = [fold.score for fold in finished if fold.score is not None]

    def average(values: list[float | None]) -> float:
        known = [value for value in values if value is not None]
        return mean(known) if known else float("nan")

    return {
        "method": name,
        measure: average(list(scores)),
        "sd": sd(scores) if len(scores) > 1 else float("nan"),
        "leaves": average([fold.leaves for fold in finished]),
        "depth": average([fold.depth for fold in finished]),
        "coefficients": average([fold.coefficients for fold in finished]),
        "seconds": average([fold.seconds for fold in folds]),
        "folds": len(finished),
        "trouble": next((fold.trouble for fold in folds if fold.trouble), ""),
    }


def _differences(figures: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-value of each method but the first against the first."""
    if ranks.size > 2:
        return holm(ranks, figures.shape[0])
    apart = figures[:, 0] - figures[:, 1]
    return np.array([float(wilcoxon(apart).pvalue) if apart.any() else 1.0])
