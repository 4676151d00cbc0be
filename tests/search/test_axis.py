from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodes import kernel_node
from reference import axis as reference
from sklearn.datasets import load_iris, load_wine, make_classification
from strategies import make_table, tables

from askew import _core
from askew.grow.criterion import CLASSIFICATION, REGRESSION, as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel

KINDS = [(name, True) for name in CLASSIFICATION] + [(name, False) for name in REGRESSION]


def axis_cut(table, name, min_samples_leaf=1.0, rows=None, threads=1):
    criterion = as_criterion(name, classification=table.classification)
    rows = np.arange(table.n_rows) if rows is None else rows
    return _core.axis_cut(criterion.kernel, kernel_node(table, rows, min_samples_leaf, threads))


@pytest.mark.parametrize(("name", "classification"), KINDS)
@given(data=st.data(), min_samples_leaf=st.integers(1, 5))
def test_the_cut_is_the_best_of_all_cuts(name, classification, data, min_samples_leaf):
    table = data.draw(tables(classification))
    cuts = reference.all_cuts(table, np.arange(table.n_rows), name, min_samples_leaf)
    found = axis_cut(table, name, min_samples_leaf)
    if not cuts:
        assert found is None
        return
    feature, threshold, score = found
    (own,) = (cut for cut in cuts if (cut.feature, cut.threshold) == (feature, threshold))
    best = float(min(cut.score for cut in cuts))
    assert score == pytest.approx(best, rel=1e-10, abs=1e-12)
    assert float(own.score) == pytest.approx(best, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", CLASSIFICATION)
@given(table=tables(), min_samples_leaf=st.integers(1, 5))
def test_of_equally_good_cuts_the_first_features_lowest_wins(name, table, min_samples_leaf):
    criterion = as_criterion(name, classification=True)
    best = reference.best_cut(
        table, np.arange(table.n_rows), name, min_samples_leaf, lambda left, right: criterion.score([left, right])
    )
    found = axis_cut(table, name, min_samples_leaf)
    assert found == (None if best is None else (best.feature, best.threshold, best.score))


@given(table=tables(), data=st.data())
def test_only_the_rows_of_the_node_count(table, data):
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=table.n_rows, max_size=table.n_rows)))
    assert axis_cut(table, "gini", rows=rows) == axis_cut(table.take(rows), "gini")


def extreme_columns():
    tiny = 5e-324
    yield "subnormal", [0.0, tiny, 2 * tiny, 3 * tiny]
    yield "huge", [-1.7e308, -1e300, 1e300, 1.7e308]
    yield "neighbours", [1.0, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2), 2.0]
    yield "far and near", [1e18, 1e18 + 256, 1e-18, 2e-18]
    yield "signed zero", [-0.0, 0.0, 1.0, -1.0]


@pytest.mark.parametrize("column", [c for _, c in extreme_columns()], ids=[name for name, _ in extreme_columns()])
def test_the_threshold_divides_the_rows_as_the_sweep_did(column):
    """Half-way between neighbouring values, and never the upper one."""
    X = np.array(column)[:, None]
    order = np.argsort(X[:, 0], kind="stable")
    for k in range(1, 4):
        y = np.zeros(4, dtype=int)
        y[order[k:]] = 1
        if X[order[k - 1], 0] == X[order[k], 0]:
            continue
        _, threshold, score = axis_cut(make_table(X, y), "gini")
        assert score == 0
        np.testing.assert_array_equal(X[:, 0] <= threshold, y == 0)


@pytest.mark.parametrize("n", [255, 256, 5000])
@pytest.mark.parametrize("scale", [1.0, 1e-310, 1e305])
def test_many_values_are_sorted_exactly(n, scale):
    """Nearly equal values share the 32-bit key of the radix sort: the runs must be put right."""
    rng = np.random.default_rng(n)
    values = np.concatenate([1 + 1e-15 * rng.integers(50, size=n // 2), rng.normal(size=n - n // 2)]) * scale
    middle = np.sort(values)[n // 3]
    feature, threshold, score = axis_cut(make_table(values[:, None], values > middle), "entropy")
    assert (feature, score) == (0, 0)
    np.testing.assert_array_equal(values <= threshold, values <= middle)


def test_no_cut_scores_better_than_infinity():
    table = make_table([[0.0], [1.0]], [0, 0], n_classes=2)
    assert axis_cut(table, "twoing") is None
    assert axis_cut(table, "gini", min_samples_leaf=inf) is None


@pytest.mark.parametrize("name", ["gini", "entropy"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_wine, lambda **_: make_classification(300, 5, random_state=0)])
def test_no_cut_of_any_node_scores_below_the_one_that_was_chosen(load, weighted, name):
    # The cheap filter in front of the scores (core/score/score_bound.hpp) must not let the best cut slip.
    X, y = load(return_X_y=True)
    k = int(y.max()) + 1
    weight = np.random.default_rng(0).random(len(y)) + 0.1 if weighted else np.ones(len(y))
    criterion = as_criterion(name, classification=True)
    tree = grow(make_table(X, y, weight, np.ones(len(y))), AxisParallel(), criterion, Limits(), 0)
    path = tree.decision_path(np.ascontiguousarray(X)).toarray().astype(bool)
    mass = np.eye(k)[y] * weight[:, None]
    for node in np.flatnonzero(~tree.is_leaf):
        rows = np.flatnonzero(path[:, node])
        best = min(
            criterion.score([mass[rows[X[rows, j] <= cut]].sum(axis=0), mass[rows[X[rows, j] > cut]].sum(axis=0)])
            for j in range(X.shape[1])
            for cut in np.unique(X[rows, j])[:-1]
        )
        feature, threshold = tree.test(node)[0][0], tree.threshold[node]
        left, right = rows[X[rows, feature] <= threshold], rows[X[rows, feature] > threshold]
        chosen = criterion.score([mass[left].sum(axis=0), mass[right].sum(axis=0)])
        assert chosen == pytest.approx(best, rel=0, abs=1e-12)


# --- counts apart from scores


@pytest.mark.parametrize(("name", "k"), [("gini", 3), ("twoing", 2), ("squared_error", 0)])
def test_histograms_of_two_halves_add_up_to_the_scores_of_all_cuts(name, k):
    rng = np.random.default_rng(0)
    X, y, weight = rng.integers(0, 30, (200, 2)), rng.integers(0, k or 7, 200), rng.integers(1, 4, 200)
    table = make_table(X, y, weight, n_classes=k)
    codes = np.unique(table.X[:, 1], return_inverse=True)[1].astype(np.uint16)[:, None]
    bins = {"codes": codes, "first": np.array([0, codes.max() + 1]), "centre": 0.0 if k else 3.0}
    first, second, whole = (
        _core.count_codes(kernel_node(table, rows), **bins)
        for rows in (np.arange(90), np.arange(90, 200), np.arange(200))
    )
    np.testing.assert_array_equal(first + second, whole)
    left = np.cumsum(whole, axis=0)
    criterion = as_criterion(name, classification=k > 0)
    scores = _core.score_counts(criterion.kernel, left[:-1], left[-1], classification=k > 0)
    best = _core.axis_cuts(criterion.kernel, kernel_node(table, np.arange(200)))[1][1]
    # A sweep rounds scores of regression to 2^-36 of the undivided node's before it compares them.
    assert scores.min() == (best if k else pytest.approx(best, abs=2.0**-36 * table.y.var()))
