import numpy as np
import pytest

from askew.data.table import Table
from askew.distillation import SoftLabels


def _table(n=60, d=3):
    random = np.random.default_rng(0)
    weight = random.integers(1, 4, n).astype(float)
    return Table(random.normal(size=(n, d)), np.zeros(n, dtype=np.int32), weight, weight, 1, ("a", "b", "c"))


def _shares(n=60, k=3):
    return np.random.default_rng(1).dirichlet(np.ones(k), n)


def test_each_row_keeps_its_weight_and_its_samples():
    table, shares = _table(), _shares()
    soft = SoftLabels.of(table, shares)
    for total in (soft.weight, soft.multiplicity):
        assert total.sum() == pytest.approx(table.weight.sum())
    assert np.bincount(soft.y, soft.weight) == pytest.approx(table.weight @ shares, rel=0.02)


def test_classes_with_next_to_no_share_are_left_out_and_the_others_raised():
    soft = SoftLabels.of(_table(1), np.array([[0.004, 0.498, 0.498]]))
    assert soft.y.tolist() == [1, 2]
    assert soft.weight[0] == soft.weight[1] == _table(1).weight[0] / 2


def test_a_row_with_as_many_classes_as_small_shares_keeps_all_of_them():
    soft = SoftLabels.of(_table(1), np.full((1, 500), 1 / 500))
    assert soft.n_rows == 500


def test_what_comes_of_one_row_is_held_out_together():
    table, shares = _table(), _shares()
    soft = SoftLabels.of(table, shares)
    for part in (soft, soft.take(np.arange(soft.n_rows) % 2 == 0)):
        places = part.places(7)
        _, row = np.unique(part.X, axis=0, return_inverse=True)
        assert all(np.unique(places[row == i]).size == 1 for i in np.unique(row))
    assert 0.35 < soft.weight[soft.places(7) < 0.5].sum() / soft.weight.sum() < 0.65
