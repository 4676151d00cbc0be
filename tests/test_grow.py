from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import axis as reference
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from strategies import make_table, tables

from askew.criterion import CLASSIFICATION, REGRESSION, as_criterion
from askew.grow import child_seed, grow
from askew.limits import Limits
from askew.search.axis import AxisParallel
from askew.split import LinearMachine


class FindOnly:
    """The axis-parallel search without its own `grow`: the loop in Python has to do it."""

    def find(self, node, criterion, seed):
        return AxisParallel().find(node, criterion, seed)


limits = st.builds(
    Limits,
    max_depth=st.just(inf) | st.integers(1, 4),
    min_samples_split=st.integers(2, 8),
    min_samples_leaf=st.integers(1, 4),
    max_leaf_nodes=st.just(inf) | st.integers(2, 8),
    min_impurity_decrease=st.sampled_from([0.0, 0.01, 0.05]),
    impurity_threshold=st.sampled_from([0.0, 0.2]),
    min_weight_leaf=st.sampled_from([0.0, 2.0, 5.0]),
)
kinds = [(name, True) for name in CLASSIFICATION] + [(name, False) for name in REGRESSION]


def both_ways(table, name, bounds):
    criterion = as_criterion(name, classification=table.classification)
    return tuple(grow(table, search, criterion, bounds, 0) for search in (AxisParallel(), FindOnly()))


@pytest.mark.parametrize(("name", "classification"), kinds)
@given(data=st.data(), bounds=limits)
def test_the_compiled_growth_gives_the_tree_of_the_loop_in_python(name, classification, data, bounds):
    compiled, looped = both_ways(data.draw(tables(classification)), name, bounds)
    assert compiled == looped


@pytest.mark.parametrize(("name", "classification"), kinds)
@pytest.mark.parametrize("max_leaf_nodes", [inf, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_two_growths_agree_on_real_data(name, classification, max_leaf_nodes, weighted):
    X, y = load_wine(return_X_y=True) if classification else load_diabetes(return_X_y=True)
    weight = np.random.default_rng(1).uniform(0.5, 2, size=y.size) if weighted else None
    table = make_table(X, y, weight, np.ones(y.size), 3 if classification else 0)
    compiled, looped = both_ways(table, name, Limits(max_leaf_nodes=max_leaf_nodes, max_depth=6))
    assert compiled == looped
    assert compiled.n_leaves > 2


@pytest.mark.parametrize("name", CLASSIFICATION)
@given(table=tables(), max_depth=st.just(inf) | st.integers(1, 3), min_samples_leaf=st.integers(1, 4))
def test_a_tree_is_the_one_of_plain_recursion(name, table, max_depth, min_samples_leaf):
    criterion = as_criterion(name, classification=True)
    bounds = Limits(max_depth=max_depth, min_samples_leaf=min_samples_leaf)
    tree = grow(table, AxisParallel(), criterion, bounds, 0)
    expected = reference.grow(
        table,
        np.arange(table.n_rows),
        name,
        min_samples_leaf,
        max_depth,
        score=lambda left, right: criterion.score([left, right]),
    )
    assert reference.read(tree, table) == expected


@pytest.mark.parametrize(("name", "classification"), kinds)
def test_every_number_of_threads_gives_the_same_tree(name, classification):
    X, y = load_breast_cancer(return_X_y=True)
    X = np.vstack([X, X + 0.01])  # more than 20,000 numbers: threads are used
    y = np.concatenate([y, y])
    table = make_table(X, y if classification else X[:, 0] * y, n_classes=2 if classification else 0)
    criterion = as_criterion(name, classification=classification)
    one, *others = (grow(table, AxisParallel(), criterion, Limits(max_depth=4), 0, threads) for threads in (1, 2, 3))
    assert all(other == one for other in others)


def test_the_counts_of_each_node_are_those_of_its_rows():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(2).integers(1, 5, size=y.size)
    table = make_table(X, y, weight)
    tree = grow(table, FindOnly(), as_criterion("gini", classification=True), Limits(), 0)
    passed = tree.decision_path(table.X).toarray().astype(bool)
    for node in range(tree.node_count):
        here = passed[:, node]
        np.testing.assert_array_equal(tree.value[node], np.bincount(y[here], weight[here], minlength=3))
        assert tree.n_samples[node] == weight[here].sum() == tree.mass[node]


def test_a_node_may_have_more_than_two_children():
    class ByClass:
        def find(self, node, criterion, seed):
            return LinearMachine([0], [[0.0, 0.0], [1.0, -0.5], [2.0, -2.0]]) if node.depth == 0 else None

    table = make_table([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]], [0, 0, 1, 1, 2, 2])
    tree = grow(table, ByClass(), as_criterion("gini", classification=True), Limits(), 0)
    np.testing.assert_array_equal(tree.n_children, [3, 0, 0, 0])
    np.testing.assert_array_equal(tree.apply(table.X), [1, 1, 2, 2, 3, 3])


def test_a_split_of_so_many_ways_that_there_would_be_too_many_leaves_is_not_made():
    class InThree:
        def find(self, node, criterion, seed):
            low = float(node.X.min())
            return LinearMachine([0], [[0.0, 0.0], [1.0, -low - 0.5], [2.0, -2 * low - 2.0]])

    table = make_table(np.arange(9.0)[:, None], np.arange(9) % 2)
    for most, leaves in ((2, 1), (3, 3), (4, 3), (5, 5), (6, 5)):
        tree = grow(table, InThree(), as_criterion("gini", classification=True), Limits(max_leaf_nodes=most), 0)
        assert tree.n_leaves == leaves


def test_a_split_that_leaves_a_child_empty_is_refused():
    class Useless:
        def find(self, node, criterion, seed):
            return LinearMachine([0], [[0.0, 1.0], [0.0, 0.0]])

    table = make_table([[0.0], [1.0]], [0, 1])
    assert grow(table, Useless(), as_criterion("gini", classification=True), Limits(), 0).n_leaves == 1


def test_each_node_has_the_seed_of_its_path():
    seen = {}

    class Spy(FindOnly):
        def find(self, node, criterion, seed):
            seen[tuple(node.rows.tolist())] = seed
            return super().find(node, criterion, seed)

    table = make_table([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    for bounds in (Limits(), Limits(max_leaf_nodes=4)):  # the order of growth does not matter
        seen.clear()
        grow(table, Spy(), as_criterion("gini", classification=True), bounds, 11)
        assert seen[0, 1, 2, 3] == 11
        assert seen[1, 2, 3] == child_seed(11, 1)
        assert seen[2, 3] == child_seed(child_seed(11, 1), 1)


def test_progress_runs_to_one():
    X, y = load_wine(return_X_y=True)
    told = []
    criterion = as_criterion("gini", classification=True)
    grow(make_table(X, y), FindOnly(), criterion, Limits(), 0, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_progress_is_told_after_every_node_and_in_even_steps():
    """Not first at the first leaf: the searches of the nodes above it are most of the work."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    told, nodes = [], []

    class Counting(FindOnly):
        def find(self, node, criterion, seed):
            nodes.append(len(told))
            return super().find(node, criterion, seed)

    criterion = as_criterion("gini", classification=True)
    grow(make_table(X, rng.integers(0, 3, 500)), Counting(), criterion, Limits(), 0, progress=told.append)
    assert nodes[:4] == [0, 1, 2, 3]
    assert 0.05 < told[0] < 0.3
    assert max(np.diff(told)) < 0.3
