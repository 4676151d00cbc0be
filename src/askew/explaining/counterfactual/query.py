"""The arguments of `counterfactual`: the row, the target, and the constraints on its features."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan
from numbers import Integral, Real
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.data.frames import Frame, MatrixLike
from askew.estimators.base import BaseTree
from askew.explaining.one_row import RowLike, one_row
from askew.explaining.region import Choice, Constraints, region_of
from askew.export.fitted import FittedTreeEstimator
from askew.model.fitted import FittedModel
from askew.model.tree import Tree
from askew.parameters import InvalidParameterError, brief, check_values, integer, one_of


class LeafTarget(NamedTuple):
    """Constraints that a row fulfils if a leaf is to predict the target."""

    leaf: int
    constraints: Constraints
    choices: tuple[Choice, ...]


def class_targets(tree: Tree, codes: Collection[int]) -> Iterator[LeafTarget]:
    """Give the constraints under which each leaf predicts one of these classes; of a linear model, for each class."""
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        model = tree.payload.model(leaf)
        if model is None:
            if int(tree.value[leaf].argmax()) in codes:
                yield _target(tree, leaf, np.empty((0, tree.n_features)), np.empty(0))
            continue
        sums = np.zeros((tree.n_outputs, tree.n_features))
        np.add.at(sums.T, model.columns, model.weights)
        for code in codes:  # its sum is not below any other
            others = np.arange(tree.n_outputs) != code
            yield _target(tree, leaf, (sums - sums[code])[others], (model.constants[code] - model.constants)[others])


def range_targets(tree: Tree, low: float, high: float) -> Iterator[LeafTarget]:
    """Give the constraints under which each leaf predicts a number from `low` to `high`."""
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        model = tree.payload.model(leaf)
        if model is None or model.limits is None:
            if low <= float(tree.value[leaf, 0]) <= high:
                yield _target(tree, leaf, np.empty((0, tree.n_features)), np.empty(0))
            continue
        # Predictions are clipped to the range of the model.
        least, most = model.limits
        if most < low or least > high:
            continue
        weight = np.zeros(tree.n_features)
        np.add.at(weight, model.columns, model.weights[:, 0])
        constant = float(model.constants[0])
        rows = [(weight, high - constant)] if most > high else []
        rows += [(-weight, constant - low)] if least < low else []
        A = np.array([row for row, _ in rows]).reshape(-1, tree.n_features)
        yield _target(tree, leaf, A, np.array([end for _, end in rows]))


def _target(tree: Tree, leaf: int, A: NDArray[np.float64], b: NDArray[np.float64]) -> LeafTarget:
    region = region_of(FittedModel.of_bare(tree), leaf, reduced=False)
    old_A, old_b, strict = region.constraints
    both = Constraints(np.vstack([old_A, A]), np.concatenate([old_b, b]), np.append(strict, np.zeros(b.size, bool)))
    return LeafTarget(leaf, both, region.choices)


_DIRECTIONS = {"up": 1, "down": -1}


@dataclass(frozen=True, eq=False)
class Question:
    """The arguments of `counterfactual`, checked and encoded.

    Attributes
    ----------
    estimator : estimator
        The fitted tree estimator.
    row : ndarray or data frame
        The row, as `predict` takes it.
    columns : ndarray
        The row as the columns that the tree tests.
    classes : frozenset of int
        Codes of the target classes; empty for regression.
    ends : tuple of float
        Interval of the target in regression.
    fixed : frozenset of int
        Features that stay as they are.
    direction : dict
        Features that may only rise (1) or fall (-1).
    known : ndarray or None
        Columns of other rows; None if there are none.
    """

    estimator: FittedTreeEstimator
    row: Frame
    columns: NDArray[np.float64]
    classes: frozenset[int]
    ends: tuple[float, float]
    fixed: frozenset[int]
    direction: Mapping[int, int]
    known: NDArray[np.float64] | None

    @property
    def targets(self) -> list[LeafTarget]:
        """The leaves, with their constraints, that predict the target."""
        tree = cast("Tree", self.estimator.tree_)
        return list(class_targets(tree, self.classes) if self.classes else range_targets(tree, *self.ends))

    def fulfilled(self, columns: NDArray[np.float64]) -> bool:
        """Whether the tree predicts the target for a row of columns."""
        return self.has_target(self.estimator.predict_encoded(columns[None, :])[0])

    def has_target(self, predicted: float) -> bool:
        """Whether a prediction, as a code or a number, is the target."""
        return int(predicted) in self.classes if self.classes else self.ends[0] <= float(predicted) <= self.ends[1]

    def __str__(self) -> str:
        if not self.classes:
            return f"a number from {self.ends[0]:g} to {self.ends[1]:g}"
        names = [repr(label) for code, label in enumerate(self.estimator.classes_.tolist()) if code in self.classes]
        return f"class {' or '.join(names)}"

    def nothing_found(self) -> str:
        """Return why there is no counterfactual."""
        if not self.targets:
            return f"no leaf of the tree predicts {self}"
        held = [name for name, features in (("fixed", self.fixed), ("direction", self.direction)) if features]
        held += [] if self.known is None else ["the range of X"]
        reason = f", given {' and '.join(held)}" if held else ""
        return f"no change of the features leads to {self}{reason}"


def read_question(
    estimator: object,
    x: RowLike,
    target: object,
    fixed: Collection[Hashable],
    direction: Mapping[str, str] | Mapping[int, str] | None,
    distance: str,
    n: int,
    X: MatrixLike | None,
) -> Question:
    """Check and encode the arguments of `counterfactual`."""
    tree = _checked_tree(estimator)
    check_values({"distance": distance, "n": n}, {"distance": one_of("l1", "l2"), "n": integer(1)})
    held, ways = _fixed(tree, fixed), _direction(tree, direction)
    classes, ends = _read_target(tree, target)
    row = one_row(tree, x)
    columns = tree.encoded(row)[0]
    if np.isnan(columns).any():
        raise ValueError(
            f"x has missing values, which a tree with missing={tree.missing_!r} does not replace: fill them in"
        )
    known = None if X is None else tree.encoded(X)
    now = tree.predict_encoded(columns[None, :])[0]
    if is_classifier(tree) and target is None:
        classes = frozenset(range(tree.classes_.size)) - {int(now)}
        if not classes:
            raise ValueError("the tree knows one class only: no change leads to another")
    question = Question(tree, row, columns, classes, ends, held, ways, known)
    if question.has_target(now):
        raise ValueError(f"x already has the target prediction ({question}): nothing has to change")
    return question


def _checked_tree(estimator: object) -> FittedTreeEstimator:
    if not isinstance(estimator, BaseTree):
        several = " (of an ensemble, each of estimators_ is one)" if hasattr(estimator, "estimators_") else ""
        raise TypeError(
            f"counterfactual takes a fitted tree estimator of askew{several}. Got {brief(estimator)} instead."
        )
    check_is_fitted(estimator)
    if not isinstance(estimator.tree_, Tree):
        raise ValueError(f"counterfactual takes a single tree: this {type(estimator).__name__} has none")
    return cast("FittedTreeEstimator", estimator)


def _read_target(estimator: FittedTreeEstimator, target: object) -> tuple[frozenset[int], tuple[float, float]]:
    if is_classifier(estimator):
        labels = estimator.classes_.tolist()
        found = [code for code, label in enumerate(labels) if type(target) is not list and _same(label, target)]
        if target is not None and not found:
            raise _invalid("target", f"None or a class: {brief(labels)}", target)
        return frozenset(found), (-inf, inf)
    try:
        bounds = zip(cast("Sequence[object]", target), (-inf, inf), strict=True)
        low, high = (_end(end, open_end) for end, open_end in bounds)
        if not low <= high:
            raise ValueError
    except (TypeError, ValueError):
        raise _invalid("target", "a pair (low, high) of numbers, or None for an open end", target) from None
    return frozenset(), (low, high)


def _same(label: object, target: object) -> bool:
    return isinstance(target, type(label) | np.generic | Real) and bool(label == target)


def _end(end: object, open_end: float) -> float:
    if end is None:
        return open_end
    if not isinstance(end, Real) or isinstance(end, bool) or isnan(end):
        raise ValueError
    return float(end)


def _fixed(estimator: FittedTreeEstimator, fixed: Collection[Hashable]) -> frozenset[int]:
    if isinstance(fixed, str | Mapping) or not np.iterable(fixed):
        raise _invalid("fixed", "a list of names or numbers of features", fixed)
    return frozenset(_feature(estimator, "fixed", one) for one in fixed)


def _direction(
    estimator: FittedTreeEstimator, direction: Mapping[str, str] | Mapping[int, str] | None
) -> dict[int, int]:
    if not isinstance(direction, Mapping | None):
        raise _invalid("direction", "a dict from features to 'up' or 'down', or None", direction)
    found = {}
    for name, way in (direction or {}).items():
        feature = _feature(estimator, "direction", name)
        if not isinstance(way, str) or way not in _DIRECTIONS:
            raise _invalid("direction", f"'up' or 'down' for feature {name!r}", way)
        if estimator.encoder_ is not None and estimator.encoder_.is_categorical[feature]:
            raise ValueError(f"direction: feature {name!r} holds categories, which have no order")
        found[feature] = _DIRECTIONS[way]
    return found


def _feature(estimator: FittedTreeEstimator, parameter: str, name: object) -> int:
    """Return the number of a feature."""
    names = feature_names(estimator)
    if isinstance(name, str) and name in names:
        return names.index(name)
    if isinstance(name, Integral) and not isinstance(name, bool | np.bool_) and 0 <= int(name) < len(names):
        return int(name)
    raise ValueError(f"{parameter}: {brief(name)} is not a feature of the model: {brief(names)}")


def feature_names(estimator: FittedTreeEstimator) -> list[str]:
    """Return the names of the features of the data: those seen in `fit`, or x0, x1, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else names.tolist()


def _invalid(name: str, rule: str, value: object) -> InvalidParameterError:
    return InvalidParameterError(f"The {name!r} parameter must be {rule}. Got {brief(value)} instead.")
