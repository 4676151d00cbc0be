import numpy as np
import pytest

from askew.ensemble.bins import Bins, bin_edges


def test_few_values_have_a_bin_each():
    assert bin_edges(np.array([3.0, 1.0, 1.0, 2.0]), np.ones(4), 255).tolist() == [1.5, 2.5]


def test_a_constant_column_has_no_edge():
    assert bin_edges(np.full(5, 7.0), np.ones(5), 255).size == 0


def test_many_values_share_bins_of_about_equal_weight():
    column = np.random.default_rng(0).normal(size=2000)
    codes = Bins.of(column[:, None], np.ones(2000), 10).codes[0]
    assert np.bincount(codes) == pytest.approx(200, abs=3)


def test_a_weight_of_two_is_two_rows():
    column, weight = np.arange(100.0), np.random.default_rng(0).integers(1, 4, 100)
    assert (bin_edges(column, weight * 1.0, 9) == bin_edges(np.repeat(column, weight), np.ones(weight.sum()), 9)).all()


def test_a_code_says_on_which_side_of_an_edge_a_value_is():
    X = np.random.default_rng(0).normal(size=(300, 2))
    bins = Bins.of(X, np.ones(300), 16)
    for j, edges in enumerate(bins.edges):
        for b, edge in enumerate(edges):
            assert ((bins.codes[j] <= b) == (X[:, j] <= edge)).all()


def test_neighbouring_doubles_have_different_bins():
    near = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert Bins.of(near[:, None], np.ones(2), 255).codes.tolist() == [[0, 1]]
