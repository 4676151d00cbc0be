"""`compare`: cross-validate every method on one table, and rank them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils.multiclass import type_of_target

from askew.comparison.folds import Fold, Task, run
from askew.comparison.ranking import summary
from askew.parallel import progress_bar
from askew.parameters import InvalidParameterError, Rule, check_parameters, in_short, integer, none, real

if TYPE_CHECKING:
    import pandas

_LEFT_OUT = ("tree",)  # the estimator that takes any search is no method of its own


def compare(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    methods: Sequence[str] | str | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    own_pruning: bool = False,
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

    All methods see the same folds, and all are pruned in the same way: by cross-validated cost complexity
    (``CostComplexity(folds=5)``; with more than 10,000 rows a tenth is held out instead). With three or more,
    Friedman's test says whether they differ at all and Holm's procedure which differ from the best (Demsar 2006, as
    the CE-DT paper, with folds in the place of data sets); with two, Wilcoxon's signed-rank test. Folds share training
    rows, so take the p-values as a guide.

    Parameters
    ----------
    X, y : the table, as any estimator takes it
    sample_weight : weight of each row, in training and in the score; None: all count once
    methods : names (see ``askew train --method``); None: all that can learn y
    parameters : for a method's name, parameters of its estimator; for ``"*"``, of every estimator that has them
    own_pruning : leave each method the pruning that is its default, as its paper has it, or none
    folds, repeats : of the (stratified) cross-validation
    time_limit : seconds that one fit may take; a method that exceeds it is stopped. None: no limit
    task : "classification", "regression", or "auto": by what y holds, as scikit-learn sees it
    random_state : seed of the folds and of the methods
    n_jobs : fits to run at the same time; the results do not depend on it, but for the times
    verbose : above 0: show a progress bar on standard error
    callback : called after each fit with the finished folds and the total number of fits

    Returns
    -------
    frame : pandas.DataFrame
        A row a method, the best first: ``accuracy`` (or ``r2``), its standard deviation ``sd``, the average ``rank``
        over the folds, ``p`` against the best method, mean ``leaves``, ``depth`` and ``terms`` (weights that are
        not zero, in all nodes), ``seconds`` a fit, by the clock of `time_limit`, finished ``folds``, and ``trouble``.
        ``frame.attrs["friedman"]`` is the p-value of Friedman's test, ``frame.attrs["folds"]`` holds what each fold
        came to, ``frame.attrs["pruning"]`` says how all were pruned.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> askew.compare(X, y, methods=["cart", "oc1"], folds=3)["leaves"].round(1)  # doctest: +SKIP
    """
    _check(folds=folds, repeats=repeats, time_limit=time_limit)
    classification = _is_classification(task, y)
    usual = {"random_state": random_state, "n_rows": len(y), "own_pruning": own_pruning}
    estimators = _estimators(methods, parameters or {}, classification, usual)
    splitter = (RepeatedStratifiedKFold if classification else RepeatedKFold)(
        n_splits=folds, n_repeats=repeats, random_state=random_state
    )
    parts = list(splitter.split(np.zeros(len(y)), y))
    tasks = [Task(m, i, e, *part) for i, part in enumerate(parts) for m, e in estimators.items()]
    done: list[Fold] = []
    with progress_bar("compare", bool(verbose)) as progress:
        for fold in run(tasks, X, y, sample_weight, time_limit, n_jobs):
            done.append(fold)
            if progress is not None:
                progress(len(done) / len(tasks))
            if callback is not None:
                callback(done, len(tasks))
    frame = summary(done, list(estimators), "accuracy" if classification else "r2")
    frame.attrs["pruning"] = _pruning(list(estimators.values()))
    return frame


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
    methods: Sequence[str] | str | None,
    parameters: Mapping[str, Mapping[str, Any]],
    classification: bool,
    usual: Mapping[str, Any],
) -> dict[str, Any]:
    from askew.estimators.named_parameters import parameter_names, set_comparison_defaults, set_named
    from askew.estimators.registry import METHODS

    column = 0 if classification else 1
    able = [name for name, method in METHODS.items() if method[column] is not None]
    named = [methods] if isinstance(methods, str) else list(dict.fromkeys(methods or []))
    if methods is not None and not named:
        raise InvalidParameterError("The 'methods' parameter must name a method. Got none.")
    chosen = named or [name for name in able if name not in _LEFT_OUT]
    for name, among in [*((name, able) for name in chosen), *((name, [*chosen, "*"]) for name in parameters)]:
        if name not in among:
            raise InvalidParameterError(f"The methods must be among {among}. Got {name!r} instead.")
    made = {name: METHODS[name].classes[column](**METHODS[name].parameters) for name in chosen}  # type: ignore[misc]
    known = {name: parameter_names(estimator) for name, estimator in made.items()}
    for key in parameters.get("*", {}):
        if not any(_head(key) in names for names in known.values()):
            raise InvalidParameterError(f"No method that is compared has a parameter {_head(key)!r}.")
    for name, estimator in made.items():
        set_comparison_defaults(estimator, **usual)
        common = parameters.get("*", {})
        set_named(estimator, {key: value for key, value in common.items() if _head(key) in known[name]})
        _set_own(estimator, known[name], parameters.get(name, {}))
    return made


def _pruning(estimators: Sequence[Any]) -> str:
    """Return how all of them are pruned, in short; "its own" if that differs."""
    from askew.estimators.named_parameters import parameter_names

    pruned = [estimator for estimator in estimators if not getattr(estimator, "chooses_size", False)]
    found = {in_short(one.get_params().get(parameter_names(one).get("pruning"))) for one in pruned}
    return found.pop() if len(found) == 1 else "its own"


def _head(key: str) -> str:
    """Return the parameter of the estimator that a key is, or is within: ``pruning`` of ``pruning__folds``."""
    return key.partition("__")[0]


def _set_own(estimator: Any, known: Mapping[str, str], own: Mapping[str, Any]) -> None:
    """Set parameters that an estimator must have."""
    for key in own:
        if _head(key) not in known:
            raise InvalidParameterError(
                f"{type(estimator).__name__} has no parameter {_head(key)!r}; it has {', '.join(sorted(known))}."
            )
    from askew.estimators.named_parameters import set_named

    set_named(estimator, own)
    check_parameters(estimator)
