import copy
import pickle
from math import inf, nan

import numpy as np
import pytest
from handmade import chain_tree, mixed_tree, tree_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from askew import CARTClassifier
from askew.split import CATEGORY_TABLE, HYPERPLANE, LEAF, LINEAR_MACHINE, CategoryTable, Hyperplane
from askew.tree import Tree


def plain_route(tree, node, x):
    """Which child a row goes to, straight from the description of the splits."""
    features, weights = tree.test(node)
    if tree.kind[node] == HYPERPLANE:
        total = 0.0
        for j, w in zip(features, weights, strict=True):
            total += w * x[j]
        return 0 if total <= tree.threshold[node] else 1
    if tree.kind[node] == LINEAR_MACHINE:
        sums = []
        for row in weights.reshape(tree.n_children[node], -1):
            total = row[-1]
            for j, w in zip(features, row[:-1], strict=True):
                total += w * x[j]
            sums.append(total)
        return sums.index(max(sums))
    assert tree.kind[node] == CATEGORY_TABLE
    code = x[features[0]]
    return int(dict(enumerate(weights)).get(code, tree.threshold[node]))


def plain_path(tree, x):
    node, path = 0, [0]
    while tree.kind[node] != LEAF:
        node = int(tree.first_child[node]) + plain_route(tree, node, x)
        path.append(node)
    return path


numbers = st.floats(-3, 4) | st.integers(-3, 4).map(float) | st.floats(allow_nan=False, allow_infinity=False)


@given(arrays(np.float64, st.tuples(st.integers(1, 100), st.just(3)), elements=numbers), st.integers(1, 3))
def test_rows_of_all_kinds_of_split_end_where_a_plain_walk_ends(X, threads):
    tree = mixed_tree()
    with np.errstate(over="ignore", invalid="ignore"):
        paths = [plain_path(tree, x) for x in X]
    assert tree.apply(X, threads).tolist() == [path[-1] for path in paths]
    passed = tree.decision_path(X, threads)
    assert passed.shape == (len(X), tree.node_count)
    assert [np.flatnonzero(row).tolist() for row in passed.toarray()] == [sorted(path) for path in paths]


def test_every_leaf_of_the_mixed_tree_is_reached():
    X = np.random.default_rng(0).integers(-3, 4, size=(500, 3)).astype(float)
    tree = mixed_tree()
    assert set(tree.apply(X)) == set(np.flatnonzero(tree.is_leaf))


def test_the_path_of_no_rows_is_empty():
    assert mixed_tree().decision_path(np.empty((0, 3))).shape == (0, 11)


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


# --- the validator


def broken(change):
    tree = mixed_tree()
    given = {name: array.copy() for name, array in tree.arrays().items()}
    change(given)
    return given


def put(name, where, value):
    def change(given):
        given[name][where] = value

    return change


def replace(name, make):
    def change(given):
        given[name] = make(given[name])

    return change


