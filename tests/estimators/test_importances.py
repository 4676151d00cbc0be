"""Importances of oblique trees: shares of weight times spread, units do not matter, permutation importance works."""

import numpy as np
import pytest
from handmade import tree_of
from sklearn.datasets import load_wine
from sklearn.inspection import permutation_importance

import askew
from askew.model.split import Hyperplane
from askew.model.tree import Tree

X, Y = load_wine(return_X_y=True)


def test_a_nodes_decrease_is_shared_by_weight_times_spread():
    split = Hyperplane([0, 1], [3.0, -0.5], 0.0)
    made = tree_of([split, None, None], [1, 0, 0], [[2, 2], [2, 0], [0, 2]], 3)
    tree = Tree.from_nodes(
        [split, None, None], [1, 0, 0], made.value, made.n_samples, made.mass, np.array([0.5, 0.0, 0.0]), 3, 1
    )
    assert tree.importance(np.array([1.0, 2.0, 9.0])) == pytest.approx([0.75, 0.25, 0.0])


@pytest.mark.parametrize("cls", [askew.CARTLCClassifier, askew.OC1Classifier])
def test_importances_do_not_depend_on_units(cls):
    scale = 2.0 ** np.arange(-6, 7)
    one = cls(random_state=0, max_leaf_nodes=4, pruning=None).fit(X, Y)
    other = cls(random_state=0, max_leaf_nodes=4, pruning=None).fit(X * scale, Y)
    assert other.feature_importances_ == pytest.approx(one.feature_importances_)
    assert one.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "model",
    [
        askew.CARTLCClassifier(max_leaf_nodes=4),
        askew.CARTRegressor(max_leaf_nodes=4, leaf_model="linear"),
        askew.ObliqueForestClassifier(n_estimators=5, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_permutation_importance_works(model):
    rng = np.random.default_rng(0)
    noisy = np.column_stack([X[:, [6, 9, 12]], rng.normal(size=len(X))])
    found = permutation_importance(model.fit(noisy, Y), noisy, Y, n_repeats=3, random_state=0)
    assert found.importances_mean[:3].max() > 0.05
    assert found.importances_mean[3] < found.importances_mean[:3].max() / 5
