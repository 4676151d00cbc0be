"""`askew.compare`."""

from __future__ import annotations

import time
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_backend
from scipy.stats import wilcoxon
from sklearn.datasets import load_diabetes, load_iris, load_wine

import askew
from askew.estimators import cart

IRIS = load_iris(return_X_y=True)
FAST = ["cart", "cart_lc", "hhcart"]


def test_the_best_method_comes_first_with_its_size_and_time():
    frame = askew.compare(*IRIS, methods=FAST, cv=3)
    assert sorted(frame.index) == sorted(FAST)
    assert frame["accuracy"].is_monotonic_decreasing
    assert (frame["folds"] == 3).all()
    assert frame.loc["cart", "terms"] == frame.loc["cart", "leaves"] - 1  # one feature a node
    assert (frame[["leaves", "depth", "seconds"]] > 0).all(axis=None)
    assert np.isnan(frame["p"].iloc[0])
    assert frame["p"].iloc[1:].between(0, 1).all()
    assert 0 <= frame.attrs["friedman"] <= 1


def test_figures_are_those_of_scikit_learns_cross_validation():
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

    frame = askew.compare(*IRIS, methods=["cart"], cv=3, repeats=2, random_state=7)
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=7)
    tree = askew.CARTClassifier(pruning=askew.prune.CostComplexity(cv=5), random_state=7)
    scores = cross_val_score(tree, *IRIS, cv=folds)
    assert frame.loc["cart", "accuracy"] == pytest.approx(scores.mean())
    assert frame.loc["cart", "sd"] == pytest.approx(scores.std(ddof=1))


def test_all_methods_are_pruned_in_the_same_way_unless_asked():
    X, y = load_wine(return_X_y=True)
    methods = ["cart", "c45", "cart_lc"]
    frame, own = (askew.compare(X, y, methods=methods, cv=2, own_pruning=it) for it in (False, True))
    assert frame.attrs["pruning"] == "CostComplexity(cv=5)"
    assert own.attrs["pruning"] == "its own"
    assert frame.loc["cart", "leaves"] < own.loc["cart", "leaves"]
    given = {"*": {"pruning__cv": 2}, "cart": {"pruning__cv": 3}}
    mixed = askew.compare(X, y, methods=["cart"], cv=2, parameters=given)
    assert mixed.attrs["pruning"] == "CostComplexity(cv=3)"


def test_weights_count_in_training_and_in_the_score():
    X, y = IRIS
    weight = np.where(y == 2, 0.0, 1.0)
    frame = askew.compare(X, y, sample_weight=weight, methods=["cart", "hhcart"], cv=2)
    assert (frame["accuracy"] == 1.0).all()
    assert (frame["leaves"] == 2).all()


def test_time_is_measured_by_the_clock_of_the_limit():
    with mock.patch.object(cart, "CARTClassifier", Sleeper):
        frame = askew.compare(*IRIS, methods=["cart"], cv=2, time_limit=0.05)
    assert frame.loc["cart", "seconds"] >= 0.05 / 2  # the second fold is not tried


def test_an_ensemble_has_the_leaves_and_terms_of_all_its_trees():
    given = {"*": {"max_depth": 1, "pruning": None}, "k_dt": {"n_estimators": 3}}
    found = askew.compare(*IRIS, methods="k_dt", cv=2, parameters=given)
    assert found.loc["k_dt", ["leaves", "depth"]].tolist() == [6, 1]
    assert found.loc["k_dt", "terms"] >= 3


def test_two_methods_are_compared_by_wilcoxons_test():
    frame = askew.compare(*load_wine(return_X_y=True), methods=["cart", "hhcart"], cv=10)
    scores = {m: [f.score for f in frame.attrs["folds"] if f.method == m] for m in ("cart", "hhcart")}
    first, second = frame.index
    assert frame.loc[second, "p"] == wilcoxon(np.subtract(scores[first], scores[second])).pvalue
    assert frame.attrs["friedman"] is None


def test_numbers_are_learnt_by_the_regressors():
    X, y = load_diabetes(return_X_y=True)
    frame = askew.compare(X, y + 0.5, methods=["cart", "cart_lc"], cv=2)
    assert "r2" in frame.columns


def test_the_task_can_be_told():
    X, y = IRIS
    assert "r2" in askew.compare(X, y, methods=["cart"], cv=2, task="regression").columns


@pytest.mark.extended
def test_results_do_not_depend_on_the_jobs():
    one, two = (askew.compare(*IRIS, methods=FAST, cv=2, n_jobs=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), two.drop(columns="seconds"))


