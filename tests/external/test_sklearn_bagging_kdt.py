"""scikit-learn's tests of bagging, run with k-DT in the place of bagged classifiers.

k-DT is a vote as bagging is, but every tree sees all rows and all features: only what is asked of a vote of any kind
can hold for it. Trees of this library stand for all that is bagged.
"""

from dataclasses import dataclass

from external.adopted import Adopted, adopt

import askew


@dataclass(kw_only=True, eq=False, repr=False)
class SVC(askew.OC1Classifier):
    """In the place of a support vector machine: a tree with its parameter, which a grid search sets."""

    C: float = 1


_SAMPLES = "k-DT draws no samples of rows or features, and has no out-of-bag score: its trees differ by their search"
_WARM = "k-DT has no warm start: a vote of more trees is grown anew"
_NUMBERS = "k-DT is a vote on classes; bagged regression trees are run in the module of bagging"
_TREES = "k-DT takes trees of this library alone, whose votes it counts: no pipelines, no other estimators"

ADOPTED = Adopted(
    "sklearn.ensemble.tests.test_bagging",
    {
        "sklearn.ensemble.BaggingClassifier": askew.KDTClassifier,
        "sklearn.tree.DecisionTreeClassifier": askew.CARTClassifier,
        "sklearn.linear_model.LogisticRegression": lambda: askew.CARTClassifier(missing="error"),
        "sklearn.svm.SVC": SVC,
        "sklearn.ensemble.HistGradientBoostingClassifier": lambda max_iter: askew.CARTClassifier(missing="mean"),
        "sklearn.ensemble.RandomForestClassifier": lambda n_estimators: askew.OC1Classifier(),
        "sklearn.ensemble.AdaBoostClassifier": lambda n_estimators: askew.LMDTClassifier(),
    },
    {
        "test_classification": _SAMPLES,
        "test_sparse_classification": _SAMPLES,
        "test_probability": _SAMPLES,
        "test_oob_score_classification": _SAMPLES,
        "test_warning_bootstrap_sample_weight": _SAMPLES,
        "test_invalid_sample_weight_max_samples_bootstrap_combinations": _SAMPLES,
        "test_draw_indices_using_sample_weight": _SAMPLES,
        "test_oob_score_removed_on_warm_start": _SAMPLES,
        "test_oob_score_consistency": _SAMPLES,
        "test_estimators_samples": _SAMPLES,
        "test_estimators_samples_deterministic": _SAMPLES,
        "test_max_samples_consistency": _SAMPLES,
        "test_set_oob_score_label_encoding": _SAMPLES,
        "test_bagging_small_max_features": _SAMPLES,
        "test_warm_start": _WARM,
        "test_warm_start_smaller_n_estimators": _WARM,
        "test_warm_start_equal_n_estimators": _WARM,
        "test_warm_start_equivalence": _WARM,
        "test_warm_start_with_oob_score_fails": _WARM,
        "test_regression": _NUMBERS,
        "test_sparse_regression": _NUMBERS,
        "test_bootstrap_samples": _NUMBERS,
        "test_bootstrap_features": _NUMBERS,
        "test_oob_score_regression": _NUMBERS,
        "test_single_estimator": _NUMBERS,
        "test_parallel_regression": _NUMBERS,
        "test_bagging_regressor_with_missing_inputs": _NUMBERS,
        "test_bagging_get_estimators_indices": _NUMBERS,
        "test_bagging_allow_nan_tag|bagging1|": _NUMBERS,
        "test_bagging_allow_nan_tag|bagging3|": _NUMBERS,
        "test_bagging_with_metadata_routing|model1|": _NUMBERS,
        "test_bagging_without_support_metadata_routing|model1|": _NUMBERS,
        "test_estimator": _TREES,
        "test_bagging_with_pipeline": _TREES,
        "test_bagging_classifier_with_missing_inputs": _TREES,
        "test_metadata_routing_with_dynamic_method_selection": _TREES,
        "test_parallel_classification": "votes have no decision_function",
    },
)

globals().update(adopt(ADOPTED))
