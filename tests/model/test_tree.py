import copy
import dataclasses
import pickle
from math import inf, nan

import numpy as np
import pytest
from handmade import chain_tree, mixed_tree, tree_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference.walk import plain_path
from threads import threads_on_small_data

from askew import CARTClassifier
from askew.model.leaf_values import Constant
from askew.model.split import CategoryTable, Hyperplane
from askew.model.tree import Tree

numbers = st.floats(-3, 4) | st.integers(-3, 4).map(float) | st.floats(allow_nan=False, allow_infinity=False)


@given(arrays(np.float64, st.tuples(st.integers(1, 100), st.just(3)), elements=numbers), st.integers(1, 3))
def test_rows_of_all_kinds_of_split_end_where_a_plain_walk_ends(X, threads):
    tree = mixed_tree()
    with np.errstate(over="ignore", invalid="ignore"):
        paths = [plain_path(tree, x) for x in X]
    many = -(-20_000 // len(X))  # times: a thread takes some thousand rows at once
    with threads_on_small_data() as started:
        assert tree.apply(np.tile(X, (many, 1)), threads).tolist() == [path[-1] for path in paths] * many
        assert started() == threads - 1
    passed = tree.decision_path(X, threads)
    assert passed.shape == (len(X), tree.node_count)
    assert [np.flatnonzero(row).tolist() for row in passed.toarray()] == [sorted(path) for path in paths]


def test_every_leaf_of_the_mixed_tree_is_reached():
    X = np.random.default_rng(0).integers(-3, 4, size=(500, 3)).astype(float)
    tree = mixed_tree()
    assert set(tree.apply(X)) == set(np.flatnonzero(tree.is_leaf))


def test_the_path_of_no_rows_is_empty():
    passed = mixed_tree().decision_path(np.empty((0, 3)))
    assert (passed.shape, passed.nnz, passed.dtype) == ((0, 11), 0, np.int64)


def test_a_path_runs_from_the_root_to_the_leaf():
    passed = mixed_tree().decision_path(np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 1.0]]))
    assert passed.indices.tolist() == [0, 1, 5, 0, 2, 8]
    assert passed.dtype == np.int64


def test_rows_with_another_number_of_features_are_refused():
    with pytest.raises(ValueError, match=r"X must have 3 columns, found shape \(1, 2\)"):
        mixed_tree().apply(np.zeros((1, 2)))


def test_the_shape_of_a_tree_is_told():
    tree = mixed_tree()
    assert (tree.node_count, tree.n_leaves, tree.depth, tree.n_hyperplanes) == (11, 7, 3, 7)
    assert tree.parent.tolist() == [-1, 0, 0, 1, 1, 1, 2, 2, 2, 4, 4]
    assert tree.node_depth.tolist() == [0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3]
    assert repr(tree) == "Tree(7 leaves, depth 3, 3 features)"


def test_coef_and_intercept_hold_the_hyperplanes_and_nan_elsewhere():
    tree = mixed_tree()
    np.testing.assert_array_equal(tree.coef, [[1, -2, 0], [nan] * 3, [nan] * 3, [0, 0, 1]])
    np.testing.assert_array_equal(tree.intercept, [-0.5, nan, nan, -1])


def test_rows_below_the_plane_of_coef_and_intercept_go_to_the_first_child():
    X, y = np.random.default_rng(1).normal(size=(100, 4)), np.arange(100) % 3
    tree = CARTClassifier().fit(X, y).tree_
    passed = tree.decision_path(X).toarray()
    for i, node in enumerate(np.flatnonzero(~tree.is_leaf)):
        here = passed[:, node] == 1
        below = X[here] @ tree.coef[i] + tree.intercept[i] <= 0
        np.testing.assert_array_equal(passed[here, tree.first_child[node]] == 1, below)


def test_a_feature_named_twice_counts_twice_in_coef_as_in_the_walk():
    tree = tree_of([Hyperplane([0, 0], [1.0, 2.0], 5.9), None, None], [1, 0, 0], [[1, 1], [1, 0], [0, 1]], 1)
    assert tree.coef.tolist() == [[3.0]]
    assert tree.apply(np.array([[2.0]])).tolist() == [2]


# --- collapse


def test_collapsing_nothing_gives_the_same_tree():
    assert mixed_tree().collapse(np.array([], dtype=int)) == mixed_tree()


