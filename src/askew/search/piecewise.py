"""Splits for linear leaves: the cut with the least squared error of a ridge regression on each side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Hyperplane, Split
from askew.parameters import InvalidParameterError, Strategy, boolean, integer, none, param, real

_EXACT = 1e-8  # mean squared error below which a regression is exact, for y of deviation 1


@dataclass(frozen=True)
class PiecewiseLinear(Strategy):
    """Cuts scored by the squared error of a ridge regression on each side: the search for linear leaves.

    Other searches score a cut by the fit of two constants, and so cut steep slopes into steps that linear leaves do not
    need. Here every column is cut at its quantiles, and each cut is scored by the squared error of a ridge regression
    on each side. With `oblique`, the direction of ridge regression and the hinges where two regressions intersect
    (Breiman 1993) are candidates too. The criterion of the tree is not used. For regression only.

    Parameters
    ----------
    l2 : float, default=0.01
        Factor of the squared weights, of columns with deviation 1, in the loss, which is the mean squared error.
    bins : int, default=16
        Number of bins of equal weight along each direction; the cuts lie between them.
    oblique : bool, default=False
        Whether oblique candidates are tried.
    min_side : int or None, default=None
        Least number of samples on each side, beside the limits of the tree. None: twice the number of coefficients of a
        regression, at most a twentieth of all samples (or ten, if that is more).
    price : float, default=0.0
        Share of the error that each weight beyond the first must save.
    max_columns : int, default=32
        Largest number of columns in the regressions and cuts. Of more columns, those with the highest score are used:
        the correlation of y with the column, plus that of the residuals of a ridge regression with its square.

    References
    ----------
    Quinlan: Learning with Continuous Classes. Australian Joint Conference on Artificial Intelligence (1992). Breiman:
    Hinging Hyperplanes for Regression, Classification, and Function Approximation (1993).

    Examples
    --------
    >>> import numpy as np
    >>> from askew import ObliqueTreeRegressor
    >>> X = np.linspace(-2, 2, 101)[:, None]
    >>> tree = ObliqueTreeRegressor(search="piecewise", leaf_model="linear", max_leaf_nodes=2).fit(X, np.abs(X[:, 0]))
    >>> bool(abs(tree.tree_.threshold[0]) < 0.3), round(tree.score(X, np.abs(X[:, 0])), 2)
    (True, 1.0)
    """

    regression_only: ClassVar[bool] = True

    l2: float = param(0.01, real(0.0))
    bins: int = param(16, integer(2))
    oblique: bool = param(False, boolean)
    min_side: int | None = param(None, integer(1) | none)
    price: float = param(0.0, real(0.0))
    max_columns: int = param(32, integer(1))

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best cut for two regressions, or None if one regression is exact."""
        if node.table.classification:
            raise InvalidParameterError("The search 'piecewise' supports regression only.")
        features = self._columns(node)
        if not features.size:
            return None
        planes = np.eye(features.size)
        unsplit, thresholds, errors = self._cuts(node, features, planes)
        node.n_evaluated += len(planes)
        if unsplit <= _EXACT * node.mass:
            return None
        best = int(np.argmin(errors))
        if self.oblique and np.isfinite(errors[best]):
            more = self._oblique(node, features, planes[best], float(thresholds[best]))
            node.n_evaluated += len(more)
            _, cut, error = self._cuts(node, features, more)
            terms = np.count_nonzero(more, axis=1)
            planes, thresholds = np.concatenate([planes, more]), np.concatenate([thresholds, cut])
            errors = np.concatenate([errors, error * (1 + self.price * (terms - 1))])
            best = int(np.argmin(errors))
        if not isfinite(errors[best]):
            return None
        used = np.flatnonzero(planes[best])
        return Hyperplane(features[used], planes[best][used], float(thresholds[best]))

    def _columns(self, node: Node) -> NDArray[np.int64]:
        """Return the numeric columns, at most `max_columns` of them."""
        features = np.arange(node.table.n_features)
        if node.table.levels:
            features = np.flatnonzero(np.array(node.table.levels) == 0)
        if features.size <= self.max_columns:
            return features
        X, share = node.table.X[np.ix_(node.rows, features)], node.weight / node.mass
        with np.errstate(all="ignore"):  # the correlations of huge columns are NaN, which comes last
            Z = X - share @ X
            Z /= np.sqrt(share @ Z**2)
            numbers = node.y.astype(np.float64, copy=False)
            y = numbers - share @ numbers
            ridge = _core.penalised_fit(X, numbers, node.weight, logistic=False, l2=max(self.l2, 1e-6) * node.mass)
            residual = numbers - X @ ridge[:-1]
            score = (share * y @ Z) ** 2 + (share * (residual - share @ residual) @ (Z**2 - 1)) ** 2
        best = np.argsort(-np.nan_to_num(score, posinf=0.0), kind="stable")
        return np.sort(features[best[: self.max_columns]])

    def _oblique(
        self, node: Node, features: NDArray[np.int64], axis: NDArray[np.float64], threshold: float
    ) -> NDArray[np.float64]:
        """Return the direction of ridge regression, and the hinges from there and from the best axis-parallel cut."""

        def directions(starts: NDArray[np.uint8]) -> NDArray[np.float64]:
            return _core.linear_directions(
                node.kernel,
                _core.Penalty(l2=self.l2 * node.mass, l1=0.0, max_steps=50),
                features=features,
                canonical=0,
                groups=np.empty((0, 0), dtype=np.int8),
                starts=starts,
            )

        starts = [Hyperplane(features, axis, threshold).route(node.table.X, node.rows) == 0]
        for ridge in directions(np.empty((0, node.rows.size), dtype=np.uint8)):
            along = node.table.X[np.ix_(node.rows, features)] @ ridge
            starts.append(along <= np.average(along, weights=node.weight))
        return directions(np.array(starts, dtype=np.uint8))

    def _cuts(
        self, node: Node, features: NDArray[np.int64], planes: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the error without a split, and the best threshold and its error along each direction."""
        least: float | None = self.min_side
        if least is None:
            least = min(2 * (features.size + 1), max(10, float(node.grown_on.multiplicity.sum()) // 20))
        limits = replace(node.local.limits, min_samples_leaf=max(node.min_samples_leaf, least))
        rows = replace(node.local, limits=limits)
        return _core.piecewise_cuts(rows.kernel, features=features, planes=planes, l2=self.l2, bins=self.bins)
