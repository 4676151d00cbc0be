"""Fault 15: a parameter out of range, or an unknown one, is refused before any work."""

import re

import numpy as np
import pytest
from fault_cases import X, Y, every, every_classifier, refuses
from registry import EVERY, plain, takes, trees

from askew import CARTClassifier, InvalidParameterError, OC1Classifier

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
    # of ensembles
    "n_estimators": [0, 2.5],
    "max_iter": [0, 2.5],
    "learning_rate": [0.0, "fast"],
    "split": ["diagonal", 3],
    "loss": ["hinge", 3],
    "n_draws": [0, 1.0],
    "l2": [-1.0, None],
    "l2_regularization": [-1.0],
    "bootstrap": ["yes", 1],
    "max_samples": [0, 0.0],
    "oob_score": ["yes"],
    "max_bins": [1, 256],
    "subsample": [0.0, 1.5],
    "early_stopping": ["auto"],
    "validation_fraction": [0.0, 1.0],
    "n_iter_no_change": [0],
    "tol": [-1.0],
    "warm_start": ["yes", 1],
    "estimator": ["cart", CARTClassifier],
}


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [(cls, name, value) for cls in EVERY for name, values in WRONG.items() if takes(cls, name) for value in values],
    ids=lambda given: getattr(given, "__name__", None),
)
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


@pytest.mark.parametrize(
    ("cls", "name"),
    [(cls, name) for cls in EVERY for name in HUGE if takes(cls, name)],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_15_a_number_beyond_the_largest(cls, name):
    refuses(cls, f"'{name}' parameter .*must be", X, Y, error=InvalidParameterError, **{name: HUGE[name]})


@every
def test_15_a_huge_count_is_no_type_error_from_the_core(cls):
    given = cls().get_params(deep=False)
    for name in [name for name, value in given.items() if type(value) is int and name != "min_cases"]:
        for value in (10**30, 10**400):
            with pytest.raises(InvalidParameterError, match=f"'{name}' parameter .*must be"):
                plain(cls, **{name: value}).fit(X, Y)


@every
def test_15_a_name_that_is_unknown(cls):
    with pytest.raises(TypeError, match="max_dept"):
        cls(max_dept=3)
    with pytest.raises(ValueError, match="Invalid parameter 'max_dept' for estimator"):
        cls().set_params(max_dept=3)


@pytest.mark.parametrize("share", [np.float16(0.5), np.float32(0.5), np.float64(0.5)], ids=lambda v: type(v).__name__)
def test_15_a_share_of_the_features_may_be_any_float(share):
    rows = np.random.default_rng(0).normal(size=(60, 6))
    y = rows.sum(axis=1) > 0
    same = [OC1Classifier(max_features=v, random_state=0).fit(rows, y).tree_ for v in (0.5, share)]
    assert same[0] == same[1]


@every
def test_15_numpy_numbers_are_numbers(cls):
    given = {"max_depth": np.int64(2), "n_jobs": np.int64(2), "verbose": np.False_}
    leaf = np.int64(1) if takes(cls, "max_iter") else np.float32(0.2)
    model = plain(cls, min_samples_leaf=leaf, **given).fit(X, Y)
    assert max(tree.depth for tree in trees(model)) <= 2


@every_classifier
@pytest.mark.parametrize("value", ["unbalanced", 3])
def test_15_class_weight(cls, value):
    refuses(cls, "class_weight", X, Y, error=InvalidParameterError, class_weight=value)
