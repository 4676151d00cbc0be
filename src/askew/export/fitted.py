"""What exports write of a fitted estimator: its tree or its rule network."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.estimators.ensemble import Ensemble
from askew.estimators.vote import KDTClassifier
from askew.network import RuleNetwork
from askew.one_vs_rest import OneVsRest
from askew.tree import Tree


def fitted(estimator: Any) -> Any:
    """Return the tree or the network of a fitted estimator; a bare one is its own."""
    if isinstance(estimator, Tree | RuleNetwork):
        return estimator
    check_is_fitted(estimator)
    if isinstance(estimator, KDTClassifier | Ensemble):
        raise ValueError("this export takes one tree, not many: give it one of estimators_, or use export_text")
    return estimator.tree_


def fitted_tree(estimator: Any) -> Tree:
    """Return the tree of a fitted estimator; a bare tree is its own. Raise ValueError for what is no single tree."""
    tree: Tree = fitted(estimator)
    if isinstance(tree, RuleNetwork):
        raise ValueError("this export takes a tree, not a rule network: use export_text or plot_partition")
    if isinstance(tree, OneVsRest):
        raise ValueError("this export takes one tree, not one for each class: use export_text or plot_partition")
    return tree


def is_classifier_tree(estimator: Any) -> bool:
    """Whether the values of a tree are weights of classes; a bare tree with one column holds numbers."""
    bare = isinstance(estimator, Tree | RuleNetwork)
    return bool(estimator.n_outputs > 1 if bare else is_classifier(estimator))
