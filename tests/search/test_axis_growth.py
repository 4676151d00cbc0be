"""Trees from sorted columns: what the growth of CART makes of the features at a node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import make_table, seeds, tables

from askew.grow.criterion import as_criterion
from askew.grow.grow import grow, node_by_node
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel, presorted_tree

# --- columns sorted once


def test_a_tree_of_no_rows_is_refused():
    table = make_table(np.empty((0, 1)), [], n_classes=2)
    with pytest.raises(ValueError, match="a tree needs rows"):
        presorted_tree(table, as_criterion("gini", classification=True), Limits())


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
