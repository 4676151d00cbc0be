"""Sums of y are rounded: what the order of rows, and weights in place of repetition, may change in regression."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew import CARTRegressor

# Two columns that divide the rows alike, whichever way the sums are rounded.
TIE = ([[-1.0, 0.8], [0.9, -2.0], [-1.3, 0.1]], [-0.3, 0.0, -0.9], [3, 2, 2])
CRITERIA = ["squared_error", "absolute_error"]
seeds = st.integers(0, 2**32 - 1)


def fit(X, y, weight=None, **params):
    return CARTRegressor(**params).fit(X, y, weight).tree_


def check_same_tests(a, b):
    """Equal tests at every node; the numbers that are sums of y agree up to rounding."""
    for name in ("kind", "feature", "weight", "threshold", "n_samples"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_allclose(a.value, b.value, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(a.impurity, b.impurity, rtol=1e-9, atol=1e-12)


def small_table(seed, digits):
    """Few distinct values, so that many cuts divide the rows alike; y has decimal digits, which binary sums round."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 25))
    return rng.integers(0, 4, (n, 3)).astype(float), rng.normal(size=n).round(digits), rng.integers(1, 4, n)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_of_two_columns_that_divide_the_rows_alike_the_first_is_tested(criterion):
    X, y, weight = (np.array(part) for part in TIE)
    weighted = fit(X, y, weight, criterion=criterion)
    check_same_tests(weighted, fit(np.repeat(X, weight, axis=0), np.repeat(y, weight), criterion=criterion))
    for order in ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]):
        check_same_tests(weighted, fit(X[order], y[order], weight[order], criterion=criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
@given(seed=seeds, digits=st.integers(1, 6))
def test_weights_and_repeated_rows_give_the_same_tests(criterion, seed, digits):
    X, y, weight = small_table(seed, digits)
    repeated = np.repeat(np.arange(len(y)), weight)
    check_same_tests(fit(X, y, weight, criterion=criterion), fit(X[repeated], y[repeated], criterion=criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
@given(seed=seeds, digits=st.integers(1, 6))
def test_the_order_of_the_rows_changes_no_test(criterion, seed, digits):
    X, y, weight = small_table(seed, digits)
    order = np.random.default_rng(seed).permutation(len(y))
    check_same_tests(
        fit(X, y, weight, criterion=criterion), fit(X[order], y[order], weight[order], criterion=criterion)
    )


@given(seed=seeds, digits=st.integers(0, 5))
def test_where_sums_are_exact_weights_are_repetition_in_every_bit(seed, digits):
    X, y, weight = small_table(seed, digits)
    y = np.round(y * 2**digits) / 2**digits
    repeated = np.repeat(np.arange(len(y)), weight)
    assert fit(X, y, weight) == fit(X[repeated], y[repeated])
