"""What the oblique searches with a compiled climb share."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from askew.grow import Node
from askew.search.axis import AxisCut
from askew.split import Hyperplane

# How a node's rows are scaled before the climb (core/node.hpp); the plane comes back in the data's units.
SCALINGS: dict[str | None, int] = {None: 0, "minmax": 1, "standard": 2, "robust": 3}


@dataclass(frozen=True)
class Plane:
    """A split that was found, and its score."""

    split: Hyperplane
    score: float


def starting_plane(features: NDArray[np.int64], axis: AxisCut | None) -> NDArray[np.float64]:
    """Return the axis-parallel split as weights of the features and a constant."""
    start = np.zeros(features.size + 1)
    if axis is not None:
        start[np.flatnonzero(features == axis.feature)] = 1.0
        start[-1] = -axis.threshold
    return start


def hyperplane(
    node: Node, features: NDArray[np.int64], found: tuple[NDArray[np.float64], float, float, int] | None
) -> Plane | None:
    """Read what a climb returned: weights of the features, threshold, score, hyperplanes looked at."""
    if found is None:
        return None
    weights, threshold, score, looked_at = found
    node.looked_at += looked_at
    used = np.flatnonzero(weights)
    if not isfinite(score):
        return None
    return Plane(Hyperplane(features[used], weights[used], threshold), score)
