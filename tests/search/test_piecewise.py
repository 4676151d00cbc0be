"""`search="piecewise"`: cuts for a line on each side."""

import numpy as np
import pytest
from nodes import root_of
from reference.leaves import two_lines
from sklearn.datasets import load_diabetes
from strategies import make_table

from askew import ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.grow.criterion import as_criterion
from askew.parameters import InvalidParameterError
from askew.search.piecewise import PiecewiseLinear

SQUARED = as_criterion("squared_error", classification=False)


def find(search, X, y, weight=None):
    return search.find(root_of(make_table(X, y, weight, n_classes=0), SQUARED), SQUARED, 0)


def kinked(n=400, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, 2 * X[:, 0] + np.maximum(3 * (X[:, 1] - 0.5), 0)


def test_a_kink_is_found_where_a_slope_is_steeper_elsewhere():
    X, y = kinked()
    split = find(PiecewiseLinear(), X, y)
    assert split.features.tolist() == [1]
    assert split.threshold == pytest.approx(0.5, abs=0.3)


@pytest.mark.parametrize("weighted", [False, True])
def test_no_other_cut_at_these_quantiles_has_less_error(weighted):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150, 2:5], y[:150]
    weight = np.random.default_rng(0).integers(1, 4, 150).astype(float) if weighted else np.ones(150)
    split = find(PiecewiseLinear(bins=10, min_side=5), X, y, weight)
    found = two_lines(X, y, weight, split.route(X) == 0, 0.01)
    for j in range(3):
        order = np.argsort(X[:, j], kind="stable")
        reached = np.cumsum(weight[order])
        for k in range(1, 10):
            at = X[order[np.searchsorted(reached, weight.sum() * k / 10 * (1 - 1e-12))], j]
            assert found <= two_lines(X, y, weight, X[:, j] <= at, 0.01) * (1 + 1e-6)


def test_an_oblique_hinge_is_found():
    X = np.random.default_rng(0).normal(size=(500, 3))
    y = np.abs(X[:, 0] + X[:, 1])
    split = find(PiecewiseLinear(oblique=True), X, y)
    weights = np.zeros(3)
    weights[split.features] = split.weights
    assert abs(weights @ [1, 1, 0]) / np.linalg.norm(weights) / np.sqrt(2) > 0.95


def test_a_line_is_not_cut():
    X = np.random.default_rng(0).normal(size=(100, 3))
    assert find(PiecewiseLinear(l2=0.0), X, X @ [1.0, 2.0, 3.0]) is None


def test_each_side_has_the_samples_that_are_asked_for():
    X, y = kinked(100)
    split = find(PiecewiseLinear(min_side=40), X, y)
    assert np.bincount(split.route(X)).min() >= 40


def test_of_many_columns_those_that_promise_most_are_cut():
    X, y = kinked()
    wide = np.column_stack([np.random.default_rng(1).normal(size=(400, 60)), X])
    assert find(PiecewiseLinear(max_columns=8), wide, y).features.tolist() == [61]


def test_classes_are_refused():
    with pytest.raises(InvalidParameterError, match="'piecewise' supports regression only"):
        ObliqueTreeClassifier(search="piecewise").fit(np.eye(4), [0, 1, 0, 1])


def test_with_linear_leaves_it_beats_constants_on_a_kinked_surface():
    X, y = kinked()
    new, truth = kinked(seed=1)
    scores = [
        ObliqueTreeRegressor(search=search, leaf_model="linear", max_leaf_nodes=2).fit(X, y).score(new, truth)
        for search in ("axis", "piecewise")
    ]
    assert scores[1] > 0.97
    assert scores[1] > scores[0]
