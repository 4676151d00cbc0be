import dataclasses
from math import inf, nan

import numpy as np
import pytest
from handmade import mixed_tree, tree_of
from hypothesis import given
from hypothesis import strategies as st
from reference.walk import plain_path

from askew import RuleNetwork
from askew.model.split import CategoryTable, LinearMachine
from askew.model.tree import Tree


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


ONE_PARENT = "every node but the root must have exactly one parent"
CHILDREN = "the children of an inner node must have mass, and a finite sum of it"
MISSING = "the category table of node 2 names child {}, which does not exist"
HOSTILE = {
    "child far out of range": (put("first_child", 0, 1000), "'first_child' is out of range"),
    "child just out of range": (put("first_child", 4, 11), "'first_child' is out of range"),
    "child so far that sums wrap": (put("first_child", 0, 2**63 - 1), "'first_child' is out of range"),
    "negative child": (put("first_child", 0, -1), "'first_child' is out of range"),
    "children beyond the end": (put("n_children", 4, 3), ONE_PARENT),
    "as many children as nodes": (put("n_children", 1, 11), ONE_PARENT),
    "more children than nodes": (put("n_children", 1, 2**62), "an inner node must have two children or more"),
    "inner node without children": (put("n_children", 1, 0), "an inner node must have two children or more"),
    "node that is its own child": (put("first_child", 0, 0), "'first_child' is out of range"),
    "cycle": (put("first_child", 4, 1), "'first_child' is out of range"),
    "two parents": (put("first_child", 2, 3), ONE_PARENT),
    "node without a parent": (put("first_child", 4, 8), ONE_PARENT),
    "leaf with children": (put("n_children", 3, 2), "a leaf must have no children"),
    "leaf with a first child": (put("first_child", 3, 1), "'first_child' of a leaf must be 0"),
    "unknown kind": (put("kind", 0, 4), "'kind' must be 0, 1, 2 or 3"),
    "negative kind": (put("kind", 0, -1), "'kind' must be 0, 1, 2 or 3"),
    "NaN weight": (put("weight", 0, nan), "'weight' holds a number that is not finite"),
    "infinite weight": (put("weight", 3, inf), "'weight' holds a number that is not finite"),
    "NaN threshold": (put("threshold", 0, nan), "'threshold' holds a number that is not finite"),
    "NaN value": (put("value", (3, 0), nan), "'value' holds a number that is not finite"),
    "NaN mass": (put("mass", 0, nan), "'mass' holds a number that is not finite"),
    "NaN impurity": (put("impurity", 0, nan), "'impurity' holds NaN"),
    "negative impurity": (put("impurity", 0, -1.0), "'impurity' holds a negative number"),
    "negative mass": (put("mass", 3, -1.0), "'mass' holds a negative number"),
    "negative samples": (put("n_samples", 0, -1), "'n_samples' holds a negative number"),
    "feature out of range": (put("feature", 0, 3), "'feature' must be below 3"),
    "negative feature": (put("feature", 0, -1), "'feature' must be below 3"),
    "starts that fall": (put("feature_start", 1, 5), "'feature_start' must not fall"),
    "starts that begin late": (put("weight_start", 0, 1), "'weight_start' must run from 0 to 15"),
    "starts beyond the end": (put("weight_start", -1, 10**12), "'weight_start' must run from 0 to 15"),
    "weights moved to a leaf": (put("weight_start", 4, 15), "a leaf must test nothing"),
    "a weight too few": (put("weight_start", 1, 1), "a hyperplane must have a weight for each feature"),
    "feature moved to a leaf": (put("feature_start", 4, 6), "a leaf must test nothing"),
    "inner node that tests nothing": (put("feature_start", [3, 4], 6), "an inner node must test a feature"),
    "hyperplane of three children": (put("kind", 2, 1), "a hyperplane must have two children"),
    "machine of too few weights": (
        put("kind", 0, 2),
        r"a linear machine must have children x \(features \+ 1\) weights",
    ),
    "table of two features": (put("kind", 0, 3), "a category table must test one feature"),
    "table that names a missing child": (put("weight", 12, 3.0), MISSING.format(3)),
    "table that names a negative child": (put("weight", 12, -1.0), MISSING.format(-1)),
    "table that names half a child": (put("weight", 12, 0.5), MISSING.format(0.5)),
    "table whose default is missing": (put("threshold", 2, 3.0), MISSING.format(3)),
    "short array": (replace("threshold", lambda a: a[:-1]), r"'threshold' must have 11 entries, found shape \(10,\)"),
    "long array": (
        replace("impurity", lambda a: np.append(a, 0.0)),
        r"'impurity' must have 11 entries, found shape \(12,\)",
    ),
    "short starts": (
        replace("feature_start", lambda a: a[:-1]),
        r"'feature_start' must have 12 entries, found shape \(11,\)",
    ),
    "value of too few rows": (replace("value", lambda a: a[:-1]), "'value' must have 11 rows"),
    "value without columns": (replace("value", lambda a: a[:, :0]), "'value' must have a column"),
    "flat value": (replace("value", lambda a: a[:, 0].copy()), "'value' must have 11 rows"),
    "weights in two dimensions": (
        replace("weight", lambda a: a.reshape(1, -1)),
        r"'weight' must have 15 entries, found shape \(1, 15\)",
    ),
    "no nodes": (replace("kind", lambda a: a[:0]), "a tree must have a node"),
    "kind in two dimensions": (
        replace("kind", lambda a: a.reshape(1, -1)),
        r"'kind' must have 11 entries, found shape \(1, 11\)",
    ),
    "other type": (
        replace("first_child", lambda a: a.astype(np.int32)),
        "array 'first_child' has type int32, expected int64",
    ),
    "other byte order": (replace("weight", lambda a: a.astype(">f8")), "array 'weight' has type >f8, expected float64"),
    "objects": (replace("value", lambda a: a.astype(object)), "array 'value' has type object, expected float64"),
    "missing array": (lambda given: given.pop("mass"), "array 'mass' is missing"),
    "root without mass": (put("mass", 0, 0.0), "the root must have mass"),
    "children without mass": (put("mass", [3, 4, 5], 0.0), CHILDREN),
    "mass that overflows": (put("mass", [3, 4, 5], 1e308), CHILDREN),
}


