import numpy as np
import pytest

from askew import InvalidParameterError
from askew.datasets import make_ls10, make_pol, make_rcb
from askew.datasets.synthetic import POL_CUTS, rotated

GENERATORS = {"ls10": (make_ls10, 10, 2), "pol": (make_pol, 2, 2), "rcb": (make_rcb, 2, 8)}
every = pytest.mark.parametrize(("make", "d", "k"), GENERATORS.values(), ids=GENERATORS)


@every
def test_points_fill_the_unit_cube_and_classes_count_from_one(make, d, k):
    X, y = make(random_state=0)
    assert X.shape == (2000, d)
    assert 0 <= X.min() < 0.01
    assert 0.99 < X.max() <= 1
    assert np.unique(y).tolist() == list(range(1, k + 1))


@every
def test_the_seed_decides_the_data(make, d, k):
    first, again, other = make(n=50, random_state=3), make(n=50, random_state=3), make(n=50, random_state=4)
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])


@every
def test_noise_replaces_its_share_of_the_labels_and_leaves_the_points(make, d, k):
    X, y = make(n=1000, random_state=1)
    same, noisy = make(n=1000, noise=0.2, random_state=1)
    assert np.array_equal(X, same)
    assert (noisy != y).sum() == 200
    assert set(np.unique(noisy)) == set(np.unique(y))


def test_noise_of_one_replaces_every_label():
    _, y = make_rcb(n=300, random_state=1)
    _, noisy = make_rcb(n=300, noise=1.0, random_state=1)
    assert (noisy != y).all()


def test_ls10_is_separated_by_the_two_sums():
    X, y = make_ls10(random_state=5)
    assert np.array_equal(y == 1, X[:, :5].sum(axis=1) < X[:, 5:].sum(axis=1))


def test_pol_has_five_strips_of_alternating_class():
    X, y = make_pol(random_state=5)
    u, _ = rotated(X)
    strips = np.digitize(u, POL_CUTS)
    assert [np.unique(y[strips == s]).tolist() for s in range(5)] == [[1], [2], [1], [2], [1]]


def test_pol_has_the_class_shares_of_figure_9():
    _, y = make_pol(n=100_000, random_state=0)
    assert abs((y == 1).mean() - 0.47) < 0.03


def test_rcb_has_the_class_shares_and_heights_of_figure_9():
    X, y = make_rcb(n=100_000, random_state=0)
    shares = [(y == k).mean() for k in range(1, 9)]
    assert np.abs(np.subtract(shares, [0.09, 0.17, 0.065, 0.17, 0.155, 0.09, 0.145, 0.115])).max() < 0.03
    depths = [1 - X[y == k, 1].mean() for k in range(1, 9)]
    assert np.abs(np.subtract(depths, [0.29, 0.61, 0.08, 0.20, 0.80, 0.89, 0.31, 0.63])).max() < 0.08


def test_the_root_of_rcb_parts_the_classes_in_halves():
    X, y = make_rcb(random_state=0)
    assert np.array_equal(y <= 4, X[:, 1] > X[:, 0])


@pytest.mark.parametrize("bad", [{"n": 0}, {"n": 2.5}, {"noise": -0.1}, {"noise": 1.1}])
@every
def test_parameters_out_of_range_are_refused(make, d, k, bad):
    with pytest.raises(InvalidParameterError, match=f"'{next(iter(bad))}' parameter must be"):
        make(**bad)
