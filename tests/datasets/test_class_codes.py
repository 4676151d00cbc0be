import numpy as np
import pandas as pd

from askew.datasets import encode


def test_text_becomes_a_column_for_each_value():
    X = encode(pd.DataFrame({"a": ["x", "o", "b"], "n": [1, 2, 3]}))
    assert X.tolist() == [[0, 0, 1, 1], [0, 1, 0, 2], [1, 0, 0, 3]]


def test_two_values_become_one_column_and_a_gap_nan():
    assert encode(pd.DataFrame({"on": ["t", "f"]})).tolist() == [[1], [0]]
    X = encode(pd.DataFrame({"vote": ["y", None, "n", "y"]}))
    np.testing.assert_array_equal(X, [[1], [np.nan], [0], [1]])


def test_a_gap_among_more_values_is_none_of_them():
    assert encode(pd.DataFrame({"a": ["p", "q", None, "r"]})).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]


def test_missing_numbers_stay_missing():
    np.testing.assert_array_equal(encode(pd.DataFrame({"a": [1.0, None]})), [[1.0], [np.nan]])