@pytest.mark.parametrize(("change", "message"), HOSTILE.values(), ids=HOSTILE)
def test_arrays_that_are_no_tree_are_refused(change, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
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


BROKEN_NETWORKS = {
    "kind": (np.zeros(4, dtype=np.int8), "'kind' must be 1, 2 or 3"),
    "kind, too high": (np.full(4, 4, dtype=np.int8), "'kind' must be 1, 2 or 3"),
    "n_children": (np.array([2, 1, 3, 2]), "a split must have two sides or more"),
    "split": (np.full(16, 9), "'split' must be below 4"),
    "split, just too high": (np.full(16, 4), "'split' must be below 4"),
    "split, negative": (np.full(16, -1), "'split' must be below 4"),
    "split, in two dimensions": (np.zeros((4, 4), dtype=np.int64), r"'split' must have 16 entries, found .*"),
    "side": (np.full(16, 3), "'side' names a side that its split does not have"),
    "side, negative": (np.full(16, -1), "'side' names a side that its split does not have"),
    "side, in two dimensions": (np.zeros((4, 4), dtype=np.int64), r"'side' must have 16 entries, found .*"),
    "region_start": (np.array([0, 2, 1, 7, 9, 11, 13, 16]), "'region_start' must not fall"),
    "region_start, late": (np.array([1, 2, 4, 7, 9, 11, 13, 16]), "'region_start' must run from 0 to 16"),
    "region_start, short": (np.array([0, 2, 4, 7, 9, 11, 13, 15]), "'region_start' must run from 0 to 16"),
    "threshold": (np.full(4, np.nan), "'threshold' holds a number that is not finite"),
    "mass": (-np.ones(7), "'mass' holds a negative number"),
    "value": (np.zeros((3, 2)), "'value' must have 7 rows"),
    "feature": (np.full(6, 3), "'feature' must be below 3"),
    "curve": (np.ones(1), "'curve_start' must run from 0 to 1"),
    "curve, not finite": (np.array([np.inf]), "'curve' holds a number that is not finite"),
    "curve, in two dimensions": (np.ones((1, 1)), r"'curve' must have 1 entries, found shape \(1, 1\)"),
    "curve_start": (np.array([0, 5]), "'curve_start' must run from 0 to 0"),
    "curve_start, empty": (np.array([], dtype=np.int64), r"'curve_start' must have 1 entries, found shape \(0,\)"),
    "region_start, empty": (np.array([], dtype=np.int64), "a network must have a region"),
}


@pytest.mark.parametrize("name", BROKEN_NETWORKS)
def test_a_broken_array_of_a_network_is_named_before_anything_is_walked(name):
    arrays = RuleNetwork.of(mixed_tree()).arrays()
    array, message = BROKEN_NETWORKS[name]
    name, _, empty = name.partition(", ")
    assert arrays[name].size == array.size or empty == "empty" or name in ("value", "curve", "curve_start")
    with pytest.raises(ValueError, match=f"^{message}$"):
        RuleNetwork.from_arrays({**arrays, name: array}, 3)


def test_the_numbers_of_features_and_hyperplanes_reach_to_their_bounds():
    arrays = mixed_tree().arrays()
    Tree.from_arrays(arrays, 2**31 - 1, 2**63 - 1)
    assert Tree.from_arrays(arrays, np.int64(3), np.int8(1)).n_hyperplanes == 1
    with pytest.raises(ValueError, match=r"^'n_hyperplanes' must be an int from 0 to 9223372036854775807, found -1$"):
        Tree.from_arrays(arrays, 3, -1)


def test_a_table_may_have_a_child_for_each_category_and_one_for_all_others():
    table = tree_of([CategoryTable(0, [0, 1], default=2), *[None] * 3], [1, 0, 0, 0], np.ones((4, 2)), 1)
    assert Tree.from_arrays(table.arrays(), 1).n_children[0] == 3


@pytest.mark.parametrize("kind", [Tree, RuleNetwork])
def test_weights_of_rows_may_be_small_and_some_places_without_any(kind):
    arrays = (mixed_tree() if kind is Tree else RuleNetwork.of(mixed_tree())).arrays()
    mass = arrays["mass"] * 1e-6
    mass[3] = 0.0
    assert kind.from_arrays({**arrays, "mass": mass}, 3).mass[3] == 0


def test_a_network_may_have_one_region():
    one = RuleNetwork.of(mixed_tree().collapse(np.array([0])))
    assert RuleNetwork.from_arrays(one.arrays(), 3) == dataclasses.replace(one, n_hyperplanes=0)


def test_a_machine_of_so_many_sides_that_its_size_wraps_is_refused():
    arrays = RuleNetwork.of(mixed_tree()).arrays()
    tests = {"feature": np.array([0, 1, 2]), "feature_start": np.array([0, 3]), "threshold": np.zeros(1)}
    machine = {"kind": np.array([2], dtype=np.int8), "weight": np.zeros(8), "weight_start": np.array([0, 8])}
    regions = {"split": np.zeros(16, dtype=np.int64), "side": np.zeros(16, dtype=np.int64)}
    given = {**arrays, **tests, **machine, **regions}
    RuleNetwork.from_arrays({**given, "n_children": np.array([2])}, 3)
    with pytest.raises(ValueError, match=r"^a linear machine must have children x \(features \+ 1\) weights$"):
        RuleNetwork.from_arrays({**given, "n_children": np.array([2**62 + 2])}, 3)


def test_a_machine_of_two_children_needs_more_than_the_weights_of_one():
    machine = tree_of([LinearMachine([0], np.ones((2, 2))), None, None], [1, 0, 0], np.ones((3, 2)), 1)
    few = {"weight": np.ones(2), "weight_start": np.array([0, 2, 2, 2])}
    with pytest.raises(ValueError, match=r"^a linear machine must have children x \(features \+ 1\) weights$"):
        Tree.from_arrays({**machine.arrays(), **few}, 1)


def test_the_side_after_the_last_one_of_a_split_is_refused():
    arrays = RuleNetwork.of(mixed_tree()).arrays()
    for place, split in enumerate(arrays["split"].tolist()):
        side = arrays["side"].copy()
        side[place] = arrays["n_children"][split]
        with pytest.raises(ValueError, match=r"^'side' names a side that its split does not have$"):
            RuleNetwork.from_arrays({**arrays, "side": side}, 3)


@pytest.mark.parametrize("n_children", [2**32 - 1, 2**63 - 1, 5])
def test_a_table_of_more_children_than_it_can_name_is_refused(n_children):
    arrays = RuleNetwork.of(mixed_tree()).arrays()
    table = np.flatnonzero(arrays["kind"] == 3)
    change = np.where(np.arange(arrays["kind"].size) == table, n_children, arrays["n_children"])
    with pytest.raises(ValueError, match=r"^a category table must have at most one child more than it has categories$"):
        RuleNetwork.from_arrays({**arrays, "n_children": change}, 3)


@pytest.mark.parametrize("mass", [0.0, 1e308])
def test_a_network_without_mass_is_refused(mass):
    arrays = RuleNetwork.of(mixed_tree()).arrays()
    with pytest.raises(ValueError, match=r"^the regions of a network must have mass, and a finite sum of it$"):
        RuleNetwork.from_arrays({**arrays, "mass": np.full(7, mass)}, 3)


def test_missing_and_mistyped_arrays_of_a_network_are_named():
    arrays = RuleNetwork.of(mixed_tree()).arrays()
    with pytest.raises(ValueError, match="'side' is missing"):
        RuleNetwork.from_arrays({name: a for name, a in arrays.items() if name != "side"}, 3)
    with pytest.raises(ValueError, match="'mass' has type float32"):
        RuleNetwork.from_arrays({**arrays, "mass": arrays["mass"].astype(np.float32)}, 3)
