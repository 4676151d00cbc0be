"""The variables of a counterfactual: numbers and categories of a row that may change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from askew.data import targets
from askew.data.encoder import MISSING, UNSEEN
from askew.explaining.counterfactual.nearest_point import Programme
from askew.explaining.region import Choice, Constraints
from askew.export.fitted import FittedTreeEstimator


@dataclass(frozen=True)
class Number:
    """A numeric feature that may change: its column of the tree, its value, its spread, and its range."""

    feature: int
    column: int
    value: float
    spread: float
    low: float = -np.inf
    high: float = np.inf
    integer: bool = False


@dataclass(frozen=True)
class Category:
    """A categorical feature that may change: its columns of the tree, and its possible codes.

    The first code is the present one: -1 for a category that the model does not know. There is a column of 0 and 1 for
    each category, or one of codes.
    """

    feature: int
    columns: tuple[int, ...]
    codes: tuple[int, ...]
    onehot: bool


@dataclass(frozen=True, eq=False)
class Moves:
    """The variables of a row, over the columns that a tree tests.

    Every number is a variable, 0 where it is and 1 where it is a spread more; every category a variable that is 0 or 1.

        columns of the tree = base + move @ variables
    """

    columns: NDArray[np.float64]
    numbers: tuple[Number, ...]
    categories: tuple[Category, ...]

    @cached_property
    def base(self) -> NDArray[np.float64]:
        """The columns where all variables are 0."""
        base = self.columns.copy()
        base[[column for one in self.categories for column in one.columns]] = 0.0
        return base

    @cached_property
    def move(self) -> NDArray[np.float64]:
        """The change of each column per unit of each variable (columns x variables)."""
        move = np.zeros((self.columns.size, self.owner.size))
        for variable, number in enumerate(self.numbers):
            move[number.column, variable] = number.spread
        for one, group in zip(self.categories, self.groups, strict=True):
            for code, variable in zip(one.codes, group.tolist(), strict=True):
                if not one.onehot:
                    move[one.columns[0], variable] = code
                elif code >= 0:
                    move[one.columns[code], variable] = 1.0
        return move

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The feature that each variable belongs to."""
        shares = [one.feature for one in self.categories for _ in one.codes]
        return np.array([*(number.feature for number in self.numbers), *shares], dtype=np.int64)

    @cached_property
    def groups(self) -> list[NDArray[np.int64]]:
        """The variables of each feature of categories."""
        ends = np.cumsum([len(self.numbers), *(len(one.codes) for one in self.categories)])
        return [np.arange(first, last) for first, last in pairwise(ends.tolist())]

    @cached_property
    def free(self) -> Programme:
        """The programme without constraints of a leaf."""
        n, size = len(self.numbers), self.owner.size
        low, high, start, step = np.zeros(size), np.ones(size), np.zeros(size), np.zeros(size)
        for j, one in enumerate(self.numbers):
            low[j], high[j] = (one.low - one.value) / one.spread, (one.high - one.value) / one.spread
            step[j] = 1 / one.spread if one.integer else 0.0
        start[[int(group[0]) for group in self.groups]] = 1.0
        low[:n], high[:n] = np.minimum(low[:n], 0.0), np.maximum(high[:n], 0.0)
        return Programme(np.empty((0, size)), np.empty(0), low, high, start, step, tuple(self.groups))

    def programme(
        self, constraints: Constraints, choices: Sequence[Choice], kept: Collection[int], margin: float
    ) -> Programme:
        """Return the programme of the nearest change that satisfies these constraints.

        Parameters
        ----------
        constraints : Constraints
            Linear constraints on the columns.
        choices : list of Choice
            Constraints on categorical columns.
        kept : set of int
            Features that stay as they are.
        margin : float
            Slack that the constraints must have, in units of the spread.
        """
        free = self.free
        A, b = constraints.A @ self.move, constraints.b - constraints.A @ self.base
        size = np.abs(A).sum(axis=1)
        # A margin for both kinds of inequality: a row on the plane may be on either side of it after rounding.
        b = np.where(
            size > 0, b / np.where(size > 0, size, 1.0) - margin, np.where(constraints.strict & (b <= 0), -1.0, b)
        )
        A = A / np.where(size > 0, size, 1.0)[:, None]
        still = np.isin(self.owner, list(kept))
        still |= ~np.isin(self.owner, self.owner[(A != 0).any(axis=0)])  # features without a constraint
        low, high = free.low.copy(), free.high.copy()
        for choice in choices:
            free_to_choose = [k for k, one in enumerate(self.categories) if choice.column in one.columns]
            if not free_to_choose and not choice.holds(self.columns[[choice.column]]).all():
                A, b = np.vstack([A, np.zeros(self.owner.size)]), np.append(b, -1.0)  # never
            for k in free_to_choose:
                one, group = self.categories[k], self.groups[k]
                still[group] = one.feature in kept
                high[group[~choice.holds(np.array(one.codes, dtype=np.float64))]] = 0.0
        low[still], high[still] = free.start[still], np.minimum(high[still], free.start[still])
        return replace(free, A=A, b=b, low=low, high=high)

    def values(self, point: NDArray[np.float64]) -> dict[int, float]:
        """Return the new values of the features that change: numbers, and codes of categories."""
        start = self.free.start
        found = {
            one.feature: round(one.value + one.spread * float(u)) if one.integer else one.value + one.spread * float(u)
            for one, u in zip(self.numbers, point, strict=False)
            if u != 0
        }
        for one, group in zip(self.categories, self.groups, strict=True):
            if (point[group] != start[group]).any():
                found[one.feature] = one.codes[int(point[group].argmax())]
        return found

    def changed(self, values: Mapping[int, float]) -> NDArray[np.float64]:
        """Return the columns of the tree after some features have changed."""
        columns = self.columns.copy()
        for number in self.numbers:
            if number.feature in values:
                columns[number.column] = values[number.feature]
        for one in self.categories:
            if one.feature in values:
                code = int(values[one.feature])
                columns[list(one.columns)] = np.arange(len(one.columns)) == code if one.onehot else code
        return columns

    def distance(self, values: Mapping[int, float], kind: str) -> float:
        """Return the size of a change: numbers in units of their spread, 1 for each category that changes."""
        size = [abs(values[one.feature] - one.value) / one.spread for one in self.numbers if one.feature in values]
        size += [1.0 for one in self.categories if one.feature in values]
        return float(np.linalg.norm(size, 1 if kind == "l1" else 2)) if size else 0.0


