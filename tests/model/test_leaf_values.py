import numpy as np
import pytest
from handmade import mixed_tree

from askew.model.leaf_values import Constant, class_shares
from askew.model.tree import Tree

VALUE = np.array([[3.0, 1.0], [0.0, 2.0], [2.0, 2.0]])


@pytest.mark.parametrize("n_rows", [2, 40])
def test_a_constant_predicts_the_value_of_the_place_whether_rows_or_places_are_fewer(n_rows):
    place = np.resize([2, 1, 0], n_rows)
    rows = np.zeros((n_rows, 5))
    payload = Constant(VALUE)
    assert np.array_equal(payload.outputs(place, rows), VALUE[place])
    assert payload.labels(place, rows).tolist() == np.resize([0, 1, 0], n_rows).tolist()  # of equals, the first


def test_some_places_are_taken_in_the_order_given():
    assert np.array_equal(Constant(VALUE).take(np.array([2, 0])).value, VALUE[[2, 0]])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ones((2, 2)), "must have 3 rows"),
        (np.ones(3), "must have 3 rows"),
        (np.ones((3, 0)), "must have a column"),
        (np.full((3, 1), np.nan), "not finite"),
    ],
)
def test_a_payload_that_does_not_fit_its_places_is_refused(value, message):
    with pytest.raises(ValueError, match=message):
        Constant(value).check(3, n_features=2)


def test_shares_of_classes_sum_to_one():
    assert class_shares(VALUE).sum(axis=1).tolist() == [1, 1, 1]


def test_a_tree_predicts_by_the_payload_of_the_leaf_that_a_row_ends_in():
    tree = mixed_tree()
    X = np.random.default_rng(0).integers(-1, 3, (50, 3)).astype(float)
    leaf = tree.apply(X)
    assert np.array_equal(tree.outputs(X), tree.value[leaf])
    assert np.array_equal(tree.labels(X), tree.value[leaf].argmax(axis=1))
    assert np.array_equal(tree.predict(X), tree.labels(X))


def test_a_tree_with_one_output_predicts_numbers():
    tree = mixed_tree()
    number = Tree.from_arrays({**tree.arrays(), "value": np.arange(11.0)[:, None]}, 3)
    X = np.random.default_rng(0).integers(-1, 3, (50, 3)).astype(float)
    assert np.array_equal(number.predict(X), tree.apply(X).astype(float))


def test_rows_with_missing_values_get_the_shares_of_all_leaves_that_they_reach():
    tree = mixed_tree()
    X = np.array([[0.0, 0.0, np.nan], [np.nan, 1.0, 2.0]])
    row, leaf, part = tree.spread(X)
    expected = np.zeros((2, 2))
    for i, at, share in zip(row, leaf, part, strict=True):
        expected[i] += share * tree.value[at] / tree.value[at].sum()
    np.testing.assert_allclose(tree.outputs(X, incomplete=True), expected)
    assert tree.labels(X, incomplete=True).tolist() == expected.argmax(axis=1).tolist()
