"""Linear separability for APDT: the patterns of a node, and an exact count of those that are not separable."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.grow import Node

_KEPT = 64  # separable and inseparable sets that are remembered, of each


@dataclass(frozen=True, eq=False)
class Units:
    """The scale of the features, ``(x - shift) / scale``. Constant features are left out.

    Attributes
    ----------
    features : ndarray
        Indices of the features that vary.
    shift, scale : ndarray
        One number for each of these features.
    """

    features: NDArray[np.int64]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]


def units_of(table: Table, normalize: str | None) -> Units:
    """Return the scale of a table: "minmax" to [-1, 1], "max" by the largest absolute value, None for none.

    It depends neither on the order of the rows nor on repetitions.
    """
    low, high = table.extent
    half = high / 2 - low / 2  # halves do not overflow
    if normalize == "minmax":
        shift, scale = low / 2 + high / 2, half
    else:
        size = np.maximum(np.abs(low), np.abs(high))
        # Without a scale, values are divided by one power of two, above 1 only if products would overflow.
        common = np.ldexp(1.0, max(0, int(np.ceil(np.log2(max(float(size.max()), 1.0)))) - 100))
        shift, scale = np.zeros_like(size), size if normalize == "max" else np.full_like(size, common)
    features = np.flatnonzero(half > np.finfo(np.float64).tiny)
    return Units(features, shift[features], scale[features])


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of a node.

    Attributes
    ----------
    rows : ndarray
        Index of a row of the table for each pattern.
    X : ndarray
        Scaled features (patterns x features).
    label : ndarray
        Class code of each pattern.
    weight : ndarray
        Total weight of the equal rows.
    samples : ndarray
        Number of equal rows.
    n_classes : int
        Number of classes of the table.
    """

    rows: NDArray[np.uint32]
    X: NDArray[np.float64]
    label: NDArray[np.int32]
    weight: NDArray[np.float64]
    samples: NDArray[np.float64]
    n_classes: int


def patterns_of(node: Node, units: Units) -> Patterns:
    """Return the patterns of a node, ordered by a hash of the features, then by the class.

    So rows that two nodes share have the same order in both, and the names of the classes do not matter.
    """
    table = node.table.take(node.rows)
    hashed = replace(table, y=np.zeros_like(table.y)).row_hash(0)
    order = np.lexsort((table.y, hashed))
    X, y = table.X[order], table.y[order]
    new = np.ones(order.size, dtype=bool)
    new[1:] = (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1])
    first = np.flatnonzero(new)
    return Patterns(
        node.rows[order][first],
        np.ascontiguousarray((X[first][:, units.features] / 2 - units.shift / 2) / units.scale * 2),
        y[first].astype(np.int32),
        np.add.reduceat(table.weight[order], first),
        np.add.reduceat(table.multiplicity[order], first),
        table.n_classes,
    )


class LinearProgramme:
    """Counts the patterns of a set that are not linearly separable, exactly.

    With ``z = +-(x, 1)``, a pattern is not separable if it has a positive coefficient in a non-negative combination
    of the z that equals 0 (Tucker's theorem of the alternative; "nonlinearly separable structures" in Roychowdhury, Siu
    and Kailath). One linear programme finds all of them: maximise the sum of a subject to
    ``sum (a + b) z = 0``, ``0 <= a <= 1`` and ``b >= 0``. At the optimum a is 1 for these patterns and 0 for the
    others; if all are 0, the dual variables are a separating hyperplane. There are as many constraints as coefficients.

    No programme is solved if the perceptron finds a separating hyperplane, if the set is part of a set that is known to
    be separable, or, unless the count is needed, if it contains a set that is known to be inseparable.

    Examples
    --------
    >>> import numpy as np
    >>> from askew._core import PerceptronRules
    >>> from askew.search.separability import LinearProgramme, Patterns
    >>> X, one = np.array([[0.0], [1.0], [2.0], [3.0]]), np.ones(4)
    >>> mixed = Patterns(np.arange(4), X, np.array([0, 1, 0, 1], dtype=np.int32), one, one, 2)
    >>> rules = PerceptronRules(iterations=10, passes=False, rho=0.6)
    >>> LinearProgramme(mixed, rules)(np.arange(4), True)
    4.0
    """

    def __init__(self, patterns: Patterns, perceptron: _core.PerceptronRules) -> None:
        self.patterns, self.perceptron = patterns, perceptron
        self.separable: list[NDArray[np.bool_]] = []
        self.inseparable: list[NDArray[np.bool_]] = []
        self.n_solved = 0

    def __call__(self, members: NDArray[np.integer], number: bool) -> float:
        """Return the weight of the members that are not separable.

        Parameters
        ----------
        members : ndarray
            Indices of the patterns of the set.
        number : bool
            Whether the weight is needed; otherwise -1 may stand for any positive weight.
        """
        here = np.zeros(self.patterns.label.size, dtype=bool)
        here[members] = True
        if any(not (here & ~known).any() for known in self.separable):
            return 0.0
        if not number and any(not (known & ~here).any() for known in self.inseparable):
            return -1.0
        chosen = self.patterns
        count, _, _ = _core.perceptron(
            chosen.X[members], chosen.label[members], chosen.weight[members], chosen.n_classes, self.perceptron
        )
        if count > 0:
            inseparable, _ = self.solve(members)
            count = float(chosen.weight[members][inseparable].sum())
        known = self.inseparable if count > 0 else self.separable
        known.append(here)
        del known[:-_KEPT]
        return count

    def separator(self) -> NDArray[np.float64] | None:
        """Return a hyperplane that separates all patterns; None if there is none."""
        inseparable, plane = self.solve(np.arange(self.patterns.label.size))
        return None if inseparable.any() else plane

    def solve(self, members: NDArray[np.integer]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which members are not separable, and, if all are, the separating hyperplane."""
        from scipy.optimize import linprog  # late: it takes a while to import

        chosen = self.patterns
        label, weight = chosen.label[members], chosen.weight[members]
        predominant = np.bincount(label, weight, minlength=chosen.n_classes).argmax()
        sign = np.where(label == predominant, 1.0, -1.0)
        x = chosen.X[members]
        shift, scale = x.mean(axis=0), x.std(axis=0)
        scale[scale == 0] = 1.0
        z = np.column_stack([(x - shift) / scale, np.ones(sign.size)]) * sign[:, None]
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        n = sign.size
        self.n_solved += 1
        solution = linprog(
            np.concatenate([-np.ones(n), np.zeros(n)]),
            A_eq=np.concatenate([z, z]).T,
            b_eq=np.zeros(z.shape[1]),
            bounds=[(0.0, 1.0)] * n + [(0.0, None)] * n,
            method="highs",
        )
        if solution.x is None:
            raise RuntimeError(f"the linear programme of {n} rows was not solved: {solution.message}")
        inseparable = solution.x[:n] > 0.5
        plane = -np.asarray(solution.eqlin.marginals)
        if not inseparable.any() and not (z @ plane > 0).all():  # rounding: those on the wrong side are not separable
            inseparable = z @ plane <= 0
        weights = plane[:-1] / scale
        return inseparable, np.append(weights, plane[-1] - weights @ shift)
