"""What is counted on workers, without a cluster."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.dask.batched_queries import BatchedQueries
from askew.dask.exact_sums import Grid, as_float, exact_sum, rounded_weights, weight_unit
from askew.dask.partition import FeatureBins, NodePath, Partition
from askew.dask.quantiles import OrderStatistic, find, make_bins
from askew.dask.queries import Extents, Histogram, Sides, Totals, merged
from askew.data.ordered_floats import key, keys, value
from askew.data.table import Table
from askew.model.split import Hyperplane

numbers = st.lists(st.floats(-1e300, 1e300, allow_nan=False), min_size=1, max_size=30)


@given(numbers)
def test_a_sum_is_exact(given_numbers):
    expected = sum(map(Fraction, given_numbers))
    assert Fraction(exact_sum(np.array(given_numbers)), 2**1126) == expected
    assert as_float(exact_sum(np.array(given_numbers))) == float(expected)


@given(numbers)
def test_keys_have_the_order_of_their_values(given_numbers):
    array = np.array(given_numbers) + 0.0
    np.testing.assert_array_equal(np.argsort(keys(array), kind="stable"), np.argsort(array, kind="stable"))
    assert [value(key(one)) for one in array.tolist()] == array.tolist()


@pytest.mark.parametrize("n", [10, 10**6])
def test_sums_of_weights_are_exact_in_any_order(n):
    weights = np.random.default_rng(0).uniform(0.001, 3.0, n)
    rounded = rounded_weights(weights, weight_unit(3.0, n, False))
    assert rounded.sum() == rounded[::-1].sum() == rounded.reshape(10, -1).sum(axis=0).sum()
    np.testing.assert_allclose(rounded, weights, atol=3.0 * 2.0**-30)


def parts_of(X, y, n_classes, multiplicity=None, pieces=3, bins=None):
    one = np.ones(len(y)) if multiplicity is None else multiplicity
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    cut = np.array_split(np.arange(len(y)), pieces)
    return [Partition(Table(X[i], y[i], one[i], one[i], n_classes, names), 1.0, bins) for i in cut]


def asks(parts):
    return lambda query: merged([query], [[query.answer(part)] for part in parts])[0]


@pytest.mark.parametrize("decimals", [0, 1, 15])
def test_order_statistics_are_exact(decimals):
    rng = np.random.default_rng(decimals)
    X, samples = np.round(rng.normal(size=(3000, 2)) * 5, decimals), rng.integers(1, 3, 3000).astype(float)
    ask = asks(parts_of(X, np.zeros(3000, dtype=np.int32), 1, samples))
    low, high = ask(Extents(NodePath()))
    ranks = [0.0, 7.0, 2000.0, samples.sum() - 1]
    wanted = [OrderStatistic(j, rank, key(float(low[j])), key(float(high[j]))) for j in range(2) for rank in ranks]
    find(wanted, NodePath(), ask)
    for one in wanted:
        assert one.value == np.sort(np.repeat(X[:, one.column], samples.astype(int)))[int(one.rank)]


def test_bins_do_not_depend_on_the_partitioning():
    X = np.random.default_rng(0).normal(size=(5000, 3))
    X[:, 1] = np.round(X[:, 1])
    y = np.zeros(5000, dtype=np.int32)
    order = np.random.default_rng(1).permutation(5000)
    one, other = (
        make_bins(asks(parts_of(X[o], y, 1, pieces=p)), 3, 5000, 64, 1000) for o, p in [(order, 2), (order[::-1], 7)]
    )
    assert one.exact.tolist() == [False, True, False]
    for a, b in zip(one.edges, other.edges, strict=True):
        np.testing.assert_array_equal(a, b)
    assert [edges.size for edges in one.edges] == [63, np.unique(X[:, 1]).size - 1, 63]


@pytest.mark.parametrize("n_classes", [3, 0])
def test_a_histogram_has_the_counts_of_its_bins(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = rng.integers(0, 3, 200).astype(np.int32) if n_classes else rng.integers(0, 9, 200).astype(float)
    bins = FeatureBins((np.array([-0.5, 0.5]), np.array([0.0])), np.zeros(2, dtype=bool))
    parts = parts_of(X, y, n_classes, bins=bins)
    (counts,) = asks(parts)(Histogram(NodePath(), Grid()))
    sums = np.eye(3)[y] if n_classes else np.column_stack([np.ones(200), y, y**2])
    rows = sums if n_classes else np.ones(200)
    each = np.column_stack([sums, rows, np.ones(200)])  # weights or moments, rows (by class), samples
    codes = [np.searchsorted(edges, X[:, j]) for j, edges in enumerate(bins.edges)]
    expected = [[each[code == b].sum(axis=0) for b in range(code.max() + 1)] for code in codes]
    np.testing.assert_array_equal(counts, np.concatenate(expected))


def test_rows_of_a_node_are_found_again_from_its_path():
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = (X[:, 0] > 0).astype(np.int32)
    parts = parts_of(X, y, 2)
    first, second = Hyperplane([0], [1.0], 0.0), Hyperplane([1], [1.0], 0.5)
    path = NodePath().child(first, 1).child(second, 0)
    counts = asks(parts)(Totals(path, (), (Grid(),)))[0]
    again = [Partition(part.table, 1.0) for part in parts]  # as after a worker was lost
    np.testing.assert_array_equal(counts, asks(again)(Totals(path, (), (Grid(),)))[0])
    assert counts[0, -1] == ((X[:, 0] > 0) & (X[:, 1] <= 0.5)).sum()
    (sides,) = asks(again)(Sides(path.parent, Grid(), (second,)))
    np.testing.assert_array_equal(sides, counts)


def test_searches_in_step_ask_together_and_an_error_ends_all():
    asked = []
    queries = BatchedQueries(lambda some: asked.append(len(some)) or [(np.array([query]),) for query in some])

    def search(item):
        return [int(queries.ask(item)[0][0]) for _ in range(item)]

    assert queries.run(search, [1, 3, 2]) == [[1], [3, 3, 3], [2, 2]]
    assert asked == [3, 2, 1]

    def broken(item):
        queries.ask(item)
        if item == 2:
            raise ZeroDivisionError
        return search(item)

    with pytest.raises(ZeroDivisionError):
        queries.run(broken, [1, 2, 3])
    assert queries.run(search, [2]) == [[2, 2]]
