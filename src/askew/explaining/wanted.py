"""What a counterfactual is to reach: leaves that predict it, and what else must hold in them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.explaining.region import Choice, Constraints, region_of
from askew.payload import Linear
from askew.tree import Tree


class Target(NamedTuple):
    """Constraints that a row fulfils if a leaf is to predict what is wanted."""

    leaf: int
    constraints: Constraints
    choices: tuple[Choice, ...]


def class_targets(tree: Tree, codes: Collection[int]) -> Iterator[Target]:
    """Give what leads to any of these classes, leaf by leaf; a linear model has a part of the leaf for each class."""
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        model = tree.payload.model(leaf) if isinstance(tree.payload, Linear) else None
        if model is None:
            if int(tree.value[leaf].argmax()) in codes:
                yield _target(tree, leaf, np.empty((0, tree.n_features)), np.empty(0))
            continue
        sums = np.zeros((tree.n_outputs, tree.n_features))
        np.add.at(sums.T, model[0], model[1])
        for code in codes:  # its sum is not below any other
            others = np.arange(tree.n_outputs) != code
            yield _target(tree, leaf, (sums - sums[code])[others], (model[2][code] - model[2])[others])


def range_targets(tree: Tree, low: float, high: float) -> Iterator[Target]:
    """Give what leads to a number from `low` to `high`, leaf by leaf."""
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        payload = tree.payload
        model = payload.model(leaf) if isinstance(payload, Linear) else None
        if model is None or not isinstance(payload, Linear):
            if low <= float(tree.value[leaf, 0]) <= high:
                yield _target(tree, leaf, np.empty((0, tree.n_features)), np.empty(0))
            continue
        # What is predicted is clipped: beyond the ends of the model's range it is the end.
        least, most = float(payload.model_low[leaf]), float(payload.model_high[leaf])
        if most < low or least > high:
            continue
        weight = np.zeros(tree.n_features)
        np.add.at(weight, model[0], model[1][:, 0])
        constant = float(model[2][0])
        rows = [(weight, high - constant)] if most > high else []
        rows += [(-weight, constant - low)] if least < low else []
        A = np.array([row for row, _ in rows]).reshape(-1, tree.n_features)
        yield _target(tree, leaf, A, np.array([end for _, end in rows]))


def _target(tree: Tree, leaf: int, A: NDArray[np.float64], b: NDArray[np.float64]) -> Target:
    region = region_of(tree, leaf, reduced=False)
    own = region.constraints
    also = Constraints(np.vstack([own.A, A]), np.concatenate([own.b, b]), np.append(own.strict, np.zeros(b.size, bool)))
    return Target(leaf, also, region.choices)
