"""scikit-learn's own tests, run against estimators of this library.

The test module of the installed scikit-learn is read afresh; while it is, the names that it imports are those of the
substitutes. What cannot hold for them is left out, each test with a reason. A new module is one entry of `MODULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

import askew

# The substitutes have the names of what they stand for, which scikit-learn's tests look for in messages.


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestClassifier(askew.ObliqueForestClassifier):
    """In the place of a random forest."""


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRegressor(askew.ObliqueForestRegressor):
    """In the place of a random forest."""

    bootstrap: bool = True
    max_samples: float | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesClassifier(askew.ObliqueForestClassifier):
    """In the place of extra trees, which are grown on all rows."""

    bootstrap: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesRegressor(askew.ObliqueForestRegressor):
    """In the place of extra trees, which are grown on all rows."""

    bootstrap: bool = False
    max_samples: float | None = None


@dataclass(frozen=True)
class Adopted:
    """How a test module of scikit-learn is run.

    Attributes
    ----------
    substitutes : for a name as the module imports it (``sklearn.ensemble.RandomForestClassifier``) what it becomes
    left_out : for each test that does not apply the reason. A key is the name of a test (``test_pickle``), of one of
        its cases (``test_pickle[RandomForestRegressor]``), of all that have a part between bars
        (``test_pickle|sparse|``), or such a part of any test (``|poisson|``)
    """

    substitutes: Mapping[str, Any]
    left_out: Mapping[str, str] = field(default_factory=dict)

    def reason(self, name: str) -> str | None:
        """Return why a test, or a case of one, is left out; None if it is run."""
        test, _, case = name.partition("[")
        parts = case.rstrip("]").split("-")
        keys = [name, test, *(f"{test}|{part}|" for part in parts), *(f"|{part}|" for part in parts)]
        return next((self.left_out[key] for key in keys if key in self.left_out), None)


_ONE_OUTPUT = "y has one column: trees of several outputs are not offered"
_CRITERIA = "a forest of numbers is grown by the squared error; others go with a search, such as split=AxisParallel()"
_PRIVATE = "looks into what is private in scikit-learn's forests or trees"
_OTHER_CLASS = "about another class of scikit-learn, for which there is no substitute"
_PLANES = "a plane gives some importance to all features that it tests, also to those without information"
_SAMPLES = "samples are drawn by the values of the rows, and can be had again from the data alone"

MODULES = {
    "sklearn.ensemble.tests.test_forest": Adopted(
        {
            "sklearn.ensemble.RandomForestClassifier": RandomForestClassifier,
            "sklearn.ensemble.RandomForestRegressor": RandomForestRegressor,
            "sklearn.ensemble.ExtraTreesClassifier": ExtraTreesClassifier,
            "sklearn.ensemble.ExtraTreesRegressor": ExtraTreesRegressor,
        },
        {
            "|absolute_error|": _CRITERIA,
            "|friedman_mse|": _CRITERIA,
            "|poisson|": _CRITERIA,
            "test_poisson_vs_mse": _CRITERIA,
            "test_poisson_y_positive_check": _CRITERIA,
            "test_friedman_mse_deprecation": _CRITERIA,
            "test_mse_criterion_object_segfault_smoke_test": _CRITERIA,
            "|RandomTreesEmbedding|": _OTHER_CLASS,
            "test_random_trees_embedding_raise_error_oob": _OTHER_CLASS,
            "test_random_trees_dense_type": _OTHER_CLASS,
            "test_random_trees_dense_equal": _OTHER_CLASS,
            "test_random_trees_embedding_feature_names_out": _OTHER_CLASS,
            "test_random_hasher": _OTHER_CLASS,
            "test_random_hasher_sparse_data": _OTHER_CLASS,
            "test_distribution": _OTHER_CLASS,  # which trees extra trees draw, and how often
            "test_importances_asymptotic": _OTHER_CLASS,  # of totally randomised trees, by theory
            "test_importances": _PLANES,
            "test_forest_classifier_oob|X3|": _ONE_OUTPUT,
            "test_forest_regressor_oob|X1|": _ONE_OUTPUT,
            "test_classifier_error_oob_score_multiclass_multioutput": _ONE_OUTPUT,
            "test_forest_multioutput_integral_regression_target": _ONE_OUTPUT,
            "test_multioutput": _ONE_OUTPUT,
            "test_multioutput_string": _ONE_OUTPUT,
            "test_classes_shape": _ONE_OUTPUT,
            "test_class_weight_balanced_and_bootstrap_multi_output": _ONE_OUTPUT,
            "test_class_weight_errors": _ONE_OUTPUT,
            "test_sparse_input": _ONE_OUTPUT,
            "test_forest_y_sparse": _ONE_OUTPUT,
            "test_min_samples_split": _PRIVATE,
            "test_memory_layout": _PRIVATE,
            "test_validate_y_class_weight": _PRIVATE,
            "test_class_weights_forest": _PRIVATE,
            "test_oob_not_computed_twice": _PRIVATE,
            "test_max_samples_geq_one": _PRIVATE,
            "test_estimators_samples": _SAMPLES,
            "test_max_samples_bootstrap": "max_samples without bootstrap is a sample without repetition",
            "test_max_leaf_nodes_max_depth": "no max_leaf_nodes: trees are grown depth first",
            "test_min_impurity_decrease": "no min_impurity_decrease: min_samples_leaf and max_depth limit the trees",
            "test_backend_respected": "trees are grown by threads of the compiled core, not by joblib's",
        },
    ),
}


def read(name: str) -> ModuleType:
    """Return a test module of scikit-learn, read with the substitutes."""
    found = find_spec(name)
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    patches = []
    for full, other in MODULES[name].substitutes.items():
        where, _, what = full.rpartition(".")
        patches.append(patch.object(import_module(where), what, other))
    for one in patches:
        one.start()
    try:
        found.loader.exec_module(module)
    finally:
        for one in patches:
            one.stop()
    return module


def adopt(name: str) -> dict[str, Callable[..., Any]]:
    """Return the tests of a module of scikit-learn, by name."""
    found = {key: value for key, value in vars(read(name)).items() if key.startswith("test_") and callable(value)}
    for test in found.values():
        test.pytestmark = [_with_list(mark) for mark in getattr(test, "pytestmark", [])]
    return found


def _with_list(mark: pytest.Mark) -> pytest.Mark:
    """Return the mark with its cases as a list; pytest is about to refuse iterators."""
    if mark.name != "parametrize":
        return mark
    names, cases, *others = mark.args
    return pytest.mark.parametrize(names, list(cases), *others, **mark.kwargs).mark
