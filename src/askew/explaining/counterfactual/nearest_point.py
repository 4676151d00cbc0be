"""The nearest point of a polyhedron, some of whose coordinates are integers or choices among categories.

Counterfactuals ask for it: a leaf is such a polyhedron. L1 by SciPy's mixed-integer solver (HiGHS). L2 as a least
distance problem, solved in its dual by non-negative least squares, which is an active-set method (Lawson & Hanson:
Solving Least Squares Problems, 1974, chapter 23), with branch and bound for integers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

_MOST_BRANCHES = 200  # of branch and bound; then a dive to a solution that is near, but perhaps not nearest
_TOLERANCE = 1e-9
_SHARE = np.sqrt(2.0)  # by which shares of categories are scaled: to give up one for another is a distance of 1


@dataclass(frozen=True, eq=False)
class Programme:
    """A least-distance problem: find v near `start` with ``A @ v <= b`` and ``low <= v <= high``.

    Attributes
    ----------
    A, b : ndarray
        Linear constraints.
    low, high : ndarray
        Bounds of each variable.
    start : ndarray
        The original point: 0 for numbers, which count in units of their spread; 0 or 1 for shares.
    step : ndarray
        Step size of integer variables; 0 for continuous ones.
    groups : tuple of ndarray
        Variables that are the shares of the categories of a feature: one is 1, the others 0.
    """

    A: NDArray[np.float64]
    b: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    start: NDArray[np.float64]
    step: NDArray[np.float64]
    groups: tuple[NDArray[np.int64], ...] = ()

    @property
    def shares(self) -> NDArray[np.bool_]:
        """Which variables are shares of categories."""
        found = np.zeros(self.start.size, dtype=bool)
        for group in self.groups:
            found[group] = True
        return found

    def distance(self, point: NDArray[np.float64], kind: str) -> float:
        """Return the distance from the start: of numbers their size, of a feature of categories 1 if it changes."""
        moved = np.abs(point - self.start)[~self.shares]
        changed = sum(bool((point[group] != self.start[group]).any()) for group in self.groups)
        return float(moved.sum() + changed if kind == "l1" else np.sqrt(moved @ moved + changed))

    def least(self, kind: str) -> float:
        """Return a lower bound of the distance of feasible points."""
        if (self.low > self.high).any():
            return np.inf
        lacking = self.A @ self.start - self.b
        gain = np.abs(self.A[:, ~self.shares])
        groups = [self.A[:, group] @ self.start[group] - self.A[:, group].min(axis=1) for group in self.groups]
        gain = np.column_stack([gain, *groups])
        most = gain.max(axis=1, initial=0.0) if kind == "l1" else np.sqrt((gain**2).sum(axis=1))
        if ((lacking > 0) & (most == 0)).any():
            return np.inf
        return float((lacking / np.where(most > 0, most, 1.0)).max(initial=0.0))

    def where(self, kept: NDArray[np.bool_]) -> Programme | None:
        """Return the programme of some of the variables, the others at their lower bounds; None if it is infeasible."""
        rest = self.b - self.A[:, ~kept] @ self.low[~kept]
        position = np.cumsum(kept) - 1
        groups = []
        for group in self.groups:
            left = group[kept[group]]
            if self.low[group[~kept[group]]].sum() + min(left.size, 1) != 1:
                return None  # no category, or several
            groups += [position[left]] if left.size else []
        if not kept.any() and (rest < 0).any():
            return None
        columns = (self.low[kept], self.high[kept], self.start[kept], self.step[kept])
        return Programme(self.A[:, kept], rest, *columns, tuple(groups))


def nearest(programme: Programme, kind: str) -> NDArray[np.float64] | None:
    """Return the point nearest to the start, by the distance "l1" or "l2"; None if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.explaining.counterfactual.nearest_point import Programme, nearest
    >>> plane = Programme(np.array([[-1.0, -2.0]]), np.array([-4.0]), np.full(2, -9.0), np.full(2, 9.0), np.zeros(2),
    ...                   np.zeros(2))
    >>> nearest(plane, "l1").round(6), nearest(plane, "l2").round(6)
    (array([0., 2.]), array([0.8, 1.6]))
    """
    fixed = programme.low == programme.high
    part = programme.where(~fixed)
    if part is None or (programme.low > programme.high).any():
        return None
    point = programme.low.copy()
    if not fixed.all():
        found = _sparse(part) if kind == "l1" else _least_squares(part)
        if found is None:
            return None
        point[~fixed] = found
    return point


# --- L1


def _sparse(programme: Programme) -> NDArray[np.float64] | None:
    """Return the nearest point by the sum of distances: v = start + up - down, with integer steps."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # late: it takes a while to import

    n, stepped = programme.start.size, np.flatnonzero(programme.step)
    shares = programme.shares
    identity = np.eye(n)
    # up, down (of shares none), shares as they are, steps
    move = np.hstack([identity * ~shares, -identity * ~shares, identity * shares, np.zeros((n, stepped.size))])
    rows = [LinearConstraint(programme.A @ move, -np.inf, programme.b - programme.A @ (programme.start * ~shares))]
    for group in programme.groups:
        together = np.zeros(move.shape[1])
        together[2 * n + group] = 1.0
        rows.append(LinearConstraint(together[None, :], 1.0, 1.0))
    for i, variable in enumerate(stepped.tolist()):
        step_row = move[variable].copy()
        step_row[3 * n + i] = -programme.step[variable]
        rows.append(LinearConstraint(step_row[None, :], 0.0, 0.0))
    cost = np.concatenate([np.ones(2 * n), -programme.start * shares, np.zeros(stepped.size)])
    integral = np.concatenate([np.zeros(2 * n), shares, np.ones(stepped.size)])
    up, down = np.maximum(programme.high - programme.start, 0.0), np.maximum(programme.start - programme.low, 0.0)
    steps = np.full(stepped.size, np.inf)
    low = np.concatenate([np.zeros(2 * n), np.where(shares, programme.low, 0.0), -steps])
    high = np.concatenate([up * ~shares, down * ~shares, np.where(shares, programme.high, 0.0), steps])
    found = milp(cost, integrality=integral, bounds=Bounds(low, high), constraints=rows)
    if found.status != 0:
        return None
    point = programme.start * ~shares + move @ found.x
    return _integral(programme, point)


