"""HHCART: axis-parallel cuts in a space that is reflected so that a class's own direction becomes an axis."""

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

# Eigenvalues below this share of the largest are those of a direction in which the rows do not spread.
SPREAD = 1e-12


@dataclass(kw_only=True, eq=False, repr=False)
class HouseholderParameters:
    """The parameters of `Householder`, and of the estimators that search with it.

    Parameters
    ----------
    variant : "A" or "D", default="A"
        "A", all eigenvectors of each class, or "D", the dominant one alone (HHCART; ELC, section 1.1.4).
    include_identity : bool, default=True
        Also look at the data as they are; preferred of equals. The program behind ELC does not.
    tau : float, default=1e-06
        An eigenvector so close to the first axis is taken for it: no reflection.
    threshold : "midpoint" or "sample", default="midpoint"
        Half-way between neighbouring rows, "midpoint", or on the lower one, "sample", as in the program behind ELC.
    """

    variant: str = param("A", one_of("A", "D"))
    include_identity: bool = param(True, boolean)
    tau: float = param(1e-6, real(0.0))
    threshold: str = param("midpoint", one_of("midpoint", "sample"))


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Householder(HouseholderParameters, Strategy):
    """The search of HHCART.

    For each class and each eigenvector of its covariance, the rows are reflected so that the eigenvector becomes
    the first axis; the best axis-parallel cut there is an oblique cut of the data, and the best of all is taken.

    For regression, rows above the mean of y and rows not above it stand for two classes: this reading is ours.

    Eigenvectors are computed from sums in a fixed order over rows sorted by their values, with the largest component
    positive: neither the order of the rows nor the processor changes the spaces that are looked at.

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
        """Return the best axis-parallel cut of all the reflected spaces."""
        best: tuple[float, NDArray[np.float64], NDArray[np.bool_]] | None = None
        best_cut = _cutter(node, criterion)
        # Sums of squares of the largest numbers would overflow: a power of two changes nothing else.
        X = node.X * _power_of_two(node.X)
        for u in self._mirrors(node, X):
            reflected = X if u is None else _core.reflect(X, u)
            cut = best_cut(reflected)
            if cut is not None and (best is None or cut[2] < best[0]):
                column, threshold, score = cut
                best = (score, _axis(column, u, X.shape[1]), reflected[:, column] <= threshold)
        return None if best is None else self._split(node, best_cut, best[1], best[2])

    def _mirrors(self, node: Node, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64] | None]:
        """Yield the unit normal of each mirror; None for the data as they are."""
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
        """Map the cut back: the threshold lies where the tree's own sums divide the rows as the cut did."""
        used = np.flatnonzero(weights)
        value = np.zeros(node.rows.size)
        for j in used:  # in the order in which the tree's walker sums
            value += weights[j] * node.X[:, j]
        below, above = float(value[left].max()), float(value[~left].min())
        if not below < above:  # rounding has mixed rows that nearly touch: the best cut along these weights
            cut = best_cut(value[:, None])
            if cut is None:
                return None
            below = float(value[value <= cut[1]].max())
            above = float(value[value > cut[1]].min())
        middle = below * 0.5 + above * 0.5
        return Hyperplane(used, weights[used], middle if self.threshold == "midpoint" and middle < above else below)


def _cutter(node: Node, criterion: Criterion) -> _Cutter:
    """Return the search for the best axis-parallel cut of the node's rows in whatever space they are given."""
    target = node.table.take(node.rows).target
    everyone = np.arange(node.rows.size, dtype=np.uint32)

    def best_cut(X: NDArray[np.float64]) -> tuple[int, float, float] | None:
        node.n_evaluated += X.shape[1]
        space = np.ascontiguousarray(X)
        kernel = _core.Node(
            target=target,
            X=space,
            rows=everyone,
            min_samples_leaf=node.min_samples_leaf,
            min_weight_leaf=node.min_weight_leaf,
            threads=node.threads,
        )
        return _core.axis_cut(criterion.kernel, kernel)

    return best_cut


def _classes(node: Node) -> Iterator[NDArray[np.intp]]:
    """Yield the rows of each class, as places in the node; for regression, those above the mean and those not."""
    if node.table.classification:
        code, n_codes = node.y, node.table.n_classes
    else:
        mean = fsum(node.weight * node.y) / fsum(node.weight)  # exactly rounded: whatever the order of the rows
        code, n_codes = (node.y > mean).astype(np.int32), 2
    order = np.argsort(code, kind="stable")
    for rows in np.split(order, np.searchsorted(code[order], np.arange(1, n_codes))):
        if rows.size > 1:  # one row has no direction
            yield rows


def _axis(column: int, u: NDArray[np.float64] | None, d: int) -> NDArray[np.float64]:
    """Return the column of the reflection: ``e_j - 2 u_j u``."""
    axis = np.zeros(d)
    axis[column] = 1.0
    return axis if u is None else axis - 2 * u[column] * u


def _power_of_two(X: NDArray[np.float64]) -> float:
    """Return the factor that brings the largest number of X near 1."""
    largest = float(np.abs(X).max(initial=0))
    return float(np.ldexp(1.0, int(np.clip(-np.frexp(largest)[1], -1020, 1020)))) if largest > 0 else 1.0
