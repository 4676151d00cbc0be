"""Trees of hyperplanes that a compiled growth made (core/ensemble/grown_tree.hpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.payload import Constant
from askew.tree import Tree


def tree_of(arrays: dict[str, Any], n_features: int) -> Tree:
    """Freeze a tree that the compiled growth made: a hyperplane at each inner node."""
    start = arrays["feature_start"]
    return Tree(
        kind=arrays["kind"],
        first_child=arrays["first_child"],
        n_children=2 * arrays["kind"].astype(np.int64),
        feature_start=start,
        weight_start=start,
        feature=arrays["feature"],
        weight=arrays["weight"],
        threshold=arrays["threshold"],
        payload=Constant(arrays["value"]),
        n_samples=arrays["n_samples"],
        mass=arrays["mass"],
        impurity=arrays["impurity"],
        n_features=n_features,
        n_hyperplanes=int(arrays["looked_at"]),
    )
