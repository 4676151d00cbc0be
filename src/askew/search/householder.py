"""HHCART: axis-parallel cuts after a Householder reflection that makes an eigenvector of a class an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Hyperplane, Split
from askew.parameters import Strategy, boolean, documented, one_of, param, real

_Cutter = Callable[[NDArray[np.float64]], tuple[int, float, float] | None]

# An eigenvalue below this share of the largest is rounding: the rows do not vary in its direction.
SPREAD = 1e-12


@dataclass(kw_only=True, eq=False, repr=False)
class HouseholderParameters:
    """The parameters of `Householder`, and of the estimators that search with it.

    Parameters
    ----------
    variant : "A" or "D", default="A"
        "A", all eigenvectors of each class, or "D", the dominant one (HHCART; ELC, section 1.1.4).
    include_identity : bool, default=True
        Also search without a reflection, which wins ties. The program behind ELC does not.
    tau : float, default=1e-06
        An eigenvector within this distance of the first axis needs no reflection.
    threshold : "midpoint" or "sample", default="midpoint"
        The "midpoint" between neighbouring rows, or the lower one, "sample", as in the program behind ELC.
    """

    variant: str = param("A", one_of("A", "D"))
    include_identity: bool = param(True, boolean)
    tau: float = param(1e-6, real(0.0))
    threshold: str = param("midpoint", one_of("midpoint", "sample"))


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Householder(HouseholderParameters, Strategy):
    """The search of HHCART.

    For each class and each eigenvector of its covariance matrix, a Householder reflection makes the eigenvector the
    first axis. The best axis-parallel cut of the reflected rows is an oblique cut of the data. The best of all is taken
    as the split.

    For regression, the rows above the mean of y and the others are the two classes (ours).

    Eigenvectors are computed from sums in a fixed order over sorted rows, with the largest component positive, so that
    neither the order of the rows nor the processor changes the reflections.

    References
    ----------
    Wickramarachchi, Robertson, Reale, Price, Brown: HHCART: An oblique decision tree. Computational Statistics &
    Data Analysis 96 (2016).
    Laack: CART-ELC: Oblique Decision Tree Induction via Exhaustive Search (2025), section 1.1.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.householder import Householder
    >>> X, y = load_iris(return_X_y=True)
    >>> ObliqueTreeClassifier(search=Householder(variant="D"), max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best axis-parallel cut of all reflections."""
        best: tuple[float, NDArray[np.float64], NDArray[np.bool_]] | None = None
        best_cut = _cutter(node, criterion)
        # Sums of squares of the largest numbers would overflow; scaling by a power of two is exact.
        X = node.X * _power_of_two(node.X)
        for u in self._reflections(node, X):
            reflected = X if u is None else _core.reflect(X, u)
            cut = best_cut(reflected)
            if cut is not None and (best is None or cut[2] < best[0]):
                column, threshold, score = cut
                best = (score, _axis(column, u, X.shape[1]), reflected[:, column] <= threshold)
        return None if best is None else self._split(node, best_cut, best[1], best[2])

    def _reflections(self, node: Node, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64] | None]:
        """Yield the unit normal of each reflection; None for the identity."""
        if self.include_identity:
            yield None
        on_axis = False
        for rows in _classes(node):
            normals, needs_none = _core.householder_mirrors(
                X[rows], node.weight[rows], dominant_alone=self.variant == "D", spread=SPREAD, tau=self.tau
            )
            on_axis |= needs_none
            yield from normals
        if on_axis and not self.include_identity:
            yield None

    def _split(
        self, node: Node, best_cut: _Cutter, weights: NDArray[np.float64], left: NDArray[np.bool_]
    ) -> Hyperplane | None:
        """Map the cut back to the data, with a threshold at which `Tree.apply` divides the rows as the cut did."""
        used = np.flatnonzero(weights)
        value = np.zeros(node.rows.size)
        for j in used:  # in the order in which `Tree.apply` sums
            value += weights[j] * node.X[:, j]
        below, above = float(value[left].max()), float(value[~left].min())
        if not below < above:  # rounding has mixed nearly equal rows: take the best cut along these weights
            cut = best_cut(value[:, None])
            if cut is None:
                return None
            below = float(value[value <= cut[1]].max())
            above = float(value[value > cut[1]].min())
        middle = below * 0.5 + above * 0.5
        return Hyperplane(used, weights[used], middle if self.threshold == "midpoint" and middle < above else below)


def _cutter(node: Node, criterion: Criterion) -> _Cutter:
    """Return a function that finds the best axis-parallel cut of the node's rows with transformed features."""
    target = node.table.take(node.rows).target
    all_rows = np.arange(node.rows.size, dtype=np.uint32)

    def best_cut(X: NDArray[np.float64]) -> tuple[int, float, float] | None:
        node.n_evaluated += X.shape[1]
        space = np.ascontiguousarray(X)
        kernel = _core.Node(
            target=target,
            X=space,
            rows=all_rows,
            min_samples_leaf=node.min_samples_leaf,
            min_weight_leaf=node.min_weight_leaf,
            threads=node.threads,
        )
        return _core.axis_cut(criterion.kernel, kernel)

    return best_cut


def _classes(node: Node) -> Iterator[NDArray[np.intp]]:
    """Yield the positions of each class in `node.rows`; for regression, of those above the mean and the others."""
    if node.table.classification:
        code, n_codes = node.y, node.table.n_classes
    else:
        mean = fsum(node.weight * node.y) / fsum(node.weight)  # exactly rounded: independent of the order of the rows
        code, n_codes = (node.y > mean).astype(np.int32), 2
    order = np.argsort(code, kind="stable")
    for rows in np.split(order, np.searchsorted(code[order], np.arange(1, n_codes))):
        if rows.size > 1:  # one row has no covariance
            yield rows


def _axis(column: int, u: NDArray[np.float64] | None, d: int) -> NDArray[np.float64]:
    """Return a column of the Householder matrix: ``e_j - 2 u_j u``."""
    axis = np.zeros(d)
    axis[column] = 1.0
    return axis if u is None else axis - 2 * u[column] * u


def _power_of_two(X: NDArray[np.float64]) -> float:
    """Return the power of two that scales the largest absolute value of X to about 1."""
    largest = float(np.abs(X).max(initial=0))
    return float(np.ldexp(1.0, int(np.clip(-np.frexp(largest)[1], -1020, 1020)))) if largest > 0 else 1.0
