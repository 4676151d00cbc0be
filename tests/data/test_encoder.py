import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.data.encoder import Encoder

FRAME = pd.DataFrame({"size": [1.5, 2.0, 3.0], "colour": ["red", "blue", "red"], "n": [2, 1, 2]})


def encoded(encoder, frame):
    return encoder.expand(encoder.code(frame)).tolist()


def test_categories_become_columns_of_0_and_1_in_alphabetical_order():
    encoder = Encoder.learn(FRAME, [1, 2])
    assert encoder.categories == (None, ("blue", "red"), (1, 2))
    assert encoder.names(["size", "colour", "n"]) == ["size", "colour=blue", "colour=red", "n=1", "n=2"]
    assert encoded(encoder, FRAME) == [[1.5, 0, 1, 0, 1], [2, 1, 0, 1, 0], [3, 0, 1, 0, 1]]
    assert encoder.origin.tolist() == [0, 1, 1, 2, 2]
    assert encoder.groups == ((1, 3), (3, 5))


def test_codes_are_left_to_searches_that_take_them():
    encoder = Encoder.learn(FRAME, [1], onehot=False)
    assert encoded(encoder, FRAME) == [[1.5, 1, 2], [2, 0, 1], [3, 1, 2]]
    assert encoder.levels == (0, 2, 0)
    assert encoder.names(["a", "b", "c"]) == ["a", "b", "c"]
    assert encoder.groups == ()


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=20), st.permutations("abcde"))
def test_the_order_of_a_dtype_does_not_matter(values, order):
    plain = pd.DataFrame({"c": values})
    typed = pd.DataFrame({"c": pd.Categorical(values, categories=order)})
    assert Encoder.learn(plain, [0]) == Encoder.learn(typed, [0])
    encoder = Encoder.learn(plain, [0])
    assert encoded(encoder, plain) == encoded(encoder, typed)
    assert encoder.expand(encoder.code(plain)).sum(axis=1).tolist() == [1] * len(values)


def test_a_category_that_was_never_seen_is_0_in_every_column():
    encoder = Encoder.learn(FRAME, [1])
    new = FRAME.assign(colour=["pink", "red", "blue"])
    assert encoder.code(new)[:, 1].tolist() == [-1, 1, 0]
    assert encoded(encoder, new)[0] == [1.5, 0, 0, 2]


def test_missing_values_are_nan_or_a_category_of_their_own():
    missing = FRAME.assign(colour=["red", None, "blue"])
    as_nan = Encoder.learn(missing, [1])
    assert np.isnan(as_nan.code(missing)[1, 1])
    np.testing.assert_array_equal(as_nan.expand(as_nan.code(missing))[1], [2, np.nan, np.nan, 1])
    own = Encoder.learn(missing, [1], missing_category=True)
    assert own.categories[1] == ("blue", "red", None)
    assert own.names(["size", "colour", "n"])[3] == "colour=(missing)"
    assert encoded(own, missing)[1] == [2, 0, 0, 1, 1]


def test_no_category_of_missing_values_is_made_where_none_is_missing():
    assert Encoder.learn(FRAME, [1], missing_category=True).categories[1] == ("blue", "red")


def test_numbers_come_before_text_and_whole_floats_are_whole():
    mixed = pd.DataFrame({"c": np.array(["b", 2.0, "a", 1.5], dtype=object)})
    assert Encoder.learn(mixed, [0]).categories == ((1.5, 2, "a", "b"),)
    assert [type(label) for label in Encoder.learn(np.array([[1.0], [2.0]]), [0]).categories[0]] == [int, int]


def test_categories_that_no_row_has_are_forgotten():
    encoder = Encoder.learn(pd.DataFrame({"c": ["a", "b", "c", None]}), [0], missing_category=True)
    narrow, coded = encoder.narrowed(np.array([[2.0], [0.0], [2.0]]))
    assert narrow.categories == (("a", "c"),)
    assert coded.tolist() == [[1], [0], [1]]


@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy], ids=["pickle", "copy"])
def test_an_encoder_survives_pickle_and_copy(again):
    encoder = Encoder.learn(FRAME, [1, 2])
    assert again(encoder) == encoder


# --- in a model file


def test_packed_categories_come_back_with_their_types():
    encoder = Encoder((None, ("a", "b", None), (1, 2.5), (False, True), ()))
    assert Encoder.unpacked(encoder.packed(), onehot=True) == encoder
    assert [type(label) for label in Encoder.unpacked(encoder.packed(), onehot=True).categories[2]] == [int, float]


@pytest.mark.parametrize("label", [pd.Timestamp(0), (1, 2), 2**63, float("inf")], ids=str)
def test_what_a_file_cannot_hold_is_refused(label):
    with pytest.raises(TypeError, match="categories cannot be stored"):
        Encoder((("a", label),)).packed()


@pytest.mark.parametrize(
    "packed",
    [
        {},
        "ab",
        [1],
        ["ab"],
        [["a", "a"]],
        [[1, 1.0]],
        [[None, "a"]],
        [[None, None]],
        [[["a"]]],
        [[{}]],
        [[float("nan")]],
        [[10**30]],
    ],
    ids=repr,
)
def test_packed_categories_are_checked(packed):
    with pytest.raises(ValueError, match="encoder: "):
        Encoder.unpacked(packed, onehot=True)
