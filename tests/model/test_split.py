import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.model.split import CategoryTable, Hyperplane, LinearMachine

numbers = st.integers(-9, 9).map(float)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=9), st.tuples(numbers, numbers), numbers)
def test_a_hyperplane_sends_what_is_not_above_it_to_the_first_child(rows, weights, threshold):
    X = np.array(rows)
    route = Hyperplane([2, 0], weights, threshold).route(X)
    np.testing.assert_array_equal(route, (X[:, [2, 0]] @ np.array(weights) > threshold).astype(int))


def test_a_dense_hyperplane_leaves_zeros_out():
    split = Hyperplane.dense([0.0, 2.0, 0.0, -1.0], 0.5)
    np.testing.assert_array_equal(split.features, [1, 3])
    np.testing.assert_array_equal(split.weights, [2.0, -1.0])


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=9), st.lists(numbers, min_size=9, max_size=9))
def test_a_linear_machine_takes_the_largest_sum_and_the_first_of_equals(rows, weights):
    X, machine = np.array(rows), np.array(weights).reshape(3, 3)
    sums = X @ machine[:, :2].T + machine[:, 2]
    np.testing.assert_array_equal(LinearMachine([0, 1], machine).route(X), sums.argmax(axis=1))


@pytest.mark.parametrize(
    ("code", "child"), [(0, 1), (1, 0), (2, 2), (3, 2), (-1, 2), (0.5, 2), (1e300, 2), (float("nan"), 2)]
)
def test_a_category_table_sends_unknown_codes_to_the_default(code, child):
    split = CategoryTable(0, [1, 0], default=2)
    assert split.n_children == 3
    assert split.route(np.array([[code]])) == [child]


def test_some_rows_can_be_routed():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    rows = np.array([3, 0], dtype=np.uint32)
    np.testing.assert_array_equal(Hyperplane([0], [1.0], 1.5).route(X, rows), [1, 0])
