"""Penalised fits at a node (``search="linear"``): workers sum moments of the rows, the client solves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.dask.exact_sums import sum_unit
from askew.dask.moments import ClassSums, LineSums, Losses, Side, lower_triangle
from askew.dask.partition import NodePath
from askew.dask.quantiles import Ask
from askew.dask.scales import ColumnScales
from askew.model.split import Hyperplane, Split

_Line = tuple[NDArray[np.float64], NDArray[np.float64], float]  # what `LineMoments` in core/linear has


@dataclass(frozen=True, eq=False)
class NodeFits:
    """The fits of one node.

    Attributes
    ----------
    ask : function
        Asks the workers.
    path : NodePath
        The node.
    n_rows : int
        Number of rows.
    mass : float
        Weight of the rows.
    class_mass : float64 array
        Weight of each class; empty for regression.
    mean, deviation : float
        Mean and standard deviation of y.
    columns : ColumnScales
        Location and width of the columns.
    """

    ask: Ask
    path: NodePath
    n_rows: int
    mass: float
    class_mass: NDArray[np.float64]
    mean: float = 0.0
    deviation: float = 1.0
    columns: ColumnScales = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", ColumnScales.of(self.ask, self.path, self.mass))

    @property
    def scales(self) -> NDArray[np.float64]:
        """The columns as kernels take them."""
        return self.columns.table

    @property
    def unit(self) -> float:
        """The unit of rounded terms: their absolute values add up to no more than the mass (exact_sums.hpp)."""
        return sum_unit(2 * self.mass, 1)

    def planes(self, directions: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return directions in the units of the data."""
        d = self.scales.shape[1]
        return _core.planes_of(np.array(directions, dtype=np.float64).reshape(-1, d), self.columns.deviation)

    def _matrix(self, triangle: NDArray[np.int64]) -> NDArray[np.float64]:
        m = self.scales.shape[1] + 1
        matrix = np.zeros((m, m))
        matrix[lower_triangle(m)] = triangle * self.unit
        return matrix.ravel()

    # --- classes

    def canonical(self, penalty: _core.Penalty, most: int) -> list[NDArray[np.float64]]:
        """Return the canonical directions of the classes that have rows here."""
        sums, triangle = self.ask(ClassSums(self.path, self.scales, self.unit))
        here = self.class_mass > 0
        by_class = np.ascontiguousarray(sums[here, :-1] * self.unit)
        gram = self._matrix(triangle[0])
        return list(_core.canonical_directions(self.class_mass[here], by_class, gram, penalty, most=most))

    def logistic(self, groups: NDArray[np.int8], penalty: _core.Penalty) -> list[NDArray[np.float64]]:
        """Return the directions of logistic fits of groups of classes, all of them in step."""
        d = self.scales.shape[1]
        fits = [_core.NewtonSteps(d, penalty, mass=float(self.class_mass[group >= 0].sum())) for group in groups]
        while active := [i for i, fit in enumerate(fits) if not fit.done]:
            at = np.array([fits[i].at for i in active])
            # No row's loss is above log 2 + |f|, and columns of deviation 1 have absolute values below 1 on average.
            units = np.array([sum_unit(2 * self.mass * (log(2) + float(np.abs(w).sum())), 1) for w in at])
            losses, gradients, triangles = self.ask(
                Losses(self.path, self.scales, groups[active], at, units, self.unit)
            )
            for i, loss, gradient, triangle in zip(active, losses * units, gradients, triangles, strict=True):
                fits[i].take(float(loss), gradient * self.unit, self._matrix(triangle))
        return [fit.weights for fit in fits]

    # --- numbers

    def _lines(self, sides: Sequence[Side], before: Sequence[Side] = ()) -> tuple[list[_Line], NDArray[np.int64]]:
        """Return the moments of the rows of some sides, and how many rows there are."""
        triangles, products, squares, counts = self.ask(
            LineSums(self.path, self.scales, tuple(sides), tuple(before), self.mean, self.deviation, self.unit)
        )
        lines = [
            (self._matrix(t), p * self.unit, float(s * self.unit))
            for t, p, s in zip(triangles, products, squares, strict=True)
        ]
        return lines, counts

    def ridge(self, penalty: _core.Penalty) -> NDArray[np.float64]:
        """Return the direction of ridge regression."""
        lines, _ = self._lines(())
        return _core.ridge_direction(*lines[0], penalty)

    def hinges(self, starts: Sequence[Split], penalty: _core.Penalty) -> list[NDArray[np.float64]]:
        """Return the directions of the hinges that begin with splits, all of them in step."""
        d = self.scales.shape[1]
        hinges = [_core.HingeSteps(d, penalty) for _ in starts]
        left: list[Side] = [(split, 0) for split in starts]
        if not hinges:
            return []
        lines, _ = self._lines([(split, child) for split in starts for child in (0, 1)])
        for hinge, line, other in zip(hinges, lines[::2], lines[1::2], strict=True):
            hinge.take_sides(*line, *other)
        while active := [i for i, hinge in enumerate(hinges) if not hinge.done]:
            crossings = [self._crossing(hinges[i].gap) for i in active]
            sides = [(split, child) for split in crossings for child in (1, 0)]
            lines, counts = self._lines(sides, [left[i] for i in active for _ in range(2)])
            for k, i in enumerate(active):
                above, below = lines[2 * k], lines[2 * k + 1]
                n_above, n_left, n_both = counts[2 * k].tolist()
                above_is_left = hinges[i].take_counts(self.n_rows, n_above, n_left, n_both)
                if hinges[i].done:
                    continue
                left[i] = (crossings[k], 1 if above_is_left else 0)
                hinges[i].take_sides(*(above + below if above_is_left else below + above))
        return [hinge.best for hinge in hinges if hinge.best.size]

    def _crossing(self, gap: NDArray[np.float64]) -> Hyperplane:
        """Return where two lines cross, in the units of the data: child 1 is where the left one is above."""
        widths, shifts = self.columns.deviation, self.columns.mean
        weights = np.divide(gap[:-1], widths, out=np.zeros(widths.size), where=widths > 0)
        used = np.flatnonzero(weights)
        if not used.size:  # nowhere
            return Hyperplane([0], [0.0], -float(gap[-1]))
        return Hyperplane(used, weights[used], float(weights[used] @ shifts[used] - gap[-1]))
