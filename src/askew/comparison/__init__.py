"""`compare`: cross-validate every method on one table, and rank them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils.multiclass import type_of_target

from askew.comparison.folds import FoldResult, FoldTask, run
from askew.comparison.ranking import summary
from askew.estimators.named_parameters import parameter_names, set_comparison_defaults, set_named
from askew.estimators.registry import METHODS
from askew.parallel import progress_bar
from askew.parameters import InvalidParameterError, Rule, check_parameters, check_values, in_short, integer, none, real

if TYPE_CHECKING:
    import pandas

_LEFT_OUT = ("tree",)  # the estimator that takes any search is not a method


def compare(
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    methods: Sequence[str] | str | None = None,
    parameters: Mapping[str, Mapping[str, object]] | None = None,
    own_pruning: bool = False,
    cv: int = 10,
    repeats: int = 1,
    time_limit: float | None = 60.0,
    task: str = "auto",
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    callback: Callable[[list[FoldResult], int], None] | None = None,
) -> pandas.DataFrame:
    """Cross-validate the methods on a table and rank them.

    All methods see the same folds, and all are pruned in the same way: by cross-validated cost complexity
    (``CostComplexity(cv=5)``; with more than 10,000 rows a tenth is held out instead). With three or more,
    Friedman's test says whether they differ at all and Holm's procedure which differ from the best (Demsar 2006, as
    the CE-DT paper, with folds instead of data sets); with two, Wilcoxon's signed-rank test. Folds share training
    rows, so take the p-values as a guide.

    Parameters
    ----------
    X : array or data frame
        Numbers and categories (rows x features).
    y : array
        Class or number of each row.
    sample_weight : array or None, default=None
        Weight of each row, in training and in the score.
    methods : list of str, str or None, default=None
        Names of methods, as ``askew train --method`` takes them. None: all that can learn y.
    parameters : dict or None, default=None
        For the name of a method, parameters of its estimator; for ``"*"``, of every estimator that has them.
    own_pruning : bool, default=False
        Keep the default pruning of each method: that of its paper, or none.
    cv : int, default=10
        Number of folds of the (stratified) cross-validation.
    repeats : int, default=1
        Number of repetitions of the cross-validation.
    time_limit : float or None, default=60
        Seconds that one fit may take; a method that exceeds it is stopped. None: no limit.
    task : "auto", "classification" or "regression", default="auto"
        "auto": by what y holds, as scikit-learn sees it.
    random_state : int, default=0
        Seed of the folds and of the methods.
    n_jobs : int or None, default=None
        Number of fits that run at the same time; the results, except for the times, do not depend on it.
    verbose : int, default=0
        Above 0: show a progress bar on standard error.
    callback : callable or None, default=None
        Called after each fit with the finished folds and the total number of fits.

    Returns
    -------
    frame : pandas.DataFrame
        One row for each method, the best first: ``accuracy`` (or ``r2``), its standard deviation ``sd``, the average
        ``rank`` over the folds, ``p`` against the best method, mean ``leaves``, ``depth`` and ``terms`` (as `n_terms_`
        counts them), elapsed ``seconds`` of a fit, finished ``folds``, and ``error``.
        ``frame.attrs["friedman"]`` is the p-value of Friedman's test, ``frame.attrs["folds"]`` holds the result of each
        fold, ``frame.attrs["pruning"]`` says how all were pruned.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> askew.compare(X, y, methods=["cart", "oc1"], cv=3)["leaves"].round(1)  # doctest: +SKIP
    """
    _check(cv=cv, repeats=repeats, time_limit=time_limit)
    classification, n_rows = _is_classification(task, y), len(np.asarray(y))
    estimators = _new_estimators(methods, parameters or {}, classification)
    for estimator in estimators.values():
        set_comparison_defaults(estimator, random_state, n_rows, own_pruning=own_pruning)
    _set_parameters(estimators, parameters or {})
    splitter = (RepeatedStratifiedKFold if classification else RepeatedKFold)(
        n_splits=cv, n_repeats=repeats, random_state=random_state
    )
    splits = list(splitter.split(np.zeros(n_rows), y))
    tasks = [FoldTask(m, i, e, *split) for i, split in enumerate(splits) for m, e in estimators.items()]
    done: list[FoldResult] = []
    with progress_bar("compare", bool(verbose)) as progress:
        for result in run(tasks, X, y, sample_weight, time_limit, n_jobs):
            done.append(result)
            if progress is not None:
                progress(len(done) / len(tasks))
            if callback is not None:
                callback(done, len(tasks))
    frame = summary(done, list(estimators), "accuracy" if classification else "r2")
    frame.attrs["pruning"] = _pruning(estimators.values())
    return frame


# --- what to run


def _check(**parameters: float | None) -> None:
    rules: dict[str, Rule] = {"cv": integer(2), "repeats": integer(1), "time_limit": real(0.0, open_low=True) | none}
    check_values(parameters, rules)


def _is_classification(task: str, y: ArrayLike) -> bool:
    if task not in ("auto", "classification", "regression"):
        raise InvalidParameterError(
            f"The 'task' parameter must be 'auto', 'classification' or 'regression'. Got {task!r} instead."
        )
    return not type_of_target(y).startswith("continuous") if task == "auto" else task == "classification"


def _new_estimators(
    methods: Sequence[str] | str | None, parameters: Iterable[str], classification: bool
) -> dict[str, BaseEstimator]:
    """Return an estimator for each method; refuse unknown names of methods, also among those that have parameters."""
    column = 0 if classification else 1
    able = [name for name, method in METHODS.items() if method[column] is not None]
    named = [methods] if isinstance(methods, str) else list(dict.fromkeys(methods or []))
    if methods is not None and not named:
        raise InvalidParameterError("The 'methods' parameter must name a method. Got none.")
    chosen = named or [name for name in able if name not in _LEFT_OUT]
    for names, allowed in ((chosen, able), (parameters, [*chosen, "*"])):
        for name in names:
            if name not in allowed:
                raise InvalidParameterError(f"The methods must be among {allowed}. Got {name!r} instead.")
    pairs = [(name, METHODS[name].classes[column]) for name in chosen]
    return {name: kind(**METHODS[name].parameters) for name, kind in pairs if kind is not None}


def _set_parameters(estimators: Mapping[str, BaseEstimator], parameters: Mapping[str, Mapping[str, object]]) -> None:
    """Set the parameters of each method, and those for ``"*"`` where an estimator has them."""
    known = {name: parameter_names(estimator) for name, estimator in estimators.items()}
    shared = parameters.get("*", {})
    for key in shared:
        if not any(_head(key) in names for names in known.values()):
            raise InvalidParameterError(f"No method that is compared has a parameter {_head(key)!r}.")
    for name, estimator in estimators.items():
        set_named(estimator, {key: value for key, value in shared.items() if _head(key) in known[name]})
        for key in parameters.get(name, {}):
            if _head(key) not in known[name]:
                raise InvalidParameterError(
                    f"{type(estimator).__name__} has no parameter {_head(key)!r}; "
                    f"it has {', '.join(sorted(known[name]))}."
                )
        set_named(estimator, parameters.get(name, {}))
        check_parameters(estimator)


def _head(key: str) -> str:
    """Return the parameter of the estimator that a key is, or is within: ``pruning`` of ``pruning__cv``."""
    return key.partition("__")[0]


def _pruning(estimators: Iterable[BaseEstimator]) -> str:
    """Return how all of them are pruned, in short; "its own" if that differs."""
    pruned = [estimator for estimator in estimators if not getattr(estimator, "chooses_size", False)]
    found = {in_short(one.get_params().get(parameter_names(one).get("pruning"))) for one in pruned}
    return found.pop() if len(found) == 1 else "its own"
