"""What a fitted model is measured by: accuracy, AUC and log loss, or R2; leaves and terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.tree import BaseDecisionTree

from askew.model.leaf_values import Linear
from askew.model.tree import Tree
from experiments.experiment import Part
from experiments.rivals import TunedTree


def class_scores(probability: NDArray[np.float64], predicted: NDArray[np.int64], label: NDArray[np.int64]) -> Part:
    """Return accuracy and AUC in per cent, and log loss.

    AUC is that of each class against the rest, averaged over the classes among the rows; of two classes, that of
    either. Probabilities are clipped at the rounding of doubles, as scikit-learn's log loss does.

    Parameters
    ----------
    probability : ndarray of shape (n_rows, n_classes)
        0 where a class was not among the training rows.
    predicted, label : ndarray of shape (n_rows,)
        A class by its column.
    """
    present = [c for c in range(probability.shape[1]) if 0 < np.count_nonzero(label == c) < label.size]
    areas = [float(roc_auc_score(label == c, probability[:, c])) for c in present]
    smallest = float(np.finfo(np.float64).eps)
    of_label = np.clip(probability[np.arange(label.size), label], smallest, 1 - smallest)
    scores = {
        "accuracy": 100 * float((predicted == label).mean()),
        "log loss": float(-np.log(of_label).mean()),
    }
    return {**scores, "AUC": 100 * float(np.mean(areas))} if areas else scores


def number_scores(predicted: NDArray[np.float64], value: NDArray[np.float64]) -> Part:
    """Return R2."""
    return {"R2": float(r2_score(value, predicted))}


def sizes(model: Any) -> Part:
    """Return the leaves and terms of a single tree, as far as they are known; nothing of other models.

    Terms are the non-zero weights of all tests, one for each test of a single feature, and of the models in leaves.
    """
    if not hasattr(model, "get_n_leaves"):
        return {}
    leaves = float(model.get_n_leaves())
    if isinstance(model, TunedTree | BaseDecisionTree):
        return {"leaves": leaves, "terms": leaves - 1}
    tree = getattr(model, "tree_", None)
    return {"leaves": leaves, "terms": float(_terms(tree))} if isinstance(tree, Tree) else {"leaves": leaves}


def _terms(tree: Tree) -> int:
    """Return the terms as docs/results counts them: unlike in `Tree.n_terms`, constants of linear machines count."""
    terms = np.count_nonzero(tree.weight)
    if isinstance(tree.payload, Linear):
        start, weight = tree.payload.model_start, tree.payload.model_weight
        terms += sum(np.count_nonzero(weight[start[i] : start[i + 1]]) for i in np.flatnonzero(tree.is_leaf))
    return int(terms)
