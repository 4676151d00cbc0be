import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import make_table, tables


@given(table=tables())
def test_equal_rows_draw_equal_lots_in_any_order(table):
    order = np.random.default_rng(0).permutation(table.n_rows)
    np.testing.assert_array_equal(table.take(order).row_hash(5), table.row_hash(5)[order])
    twice = table.take(np.repeat(np.arange(table.n_rows), 2))
    np.testing.assert_array_equal(twice.row_hash(5), np.repeat(table.row_hash(5), 2))


def test_lots_are_spread_evenly_and_depend_on_the_seed():
    table = make_table(np.arange(2000).reshape(-1, 2), np.zeros(1000), n_classes=2)
    hashes = table.row_hash(1)
    assert ((hashes >= 0) & (hashes < 1)).all()
    counts, _ = np.histogram(hashes, bins=10, range=(0, 1))
    assert counts.min() > 60
    assert counts.max() < 140
    assert not np.array_equal(hashes, table.row_hash(2))


def test_lots_depend_on_the_label_and_on_every_feature():
    first = make_table([[1.0, 2.0]], [0], n_classes=2).row_hash(0)
    assert make_table([[1.0, 2.0]], [1], n_classes=2).row_hash(0) != first
    assert make_table([[1.0, 3.0]], [0], n_classes=2).row_hash(0) != first
    assert make_table([[2.0, 1.0]], [0], n_classes=2).row_hash(0) != first


def test_minus_zero_draws_as_zero():
    assert make_table([[-0.0]], [0], n_classes=2).row_hash(0) == make_table([[0.0]], [0], n_classes=2).row_hash(0)


@given(table=tables(), repeats=st.integers(2, 4))
def test_equal_rows_have_one_place_in_any_order_and_number(table, repeats):
    places = table.positions(5)
    assert ((places > 0) & (places < 1)).all()
    order = np.random.default_rng(0).permutation(table.n_rows)
    np.testing.assert_array_equal(table.take(order).positions(5), places[order])
    repeated = table.take(np.repeat(np.arange(table.n_rows), repeats))
    np.testing.assert_allclose(repeated.positions(5), np.repeat(places, repeats), rtol=1e-12)


def test_the_first_places_hold_their_share_of_every_class():
    y = np.repeat([0, 1, 2], [700, 200, 100])
    table = make_table(np.arange(1000).reshape(-1, 1), y, n_classes=3)
    assert np.bincount(y[table.positions(1) < 0.1]).tolist() == [70, 20, 10]
    hashes = table.row_hash(1)
    assert hashes[(table.positions(1) < 0.1) & (y == 0)].max() == np.sort(hashes[y == 0])[69]
    assert (table.positions(1, by_class=False) < 0.1).sum() == 100
    numbers = make_table(np.arange(1000).reshape(-1, 1), y + 0.5)
    assert (numbers.positions(1) < 0.1).sum() == 100


def test_folds_have_equal_shares_of_every_class():
    y = np.repeat([0, 1], [800, 200])
    table = make_table(np.arange(1000).reshape(-1, 1), y, n_classes=2)
    assert [np.bincount(y[table.folds(1, 4) == fold]).tolist() for fold in range(4)] == [[200, 50]] * 4
    assert np.bincount(table.folds(1, 4, by_class=False)).tolist() == [250] * 4


def test_a_row_that_is_most_of_its_class_is_not_held_out():
    table = make_table([[0.0], [1.0], [2.0]], [0, 0, 1], n_classes=2, weight=np.array([1.0, 20.0, 5.0]))
    assert not (table.positions(3) < 0.1)[1:].any()


@pytest.mark.parametrize("n_classes", [0, 3])
def test_rows_are_taken_with_all_that_belongs_to_them(n_classes):
    table = make_table(np.arange(10).reshape(5, 2), [0, 1, 2, 0, 1], [1, 2, 3, 4, 5], [1, 1, 2, 2, 3], n_classes)
    part = table.take(np.array([3, 1]))
    np.testing.assert_array_equal(part.X, [[6, 7], [2, 3]])
    np.testing.assert_array_equal(part.y, [0, 1])
    np.testing.assert_array_equal(part.weight, [4, 2])
    np.testing.assert_array_equal(part.multiplicity, [2, 1])
    assert part.classification == (n_classes > 0)
    assert part.n_counts == 3


def test_missing_values_are_equal_to_each_other_in_the_row_hash():
    odd = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    hashes = make_table([[1.0, np.nan], [1.0, odd], [1.0, 2.0]], [0, 0, 0]).row_hash(3)
    assert hashes[0] == hashes[1] != hashes[2]


def test_rows_that_differ_are_counted_once_each():
    table = make_table([[0.0], [-0.0], [1.0], [1.0], [1.0]], [0, 0, 0, 1, 1])
    assert table.n_distinct == 3


def test_the_extent_of_the_columns_is_looked_up_once():
    table = make_table([[1.0, 7.0], [3.0, 5.0]], [0, 1], n_classes=2)
    assert [bound.tolist() for bound in table.extent] == [[1.0, 5.0], [3.0, 7.0]]
    assert table.extent is table.extent


def test_a_table_that_was_used_can_be_sent_to_another_process():
    table = make_table(np.arange(6.0).reshape(3, 2), [0, 1, 1], n_classes=2)
    assert table.target is table.target  # worked out once
    back = pickle.loads(pickle.dumps(table))
    np.testing.assert_array_equal(back.X, table.X)
    assert back.n_classes == 2
    assert "target" not in vars(back)
