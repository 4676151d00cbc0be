"""scikit-learn's tests of forests, run against those of this library."""

from dataclasses import dataclass

from external.adopted import ONE_OUTPUT, OTHER_CLASS, PRIVATE, Adopted, adopt

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


_CRITERIA = "a forest of numbers is grown by the squared error; others go with a search, such as split=AxisParallel()"
_PLANES = "a plane gives some importance to all features that it tests, also to those without information"
_SAMPLES = "samples are drawn by the values of the rows, and can be had again from the data alone"

ADOPTED = Adopted(
    "sklearn.ensemble.tests.test_forest",
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
        "|RandomTreesEmbedding|": OTHER_CLASS,
        "test_random_trees_embedding_raise_error_oob": OTHER_CLASS,
        "test_random_trees_dense_type": OTHER_CLASS,
        "test_random_trees_dense_equal": OTHER_CLASS,
        "test_random_trees_embedding_feature_names_out": OTHER_CLASS,
        "test_random_hasher": OTHER_CLASS,
        "test_random_hasher_sparse_data": OTHER_CLASS,
        "test_distribution": OTHER_CLASS,  # which trees extra trees draw, and how often
        "test_importances_asymptotic": OTHER_CLASS,  # of totally randomised trees, by theory
        "test_importances": _PLANES,
        "test_forest_classifier_oob|X3|": ONE_OUTPUT,
        "test_forest_regressor_oob|X1|": ONE_OUTPUT,
        "test_classifier_error_oob_score_multiclass_multioutput": ONE_OUTPUT,
        "test_forest_multioutput_integral_regression_target": ONE_OUTPUT,
        "test_multioutput": ONE_OUTPUT,
        "test_multioutput_string": ONE_OUTPUT,
        "test_classes_shape": ONE_OUTPUT,
        "test_class_weight_balanced_and_bootstrap_multi_output": ONE_OUTPUT,
        "test_class_weight_errors": ONE_OUTPUT,
        "test_sparse_input": ONE_OUTPUT,
        "test_forest_y_sparse": ONE_OUTPUT,
        "test_min_samples_split": PRIVATE,
        "test_memory_layout": PRIVATE,
        "test_validate_y_class_weight": PRIVATE,
        "test_class_weights_forest": PRIVATE,
        "test_oob_not_computed_twice": PRIVATE,
        "test_max_samples_geq_one": PRIVATE,
        "test_estimators_samples": _SAMPLES,
        "test_max_samples_bootstrap": "max_samples without bootstrap is a sample without repetition",
        "test_max_leaf_nodes_max_depth": "no max_leaf_nodes: trees are grown depth first",
        "test_min_impurity_decrease": "no min_impurity_decrease: min_samples_leaf and max_depth limit the trees",
        "test_backend_respected": "trees are grown by threads of the compiled core, not by joblib's",
    },
)

globals().update(adopt(ADOPTED))
