"""The trees of an ensemble in a model file: one description each, and arrays that carry the number of their tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.estimators.classifier import TreeClassifier

Packed = tuple[dict[str, Any], dict[str, NDArray[Any]], list[str]]


def pack(
    trees: Sequence[TreeClassifier], pack_tree: Callable[[Any], Packed]
) -> tuple[list[dict[str, Any]], dict[str, NDArray[Any]], list[str]]:
    """Return the trees' descriptions, their arrays, and the names of parameters that cannot be stored."""
    packed = [pack_tree(tree) for tree in trees]
    arrays = {f"{i}.{key}": array for i, (_, own, _) in enumerate(packed) for key, array in own.items()}
    return [document for document, _, _ in packed], arrays, [name for _, _, names in packed for name in names]


def unpack(arrays: Mapping[str, NDArray[Any]], members: Any, unpack_tree: Callable[..., Any]) -> list[TreeClassifier]:
    """Make the trees; raise ValueError (place, expected, found) for whatever is wrong."""
    if not isinstance(members, list) or not members:
        raise ValueError(f"members: expected descriptions of trees, found {type(members).__name__}")
    own: list[dict[str, NDArray[Any]]] = [{} for _ in members]
    places = {str(i): i for i in range(len(members))}
    for key, array in arrays.items():
        number, _, name = key.partition(".")
        if number not in places:
            raise ValueError(f"arrays: expected those of {len(own)} trees, found {key!r}")
        own[places[number]][name] = array
    trees: list[TreeClassifier] = []
    for i, member in enumerate(members):
        try:
            tree = unpack_tree(own[i], member)
            _check(tree, trees)
        except ValueError as error:
            raise ValueError(f"tree {i}: {error}") from None
        trees.append(tree)
    return trees


def _check(tree: Any, before: list[TreeClassifier]) -> None:
    """Refuse what is no tree of classes, or has other classes or features than the first."""
    if not isinstance(tree, TreeClassifier):
        raise ValueError(f"estimator: expected a classifier, found {type(tree).__name__}")
    if not before:
        return
    for name in ("classes_", "n_features_in_", "feature_names_in_"):
        first, this = (getattr(one, name, None) for one in (before[0], tree))
        if not np.array_equal(np.asarray(first), np.asarray(this)):
            raise ValueError(f"{name.strip('_')}: expected {first}, as the first tree has, found {this}")