@given(st.sets(st.integers(0, 10)), st.integers(0, 2**32 - 1))
def test_rows_in_a_collapsed_tree_stop_at_the_first_node_that_became_a_leaf(nodes, seed):
    tree = mixed_tree()
    small = tree.collapse(np.array(sorted(nodes), dtype=int))
    Tree.from_arrays(small.arrays(), small.n_features, small.n_hyperplanes)
    X = np.random.default_rng(seed).integers(-3, 4, size=(50, 3)).astype(float)
    stops = [next(node for node in plain_path(tree, x) if node in nodes or tree.is_leaf[node]) for x in X]
    np.testing.assert_array_equal(small.value[small.apply(X)], tree.value[stops])


def test_collapsing_the_root_leaves_one_leaf():
    small = mixed_tree().collapse(np.array([0]))
    assert (small.node_count, small.depth, small.value.tolist()) == (1, 0, [[13.0, 17.0]])
    assert (small.n_features, small.n_hyperplanes) == (3, 7)


def test_collapsing_keeps_what_is_known_of_the_nodes_that_stay():
    tree = dataclasses.replace(mixed_tree(), impurity=np.linspace(1, 0, 11))
    small, kept = tree.collapse(np.array([1])), [0, 1, 2, 6, 7, 8]
    assert small.first_child.tolist() == [1, 0, 3, 0, 0, 0]
    for name in ("n_samples", "mass", "impurity", "value"):
        np.testing.assert_array_equal(getattr(small, name), getattr(tree, name)[kept])


def test_a_tree_of_arrays_does_not_change_with_them_and_leaves_them_alone():
    given = {name: array.copy() for name, array in mixed_tree().arrays().items()}
    tree = Tree.from_arrays(given, 3, 7)
    given["first_child"][0] = 1000
    assert tree == mixed_tree()


def test_the_arrays_of_a_tree_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        mixed_tree().first_child[0] = 0


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.parametrize("tree", [mixed_tree(), chain_tree(100_000)], ids=["mixed", "chain"])
def test_a_copy_is_an_equal_tree(again, tree):
    assert again(tree) == tree
    assert again(tree).n_hyperplanes == tree.n_hyperplanes


def test_a_pickle_that_was_tampered_with_is_refused():
    dump = pickle.dumps(mixed_tree())
    number = np.float64(-2.0).tobytes()
    assert dump.count(number) == 1
    with pytest.raises(ValueError, match="'weight' holds a number that is not finite"):
        pickle.loads(dump.replace(number, np.float64(nan).tobytes()))


def test_a_tree_whose_impurity_overflowed_can_be_copied():
    tree = Tree.from_arrays({**mixed_tree().arrays(), "impurity": np.full(11, inf)}, 3)
    assert copy.deepcopy(tree) == tree


def test_trees_with_one_different_number_are_not_equal():
    assert mixed_tree() != dataclasses.replace(mixed_tree(), threshold=np.full(11, 0.25))
    assert mixed_tree() != "a tree"


def test_a_chain_100_000_deep_is_walked():
    tree = chain_tree(100_000)
    assert tree.depth == 100_000
    assert tree.apply(np.array([[-1.0], [1e9]])).tolist() == [1, 200_000]
    assert tree.decision_path(np.array([[1e9]])).nnz == 100_001
    assert tree.collapse(np.array([2])).node_count == 3


def test_a_category_table_may_be_empty_but_for_its_default():
    split = CategoryTable(0, [], default=1)
    assert split.route(np.array([[0.0], [nan], [5.0]])).tolist() == [1, 1, 1]


def test_the_tests_of_a_tree_come_back_as_splits():
    tree = mixed_tree()
    X = np.random.default_rng(0).integers(0, 3, size=(40, 3)).astype(float)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        split = tree.split(node)
        assert (split.kind, split.n_children) == (tree.kind[node], tree.n_children[node])
        assert split.weights.ravel().tolist() == tree.test(node)[1].tolist()
        assert split.route(X).max() < split.n_children


def test_rows_without_missing_values_reach_one_leaf():
    tree = mixed_tree()
    X = np.random.default_rng(0).integers(0, 3, size=(40, 3)).astype(float)
    row, leaf, part = tree.spread(X)
    assert row.tolist() == list(range(40))
    assert leaf.tolist() == tree.apply(X).tolist() == tree.apply(X, incomplete=True).tolist()
    assert (part == 1).all()


