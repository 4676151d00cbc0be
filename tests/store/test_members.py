"""The trees of a vote in a model file."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from askew import CARTClassifier, CARTRegressor, KDTClassifier
from askew.store.estimators import pack_estimator, pack_members, unpack_estimator, unpack_members

X, Y = load_iris(return_X_y=True)
TREE = CARTClassifier(max_depth=2).fit(X, Y)
NAMED = CARTClassifier(max_depth=2).fit(pd.DataFrame(X, columns=list("abcd")), Y)


def through_members(*trees):
    described, arrays, _ = pack_members(trees)
    return unpack_members(arrays, described)


def test_each_tree_gets_its_own_arrays():
    other = CARTClassifier(max_depth=1).fit(X, Y)
    described, arrays, left_out = pack_members([TREE, other, TREE])
    assert len(described) == 3
    assert left_out == []
    again = unpack_members(arrays, described)
    assert [one.tree_ for one in again] == [TREE.tree_, other.tree_, TREE.tree_]


def test_more_than_ten_trees_keep_their_order():
    trees = [CARTClassifier(max_depth=1 + i % 3).fit(X, Y) for i in range(11)]
    described, arrays, _ = pack_members(trees)
    assert [one.max_depth for one in unpack_members(arrays, described)] == [one.max_depth for one in trees]


def test_a_vote_comes_back_with_its_trees():
    vote = KDTClassifier(estimator=CARTClassifier(max_depth=2), n_estimators=2, random_state=0).fit(X, Y)
    document, arrays, left_out = pack_estimator(vote)
    assert (sorted(document), left_out) == (["estimator", "members", "parameters"], [])
    again = unpack_estimator(arrays, document)
    assert type(again) is KDTClassifier
    assert [one.tree_ for one in again.estimators_] == [one.tree_ for one in vote.estimators_]
    np.testing.assert_array_equal(again.predict_proba(X), vote.predict_proba(X))
    for key in document:
        with pytest.raises(ValueError, match=r"^description: expected the keys \['classes', .*\], found {.*"):
            unpack_estimator(arrays, {name: value for name, value in document.items() if name != key})


def test_what_several_trees_cannot_store_is_named_once():
    vote = KDTClassifier(estimator=CARTClassifier(max_depth=1), n_estimators=2, random_state=0).fit(X, Y)
    for tree in vote.estimators_:
        tree.random_state = np.random.RandomState(0)
    assert pack_estimator(vote)[2] == ["random_state"]


@pytest.mark.parametrize(
    ("described", "found"), [([], "list"), (7, "int"), (None, "NoneType"), ({"0": {}}, "dict"), ("text", "str")]
)
def test_what_is_no_list_of_trees_is_refused(described, found):
    with pytest.raises(ValueError, match=f"^members: expected descriptions of trees, found {found}$"):
        unpack_members({}, described)


@pytest.mark.parametrize("name", ["2.tree.kind", "-1.tree.kind", "01.tree.kind", "tree.kind", "x.0.tree", "kind"])
def test_an_array_of_no_tree_is_refused(name):
    with pytest.raises(ValueError, match=f"^arrays: expected those of 2 trees, found '{name}'$"):
        unpack_members({"0.a": np.zeros(1), name: np.zeros(1)}, [{}, {}])


def test_trees_that_do_not_fit_the_first_are_refused():
    others = CARTClassifier(max_depth=2).fit(X, np.array(["a", "b", "c"])[Y])
    fewer = CARTClassifier(max_depth=2).fit(X[:, :2], Y)
    for other, message in (
        (others, r"tree 1: classes: expected \[0 1 2\], as the first tree has, found \['a' 'b' 'c'\]"),
        (fewer, "tree 1: n_features_in: expected 4, as the first tree has, found 2"),
        (NAMED, r"tree 1: feature_names_in: expected None, as the first tree has, found \['a' 'b' 'c' 'd'\]"),
        (CARTRegressor().fit(X, Y), "tree 1: estimator: expected a classifier, found CARTRegressor"),
    ):
        with pytest.raises(ValueError, match=f"^{message}$"):
            through_members(TREE, other)
    assert [one.tree_ for one in through_members(NAMED, NAMED)] == [NAMED.tree_, NAMED.tree_]
    with pytest.raises(ValueError, match=r"^tree 0: estimator: expected a classifier, found CARTRegressor$"):
        through_members(CARTRegressor().fit(X, Y), TREE)


def test_a_tree_that_cannot_be_read_is_numbered():
    described, arrays, _ = pack_members([TREE, TREE])
    with pytest.raises(ValueError, match=r"^tree 1: tree: array 'mass' is missing$"):
        unpack_members({name: a for name, a in arrays.items() if name != "1.tree.mass"}, described)
