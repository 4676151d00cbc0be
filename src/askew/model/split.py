"""`Split`: `route(X) -> child number`. Three kinds: hyperplane, linear machine, category table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew import _core

LEAF, HYPERPLANE, LINEAR_MACHINE, CATEGORY_TABLE = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class Split:
    """A test at a node, in the form in which the tree's arrays hold it (see core/tree/tree_walk.hpp)."""

    features: NDArray[np.int64]
    weights: NDArray[np.float64]
    threshold: float
    n_children: int
    kind: ClassVar[int] = LEAF

    def route(self, X: NDArray[np.float64], rows: NDArray[np.uint32] | None = None) -> NDArray[np.int64]:
        """Return the number of the child that each row (or each of `rows`) goes to."""
        return _core.route(self.kind, self.n_children, self.features, self.weights.ravel(), self.threshold, X, rows)


class Hyperplane(Split):
    """Child 0 if ``weights @ x[features] <= threshold``, else child 1. One feature: axis-parallel.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.model.split import Hyperplane
    >>> Hyperplane([0, 1], [1.0, -1.0], 0.0).route(np.array([[1.0, 2.0], [2.0, 1.0]])).tolist()
    [0, 1]
    """

    kind = HYPERPLANE

    def __init__(self, features: ArrayLike, weights: ArrayLike, threshold: float) -> None:
        used = np.asarray(features, dtype=np.int64)
        super().__init__(used, np.asarray(weights, dtype=np.float64), float(threshold), 2)

    @classmethod
    def dense(cls, weights: ArrayLike, threshold: float) -> Hyperplane:
        """Make a hyperplane from one weight for each feature; zeros are left out."""
        w = np.asarray(weights, dtype=np.float64)
        used = np.flatnonzero(w)
        return cls(used, w[used], threshold)


class LinearMachine(Split):
    """Child = the class whose linear function is largest; ties go to the first (LMDT).

    `weights` has a row for each child and a column for each feature, then the constants.
    """

    kind = LINEAR_MACHINE

    def __init__(self, features: ArrayLike, weights: ArrayLike) -> None:
        w = np.ascontiguousarray(weights, dtype=np.float64)
        super().__init__(np.asarray(features, dtype=np.int64), w, 0.0, int(w.shape[0]))


class CategoryTable(Split):
    """Child = `children[code]` for the category codes of one feature; `default` for any other value."""

    kind = CATEGORY_TABLE

    def __init__(self, feature: int, children: ArrayLike, default: int = 0) -> None:
        table = np.asarray(children, dtype=np.float64)
        n_children = int(max(table.max(initial=0), default)) + 1
        super().__init__(np.asarray([feature], dtype=np.int64), table, float(default), n_children)