def test_missing_values_get_the_mean_of_the_training_rows():
    X, y = IRIS
    X = X.copy()
    X[3, 2] = np.nan
    assert (askew.compare(X, y, methods=FAST, cv=2)["folds"] == 2).all()


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame, np.asarray])
def test_tables_of_any_kind_are_taken(frame_of):
    X, y = IRIS
    found = askew.compare(frame_of(X), y, methods=["cart"], cv=2)
    assert found.loc["cart", "folds"] == 2


def test_missing_values_are_seen_in_polars_and_in_lists():
    rows = [[1.0, "a"], [None, "b"], [3.0, None], [4.0, "b"]] * 4
    for table in (pl.DataFrame(rows, schema=["x", "c"], orient="row"), pd.DataFrame(rows, columns=["x", "c"])):
        found = askew.compare(table, [0, 0, 1, 1] * 4, methods="cart", cv=2)
        assert found.loc["cart", ["folds", "error"]].tolist() == [2, ""]
    numbers = [[None if row[0] is None else row[0]] for row in rows]
    assert askew.compare(numbers, [0, 0, 1, 1] * 4, methods="cart", cv=2).loc["cart", "folds"] == 2


def test_a_method_that_takes_missing_values_takes_them_in_its_own_way():
    X = IRIS[0].copy()
    X[::3, 2:] = np.nan
    found, mean = (
        askew.compare(X, IRIS[1], methods="c45", cv=3, parameters=given)["leaves"]["c45"]
        for given in ({}, {"c45": {"missing": "mean"}})
    )
    assert found != mean


def test_the_vote_gets_parameters_of_its_trees():
    given = {"*": {"max_depth": 1}, "k_dt": {"n_estimators": 2}}
    found = askew.compare(*IRIS, methods="k_dt", cv=2, parameters=given)
    assert found.loc["k_dt", "accuracy"] < 0.7  # one plane tells two classes apart


def test_parameters_reach_their_methods():
    frame = askew.compare(*IRIS, methods=["cart", "hhcart"], cv=2, parameters={"*": {"max_depth": 2}})
    assert (frame["depth"] == 2).all()
    frame = askew.compare(*IRIS, methods=["cart", "hhcart"], cv=2, parameters={"cart": {"max_depth": 1}})
    assert frame.loc["cart", "depth"] == 1


class Sleeper(askew.CARTClassifier):
    def fit(self, X, y):
        time.sleep(30)
        return super().fit(X, y)


def test_a_method_that_takes_too_long_is_stopped_and_named():
    with mock.patch.object(cart, "CARTClassifier", Sleeper):
        frame = askew.compare(*IRIS, methods=["cart", "hhcart"], cv=2, time_limit=0.05)
    assert frame.loc["cart", "folds"] == 0
    assert frame.loc["cart", "error"] == "stopped after 0.05 s"


class Unable(askew.CARTClassifier):
    n_tried = 0

    def fit(self, X, y):
        Unable.n_tried += 1
        raise ValueError("too flat")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_method_that_cannot_learn_the_table_does_not_stop_the_others(n_jobs):
    Unable.n_tried = 0
    with mock.patch.object(cart, "CARTClassifier", Unable), parallel_backend("threading"):
        frame = askew.compare(*IRIS, methods=["cart", "hhcart"], cv=6, n_jobs=n_jobs)
    assert frame.loc["cart", ["error", "folds"]].tolist() == ["too flat", 0]
    assert frame.loc["hhcart", "folds"] == 6
    if n_jobs == 1:  # several jobs may have begun the next folds before the first failure is known
        assert Unable.n_tried == 1
    assert [fold.number for fold in frame.attrs["folds"]] == 2 * list(range(6))


def test_every_fit_is_told():
    calls = []
    askew.compare(*IRIS, methods=["cart"], cv=2, callback=lambda done, n: calls.append((len(done), n)))
    assert calls == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"methods": ["carts"]}, "must be among"),
        ({"methods": []}, "must name a method"),
        ({"parameters": {"hhcart": {"max_depth": 2}}}, "must be among"),
        ({"parameters": {"cart": {"max_dept": 2}}}, "CARTClassifier has no parameter 'max_dept'"),
        ({"parameters": {"*": {"max_dept": 2}}}, "No method that is compared has a parameter 'max_dept'"),
        ({"parameters": {"*": {"max_depth": -1}}}, "'max_depth' parameter of CARTClassifier must be"),
        ({"parameters": {"*": {"criterion": "what"}}}, "'criterion' parameter must be"),
        ({"cv": 1}, "'cv' parameter must be an int"),
        ({"repeats": 0}, "'repeats' parameter must be an int"),
        ({"time_limit": 0}, "'time_limit' parameter must be a float"),
        ({"task": "clustering"}, "'task' parameter must be"),
    ],
)
def test_bad_parameters_are_refused(bad, says):
    with pytest.raises(askew.InvalidParameterError, match=says):
        askew.compare(*IRIS, **{"methods": ["cart"], **bad})
