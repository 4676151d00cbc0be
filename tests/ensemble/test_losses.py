import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize_scalar

from askew.ensemble.losses import BinaryLogLoss, MultinomialLogLoss, Poisson, Quantile, SquaredError

RNG = np.random.default_rng(0)
NUMBERS = RNG.uniform(0.5, 3, 12)
WEIGHT = RNG.uniform(0.5, 2, 12)
SMOOTH = [
    (SquaredError(), NUMBERS, 1),
    (Poisson(), NUMBERS, 1),
    (BinaryLogLoss(), (NUMBERS > 1.5) * 1.0, 1),
    (MultinomialLogLoss(3), np.arange(12) % 3 * 1.0, 3),
]


def names(value):
    return type(value).__name__ if not isinstance(value, np.ndarray | int) else ""


@pytest.mark.parametrize(("loss", "y", "k"), SMOOTH, ids=names)
def test_gradients_and_hessians_are_those_of_the_mean_loss(loss, y, k):
    raw = RNG.normal(size=(k, y.size))

    def total(flat):
        return loss.mean(y, flat.reshape(k, -1), WEIGHT) * WEIGHT.sum()

    def slope(flat):
        return loss.gradients(y, flat.reshape(k, -1), WEIGHT)[0].ravel()

    gradient, hessian = loss.gradients(y, raw, WEIGHT)
    np.testing.assert_allclose(gradient.ravel(), approx_fprime(raw.ravel(), total, 1e-7), atol=1e-5)
    step = 1e-6
    for i in range(raw.size):
        moved = raw.ravel().copy()
        moved[i] += step
        assert hessian.ravel()[i] == pytest.approx((slope(moved)[i] - gradient.ravel()[i]) / step, abs=1e-4)


@pytest.mark.parametrize(("loss", "y", "k"), SMOOTH, ids=names)
def test_no_constant_is_better_than_the_baseline(loss, y, k):
    raw = np.repeat(loss.baseline(y, WEIGHT)[:, None], y.size, axis=1)
    np.testing.assert_allclose(loss.gradients(y, raw, WEIGHT)[0].sum(axis=1), 0, atol=1e-9)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.8])
def test_the_value_of_a_leaf_minimises_the_pinball_loss(quantile):
    loss, leaf = Quantile(quantile), np.arange(12) % 2
    values = loss.leaf_values(leaf, NUMBERS, WEIGHT, 3)
    assert values[2] == 0
    for number in (0, 1):
        y, weight = NUMBERS[leaf == number], WEIGHT[leaf == number]

        def mean(v, y=y, weight=weight):
            return loss.mean(y, np.full((1, y.size), v), weight)

        best = minimize_scalar(mean, bounds=(0, 4), method="bounded", options={"xatol": 1e-9}).fun
        assert mean(values[number]) <= best + 1e-9


def test_a_weight_of_two_is_two_rows_of_a_quantile():
    y, weight = np.array([1.0, 2.0, 5.0]), np.array([2.0, 1.0, 1.0])
    once = Quantile(0.5).baseline(np.repeat(y, weight.astype(int)), np.ones(4))
    assert Quantile(0.5).baseline(y, weight) == once == 1.5


def test_probabilities_are_finite_far_from_zero():
    raw = np.array([[-800.0, 800.0]])
    assert BinaryLogLoss().inverse_link(raw).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    wide = np.array([[900.0, 0.0], [0.0, -900.0], [-900.0, 0.0]])
    np.testing.assert_allclose(MultinomialLogLoss(3).inverse_link(wide).sum(axis=0), 1)
