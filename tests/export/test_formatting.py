from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.export.formatting import number, printable, shortest
from askew.export.names import Term
from askew.export.wording import added


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.0, 3, "0"),
        (-0.0, 3, "0"),
        (2.0, 3, "2"),
        (100.0, 0, "100"),
        (2.45, 3, "2.45"),
        (-2.4567, 3, "-2.457"),
        (0.012345, 3, "0.012"),
        (0.0012345, 3, "0.00123"),
        (1.2345e-20, 3, "1.23e-20"),
        (0.3, 0, "0.3"),
        (1700000000.5, 3, "1.7e+09"),
        (170000000.5, 3, "170000000.5"),
        (1.23456789e300, 3, "1.23457e+300"),
        (inf, 3, "inf"),
        (nan, 3, "nan"),
    ],
)
def test_a_number_has_the_digits_that_matter(value, decimals, text):
    assert number(value, decimals) == text


@given(st.floats(-1e308, 1e308), st.integers(1, 17))
def test_a_printed_number_is_near_the_number(value, decimals):
    near = 0.5 * 10.0**-decimals
    assert float(number(value, decimals)) == pytest.approx(value, abs=near * 1.0001, rel=10 * near)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_other_than_0_is_never_printed_as_0(value):
    assert (float(number(value)) == 0) == (value == 0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_shortest_text_of_a_number_is_read_back_as_the_number(value):
    assert float(shortest(value)) == value


def test_a_sum_keeps_the_order_and_the_signs_of_its_terms():
    terms = [Term("a", -1.0, [0]), Term("c", 2.5, [2]), Term("d", -0.001, [3])]
    assert " ".join(added(terms, [], 1.0)) == "-a + 2.5 c - 0.001 d + 1"
    assert " ".join(added(terms[1:], ["+ 7 more"], -1.0)) == "2.5 c - 0.001 d + 7 more - 1"


def test_a_sum_of_nothing_is_its_constant():
    assert added([], [], 0.0) == ["0"]
    assert added([], [], -2.0) == ["-2"]


def test_names_keep_their_letters_but_nothing_that_steers():
    assert printable("naïve \U0001f333") == "naïve \U0001f333"
    assert printable("a\tb\x9b\u2028") == "a\\tb\\x9b\\u2028"
    assert printable(7) == "7"
