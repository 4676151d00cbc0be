"""Faults 1 to 14 and 16: bad data raise what scikit-learn users expect, before any work."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from fault_cases import X, Y, every, every_classifier, every_regressor, fitted, learnt, refuses, spoilt
from registry import members, plain, set_in, trees
from scipy import sparse
from sklearn.exceptions import NotFittedError

from askew import CARTClassifier
from askew.data.encoder import MOST_CATEGORIES


@every
def test_01_nan_names_the_parameter_that_would_allow_it(cls):
    refuses(cls, "Input X contains NaN.*missing='mean'", spoilt(np.nan), Y, missing="error")
    model = plain(cls, missing="error").fit(X, Y)
    with pytest.raises(ValueError, match=r"Input X contains NaN.*missing='mean'"):
        model.predict(spoilt(np.nan))


@every
@pytest.mark.parametrize(("value", "message"), [(np.nan, "Input X contains NaN"), (np.inf, "infinity or a value too")])
def test_01_and_02_rows_of_weight_0_are_checked_as_the_others_are(cls, value, message):
    rows = spoilt(value)
    weight = np.isfinite(rows).all(axis=1).astype(float)
    assert weight.sum() == 5
    with pytest.raises(ValueError, match=message):
        plain(cls, missing="error").fit(rows, Y, weight)


@every
def test_01_missing_values_take_the_weighted_mean_of_the_training_rows(cls):
    rows, weight = spoilt(np.nan), np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    known = np.arange(6) != 2
    mean = np.average(X[known, 1], weights=weight[known])
    model = plain(cls, missing="mean").fit(rows, Y, weight)
    found = members(model)[0].feature_means_[1]
    assert found == pytest.approx(mean)
    assert trees(model) == trees(plain(cls).fit(spoilt(found), Y, weight))
    np.testing.assert_array_equal(model.predict(spoilt(np.nan)), model.predict(spoilt(found)))


@every
def test_01_a_column_without_any_value_is_no_hindrance(cls):
    empty = np.column_stack([X, np.full(6, np.nan)])
    assert plain(cls, missing="mean").fit(empty, Y).predict(empty).shape == (6,)


@every
@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("missing", ["error", "mean"])
def test_02_infinity(cls, value, missing):
    refuses(cls, "infinity or a value too large", spoilt(value), Y, missing=missing)


@every_regressor
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_03_y_that_is_not_finite(cls, value):
    refuses(cls, "Input y contains (NaN|infinity)", X, [0.0, 1.0, value, 0.0, 1.0, 0.0])


@every_classifier
def test_03_classes_that_are_nan(cls):
    refuses(cls, "Input y contains NaN", X, [0.0, 1.0, np.nan, 0.0, 1.0, 0.0])


@every_classifier
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", None, "b", "a", "b", "a"], "Input y contains None"),
        ([0, None, 1, 0, 1, 1], "Input y contains None"),
        (["a", float("nan"), "b", "a", "b", "a"], "Input y contains NaN"),
        (["a", pd.NA, "b", "a", "b", "a"], "Input y contains <NA>"),
        (["a", 1, "b", "a", "b", "a"], "y contains labels of different types: int and str"),
    ],
    ids=["None", "None among numbers", "NaN", "NA", "mixed"],
)
def test_03_labels_that_are_missing_or_of_different_types(cls, labels, message):
    refuses(cls, message, X, np.array(labels, dtype=object))


@every
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_03_weights_that_are_not_finite(cls, value):
    refuses(cls, "Input sample_weight contains (NaN|infinity)", X, Y, [1, 1, value, 1, 1, 1])


@every
def test_04_no_rows_or_no_columns(cls):
    refuses(cls, r"Found array with 0 sample\(s\)", np.empty((0, 2)), [])
    refuses(cls, r"Found array with 0 feature\(s\)", np.empty((6, 0)), Y)


@every
def test_05_one_dimension(cls):
    refuses(cls, "Expected 2D array, got 1D array instead", X[:, 0], Y)
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        fitted(cls).predict(X[0])


@every
def test_06_lengths_that_differ(cls):
    refuses(cls, r"inconsistent numbers of samples: \[6, 5\]", X, Y[:5])


@every
def test_07_no_y(cls):
    refuses(cls, "requires y to be passed", X, None)


@every_classifier
def test_08_continuous_classes(cls):
    refuses(cls, "Unknown label type: continuous", X, X[:, 0] + 0.5)


@every
def test_09_complex_numbers(cls):
    refuses(cls, "Complex data not supported", X + 1j, Y)


@every
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_10_text_names_the_column_and_the_value(cls, frame):
    rows = frame({"size": X[:, 0], "colour": ["1", "2", "3", "red", "5", "x"]})
    refuses(cls, "'red' in column 'colour', row 3.*categorical_features", rows, Y, categorical_features=None)
    refuses(cls, "'red' in column 'colour', row 3", rows, Y, categorical_features=["size"])
    refuses(cls, "'red' in column 1, row 0", [[1, "red"], [2, "3"]], [0, 1])


@every
def test_10_a_column_of_very_many_categories_is_refused_by_name(cls):
    n = MOST_CATEGORIES + 1
    frame = pd.DataFrame({"size": np.arange(float(n)), "id": [f"row {i}" for i in range(n)]})
    y = np.arange(n) % 2
    if getattr(cls, "_takes_categories", False):  # a child for each category: no columns of 0 and 1
        assert plain(cls, max_depth=1).fit(frame, y).tree_.n_features == 2
        return
    model = plain(cls)
    with pytest.raises(ValueError, match=r"column 'id' of X has 1,?\d+ categories, .*leave the column out"):
        model.fit(frame, y)
    with pytest.raises(ValueError, match=r"column 1 of X has 1,?\d+ categories"):
        set_in(model, categorical_features=[1]).fit(frame.to_numpy(), y)
    assert learnt(model) == {}


def test_10_rows_of_weight_zero_do_not_count_towards_the_categories():
    n = MOST_CATEGORIES + 1
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(n)]})
    model = CARTClassifier(max_depth=1).fit(frame, np.arange(n) % 2, np.append(np.ones(n - 1), 0))
    assert model.tree_.n_features == n - 1


@every
def test_11_sparse(cls):
    model = fitted(cls)
    for made in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        other = plain(cls).fit(made(X), Y)
        assert (other.predict(made(X)) == model.predict(X)).all()


@every
def test_11_sparse_data_that_would_not_fit_as_dense_ones(cls):
    remedy = "100000 x 100000 numbers would take 74.5 GiB.*sparse_output=False"
    huge = sparse.csr_array((100_000, 100_000))
    refuses(cls, remedy, huge, np.arange(100_000) % 2)
    with pytest.raises(ValueError, match=remedy):
        fitted(cls).predict(huge)


@every
def test_12_another_number_of_features(cls):
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        fitted(cls).predict(np.ones((2, 3)))


@every
def test_13_columns_renamed_or_in_another_order(cls):
    model = plain(cls).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- c\n.*missing:\n- b"):
        model.predict(pd.DataFrame(X, columns=["a", "c"]))
    with pytest.raises(ValueError, match="same order"):
        model.predict(pd.DataFrame(X[:, ::-1], columns=["b", "a"]))


OF_ROWS = [
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "staged_predict",
    "staged_predict_proba",
    "apply",
    "decision_path",
    "score",
]
OF_NOTHING = ["get_depth", "get_n_leaves", "__len__"]


@every
def test_14_not_fitted(cls):
    for method in [*OF_ROWS, *OF_NOTHING]:
        given = [] if method in OF_NOTHING else [X, Y] if method == "score" else [X]
        if hasattr(cls, method):
            with pytest.raises(NotFittedError):
                list(getattr(cls(), method)(*given))  # stages are had one by one


@every
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -1, 1, 1, 1], r"[Nn]egative values in sample_weight.*\(6,\)"),
        ([1, 1], r"sample_weight.shape == \(2,\), expected \(6,\)"),
        (np.ones((6, 1)), r"expected \(6,\)"),
        (np.zeros(6), "zero everywhere"),
        (np.full(6, 1e200), "too large"),
        (np.full(6, 1e-200), "too small"),
    ],
    ids=["negative", "short", "matrix", "zero", "huge", "tiny"],
)
def test_16_weights(cls, weights, message):
    refuses(cls, message, X, Y, weights)
