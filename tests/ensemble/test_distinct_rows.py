import numpy as np

from askew.data.table import Table
from askew.ensemble.distinct_rows import DistinctRows


def rows_of(X, y, weight):
    return DistinctRows.of(Table(np.array(X, dtype=float), np.array(y), np.array(weight), np.ones(len(y)), 0, ("a",)))


def test_rows_that_differ_in_y_alone_stay_apart():
    rows = rows_of([[1], [1], [1]], [0.0, 0.0, 1.0], [1.0, 2.0, 4.0])
    assert sorted(rows.table.weight.tolist()) == [3.0, 4.0]
    assert sorted(rows.table.multiplicity.tolist()) == [1.0, 2.0]


def test_each_row_is_found_at_its_place():
    X = np.random.default_rng(0).integers(0, 5, (50, 1)).astype(float)
    rows = rows_of(X, np.zeros(50), np.ones(50))
    assert rows.table.n_rows == 5
    assert (rows.table.X[rows.index] == X).all()


def test_the_order_of_the_rows_does_not_matter():
    X = np.random.default_rng(0).normal(size=(50, 1))
    order = np.random.default_rng(1).permutation(50)
    one, other = rows_of(X, np.zeros(50), np.ones(50)), rows_of(X[order], np.zeros(50), np.ones(50))
    assert (one.table.X == other.table.X).all()
    assert (one.key == other.key).all()
