"""Forests and boosting in a model file: the arrays of all trees, one after the other, and what the trees share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from askew.errors import brief
from askew.estimators.boosting import Boosting
from askew.estimators.ensemble import Ensemble
from askew.payload import Constant
from askew.store.container import Arrays
from askew.tree import Tree

TREES = "trees."
KEYS = frozenset({"n_features", "n_hyperplanes", "seed", "encoder", "feature_names", "classes"})
_ENDS = ("feature_start", "weight_start")  # one more entry than a tree has nodes
_SCORES = ("baseline", "train_score", "validation_score")  # of boosting


def pack_trees(model: Ensemble) -> dict[str, NDArray[Any]]:
    """Return the arrays of all trees, joined, and the number of nodes of each."""
    names = list(model.trees_[0].arrays())
    joined = {TREES + name: np.concatenate([tree.arrays()[name] for tree in model.trees_]) for name in names}
    return {**joined, TREES + "node_count": np.array([tree.node_count for tree in model.trees_], dtype=np.int64)}


def unpack_trees(arrays: Arrays, n_features: Any, n_hyperplanes: Any) -> list[Tree]:
    """Make the trees; raise ValueError (place, expected, found) for whatever is wrong."""
    own = {key.removeprefix(TREES): array for key, array in arrays.items() if key.startswith(TREES)}
    names = {*Tree.dtypes, *Constant.dtypes} - Constant.optional  # the trees of ensembles are not smoothed
    count = own.pop("node_count", None)
    if set(own) != names or count is None:
        raise ValueError(f"trees: expected the arrays {sorted([*names, 'node_count'])}, found {brief(sorted(own))}")
    if count.dtype != np.int64 or count.ndim != 1 or count.size == 0 or (count < 1).any():
        raise ValueError("trees: expected whole numbers of nodes above 0 in 'node_count'")
    if not isinstance(n_hyperplanes, list) or len(n_hyperplanes) != count.size:
        raise ValueError(
            f"n_hyperplanes: expected a number for each of {count.size} trees, found {brief(n_hyperplanes)}"
        )
    if any(array.ndim != 1 + (name == "value") for name, array in own.items()):
        raise ValueError("trees: expected a list of numbers in each array, and rows of them in 'value'")
    if int(count.max()) > own["kind"].size:
        raise ValueError(f"trees: expected {own['kind'].size} nodes in all, found a tree of {count.max()}")
    trees: list[Tree] = []
    at = dict.fromkeys(own, 0)
    for i, n in enumerate(count.tolist()):
        size = dict.fromkeys(own, n) | dict.fromkeys(_ENDS, n + 1)
        for start, parts in (("feature_start", "feature"), ("weight_start", "weight")):
            ends = own[start][at[start] : at[start] + n + 1]
            size[parts] = int(ends[-1]) if ends.size and np.issubdtype(ends.dtype, np.integer) else 0
        if any(size[name] < 0 or at[name] + size[name] > array.shape[0] for name, array in own.items()):
            raise ValueError(f"tree {i}: expected {n} nodes, found the end of an array")
        piece = {name: array[at[name] : at[name] + size[name]] for name, array in own.items()}
        try:
            trees.append(Tree.from_arrays(piece, n_features, n_hyperplanes[i]))
        except ValueError as error:
            raise ValueError(f"tree {i}: {error}") from None
        at = {name: at[name] + size[name] for name in own}
    left = [name for name, array in own.items() if at[name] != array.shape[0]]
    if left:
        raise ValueError(f"trees: expected the end of {left[0]!r} after the last tree, found more")
    return trees


def pack_own(model: Ensemble) -> dict[str, NDArray[Any]]:
    """Return the arrays that only boosting has."""
    if not isinstance(model, Boosting):
        return {}
    return {name: np.asarray(getattr(model, f"{name}_"), dtype=np.float64) for name in _SCORES}


def unpack_own(model: Ensemble, arrays: Arrays, trees: list[Tree]) -> None:
    """Set what only boosting has, and check that the trees fit the classes."""
    n_classes = model.classes_.size if is_classifier(model) else 1
    with np.errstate(over="ignore"):
        if not np.isfinite(sum(float(np.abs(tree.value).max()) for tree in trees)):
            raise ValueError("trees: expected values with a finite sum over the trees, found an infinite one")
    if not isinstance(model, Boosting):
        for i, tree in enumerate(trees):
            if tree.n_outputs != n_classes:
                raise ValueError(f"tree {i}: expected {n_classes} columns in 'value', found {tree.n_outputs}")
        return
    wanted = n_classes if n_classes > 2 else 1
    for name in _SCORES:
        array = arrays.get(name)
        if array is None or array.dtype != np.float64 or array.ndim != 1 or not np.isfinite(array).all():
            raise ValueError(f"array '{name}': expected finite numbers, found {brief(array)}")
        setattr(model, f"{name}_", array.copy())
    if model.baseline_.size != wanted or len(trees) % wanted:
        raise ValueError(f"trees: expected {wanted} for each stage, and in 'baseline', found {len(trees)}")
    for i, tree in enumerate(trees):
        if tree.n_outputs != 1:
            raise ValueError(f"tree {i}: expected 1 column in 'value', found {tree.n_outputs}")


def array_names(kind: type[Ensemble]) -> set[str]:
    """Return the names of the arrays that an ensemble may have beside those of its trees."""
    return {"feature_means", "feature_scale", "class_weight", *(_SCORES if issubclass(kind, Boosting) else ())}
