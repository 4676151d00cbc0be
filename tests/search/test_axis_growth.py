"""Trees from sorted columns: what forests and boosting need of the growth of CART."""

from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris, load_wine
from strategies import make_table, seeds, tables

from askew.criterion import CLASSIFICATION, REGRESSION, as_criterion
from askew.grow import grow, node_by_node
from askew.limits import Limits
from askew.search.axis import AxisParallel, newton_table, presorted_tree

KINDS = [(name, True) for name in CLASSIFICATION] + [(name, False) for name in REGRESSION]

# --- growth that many trees share


LIMITS = Limits(min_samples_leaf=2)


@pytest.mark.parametrize(("name", "classification"), KINDS)
@given(data=st.data())
def test_trees_from_shared_columns_are_those_of_the_rows_with_weight(name, classification, data):
    table = data.draw(tables(classification))
    times = np.array(data.draw(st.lists(st.integers(0, 2), min_size=table.n_rows, max_size=table.n_rows)), dtype=float)
    times[0] = 1
    sample = replace(table.presorted(2), weight=table.weight * times, multiplicity=table.multiplicity * times)
    criterion = as_criterion(name, classification=classification)
    grown = presorted_tree(sample, criterion, LIMITS)
    drawn = np.flatnonzero(times)
    assert grown.tree == presorted_tree(sample.take(drawn), criterion, LIMITS).tree
    assert (grown.leaf[times == 0] == -1).all()
    np.testing.assert_array_equal(grown.leaf[drawn], grown.tree.apply(table.X[drawn]))


def test_columns_of_another_table_are_refused():
    table = make_table([[1.0], [2.0]], [0, 1])
    other = replace(table, X=table.X + 1, columns=table.presorted().columns)
    with pytest.raises(ValueError, match="columns of another table"):
        grow(other, AxisParallel(), as_criterion("gini", classification=True), Limits(), 0)


def test_a_tree_of_no_rows_is_refused():
    table = make_table([[1.0], [2.0]], [0, 1], np.zeros(2)).presorted()
    with pytest.raises(ValueError, match="a tree needs rows"):
        presorted_tree(table, as_criterion("gini", classification=True), Limits())


@pytest.mark.parametrize("max_leaf_nodes", [inf, 9])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_leaves_of_the_training_rows_are_those_of_the_walk(load, max_leaf_nodes):
    table = make_table(*load(return_X_y=True))
    grown = presorted_tree(table, as_criterion("gini", classification=True), Limits(max_leaf_nodes=max_leaf_nodes))
    assert grown.tree.n_leaves > 5
    np.testing.assert_array_equal(grown.leaf, grown.tree.apply(table.X))


@pytest.mark.parametrize("n_values", [2, 10, 11, 300])
def test_columns_of_few_values_are_sorted_as_others_are(n_values):
    rng = np.random.default_rng(n_values)
    X = rng.permutation(np.r_[np.arange(n_values), rng.integers(0, n_values, 600)])[:, None] * 0.1 - 3.0
    lowest = np.min(X) == X
    X[lowest] = np.where(rng.random(lowest.sum()) < 0.5, 0.0, -0.0)  # equal values
    y = rng.integers(0, 3, len(X))
    table = make_table(np.column_stack([X, rng.normal(size=len(X))]), y)
    criterion = as_criterion("gini", classification=True)
    limits = Limits(max_depth=6)
    assert grow(table, AxisParallel(), criterion, limits, 0) == node_by_node(
        table, AxisParallel(), criterion, limits, 0
    )


# --- features drawn at each node


@pytest.mark.parametrize(("name", "classification"), [("gini", True), ("squared_error", False)])
@given(data=st.data(), max_features=st.integers(1, 6), seed=seeds)
def test_the_features_drawn_at_a_node_are_those_of_its_seed_in_both_growths(
    name, classification, data, max_features, seed
):
    table = data.draw(tables(classification, max_features=5))
    search, criterion = AxisParallel(max_features), as_criterion(name, classification=classification)
    compiled = grow(table, search, criterion, Limits(), seed)
    assert compiled == node_by_node(table, search, criterion, Limits(), seed)
    if max_features >= table.n_features:
        assert compiled == grow(table, AxisParallel(), criterion, Limits(), seed)