HOSTILE = {
    "child far out of range": (put("first_child", 0, 1000), "'first_child' is out of range"),
    "child so far that sums wrap": (put("first_child", 0, 2**63 - 1), "'first_child' is out of range"),
    "negative child": (put("first_child", 0, -1), "'first_child' is out of range"),
    "children beyond the end": (put("n_children", 4, 3), "a hyperplane must have|exactly one parent"),
    "more children than nodes": (put("n_children", 1, 2**62), "two children or more"),
    "inner node without children": (put("n_children", 1, 0), "two children or more"),
    "node that is its own child": (put("first_child", 0, 0), "'first_child' is out of range"),
    "cycle": (put("first_child", 4, 1), "'first_child' is out of range"),
    "two parents": (put("first_child", 2, 3), "exactly one parent"),
    "node without a parent": (put("first_child", 4, 8), "exactly one parent"),
    "leaf with children": (put("n_children", 3, 2), "a leaf must have no children"),
    "leaf with a first child": (put("first_child", 3, 1), "'first_child' of a leaf must be 0"),
    "unknown kind": (put("kind", 0, 4), "'kind' must be"),
    "negative kind": (put("kind", 0, -1), "'kind' must be"),
    "NaN weight": (put("weight", 0, nan), "'weight' holds a number that is not finite"),
    "infinite weight": (put("weight", 3, inf), "'weight' holds a number that is not finite"),
    "NaN threshold": (put("threshold", 0, nan), "'threshold' holds"),
    "NaN value": (put("value", (3, 0), nan), "'value' holds"),
    "NaN mass": (put("mass", 0, nan), "'mass' holds"),
    "NaN impurity": (put("impurity", 0, nan), "'impurity' holds NaN"),
    "negative impurity": (put("impurity", 0, -1.0), "'impurity' holds a negative"),
    "negative samples": (put("n_samples", 0, -1), "'n_samples' holds a negative"),
    "feature out of range": (put("feature", 0, 3), "'feature' must be below 3"),
    "negative feature": (put("feature", 0, -1), "'feature' must be below 3"),
    "starts that fall": (put("feature_start", 1, 5), "'feature_start' must not fall"),
    "starts that begin late": (put("weight_start", 0, 1), "'weight_start' must run from 0"),
    "starts beyond the end": (put("weight_start", -1, 10**12), "'weight_start' must run from 0"),
    "weights moved to a leaf": (put("weight_start", 4, 15), "a leaf must test nothing"),
    "a weight too few": (put("weight_start", 1, 1), "a hyperplane must have a weight a feature"),
    "table that names a missing child": (put("weight", 12, 3.0), "node 2 names child 3, which does not exist"),
    "table that names a negative child": (put("weight", 12, -1.0), "node 2 names child -1"),
    "table that names half a child": (put("weight", 12, 0.5), "node 2 names child 0.5"),
    "table whose default is missing": (put("threshold", 2, 3.0), "node 2 names child 3"),
    "short array": (replace("threshold", lambda a: a[:-1]), "'threshold' must have 11 entries"),
    "long array": (replace("impurity", lambda a: np.append(a, 0.0)), "'impurity' must have 11 entries"),
    "short starts": (replace("feature_start", lambda a: a[:-1]), "'feature_start' must have 12 entries"),
    "value of too few rows": (replace("value", lambda a: a[:-1]), "'value' must have 11 rows"),
    "value without columns": (replace("value", lambda a: a[:, :0]), "'value' must have a column"),
    "flat value": (replace("value", lambda a: a[:, 0].copy()), "'value' must have 11 rows"),
    "weights in two dimensions": (replace("weight", lambda a: a.reshape(1, -1)), "must be flat"),
    "no nodes": (replace("kind", lambda a: a[:0]), "at least one"),
    "kind in two dimensions": (replace("kind", lambda a: a.reshape(1, -1)), "one entry a node"),
    "other type": (replace("first_child", lambda a: a.astype(np.int32)), "has type int32, expected int64"),
    "other byte order": (replace("weight", lambda a: a.astype(">f8")), "'weight' has type >f8"),
    "objects": (replace("value", lambda a: a.astype(object)), "'value' has type object"),
    "missing array": (lambda given: given.pop("mass"), "array 'mass' is missing"),
}


@pytest.mark.parametrize(("change", "message"), HOSTILE.values(), ids=HOSTILE)
def test_arrays_that_are_no_tree_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Tree.from_arrays(broken(change), 3)


@pytest.mark.parametrize("n_features", [0, -1, 2**31, 3.0, "3", None, True])
def test_a_number_of_features_that_is_none_is_refused(n_features):
    with pytest.raises(ValueError, match="'n_features' must be an int from 1"):
        Tree.from_arrays(mixed_tree().arrays(), n_features)


@pytest.mark.parametrize("n_hyperplanes", [-1, 2**63, 0.5, "0", None])
def test_a_number_of_hyperplanes_that_is_none_is_refused(n_hyperplanes):
    with pytest.raises(ValueError, match="'n_hyperplanes' must be an int from 0"):
        Tree.from_arrays(mixed_tree().arrays(), 3, n_hyperplanes)


INDEX_ARRAYS = ("kind", "first_child", "n_children", "feature_start", "weight_start", "feature", "weight", "threshold")


@given(st.data())
def test_whatever_the_validator_lets_through_can_be_walked(data):
    given = broken(lambda given: None)
    for _ in range(data.draw(st.integers(1, 3))):
        array = given[data.draw(st.sampled_from(INDEX_ARRAYS))]
        array[data.draw(st.integers(0, array.size - 1))] = data.draw(st.integers(-1, 12))
    try:
        tree = Tree.from_arrays(given, 3)
    except ValueError:
        return
    X = np.random.default_rng(0).integers(-3, 5, size=(20, 3)).astype(float)
    leaf = tree.apply(X)
    assert tree.is_leaf[leaf].all()
    assert leaf.tolist() == [plain_path(tree, x)[-1] for x in X]


def test_a_tree_of_arrays_does_not_change_with_them_and_leaves_them_alone():
    given = broken(lambda given: None)
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
    tree = Tree.from_arrays(broken(put("impurity", 0, inf)), 3)
    assert copy.deepcopy(tree) == tree


def test_trees_with_one_different_number_are_not_equal():
    assert mixed_tree() != Tree.from_arrays(broken(put("threshold", 0, 0.25)), 3, 7)
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
