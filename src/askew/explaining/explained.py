"""`ExplainedTrees`: a fitted model as a sum of trees, which is what Shapley values are computed of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew import _core
from askew.estimators.boosting import Boosting
from askew.estimators.ensemble import Ensemble
from askew.estimators.vote import KDTClassifier
from askew.payload import Linear, Payload, as_they_occur, class_shares
from askew.split_arrays import starts
from askew.tree import Tree

_OTHERS = "use a model-agnostic explainer, such as shap.explainers.Permutation(estimator.predict_proba, background)"


@dataclass(frozen=True, eq=False)
class ExplainedTrees:
    """Trees whose leaves add up to what is explained.

    Attributes
    ----------
    kernel, root : the trees in one set of arrays, and their roots
    value : what each node adds (nodes x outputs); the second of two classes is left out
    models : linear models of the leaves; None without any
    outputs : from columns to what is explained (rows x outputs, all of them)
    names : of the outputs: the classes; None if there is one number
    told : what is explained, in words
    mirrored : whether the second of two outputs was left out: what the first gains, it loses
    """

    kernel: _core.Tree
    root: NDArray[np.uint32]
    value: NDArray[np.float64]
    models: _core.LeafModels | None
    outputs: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    names: list[Any] | None
    told: str
    mirrored: bool

    @classmethod
    def of(cls, estimator: Any) -> ExplainedTrees:
        """Return the trees of a fitted estimator; raise TypeError if it is no sum of trees."""
        check_is_fitted(estimator)
        if isinstance(estimator, Boosting):
            return _boosting(estimator)
        if isinstance(estimator, Ensemble):
            packed, entries = estimator._walked()
            shares = estimator.leaf_shares() if is_classifier(estimator) else entries
            value = shares / len(estimator.trees_)
            return _sum(estimator, estimator.trees_, value, lambda columns: packed.sums(value, columns))
        if isinstance(estimator, KDTClassifier):
            return _vote(estimator)
        if not isinstance(getattr(estimator, "tree_", None), Tree):
            found = type(getattr(estimator, "tree_", estimator)).__name__
            raise TypeError(f"shapley takes trees and ensembles of trees, not a {found}: {_OTHERS}")
        return _single(estimator)


def _single(estimator: Any) -> ExplainedTrees:
    tree: Tree = estimator.tree_
    classes = is_classifier(estimator)
    with np.errstate(invalid="ignore"):  # nodes without rows, which are no leaves
        shares = as_they_occur(class_shares(tree.payload.weights), estimator.class_weight_) if classes else tree.value
    models = _models(tree.payload, shares, estimator.class_weight_ if classes else None)
    outputs = estimator.proba_encoded if classes else tree.outputs
    return _sum(estimator, [tree], shares, outputs, models)


def _models(
    payload: Payload, shares: NDArray[np.float64], class_weight: NDArray[np.float64] | None
) -> _core.LeafModels | None:
    """Return the linear models of leaves; to divide a softmax by weights is to subtract their logarithms."""
    if not isinstance(payload, Linear):
        return None
    found = payload.models()
    if class_weight is not None:
        found["value"] = np.ascontiguousarray(shares * payload.value.sum(axis=1, keepdims=True))
        found["constant"] = found["constant"] - np.log(np.where(class_weight > 0, class_weight, 1.0))
    return _core.LeafModels(**found)


def _sum(
    estimator: Any,
    trees: Sequence[Tree],
    value: NDArray[np.float64],
    outputs: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    models: _core.LeafModels | None = None,
) -> ExplainedTrees:
    """Return trees that predict shares of classes, or numbers."""
    names = estimator.classes_.tolist() if is_classifier(estimator) else None
    two = names is not None and len(names) == 2
    value = np.ascontiguousarray(value[:, :1] if two else value)
    told = "prediction" if names is None else "probability"
    return ExplainedTrees(*_joined(trees), value, models, outputs, names, told, two)


def _boosting(estimator: Any) -> ExplainedTrees:
    entries = estimator._walked()[1]
    names = estimator.classes_.tolist() if is_classifier(estimator) and entries.shape[1] > 1 else None
    link = estimator.link_
    told = "prediction" if link == "identity" else f"sum of the trees ({link} of the prediction)"

    def outputs(columns: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(estimator._sums(columns) + estimator.baseline_)

    return ExplainedTrees(*_joined(estimator.trees_), entries, None, outputs, names, told, False)


def _vote(estimator: KDTClassifier) -> ExplainedTrees:
    walked = estimator._walked()
    if walked is None:
        raise TypeError(f"shapley takes votes of trees with constant leaves over the same columns: {_OTHERS}")
    packed, ballots = walked
    trees = [one.tree_ for one in estimator.estimators_ if isinstance(one.tree_, Tree)]  # all, or not walked
    share = ballots / len(trees)
    found = _sum(estimator, trees, share, lambda columns: packed.sums(share, columns))
    return found if estimator.class_weight_ is None else replace(found, told="share of the votes")


def _joined(trees: Sequence[Tree]) -> tuple[_core.Tree, NDArray[np.uint32]]:
    """Return trees in one set of arrays, and their roots."""
    root = starts([tree.node_count for tree in trees])
    arrays = {
        name: np.concatenate([getattr(tree, name) for tree in trees])
        for name in ("kind", "n_children", "feature", "weight", "threshold")
    }
    # A leaf has no child: its number is not looked at.
    arrays["first_child"] = np.concatenate([tree.first_child + at for tree, at in zip(trees, root, strict=False)])
    for name in ("feature_start", "weight_start"):
        arrays[name] = starts(np.concatenate([np.diff(getattr(tree, name)) for tree in trees]))
    return _core.Tree(**arrays), root[:-1].astype(np.uint32)
