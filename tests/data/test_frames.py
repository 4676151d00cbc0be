from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import askew
from askew.data.frames import as_rows, categorical_columns, factorized

SIZES, COLOURS = [1.5, 2.0, 3.0], ["red", "blue", "red"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(COLOURS),
        pd.Series(COLOURS, dtype="category"),
        pd.Series(COLOURS, dtype=object),
        pd.Series(COLOURS, dtype="string"),
        pd.Series(COLOURS, dtype="string[pyarrow]"),
        pd.Series([1, 2, 1], dtype="category"),
        pd.Series(["1", "2", "1"]),
        pd.Series([1, "red", 2], dtype=object),
    ],
    ids=["str", "category", "object", "string", "arrow", "numbers as categories", "digits", "mixed"],
)
def test_text_and_categories_of_pandas_are_categories(column):
    assert categorical_columns(pd.DataFrame({"size": SIZES, "colour": column}), "from_dtype") == [1]


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["blue", "red"])], ids=str)
def test_text_and_categories_of_polars_are_categories(dtype):
    frame = pl.DataFrame({"colour": pl.Series(COLOURS, dtype=dtype), "size": SIZES})
    assert categorical_columns(frame, "from_dtype") == [0]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 2], dtype=object),
        pd.Series([True, False, None], dtype=object),
        pd.Series([Decimal(1), Decimal("2.5"), 1.0], dtype=object),
        pd.Series([True, False, True]),
        pd.Series([1, 2, None], dtype="Int64"),
    ],
    ids=["numbers", "booleans", "decimals", "bool", "nullable"],
)
def test_numbers_and_booleans_are_numbers_whatever_holds_them(column):
    assert categorical_columns(pd.DataFrame({"a": column}), "from_dtype") == []


@pytest.mark.parametrize("rows", [[[1.5, "red"]], np.array([[1.5, "red"]], dtype=object)], ids=["list", "array"])
def test_only_data_frames_tell_types_of_columns(rows):
    assert categorical_columns(rows, "from_dtype") == []
    assert categorical_columns(rows, None) == []
    assert categorical_columns(rows, [1]) == [1]


@pytest.mark.parametrize(
    "chosen",
    [["colour"], [1], [False, True], np.array([False, True]), np.array(["colour"]), ("colour", 1), np.array([1, 1])],
    ids=["name", "number", "mask", "array mask", "array of names", "both", "twice"],
)
def test_columns_are_chosen_by_name_number_or_mask(chosen):
    frame = {"size": SIZES, "colour": COLOURS}
    assert categorical_columns(pd.DataFrame(frame), chosen) == [1]
    assert categorical_columns(pl.DataFrame(frame), chosen) == [1]


def test_an_empty_choice_is_none():
    assert categorical_columns(pd.DataFrame({"colour": COLOURS}), []) == []


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (["color"], "'color', which is no column of X: 'size', 'colour'"),
        ([2], "names 2"),
        ([-1], "names -1"),
        ([True], "must have 2 entries"),
    ],
)
def test_a_choice_that_is_not_there_is_named(chosen, said):
    with pytest.raises(ValueError, match=said):
        categorical_columns(pd.DataFrame({"size": SIZES, "colour": COLOURS}), chosen)


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"c": ["b", None, "a", "b"]}),
        pd.DataFrame({"c": pd.Categorical(["b", None, "a", "b"])}),
        pd.DataFrame({"c": pd.Series(["b", pd.NA, "a", "b"], dtype="string")}),
        pl.DataFrame({"c": ["b", None, "a", "b"]}),
        pl.DataFrame({"c": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical)}),
        np.array([["b"], [np.nan], ["a"], ["b"]], dtype=object),
        [["b"], [pd.NA], ["a"], ["b"]],
    ],
    ids=["text", "category", "string", "polars", "polars category", "array", "list"],
)
def test_missing_values_are_known_by_every_name(rows):
    codes, values = factorized(as_rows(rows), 0)
    assert [None if code < 0 else values[code] for code in codes] == ["b", None, "a", "b"]


def test_what_cannot_be_a_category_is_refused():
    with pytest.raises(TypeError, match="column 0 holds something else"):
        factorized(as_rows([[{"a": 1}], [{"b": 2}]]), 0)


DAYS = pd.date_range("2026-01-01", periods=3)


@pytest.mark.parametrize("colours", [[], COLOURS], ids=["numbers", "categories"])
@pytest.mark.parametrize("days", [DAYS, DAYS.tz_localize("UTC"), DAYS - DAYS[0]], ids=["dates", "zoned", "times"])
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_dates_where_numbers_belong_are_refused_with_the_name_of_their_column(kind, days, colours):
    columns = {"size": SIZES, "day": days} | ({"colour": colours} if colours else {})
    with pytest.raises(ValueError, match=r"column 'day' of X holds dates or times .*categorical_features"):
        askew.CARTClassifier().fit(kind(columns), [0, 1, 0])


def test_dates_in_an_array_are_refused_and_as_categories_they_are_not():
    with pytest.raises(ValueError, match="column 0 of X holds dates or times"):
        askew.CARTClassifier().fit(DAYS.to_numpy()[:, None], [0, 1, 0])
    frame = pd.DataFrame({"day": DAYS})
    assert askew.CARTClassifier(categorical_features=["day"]).fit(frame, [0, 1, 0]).score(frame, [0, 1, 0]) == 1.0


@pytest.mark.parametrize("cell", [[1], {}], ids=["list", "dict"])
def test_cells_that_are_no_values_are_refused_with_the_name_of_their_column(cell):
    with pytest.raises(TypeError, match="column 'odd' holds something else"):
        askew.CARTClassifier().fit(pd.DataFrame({"size": SIZES, "odd": [cell] * 3}), [0, 1, 0])