def moves_of(
    estimator: FittedTreeEstimator,
    columns: NDArray[np.float64],
    fixed: Collection[int],
    direction: Mapping[int, int],
    rows: NDArray[np.float64] | None = None,
) -> Moves:
    """Return the variables of a row.

    Parameters
    ----------
    estimator : estimator
        A fitted tree estimator.
    columns : ndarray
        The row, as the columns that the tree tests.
    fixed : set of int
        Features that stay as they are.
    direction : dict
        Features that may only rise (1) or fall (-1).
    rows : ndarray or None, default=None
        Columns of other rows, which give the range and the spread of each number, and whether it is an integer. None:
        the spreads are those of the model.
    """
    encoder = estimator.encoder_
    spread = estimator.feature_scale_ if rows is None else targets.column_spreads(rows, np.ones(len(rows)))
    spread = np.where(spread > 0, spread, 1.0)
    numbers: list[Number] = []
    categories: list[Category] = []
    for feature in range(int(estimator.n_features_in_)):
        indices = [feature] if encoder is None else np.flatnonzero(encoder.origin == feature).tolist()
        labels = None if encoder is None else encoder.categories[feature]
        if feature in fixed or not indices:
            continue
        if encoder is not None and labels is not None:
            categories.append(_category(feature, indices, labels, columns, onehot=encoder.onehot))
        elif len(indices) == 1 or columns[indices[1]] == 0:  # a missing value that the tree knows of stays missing
            known = None if rows is None else rows[:, indices[0]]
            numbers.append(_number(feature, indices[0], columns, spread, direction.get(feature, 0), known))
    return Moves(columns, tuple(numbers), tuple(categories))


def _number(
    feature: int,
    column: int,
    columns: NDArray[np.float64],
    spread: NDArray[np.float64],
    direction: int,
    known: NDArray[np.float64] | None,
) -> Number:
    value = float(columns[column])
    number = Number(feature, column, value, float(spread[column]))
    if known is not None and known[~np.isnan(known)].size:
        known = known[~np.isnan(known)]
        integer = value.is_integer() and bool((known == np.rint(known)).all())
        number = replace(number, low=float(known.min()), high=float(known.max()), integer=integer)
    if direction > 0:
        number = replace(number, low=value)
    return replace(number, high=value) if direction < 0 else number


def _category(
    feature: int, indices: Sequence[int], labels: Sequence[object], columns: NDArray[np.float64], *, onehot: bool
) -> Category:
    code = int(columns[indices[0]])
    if onehot:
        code = int(columns[indices].argmax()) if columns[indices].any() else int(UNSEEN)
    others = [k for k, label in enumerate(labels) if k != code and label is not MISSING]  # nothing becomes missing
    return Category(feature, tuple(indices), (code, *others), onehot)
