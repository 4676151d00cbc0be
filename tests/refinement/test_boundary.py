import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import LogisticRegression
from strategies import make_table

from askew import CARTClassifier, ObliqueTreeRegressor
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.refinement.boundary import BoundaryCuts
from askew.search.linear import LinearPlanes

GINI = as_criterion("gini", classification=True)
X, Y = load_breast_cancer(return_X_y=True)


def linear_tree(table, leaves, l2=10.0):
    return grow(table, LinearPlanes(l2=l2), GINI, Limits(max_leaf_nodes=leaves), 0)


def test_a_single_plane_predicts_as_logistic_regression_does():
    table = make_table(X[:, :10], Y)
    tree = BoundaryCuts().refine(linear_tree(table, 2, l2=1.0), table, GINI)
    scaled = (table.X - table.X.mean(axis=0)) / table.X.std(axis=0)
    model = LogisticRegression(C=1.0, max_iter=1000).fit(scaled, Y)
    assert (tree.labels(table.X) == model.predict(scaled)).mean() > 0.99


def test_only_thresholds_above_two_leaves_move_and_leaves_are_counted_again():
    table = make_table(*load_wine(return_X_y=True))
    before = linear_tree(table, 3)
    after = BoundaryCuts().refine(before, table, GINI)
    assert np.array_equal(before.weight, after.weight)
    assert np.array_equal(before.first_child, after.first_child)
    assert before.threshold[0] == after.threshold[0]  # a child of the root is no leaf
    leaf = after.apply(table.X)
    for node in np.flatnonzero(after.is_leaf):
        assert after.value[node].tolist() == np.bincount(table.y[leaf == node], minlength=3).tolist()


def test_weights_are_repetitions():
    times = np.random.default_rng(0).integers(1, 4, Y.size)
    once = make_table(X[:, :5], Y, times.astype(float))
    often = make_table(np.repeat(X[:, :5], times, axis=0), np.repeat(Y, times))
    trees = [BoundaryCuts().refine(linear_tree(table, 2), table, GINI) for table in (once, often)]
    assert trees[0].threshold[0] == pytest.approx(trees[1].threshold[0], rel=1e-6)


def test_axis_parallel_cuts_and_numbers_stay():
    table = make_table(X, Y)
    tree = CARTClassifier(max_leaf_nodes=3).fit(X, Y).tree_
    assert BoundaryCuts().refine(tree, table, GINI) is tree
    numbers, y = load_diabetes(return_X_y=True)
    regression = ObliqueTreeRegressor(search="linear", max_leaf_nodes=2).fit(numbers, y).tree_
    criterion = as_criterion("squared_error", classification=False)
    assert BoundaryCuts().refine(regression, make_table(numbers, y, n_classes=0), criterion) is regression