def test_every_feature_is_drawn_about_as_often_and_constant_ones_never():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    X[:, 2] = 1.0
    table, criterion = make_table(X, rng.integers(0, 2, 40)), as_criterion("gini", classification=True)
    roots = [
        grow(table, AxisParallel(max_features=1), criterion, Limits(max_depth=1), seed).feature[0]
        for seed in range(500)
    ]
    counts = np.bincount(roots, minlength=6)
    assert counts[2] == 0
    assert counts[counts > 0].min() > 70  # of 100 expected; a deviation is 9


# --- second-order boosting


def newton_reference(X, g, h, penalty, min_hessian, depth):
    """Nested tuples (feature, threshold, left, right), or the value of a leaf."""

    def gain(rows):
        return g[rows].sum() ** 2 / (h[rows].sum() + penalty)

    def split(rows, depth):
        best, chosen = -inf, None
        for j in range(X.shape[1]):
            values = np.unique(X[rows, j])
            for low, high in pairwise(values):
                left, right = rows[X[rows, j] <= low], rows[X[rows, j] > low]
                if min(h[left].sum(), h[right].sum()) < min_hessian:
                    continue
                if gain(left) + gain(right) > best + 1e-9:
                    best, chosen = gain(left) + gain(right), (j, (low + high) / 2, left, right)
        if depth == 0 or chosen is None:
            return -g[rows].sum() / (h[rows].sum() + penalty)
        j, threshold, left, right = chosen
        return j, threshold, split(left, depth - 1), split(right, depth - 1)

    return split(np.arange(len(X)), depth)


def read_newton(tree, node=0):
    if tree.is_leaf[node]:
        return float(tree.payload.value[node, 0])
    left, right = tree.first_child[node], tree.first_child[node] + 1
    feature, threshold = int(tree.test(node)[0][0]), float(tree.threshold[node])
    return feature, threshold, read_newton(tree, left), read_newton(tree, right)


def flat(tree):
    return [*tree[:2], *flat(tree[2]), *flat(tree[3])] if isinstance(tree, tuple) else [tree]


@pytest.mark.parametrize("penalty", [0.0, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_of_newton_steps_is_the_one_of_the_definitions(seed, penalty):
    rng = np.random.default_rng(seed)
    X, g, h = rng.normal(size=(80, 3)), rng.normal(size=80), rng.uniform(0.05, 0.25, size=80)
    table = newton_table(make_table(X, np.zeros(80), n_classes=0), g, h)
    limits = Limits(max_depth=3, min_weight_leaf=1.0)
    squared = as_criterion("squared_error", classification=False)
    tree = presorted_tree(table, squared, limits, leaf_penalty=penalty).tree
    expected = newton_reference(X, g, h, penalty, 1.0, 3)
    np.testing.assert_allclose(flat(read_newton(tree)), flat(expected), rtol=1e-9)


def test_without_a_penalty_and_with_unit_hessians_newton_steps_are_means():
    X, y = load_diabetes(return_X_y=True)
    squared = as_criterion("squared_error", classification=False)
    table = make_table(X, y, n_classes=0)
    plain = presorted_tree(table, squared, Limits(max_depth=4)).tree
    steps = presorted_tree(
        newton_table(table, -y, np.ones(len(y))), squared, Limits(max_depth=4), leaf_penalty=0.0
    ).tree
    np.testing.assert_array_equal(steps.threshold, plain.threshold)
    np.testing.assert_allclose(steps.payload.value, plain.payload.value)
    np.testing.assert_allclose(steps.impurity, plain.impurity, rtol=1e-6)


def test_the_decrease_of_impurity_of_newton_steps_is_the_gain_of_the_paper():
    rng = np.random.default_rng(1)
    X, g, h = rng.normal(size=(60, 2)), rng.normal(size=60), rng.uniform(0.05, 0.25, size=60)
    table = newton_table(make_table(X, np.zeros(60), n_classes=0), g, h)
    grown = presorted_tree(
        table, as_criterion("squared_error", classification=False), Limits(max_depth=1), leaf_penalty=1.0
    )
    load = grown.tree.mass * grown.tree.impurity
    left, right = (grown.leaf == 1), (grown.leaf == 2)
    gain = [g[rows].sum() ** 2 / (h[rows].sum() + 1.0) for rows in (left, right, left | right)]
    assert load[0] - load[1] - load[2] == pytest.approx(gain[0] + gain[1] - gain[2], rel=1e-9)
