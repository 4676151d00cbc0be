"""Exactly which rows are not linearly separable, by linear programming, for APDT."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.search.patterns import Patterns

_KEPT = 64  # sets that are remembered of either kind


class LinearProgramme:
    """Counts the patterns of a set that are not separable, exactly.

    With ``z = +-(x, 1)``, a pattern is not separable if it has a positive share in some sum of non-negative multiples
    of the z that is 0 (Tucker's theorem of the alternative; Roychowdhury, Siu and Kailath call such sets nonlinearly
    separable structures). All of them are found at once: maximise the sum of a under ``sum (a + b) z = 0``, with
    ``0 <= a <= 1`` and ``b >= 0``. At the optimum a is 1 for those and 0 for the others; where all are 0, the
    multipliers of the constraints are a plane that separates. There are as many constraints as coefficients.

    A set within one that is known to be separable is separable, and one that contains an inseparable set is not:
    then no programme is solved, unless the number matters. Nor is it where the perceptron finds a plane.

    Examples
    --------
    >>> import numpy as np
    >>> from askew._core import PerceptronRules
    >>> from askew.search.patterns import Patterns
    >>> from askew.search.separability import LinearProgramme
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
        """Return the weight of the members that are not separable; -1 for "some" where the number does not matter."""
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
            within, _ = self.solve(members)
            count = float(chosen.weight[members][within].sum())
        known = self.inseparable if count > 0 else self.separable
        known.append(here)
        del known[:-_KEPT]
        return count

    def separator(self) -> NDArray[np.float64] | None:
        """Return a plane that separates all patterns; None if there is none."""
        within, plane = self.solve(np.arange(self.patterns.label.size))
        return None if within.any() else plane

    def solve(self, members: NDArray[np.integer]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which members are not separable, and the plane that separates them where none is."""
        from scipy.optimize import linprog  # late: it takes a while to import

        chosen = self.patterns
        label, weight = chosen.label[members], chosen.weight[members]
        wanted = np.bincount(label, weight, minlength=chosen.n_classes).argmax()
        sign = np.where(label == wanted, 1.0, -1.0)
        x = chosen.X[members]
        shift, scale = x.mean(axis=0), x.std(axis=0)
        scale[scale == 0] = 1.0
        z = np.column_stack([(x - shift) / scale, np.ones(sign.size)]) * sign[:, None]
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        n = sign.size
        self.n_solved += 1
        found = linprog(
            np.concatenate([-np.ones(n), np.zeros(n)]),
            A_eq=np.concatenate([z, z]).T,
            b_eq=np.zeros(z.shape[1]),
            bounds=[(0.0, 1.0)] * n + [(0.0, None)] * n,
            method="highs",
        )
        if found.x is None:
            raise RuntimeError(f"the linear programme of {n} rows was not solved: {found.message}")
        within = found.x[:n] > 0.5
        inside = -np.asarray(found.eqlin.marginals)
        if not within.any() and not (z @ inside > 0).all():  # rounding: those on the wrong side are not separable
            within = z @ inside <= 0
        weights = inside[:-1] / scale
        return within, np.append(weights, inside[-1] - weights @ shift)