def _integral(programme: Programme, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a point without the rounding errors of a solver, in integers and in coordinates that do not move."""
    point = np.where(np.abs(point - programme.start) < _TOLERANCE, programme.start, point)
    point[programme.shares] = np.rint(point[programme.shares])
    stepped = programme.step > 0
    size = np.where(stepped, programme.step, 1.0)
    return np.where(stepped, programme.start + np.rint((point - programme.start) / size) * size, point)


# --- L2


def _least_squares(programme: Programme) -> NDArray[np.float64] | None:
    """Return the nearest point by the Euclidean distance: branch and bound over the integer variables."""
    order = count()
    first = _relaxed(programme)
    heap = [] if first is None else [(first[0], next(order), first[1], programme)]
    for _ in range(_MOST_BRANCHES):
        if not heap:
            return None
        _, _, point, part = heappop(heap)
        where = _fraction(part, point)
        if where is None:
            return _integral(programme, point)
        for branch in _branches(part, point, where):
            found = _relaxed(branch)
            if found is not None:
                heappush(heap, (found[0], next(order), found[1], branch))
    return _dive(programme)


def _dive(programme: Programme) -> NDArray[np.float64] | None:
    """Return a near feasible point: a dive that fixes one integer variable after the other."""
    part, found = programme, _relaxed(programme)
    while found is not None:
        where = _fraction(part, found[1])
        if where is None:
            return _integral(programme, found[1])
        tried = [(_relaxed(branch), branch) for branch in _branches(part, found[1], where)]
        found, part = min(tried, key=lambda one: np.inf if one[0] is None else one[0][0])
    return _sparse(programme)


def _fraction(programme: Programme, point: NDArray[np.float64]) -> int | None:
    """Return the integer variable that is farthest from an integer; None if there is none."""
    size = np.where(programme.step > 0, programme.step, 1.0)
    steps = (point - programme.start) / size
    away = np.where((programme.step > 0) | programme.shares, np.abs(steps - np.rint(steps)), 0.0)
    worst = int(away.argmax())
    return worst if away[worst] > 1e-7 else None


def _branches(programme: Programme, point: NDArray[np.float64], where: int) -> tuple[Programme, Programme]:
    size = programme.step[where] if programme.step[where] > 0 else 1.0
    steps = np.floor((point[where] - programme.start[where]) / size)
    high, low = programme.high.copy(), programme.low.copy()
    high[where], low[where] = programme.start[where] + steps * size, programme.start[where] + (steps + 1) * size
    return replace(programme, high=high), replace(programme, low=low)


def _relaxed(programme: Programme) -> tuple[float, NDArray[np.float64]] | None:
    """Return distance and point of the continuous relaxation; None if it is infeasible."""
    n = programme.start.size
    if (programme.low > programme.high + _TOLERANCE).any():
        return None
    bounded = [np.flatnonzero(np.isfinite(bound)) for bound in (programme.high, programme.low)]
    identity = np.eye(n)
    rows = [programme.A, identity[bounded[0]], -identity[bounded[1]]]
    ends = [programme.b, programme.high[bounded[0]], -programme.low[bounded[1]]]
    for group in programme.groups:
        together = identity[group].sum(axis=0)
        rows += [together[None, :], -together[None, :]]
        ends += [np.array([1.0, -1.0])]
    A, b = np.vstack(rows), np.concatenate(ends)
    scale = np.where(programme.shares, _SHARE, 1.0)
    moved = _least_distance(A * scale, b - A @ programme.start)
    return None if moved is None else (float(np.linalg.norm(moved)), programme.start + scale * moved)


def _least_distance(G: NDArray[np.float64], h: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the shortest u with ``G @ u <= h``; None if there is none."""
    from scipy.optimize import nnls  # late, as milp

    norm = np.linalg.norm(G, axis=1)
    if (h[norm == 0] < -_TOLERANCE).any():
        return None
    G, h = G[norm > 0] / norm[norm > 0, None], h[norm > 0] / norm[norm > 0]
    unit = float(-h.min(initial=0.0))
    if unit <= 0:
        return np.zeros(G.shape[1])
    dual = np.vstack([-G.T, -h / unit])
    aim = np.zeros(dual.shape[0])
    aim[-1] = 1.0
    try:
        multipliers, _ = nnls(dual, aim)
    except RuntimeError:  # too many iterations
        return None
    residual = dual @ multipliers - aim
    if -residual[-1] < 1e-10:
        return None
    u = -residual[:-1] / residual[-1]
    # With the active constraints known, their equations are solved again, with less rounding.
    active = multipliers > 0
    exact = np.linalg.lstsq(G[active], h[active] / unit, rcond=None)[0]
    best = min((u, exact), key=lambda one: float((G @ one - h / unit).max()))
    if (G @ best - h / unit).max() > 1e-7:
        return None
    return np.asarray(best * unit)
