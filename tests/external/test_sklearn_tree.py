"""scikit-learn's tests of trees, run against CART and trees of planes."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from external.adopted import ONE_OUTPUT, PRIVATE, Adopted, adopt

import askew
from askew.model.tree import Tree


class TreeOfScikitLearn(Tree):
    """A tree whose arrays can be asked for by the names of scikit-learn."""

    @property
    def children_left(self):
        return np.where(self.is_leaf, -1, self.first_child)

    @property
    def children_right(self):
        return np.where(self.is_leaf, -1, self.first_child + 1)

    @property
    def max_depth(self):
        return self.depth

    @property
    def n_node_samples(self):
        return self.n_samples

    @property
    def weighted_n_node_samples(self):
        return self.mass


class Fitted:
    """Gives a tree those names, and takes scikit-learn's name of the entropy."""

    def fit(self, X, y, sample_weight=None):
        given = self.criterion
        self.criterion = "entropy" if given == "log_loss" else given
        try:
            super().fit(X, y, sample_weight)
        finally:
            self.criterion = given
        self.tree_ = TreeOfScikitLearn(**{one.name: getattr(self.tree_, one.name) for one in fields(Tree)})
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeClassifier(Fitted, askew.CARTClassifier):
    """In the place of a decision tree; features are drawn by the search."""

    max_features: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeRegressor(Fitted, askew.CARTRegressor):
    """In the place of a decision tree; features are drawn by the search."""

    max_features: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreeClassifier(Fitted, askew.OC1Classifier):
    """In the place of a tree that is drawn by lot: its planes are."""

    n_restarts: int = 2
    pruning: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreeRegressor(Fitted, askew.OC1Regressor):
    """In the place of a tree that is drawn by lot: its planes are."""

    n_restarts: int = 2
    pruning: Any = None


def assert_tree_equal(one, other, message):
    assert one == other, message


_CRITERIA = "the criteria of numbers are squared_error, absolute_error and a function of one's own"
_MEANS = "missing values take the mean of their column, and go with it: no side of a cut is learnt for them"
_ALPHA = "ccp_alpha is a parameter of the pruner, CostComplexity(ccp_alpha=...)"
_SPLITTER = "no splitter: how cuts are found is a matter of the search"
_DRAWN = "OC1 draws its features before it knows which of them vary, and makes no split without a gain"
_WORDS = "what is wrong is said in other words, or is another error"

ADOPTED = Adopted(
    "sklearn.tree.tests.test_tree",
    {
        "sklearn.tree.DecisionTreeClassifier": DecisionTreeClassifier,
        "sklearn.tree.DecisionTreeRegressor": DecisionTreeRegressor,
        "sklearn.tree.ExtraTreeClassifier": ExtraTreeClassifier,
        "sklearn.tree.ExtraTreeRegressor": ExtraTreeRegressor,
    },
    {
        "|friedman_mse|": _CRITERIA,
        "|poisson|": _CRITERIA,
        "test_poisson_zero_nodes": _CRITERIA,
        "test_poisson_vs_mse": _CRITERIA,
        "test_missing_values_poisson": _CRITERIA,
        "test_friedman_mse_deprecation": _CRITERIA,
        "test_error": _CRITERIA,
        "test_multioutput": ONE_OUTPUT,
        "test_classes_shape": ONE_OUTPUT,
        "test_class_weights": ONE_OUTPUT,
        "test_class_weight_errors": ONE_OUTPUT,
        "|multilabel|": ONE_OUTPUT,
        "test_min_weight_fraction_leaf_on_sparse_input": ONE_OUTPUT,
        "test_min_weight_fraction_leaf_with_min_samples_leaf_on_sparse_input": ONE_OUTPUT,
        "test_prune_tree_classifier_are_subtrees": _ALPHA,
        "test_prune_tree_regression_are_subtrees": _ALPHA,
        "test_prune_single_node_tree": _ALPHA,
        "test_apply_path_readonly_all_trees": _SPLITTER,
        "test_huge_allocations": _SPLITTER,
        "test_splitter_serializable": PRIVATE,
        "test_criterion_copy": PRIVATE,
        "test_realloc": PRIVATE,
        "test_build_pruned_tree_py": PRIVATE,
        "test_build_pruned_tree_infinite_loop": PRIVATE,
        "test_absolute_errors_precomputation_function": PRIVATE,
        "test_check_n_classes": PRIVATE,
        "test_check_value_ndarray": PRIVATE,
        "test_check_node_ndarray": PRIVATE,
        "test_different_bitness_pickle": PRIVATE,
        "test_different_bitness_joblib_pickle": PRIVATE,
        "test_different_endianness_pickle": PRIVATE,
        "test_different_endianness_joblib_pickle": PRIVATE,
        "test_public_apply_sparse_trees": PRIVATE,
        "test_explicit_sparse_zeros": PRIVATE,
        "test_pickle": PRIVATE,
        "test_arrays_persist": PRIVATE,
        "test_xor": _DRAWN,
        "test_with_only_one_non_constant_features": _DRAWN,
        "test_mae": "of an even number of values the median is the lower of the two in the middle",
        "test_max_features": "max_features of a search is a number of features or None",
        "test_almost_constant_feature": "a feature that varies by less than 1e-7 is a feature as any other",
        "test_big_input": "numbers beyond those of 32 bits are no fault: all is done with 64",
        "test_missing_value_errors": "sparse data may lack values: they become dense",
        "test_min_sample_split_1_error": _WORDS,
        "test_sample_weight_invalid": _WORDS,
        "test_missing_values_is_resilience|0|": _MEANS,
        "test_missing_values_best_splitter_on_equal_nodes_no_missing": _MEANS,
        "test_regression_tree_missing_values_toy|DecisionTreeRegressor|": _MEANS,
        "test_classification_tree_missing_values_toy": _MEANS,
        "test_splitting_with_missing_values": _MEANS,
        "test_missing_values_and_constant_toy": _MEANS,
        "test_random_splitter_missing_values_uses_non_missing_min_max": _MEANS,
    },
    {"assert_tree_equal": assert_tree_equal},
)

globals().update(adopt(ADOPTED))
