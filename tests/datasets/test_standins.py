import numpy as np
import pytest

from askew import InvalidParameterError
from askew.datasets import make_apdt1_standin, make_apdt2_standin, make_apdt3_standin

MAKERS = {"problem 1": make_apdt1_standin, "problem 2": make_apdt2_standin, "problem 3": make_apdt3_standin}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)

# A point of each region, and its class.
PLACES = {
    "problem 1": [((0.5, 0.7), 1), ((0.5, 0.2), 0), ((0.1, 0.7), 0), ((0.9, 0.7), 0)],
    "problem 2": [
        ((0.4, 0.9), 1),
        ((0.1, 0.5), 0),
        ((0.5, 0.5), 0),
        ((0.6, 0.3), 1),
        ((0.9, 0.5), 0),
        ((0.5, 0.05), 0),
    ],
    "problem 3": [((0.25, 0.7), 0), ((0.25, 0.9), 1), ((0.75, 0.3), 1), ((0.75, 0.1), 0)],
}


@every
def test_points_fill_the_unit_square_and_classes_are_0_and_1(make):
    X, y = make(random_state=0)
    assert X.shape == (1000, 2)
    assert 0 <= X.min() < 0.01
    assert 0.99 < X.max() <= 1
    assert np.unique(y).tolist() == [0, 1]


@pytest.mark.parametrize("name", MAKERS)
def test_every_region_has_its_class(name):
    X, y = MAKERS[name](n=20_000, random_state=1)
    for place, label in PLACES[name]:
        near = np.abs(X - place).max(axis=1) < 0.04
        assert near.any()
        assert (y[near] == label).all()


@every
def test_noise_turns_its_share_of_the_labels_and_leaves_the_points(make):
    X, y = make(random_state=1)
    same, noisy = make(noise=0.15, random_state=1)
    assert np.array_equal(X, same)
    assert (noisy != y).sum() == 150
    assert np.unique(noisy).tolist() == [0, 1]


@pytest.mark.parametrize("bad", [{"n": 0}, {"noise": 1.1}])
@every
def test_parameters_out_of_range_are_refused(make, bad):
    with pytest.raises(InvalidParameterError, match=f"'{next(iter(bad))}' parameter must be"):
        make(**bad)
