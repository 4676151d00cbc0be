"""Faults 1 to 16: bad input raises what scikit-learn users expect, before any work."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from registry import CLASSIFIERS, ESTIMATORS, REGRESSORS, plain
from scipy import sparse
from sklearn.exceptions import NotFittedError

from askew import CARTClassifier, InvalidParameterError, KDTClassifier, OC1Classifier
from askew.encoding import MOST_CATEGORIES

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.0], [4.0, 5.0], [5.0, 4.0]])
Y = np.array([0, 0, 1, 1, 0, 1])
every = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
every_classifier = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
every_regressor = pytest.mark.parametrize("cls", REGRESSORS, ids=lambda cls: cls.__name__)


def spoilt(value):
    bad = X.copy()
    bad[2, 1] = value
    return bad


def refuses(cls, message, *args, error=ValueError, **parameters):
    """Fitting fails, and leaves a fitted estimator as it was."""
    model = plain(cls, **parameters)
    with pytest.raises(error, match=message):
        model.fit(*args)
    assert not hasattr(model, "tree_")
    fitted = plain(cls).fit(X, Y)
    before = dict(fitted.__dict__)
    with pytest.raises(error, match=message):
        fitted.set_params(**parameters).fit(*args)
    assert {**fitted.__dict__, **{name: before[name] for name in parameters}} == before


@every
def test_01_nan_names_the_parameter_that_would_allow_it(cls):
    refuses(cls, "Input X contains NaN.*missing='mean'", spoilt(np.nan), Y, missing="error")
    model = plain(cls, missing="error").fit(X, Y)
    with pytest.raises(ValueError, match=r"Input X contains NaN.*missing='mean'"):
        model.predict(spoilt(np.nan))


@every
def test_01_missing_values_take_the_weighted_mean_of_the_training_rows(cls):
    rows, weight = spoilt(np.nan), np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    known = np.arange(6) != 2
    mean = np.average(X[known, 1], weights=weight[known])
    model = plain(cls, missing="mean").fit(rows, Y, weight)
    assert model.feature_means_[1] == pytest.approx(mean)
    assert model.tree_ == plain(cls).fit(spoilt(model.feature_means_[1]), Y, weight).tree_
    np.testing.assert_array_equal(model.predict(spoilt(np.nan)), model.predict(spoilt(model.feature_means_[1])))


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
        plain(cls).fit(X, Y).predict(X[0])


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
    if cls._takes_categories:  # a child for each category: no columns of 0 and 1
        assert plain(cls, max_depth=1).fit(frame, y).tree_.n_features == 2
        return
    model = plain(cls)
    with pytest.raises(ValueError, match=r"column 'id' of X has 1,?\d+ categories, .*leave the column out"):
        model.fit(frame, y)
    with pytest.raises(ValueError, match=r"column 1 of X has 1,?\d+ categories"):
        model.set_params(categorical_features=[1]).fit(frame.to_numpy(), y)
    assert not hasattr(model, "tree_")


def test_10_rows_of_weight_zero_do_not_count_towards_the_categories():
    n = MOST_CATEGORIES + 1
    frame = pd.DataFrame({"id": [f"row {i}" for i in range(n)]})
    model = CARTClassifier(max_depth=1).fit(frame, np.arange(n) % 2, np.append(np.ones(n - 1), 0))
    assert model.tree_.n_features == n - 1


@every
def test_11_sparse(cls):
    model = plain(cls).fit(X, Y)
    for made in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        other = plain(cls).fit(made(X), Y)
        assert (other.predict(made(X)) == model.predict(X)).all()


@every
def test_11_sparse_data_that_would_not_fit_as_dense_ones(cls):
    remedy = "100000 x 100000 numbers would take 74.5 GiB.*sparse_output=False"
    huge = sparse.csr_array((100_000, 100_000))
    refuses(cls, remedy, huge, np.arange(100_000) % 2)
    with pytest.raises(ValueError, match=remedy):
        plain(cls).fit(X, Y).predict(huge)


@every
def test_12_another_number_of_features(cls):
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        plain(cls).fit(X, Y).predict(np.ones((2, 3)))


@every
def test_13_columns_renamed_or_in_another_order(cls):
    model = plain(cls).fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- c\n.*missing:\n- b"):
        model.predict(pd.DataFrame(X, columns=["a", "c"]))
    with pytest.raises(ValueError, match="same order"):
        model.predict(pd.DataFrame(X[:, ::-1], columns=["b", "a"]))


@every
@pytest.mark.parametrize("method", ["predict", "apply", "decision_path", "get_depth", "get_n_leaves"])
def test_14_not_fitted(cls, method):
    with pytest.raises(NotFittedError):
        getattr(cls(), method)(*([X] if "get" not in method else []))


WRONG = {
    "max_depth": [0, 2.5, "x"],
    "min_samples_split": [1, 1.5, 0.0],
    "min_samples_leaf": [0, 1.0, True],
    "min_weight_fraction_leaf": [-0.1, 0.6],
    "max_leaf_nodes": [1, 2.0],
    "min_impurity_decrease": [-1.0, float("nan")],
    "impurity_threshold": [-0.5],
    "missing": ["median", None],
    "categorical_features": ["all", 3, [0.5], [True, "size"]],
    "categorical_encoding": ["ordinal", None],
    "n_jobs": [0, 1.5],
    "verbose": [-1],
    "criterion": ["chi2", 7],
    "pruning": ["hard", 3],
}


@every
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_15_a_parameter_out_of_range(cls, name, value):
    refuses(
        cls,
        rf"'{name}' parameter .*must be .*Got {re.escape(repr(value))} instead",
        X,
        Y,
        error=InvalidParameterError,
        **{name: value},
    )


HUGE = {
    "max_depth": 10**400,
    "min_samples_split": 10**400,
    "min_samples_leaf": 10**30,
    "max_leaf_nodes": 10**400,
    "min_impurity_decrease": 10**400,
    "impurity_threshold": 10**5000,  # too long for Python to print
    "min_weight_fraction_leaf": 10**400,
    "n_jobs": 10**30,
    "verbose": 10**400,
}


@every
@pytest.mark.parametrize("name", HUGE)
def test_15_a_number_beyond_the_largest(cls, name):
    refuses(cls, f"'{name}' parameter .*must be", X, Y, error=InvalidParameterError, **{name: HUGE[name]})


@every
def test_15_a_huge_count_is_no_type_error_from_the_core(cls):
    for name in [name for name, value in cls().get_params().items() if type(value) is int and name != "min_cases"]:
        for value in (10**30, 10**400):
            with pytest.raises(InvalidParameterError, match=f"'{name}' parameter .*must be"):
                plain(cls, **{name: value}).fit(X, Y)


def test_15_a_huge_number_of_trees():
    for name in ("n_estimators", "n_jobs"):
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter .*must be"):
            KDTClassifier(**{name: 10**400}).fit(X, Y)


@pytest.mark.parametrize("share", [np.float16(0.5), np.float32(0.5), np.float64(0.5)], ids=lambda v: type(v).__name__)
def test_15_a_share_of_the_features_may_be_any_float(share):
    rows = np.random.default_rng(0).normal(size=(60, 6))
    y = rows.sum(axis=1) > 0
    same = [OC1Classifier(max_features=v, random_state=0).fit(rows, y).tree_ for v in (0.5, share)]
    assert same[0] == same[1]


@every
def test_15_numpy_numbers_are_numbers(cls):
    model = plain(cls, max_depth=np.int64(2), min_samples_leaf=np.float32(0.2), n_jobs=np.int64(2), verbose=np.False_)
    assert model.fit(X, Y).get_depth() <= 2


@every_classifier
@pytest.mark.parametrize("value", ["unbalanced", 3])
def test_15_class_weight(cls, value):
    refuses(cls, "class_weight", X, Y, error=InvalidParameterError, class_weight=value)


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