def test_rows_with_missing_values_are_divided_by_the_masses_of_the_children():
    tree = mixed_tree()
    row, leaf, part = tree.spread(np.array([[np.nan, 0.0, 0.0], [-9.0, 0.0, np.nan]]))
    assert np.bincount(row, part).tolist() == pytest.approx([1, 1])
    mass = tree.mass
    np.testing.assert_allclose(part[(row == 0) & (leaf == 6)], mass[2] / mass[0])  # x2 is known below node 2
    np.testing.assert_allclose(part[(row == 1) & (leaf == 3)], mass[3] / (mass[3] + mass[4] + mass[5]))
    assert tree.apply(np.array([[np.nan, 0.0, 0.0]]), incomplete=True)[0] == leaf[row == 0][part[row == 0].argmax()]


def test_the_shares_of_the_leaves_that_a_row_reaches_in_part_add_up():
    tree = mixed_tree()
    X = np.array([[np.nan, 0.0, 0.0], [0.0, 0.0, 0.0]])  # the first: 4/30 in leaf 3, 9/30 in 9, 6/30 in 5, 11/30 in 6
    assert tree.apply(X, incomplete=True).tolist() == [6, tree.apply(X)[1]]
    shares = tree.outputs(X, incomplete=True)
    np.testing.assert_allclose(shares[0], [16.75 / 30, 13.25 / 30])
    np.testing.assert_array_equal(shares[1], tree.outputs(X[1:])[0] / tree.outputs(X[1:])[0].sum())
    assert tree.labels(X, incomplete=True).tolist() == shares.argmax(axis=1).tolist()
    assert np.flatnonzero(tree.decision_path(X, incomplete=True).toarray()[0]).tolist() == [0, 2, 6]


def test_the_class_of_a_row_in_parts_is_that_of_the_leaves_before_smoothing():
    halves = tree_of([Hyperplane([0], [1.0], 0.0), None, None], [1, 0, 0], [[6, 4], [6, 0], [0, 4]], 1)
    share = np.array([[0.5, 0.5], [0.1, 0.9], [0.4, 0.6]])
    smoothed = dataclasses.replace(halves, payload=Constant(halves.value, share=share))
    X = np.array([[nan]])
    np.testing.assert_allclose(smoothed.outputs(X, incomplete=True), [[0.6 * 0.1 + 0.4 * 0.4, 0.6 * 0.9 + 0.4 * 0.6]])
    assert smoothed.labels(X, incomplete=True).tolist() == [0]


def test_leaves_that_predict_by_the_row_are_given_it_for_each_part():
    class Rowwise(Constant):
        def outputs(self, place, X):
            return np.where(X[:, :1] > 0, self.value[place], self.value[place][:, ::-1])

    tree = tree_of([Hyperplane([1], [1.0], 0.0), None, None], [1, 0, 0], [[3, 1], [3, 0], [0, 1]], 2)
    tree = dataclasses.replace(tree, payload=Rowwise(tree.value))
    X = np.array([[1.0, nan], [-1.0, nan]])
    assert tree.outputs(X, incomplete=True).tolist() == [[0.75, 0.25], [0.25, 0.75]]


def test_of_equal_parts_the_first_leaf_is_named():
    halves = tree_of([Hyperplane([0], [1.0], 0.0), None, None], [1, 0, 0], [[1, 1], [1, 0], [0, 1]], 1)
    assert halves.apply(np.array([[nan], [1.0]]), incomplete=True).tolist() == [1, 2]
    assert halves.decision_path(np.array([[nan]]), incomplete=True).toarray().tolist() == [[1, 1, 0]]
    assert halves.decision_path(np.array([[nan]])).toarray().tolist() == [[1, 0, 1]]
    assert halves.apply(np.array([[nan]])).tolist() == [2]  # not said to be incomplete: NaN is not below the threshold


@pytest.mark.parametrize("method", ["apply", "outputs", "labels", "decision_path"])
def test_rows_are_walked_by_as_many_threads_as_are_asked_for_and_by_one_otherwise(method):
    tree, X = mixed_tree(), np.random.default_rng(0).normal(size=(20_000, 3))
    with threads_on_small_data() as started:
        getattr(tree, method)(X)
        assert started() == 0
        getattr(tree, method)(X, 3)
        assert started() == 2


