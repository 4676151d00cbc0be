from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from strategies import tables

from askew import CARTClassifier, CARTRegressor
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel


def limits(n_samples=200, **changes):
    defaults = {
        "max_depth": None,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "max_leaf_nodes": None,
        "min_impurity_decrease": 0.0,
        "impurity_threshold": 0.0,
    }
    return Limits.of(n_samples, **{**defaults, **changes})


def test_none_is_no_limit():
    assert limits() == Limits()
    assert limits().max_depth == inf


@pytest.mark.parametrize("share", [0.1, np.float64(0.1), np.float32(0.1)])
def test_a_float_is_a_share_of_the_samples_rounded_up(share):
    assert limits(n_samples=195, min_samples_split=share).min_samples_split == 20
    assert limits(n_samples=195, min_samples_leaf=share).min_samples_leaf == 20


def test_a_whole_number_is_a_number_of_samples():
    assert limits(min_samples_leaf=1).min_samples_leaf == 1
    assert limits(min_samples_split=np.int64(7)).min_samples_split == 7


@given(
    table=tables(),
    max_depth=st.integers(1, 4),
    min_samples_split=st.integers(2, 12),
    min_samples_leaf=st.integers(1, 6),
    max_leaf_nodes=st.integers(2, 6) | st.just(inf),
)
def test_a_tree_keeps_within_its_limits(table, max_depth, min_samples_split, min_samples_leaf, max_leaf_nodes):
    bounds = Limits(max_depth, min_samples_split, min_samples_leaf, max_leaf_nodes)
    tree = grow(table, AxisParallel(), as_criterion("gini", classification=True), bounds, 0)
    assert tree.depth <= max_depth
    assert tree.n_leaves <= max_leaf_nodes
    assert (tree.n_samples[~tree.is_leaf] >= min_samples_split).all()
    if tree.node_count > 1:
        assert tree.n_samples.min() >= min_samples_leaf


def test_a_split_must_decrease_the_impurity_by_the_least_amount():
    X, y = load_breast_cancer(return_X_y=True)
    tree = CARTClassifier(min_impurity_decrease=0.01).fit(X, y).tree_
    load = tree.mass * tree.impurity
    for node in np.flatnonzero(~tree.is_leaf):
        child = tree.first_child[node]
        assert (load[node] - load[child] - load[child + 1]) / tree.mass[0] >= 0.01
    assert 1 < tree.n_leaves < CARTClassifier().fit(X, y).get_n_leaves()


def test_each_leaf_has_the_least_share_of_the_weight():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.1, 3, size=y.size)
    tree = CARTClassifier(min_weight_fraction_leaf=0.1).fit(X, y, weight).tree_
    assert tree.mass.min() >= 0.1 * weight.sum() * (1 - 1e-8)
    assert 2 < tree.n_leaves <= 10


def test_a_node_at_the_impurity_threshold_is_a_leaf():
    X, y = load_breast_cancer(return_X_y=True)
    tree = CARTClassifier(impurity_threshold=0.1).fit(X, y).tree_
    assert (tree.impurity[~tree.is_leaf] > 0.1).all()
    assert (tree.impurity[tree.is_leaf] <= 0.1).all()


@pytest.mark.parametrize("leaves", [2, 3, 5, 8])
def test_best_first_growth_takes_the_best_gains(leaves):
    """The tree of k + 1 leaves is the tree of k leaves with its best leaf split."""
    X, y = load_diabetes(return_X_y=True)
    risks = [CARTRegressor(max_leaf_nodes=k).fit(X, y).tree_ for k in (leaves, leaves + 1)]
    small, large = ((t.mass * t.impurity)[t.is_leaf].sum() for t in risks)
    whole = CARTRegressor().fit(X, y).tree_
    load = whole.mass * whole.impurity
    inner = np.flatnonzero(~whole.is_leaf)
    gains = {n: load[n] - load[whole.first_child[n]] - load[whole.first_child[n] + 1] for n in inner.tolist()}
    opened, total = {0}, load[0]
    for _ in range(leaves):
        best = max(opened, key=gains.__getitem__)
        before, total = total, total - gains[best]
        opened.remove(best)
        opened.update(c for c in range(whole.first_child[best], whole.first_child[best] + 2) if c in gains)
    assert small == pytest.approx(before)
    assert large == pytest.approx(total)
