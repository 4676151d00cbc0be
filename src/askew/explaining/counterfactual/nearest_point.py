"""The nearest point of a polyhedron, some of whose coordinates are whole numbers or choices among categories.

Counterfactuals ask for it: a leaf is such a polyhedron. L1 by SciPy's mixed-integer solver (HiGHS). L2 as a least
distance problem, solved in its dual by non-negative least squares, which is an active-set method (Lawson & Hanson:
Solving Least Squares Problems, 1974, chapter 23), with branches on what must be whole.
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
    """Points v with ``A @ v <= b`` and ``low <= v <= high``, and where they are to be near to.

    Attributes
    ----------
    A, b : ndarray
        Linear constraints.
    low, high : ndarray
        Bounds of each variable.
    start : ndarray
        The point to be near to: 0 for numbers, which count in units of their spread; 0 or 1 for shares.
    step : ndarray
        Of variables that move in steps, the size of one; 0 for any other.
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
        """Return a bound: no point that fulfils all constraints is nearer."""
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
        """Return the programme of some of the variables, the others being at their lower ends; None if that fails."""
        rest = self.b - self.A[:, ~kept] @ self.low[~kept]
        place = np.cumsum(kept) - 1
        groups = []
        for group in self.groups:
            left = group[kept[group]]
            if self.low[group[~kept[group]]].sum() + min(left.size, 1) != 1:
                return None  # no category, or several
            groups += [place[left]] if left.size else []
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


def _sparse(given: Programme) -> NDArray[np.float64] | None:
    """Return the nearest point by the sum of distances: v = start + up - down, where steps are whole."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # late: it takes a while to import

    n, stepped = given.start.size, np.flatnonzero(given.step)
    shares = given.shares
    identity = np.eye(n)
    # up, down (of shares none), shares as they are, steps
    move = np.hstack([identity * ~shares, -identity * ~shares, identity * shares, np.zeros((n, stepped.size))])
    rows = [LinearConstraint(given.A @ move, -np.inf, given.b - given.A @ (given.start * ~shares))]
    for group in given.groups:
        together = np.zeros(move.shape[1])
        together[2 * n + group] = 1.0
        rows.append(LinearConstraint(together[None, :], 1.0, 1.0))
    for i, variable in enumerate(stepped.tolist()):
        whole = move[variable].copy()
        whole[3 * n + i] = -given.step[variable]
        rows.append(LinearConstraint(whole[None, :], 0.0, 0.0))
    cost = np.concatenate([np.ones(2 * n), -given.start * shares, np.zeros(stepped.size)])
    integral = np.concatenate([np.zeros(2 * n), shares, np.ones(stepped.size)])
    up, down = np.maximum(given.high - given.start, 0.0), np.maximum(given.start - given.low, 0.0)
    steps = np.full(stepped.size, np.inf)
    low = np.concatenate([np.zeros(2 * n), np.where(shares, given.low, 0.0), -steps])
    high = np.concatenate([up * ~shares, down * ~shares, np.where(shares, given.high, 0.0), steps])
    found = milp(cost, integrality=integral, bounds=Bounds(low, high), constraints=rows)
    if found.status != 0:
        return None
    point = given.start * ~shares + move @ found.x
    return _whole(given, point)


def _whole(given: Programme, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a point without the rounding of a solver: whole where it must be, and at the start where it is there."""
    point = np.where(np.abs(point - given.start) < _TOLERANCE, given.start, point)
    point[given.shares] = np.rint(point[given.shares])
    stepped = given.step > 0
    size = np.where(stepped, given.step, 1.0)
    return np.where(stepped, given.start + np.rint((point - given.start) / size) * size, point)


# --- L2


def _least_squares(given: Programme) -> NDArray[np.float64] | None:
    """Return the nearest point by Euclid's distance: branch and bound over what must be whole."""
    order = count()
    first = _relaxed(given)
    heap = [] if first is None else [(first[0], next(order), first[1], given)]
    for _ in range(_MOST_BRANCHES):
        if not heap:
            return None
        _, _, point, part = heappop(heap)
        where = _fraction(part, point)
        if where is None:
            return _whole(given, point)
        for branch in _branches(part, point, where):
            found = _relaxed(branch)
            if found is not None:
                heappush(heap, (found[0], next(order), found[1], branch))
    return _followed(given)


def _followed(given: Programme) -> NDArray[np.float64] | None:
    """Return a point that is near and whole where it must be: one variable after the other is made whole."""
    part, found = given, _relaxed(given)
    while found is not None:
        where = _fraction(part, found[1])
        if where is None:
            return _whole(given, found[1])
        tried = [(_relaxed(branch), branch) for branch in _branches(part, found[1], where)]
        found, part = min(tried, key=lambda one: np.inf if one[0] is None else one[0][0])
    return _sparse(given)


def _fraction(given: Programme, point: NDArray[np.float64]) -> int | None:
    """Return the variable that is farthest from whole, though it must be; None if there is none."""
    size = np.where(given.step > 0, given.step, 1.0)
    steps = (point - given.start) / size
    away = np.where((given.step > 0) | given.shares, np.abs(steps - np.rint(steps)), 0.0)
    worst = int(away.argmax())
    return worst if away[worst] > 1e-7 else None


def _branches(given: Programme, point: NDArray[np.float64], where: int) -> tuple[Programme, Programme]:
    size = given.step[where] if given.step[where] > 0 else 1.0
    steps = np.floor((point[where] - given.start[where]) / size)
    high, low = given.high.copy(), given.low.copy()
    high[where], low[where] = given.start[where] + steps * size, given.start[where] + (steps + 1) * size
    return replace(given, high=high), replace(given, low=low)


def _relaxed(given: Programme) -> tuple[float, NDArray[np.float64]] | None:
    """Return distance and point, where nothing need be whole; None if no point fulfils all constraints."""
    n = given.start.size
    if (given.low > given.high + _TOLERANCE).any():
        return None
    bounded = [np.flatnonzero(np.isfinite(bound)) for bound in (given.high, given.low)]
    identity = np.eye(n)
    rows = [given.A, identity[bounded[0]], -identity[bounded[1]]]
    ends = [given.b, given.high[bounded[0]], -given.low[bounded[1]]]
    for group in given.groups:
        together = identity[group].sum(axis=0)
        rows += [together[None, :], -together[None, :]]
        ends += [np.array([1.0, -1.0])]
    A, b = np.vstack(rows), np.concatenate(ends)
    scale = np.where(given.shares, _SHARE, 1.0)
    moved = _least_distance(A * scale, b - A @ given.start)
    return None if moved is None else (float(np.linalg.norm(moved)), given.start + scale * moved)


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
