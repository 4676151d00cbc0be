"""`counterfactual`: the nearest changes of a row that give it another prediction."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import floor, isfinite, log10
from numbers import Real
from typing import Any

import numpy as np

from askew.data.frames import Frame, MatrixLike, is_missing
from askew.explaining.counterfactual.nearest_point import nearest
from askew.explaining.counterfactual.query import LeafTarget, Question, feature_names, read_question
from askew.explaining.counterfactual.variables import Moves, Number, moves_of
from askew.explaining.one_row import RowLike, cell, with_cells
from askew.export.formatting import number, printable, shortest
from askew.model.fitted import Estimator

_MARGINS = (1e-6, 1e-5, 1e-4, 1e-3)  # by which inequalities are to hold, in units of the spread
_COARSE = 50  # new values are rounded to a power of ten that is at most this part of the spread
_MOST_PROGRAMMES = 2000


@dataclass(frozen=True)
class Change:
    """One feature that changes.

    Attributes
    ----------
    feature : str
        Name of the feature.
    before, after : object
        Its value, or its category.
    missing : bool
        Whether it was missing; `before` is then the value that `predict` imputes.
    """

    feature: str
    before: object
    after: object
    missing: bool = False

    def __str__(self) -> str:
        before = f"missing (counted as {_shown(self.before)})" if self.missing else _shown(self.before)
        return f"{self.feature} {before} -> {_shown(self.after)}"


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """A change of a row that gives it another prediction.

    Attributes
    ----------
    changes : tuple of Change
        The features that change.
    prediction : object
        The prediction for the changed row: a class, or a number.
    probability : float or None
        Probability of that class by `predict_proba`; None for regression.
    distance : float
        Distance from the original row: numbers in units of their spread, 1 for each category that changes.
    leaf : int
        The leaf that the changed row reaches.
    row : ndarray or data frame
        The changed row, as `predict` takes it.
    """

    changes: tuple[Change, ...]
    prediction: Any  # a number, or a class label of any type
    probability: float | None
    distance: float
    leaf: int
    row: Frame

    def __str__(self) -> str:
        what = ", ".join(map(str, self.changes))
        if self.probability is None:
            return f"{what}: value {number(float(self.prediction))}"
        return f"{what}: class {printable(self.prediction)} ({self.probability:.2f})"

    def __repr__(self) -> str:
        return f"<Counterfactual {self}>"


def counterfactual(
    estimator: Estimator,
    x: RowLike,
    target: Hashable | Sequence[float | None] = None,
    *,
    fixed: Collection[Hashable] = (),
    direction: Mapping[str, str] | Mapping[int, str] | None = None,
    distance: str = "l1",
    n: int = 3,
    X: MatrixLike | None = None,
) -> list[Counterfactual]:
    """Return the nearest few changes of a row that give it another prediction: "what would have to be different?".

    Each leaf that predicts the target is a polyhedron, and the nearest point of it is found exactly, by linear or
    quadratic programming (Carreira-Perpiñán & Hada 2021); the nearest of all leaves is the first to be returned. New
    values are then rounded to about a hundredth of the spread of their feature. Each change is checked with `predict`
    before it is returned.

    Parameters
    ----------
    estimator : estimator
        A fitted tree estimator.
    x : mapping, Series, data frame or array
        One row, as for `askew.explain`. A missing value counts as the value that `predict` imputes; one that the tree
        has a column for (``missing="indicator"``) stays missing.
    target : label, tuple of float or None, default=None
        The class to reach; None for any class but the present one. For regression, a pair (low, high) of bounds of the
        prediction, where None is an open end.
    fixed : list of str or int, default=()
        Features that cannot change: names, or numbers of columns.
    direction : dict or None, default=None
        Features that can change in one direction only, "up" or "down": ``{"age": "up"}``.
    distance : "l1" or "l2", default="l1"
        "l1" is the sum of all changes, which changes few features; "l2" is the Euclidean distance, which spreads the
        change over many. Numbers count in units of their standard deviation, a change of category counts 1.
    n : int, default=3
        Maximum number of changes to return: with "l1" each keeps a feature that the ones before it change, with "l2"
        each reaches another leaf.
    X : array, data frame or None, default=None
        Other rows, usually the training rows. With them no number leaves their range, integer features stay integer,
        and spreads are computed from them; without, the spreads are those of the training rows.

    Returns
    -------
    found : list of Counterfactual
        The nearest first. ``print(found[0])`` shows it in a line; ``found[0].row`` is the changed row.

    Raises
    ------
    ValueError
        No such change exists, or none is needed.

    References
    ----------
    Carreira-Perpiñán, Hada: Counterfactual Explanations for Oblique Decision Trees: Exact, Efficient Algorithms. AAAI
    (2021).

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = askew.CARTClassifier(max_depth=2).fit(iris.data, iris.target_names[iris.target])
    >>> row = iris.data.iloc[[70]]
    >>> print(tree.predict(row)[0])
    virginica
    >>> for one in askew.counterfactual(tree, row):
    ...     print(one)
    petal width (cm) 1.8 -> 1.75: class versicolor (0.91)
    petal length (cm) 4.8 -> 2.45: class setosa (1.00)
    """
    question = read_question(estimator, x, target, fixed, direction, distance, n, X)
    moves = moves_of(question.estimator, question.columns, question.fixed, question.direction, question.known)
    changes = _NearestSearch(question, moves, distance).nearest(int(n))
    found = [_verified(question, moves, values, distance) for values in changes]
    sure = sorted((one for one in found if one is not None), key=lambda one: one.distance)
    if not sure:
        raise ValueError(question.nothing_found())
    return sure


#: Distance, or a bound of it; turn; target; features that stay; the new values, None if not yet solved.
_Entry = tuple[float, int, LeafTarget, frozenset[int], dict[int, float] | None]


class _NearestSearch:
    """Best-first search for the nearest changes over all leaves: a leaf is solved when its lower bound is the least."""

    def __init__(self, question: Question, moves: Moves, distance: str) -> None:
        self.question, self.moves, self.kind = question, moves, distance
        self.solved = 0
        self.turn = count()
        self.heap: list[_Entry] = []

    def nearest(self, n: int) -> list[dict[int, float]]:
        """Return the new values of the n nearest changes.

        By "l1", every change that is found is looked for again without each of its features in turn. By "l2" nearly all
        features change, so each leaf has one change.
        """
        for target in self.question.targets:
            bound = self.moves.programme(target.constraints, target.choices, (), 0.0).least(self.kind)
            if isfinite(bound):
                self.add(bound, target, frozenset(), None)
        seen: set[tuple[int, frozenset[int]]] = set()
        found: list[tuple[int, dict[int, float]]] = []
        while self.heap and len(found) < n and self.solved < _MOST_PROGRAMMES:
            least, _, target, kept, values = heappop(self.heap)
            if values is None:
                solved = self.solve(target, kept)
                if solved is not None:
                    self.add(self.moves.distance(solved, self.kind), target, kept, solved)
                continue
            # Skip a change if a nearer one uses a subset of its features, or (L2) reaches the same leaf.
            if not any(
                target.leaf == leaf if self.kind == "l2" else old.keys() <= values.keys() for leaf, old in found
            ):
                found.append((target.leaf, values))
            for feature in sorted(values) if self.kind == "l1" else ():
                also = kept | {feature}
                if (id(target), also) not in seen:
                    seen.add((id(target), also))
                    self.add(least, target, also, None)
        return [values for _, values in found]

    def add(self, least: float, target: LeafTarget, kept: frozenset[int], values: dict[int, float] | None) -> None:
        heappush(self.heap, (least, next(self.turn), target, kept, values))

    def solve(self, target: LeafTarget, kept: frozenset[int]) -> dict[int, float] | None:
        """Return the new values of the features that change, rounded; None if there is no solution."""
        for margin in _MARGINS:
            self.solved += 1
            point = nearest(self.moves.programme(target.constraints, target.choices, kept, margin), self.kind)
            if point is None:
                return None
            values = self.moves.values(point)
            if self.question.fulfilled(self.moves.changed(values)):
                return self.rounded(values)
        return None

    def rounded(self, values: dict[int, float]) -> dict[int, float]:
        """Return the values with as few decimals as their spreads allow, if that predicts the target, too."""
        free = [one for one in self.moves.numbers if one.feature in values and not one.integer]
        for finer in range(4):
            for outward in (False, True):
                new = {one.feature: _short(values[one.feature], one, finer, outward=outward) for one in free}
                if all(one.low <= new[one.feature] <= one.high for one in free):
                    left = {one.feature for one in free if new[one.feature] == one.value}
                    trial = {feature: new.get(feature, values[feature]) for feature in values if feature not in left}
                    if self.question.fulfilled(self.moves.changed(trial)):
                        return trial
        return values


def _short(value: float, one: Number, finer: int, *, outward: bool) -> float:
    """Return a value, rounded to a power of ten that is a small part of the spread; `outward`, away from the start."""
    decimals = finer - floor(log10(one.spread / _COARSE))
    short = round(value, decimals)
    if outward and value > one.value and short < value:
        return round(short + 10.0**-decimals, decimals)
    if outward and value < one.value and short > value:
        return round(short - 10.0**-decimals, decimals)
    return short


def _verified(question: Question, moves: Moves, values: dict[int, float], kind: str) -> Counterfactual | None:
    """Return a change with its prediction by `predict`; None if that is not the target."""
    estimator, encoder, names = question.estimator, question.estimator.encoder_, feature_names(question.estimator)
    after: dict[int, object] = {}
    for feature, value in values.items():
        labels = None if encoder is None else encoder.categories[feature]
        after[feature] = value if labels is None else labels[int(value)]
    row = with_cells(question.row, after)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # x has caused this warning already
        predicted, leaf = estimator.predict(row)[0], int(estimator.apply(row)[0])
        proba = estimator.predict_proba(row)[0] if question.classes else None
    code = predicted if proba is None else int(np.flatnonzero(estimator.classes_ == predicted)[0])
    if not question.has_target(code):
        return None
    column = {one.feature: one.column for one in moves.numbers}
    changes = []
    for feature, new in after.items():
        before = cell(question.row, feature)
        missing = feature in column and is_missing(before)
        start = float(moves.columns[column[feature]]) if missing else before
        changes.append(Change(printable(names[feature]), start, new, missing))
    label = predicted.item() if isinstance(predicted, np.generic) else predicted
    probability = None if proba is None else float(proba[code])
    return Counterfactual(tuple(changes), label, probability, moves.distance(values, kind), leaf, row)


def _shown(value: object) -> str:
    if is_missing(value):
        return "(missing)"
    return shortest(float(value)) if isinstance(value, Real) and not isinstance(value, bool) else printable(value)