# --- making and changing


def test_a_tree_of_nodes_has_an_entry_for_each_of_them():
    tree = mixed_tree()
    assert tree.kind.tolist() == [1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 0]
    assert tree.n_children.tolist() == [2, 3, 3, 0, 2, 0, 0, 0, 0, 0, 0]
    assert tree.threshold.tolist() == [0.5, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
    assert tree.feature.tolist() == [0, 1, 0, 2, 2, 2]
    assert {name: array.dtype for name, array in tree.arrays().items() if name in Tree.dtypes} == Tree.dtypes


def test_parts_of_samples_are_rounded():
    one = Tree.from_nodes([None], [0], np.ones((1, 2)), np.array([2.6]), np.array([2.6]), np.zeros(1), 1, 0)
    assert (one.n_samples.tolist(), one.mass.tolist()) == ([3], [2.6])


def test_new_tests_leave_all_else_as_it_is():
    tree = dataclasses.replace(mixed_tree(), impurity=np.linspace(0, 1, 11), mass=np.linspace(1, 2, 11))
    splits = [None if leaf else tree.split(node) for node, leaf in enumerate(tree.is_leaf)]
    assert tree.with_splits(splits) == tree
    splits[0] = Hyperplane([2], [1.0], 7.0)
    changed = tree.with_splits(splits)
    assert changed.threshold.tolist() == [7.0, *tree.threshold[1:]]
    for name in ("value", "n_samples", "mass", "impurity", "n_hyperplanes", "first_child"):
        np.testing.assert_array_equal(getattr(changed, name), getattr(tree, name))


def test_the_splits_of_a_tree_route_as_the_tree_does():
    tree = mixed_tree()
    X = np.random.default_rng(0).integers(-3, 4, size=(60, 3)).astype(float)
    passed = tree.decision_path(X).toarray() == 1
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        here = passed[:, node]
        children = tree.first_child[node] + tree.split(node).route(X[here])
        assert passed[np.flatnonzero(here), children].all()


# --- importance


def test_importance_is_the_decrease_of_impurity_shared_out_by_the_sizes_of_the_weights():
    load = np.array([20, 8, 6, 0, 3, 0, 0, 0, 0, 1, 0])
    tree = mixed_tree()
    tree = dataclasses.replace(tree, impurity=load / tree.mass)
    # root: 6 to x0 and x1 as 1 to 4; machine: 5 to x0 and x2 as 2 to 6; table: 6 to x2; below the machine: 2 to x2
    share = np.array([1.2 + 1.25, 4.8, 3.75 + 6 + 2])
    for unit in (1, 1e-6):
        np.testing.assert_allclose(tree.importance(unit * np.array([1.0, 2.0, 4.0])), share / 19)
    light = dataclasses.replace(tree, mass=1e-6 * tree.mass)
    np.testing.assert_allclose(light.importance(np.array([1.0, 2.0, 4.0])), share / 19)
    origin = np.array([1, 0, 1])
    np.testing.assert_allclose(tree.importance(np.array([1.0, 2.0, 4.0]), origin, 2), [4.8 / 19, 14.2 / 19])


def test_columns_of_one_feature_count_by_the_root_of_the_sum_of_their_squares():
    tree = tree_of([Hyperplane([0, 1, 2], [3.0, 4.0, 5.0], 0.0), None, None], [1, 0, 0], [[1, 1], [1, 0], [0, 1]], 3)
    tree = dataclasses.replace(tree, impurity=np.array([0.5, 0.0, 0.0]))
    np.testing.assert_allclose(tree.importance(np.ones(3), np.array([0, 0, 1]), 2), [0.5, 0.5])
    np.testing.assert_allclose(tree.importance(np.ones(3), np.array([0, 0, 1]), 3), [0.5, 0.5, 0])


def test_what_does_not_lower_the_impurity_has_no_importance():
    tree = mixed_tree()
    worse = dataclasses.replace(tree, impurity=np.array([0.1, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0, 0]))
    assert worse.importance(np.ones(3))[1] == 0  # the root tests x1 alone, and its children are worse
    for nothing in (tree, tree.collapse(np.array([0])), dataclasses.replace(tree, impurity=np.ones(11))):
        assert nothing.importance(np.ones(3)).tolist() == [0, 0, 0]
    assert worse.importance(np.zeros(3)).tolist() == [0, 0, 0]
