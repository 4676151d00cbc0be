"""Numbers that are printed: rounding, the scale of weights, and the record that is stored with a tree."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import askew
from askew.model.digits.rounding import Printed, all_near, all_rounded, cut, near, significant, unit

FINITE = st.floats(-1e300, 1e300)


@given(FINITE, st.floats(0, 1), st.floats(0, 1))
def test_many_numbers_are_shortened_as_one_is(value, below, above):
    low, high = value - below * abs(value) * 1e-3, value + above * abs(value) * 1e-3
    assume(low <= value < high)
    one = near(value, low, high)
    found, digits = all_near(np.array([value]), np.array([low]), np.array([high]))
    if one is None:
        assert (found[0], digits[0]) == (value, 0)
    else:
        assert low <= found[0] < high
        assert digits[0] <= one[1] + 1
        assert float(f"{found[0]:.{max(int(digits[0]), 1) - 1}e}") == found[0]  # has no more digits than are said


@given(FINITE, st.integers(0, 30))
def test_rounded_numbers_are_near_and_short(value, decimals):
    (rounded,) = all_rounded(np.array([value]), decimals)
    step = 10.0**-decimals
    assert rounded == pytest.approx(value, abs=0.5001 * step, rel=0.5001 * step * 1e-2 if abs(value) >= 1 else 5 * step)
    assert decimals < 18 or rounded == value
    if 1 <= abs(value) < 1e6 and decimals < 9:
        assert float(f"{rounded:.{decimals}f}") == rounded


DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


@given(DOUBLES.map(abs), DOUBLES, DOUBLES)
@example(1e-300, 0.0, 1e-30)  # the product is 0
@example(1e-200, 5e-324, 3e-124)  # many products are the least double above 0
@example(5e-324, 1.0, -1.0)
@example(1e300, 1e-300, 0.0)
@example(2.0, 1.7976931348623157e308, 1e308)
def test_a_divided_threshold_divides_all_doubles_alike(weight, threshold, other):
    assume(weight > 0)
    t = cut(weight, threshold)
    for x in (t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf), other):
        if np.isfinite(x):
            assert (weight * float(x) <= threshold) == (x <= t)


def test_no_double_is_beyond_a_threshold_that_is_far_away():
    assert cut(1e-10, 1e300) == np.inf
    assert cut(1e-10, -1e300) == -np.inf


def test_the_least_digits_are_three_and_those_of_the_whole_part():
    assert near(2.4567, 2.0, 3.0) == (2.46, 3)
    assert near(1987.4, 1900.0, 2100.0) == (1987.0, 4)
    assert near(1234567.25, 0.0, 1e9) == (1234570.0, 6)
    assert near(1.0, 1.0, 1.0) is None
    assert significant(0.0, 3) == 0


def test_weights_are_whole_numbers_only_if_that_is_exact():
    assert unit(np.array([0.25, -0.5, 0.0])) == 0.25
    assert unit(np.array([0.1, 0.3])) == 0.3  # three times 0.1 is another double
    assert unit(np.array([0.1, 500.0])) == 500.0
    assert unit(np.array([2.0, -5000.0])) == 2.0
    assert unit(np.zeros(2)) == 1.0


def fitted():
    return askew.CARTClassifier(max_depth=2).fit(*load_iris(return_X_y=True))


def test_a_tree_without_its_estimator_prints_all_digits():
    tree = fitted().tree_
    assert "x3 <= 1.75 " in askew.export_text(tree)
    assert f"<= {float(tree.threshold[0])!r} " in askew.export_text(tree)


def test_the_digits_of_another_tree_are_not_printed():
    model = fitted()
    model.tree_ = replace(model.tree_, threshold=model.tree_.threshold + 0.125)
    assert "x3 <= 1.875 " in askew.export_text(model)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("printed_weight", np.ones(7), "'printed_weight' must have 2 entries"),
        ("printed_threshold", np.ones(1), "'printed_threshold' must have 5 entries"),
        ("printed_threshold", np.full(5, np.nan), "a printed number is not finite"),
        ("printed_digits", np.full(5, 18, dtype=np.int8), "'printed_digits' must be from 0 to 17"),
        ("printed_digits", np.zeros(5), "array 'printed_digits' has type float64"),
        ("strays", np.array([0.5, 1.5]), "'strays' holds a number that is no share"),
        ("strays", np.array([np.nan]), "'strays' holds a number that is no share"),
        ("strays", np.zeros(99), "'strays' must have at most 20 entries"),
        ("strays", np.zeros((2, 2)), "'strays' must have at most 20 entries"),
        ("strays", None, "array 'strays' is missing"),
    ],
)
def test_printed_numbers_that_belong_to_no_tree_are_refused(name, array, message):
    model = fitted()
    arrays = {**model.display_.printed[0].arrays(), name: array}
    if array is None:
        del arrays[name]
    with pytest.raises(ValueError, match=message):
        Printed.from_arrays(arrays, model.tree_)


def test_files_of_before_have_no_printed_numbers():
    model = fitted()
    assert Printed.from_arrays(model.tree_.arrays(), model.tree_) is None


def test_printed_numbers_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        fitted().display_.printed[0].threshold[0] = 1.0
