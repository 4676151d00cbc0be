"""The loss of trees on held-out rows, and the k-standard-error rule: the smallest tree near the best."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.model.leaf_values import class_shares
from askew.model.tree import Tree
from askew.prune.cost_complexity import loss_at
from askew.selection.candidates import Setting


class Judge(Protocol):
    """What says how bad a tree is on some rows."""

    @property
    def by_row(self) -> bool:
        """Whether each row has a loss; otherwise each part has one."""
        ...

    def loss(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return the loss of each row, or one loss of all rows."""
        ...


@dataclass(frozen=True)
class RowLoss:
    """The error of each row; for numbers the squared error."""

    by_row: bool = True

    def loss(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return the loss of each row."""
        return loss_at(tree, tree.apply(table.X, incomplete=table.incomplete), table)


@dataclass(frozen=True)
class ScorerLoss:
    """Minus the score of a scorer of scikit-learn, of each part of rows that was held out.

    Attributes
    ----------
    scorer : called with an estimator, X and y
    classes : the classes, or None
    """

    scorer: Callable[..., float]
    classes: NDArray[Any] | None
    by_row: bool = False

    def loss(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return minus the score."""
        y = table.y if self.classes is None else self.classes[table.y]
        weighted = {} if (table.weight == 1).all() else {"sample_weight": table.weight}
        return np.array([-float(self.scorer(_Fitted(tree, self.classes), table.X, y, **weighted))])


class _Fitted:
    """A tree as scorers see an estimator."""

    def __init__(self, tree: Tree, classes: NDArray[Any] | None) -> None:
        self.tree = tree
        if classes is not None:
            self.classes_ = classes

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        classes = hasattr(self, "classes_")
        return Tags(
            estimator_type="classifier" if classes else "regressor",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if classes else None,
            regressor_tags=None if classes else RegressorTags(),
        )

    def fit(self) -> None:
        """Nothing is left to do."""

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class or the number of each row."""
        if hasattr(self, "classes_"):
            return np.asarray(self.classes_[self.tree.labels(X)])
        return self.tree.outputs(X)[:, 0]

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of each class."""
        return class_shares(self.tree.outputs(X))


TERM = 0.1  # a weight beyond the first of a node, in leaves


@dataclass(frozen=True, eq=False)
class Entry:
    """How a setting did in cross-validation.

    Attributes
    ----------
    setting : the recipe and the size
    loss : of each row when it was held out, averaged over repetitions, or of each part
    leaves, terms : mean size in the folds: leaves, and weights that are not zero
    seconds : time that growth (or refinement) took in all folds
    """

    setting: Setting
    loss: NDArray[np.float64]
    leaves: float
    terms: float
    seconds: float

    @property
    def result(self) -> Hashable:
        """What equal trees have in common: size and losses."""
        return self.leaves, self.terms, self.loss.tobytes()

    @property
    def size(self) -> float:
        """What there is to read: leaves, and a tenth for each weight beyond one a node."""
        return self.leaves + TERM * max(0.0, self.terms - (self.leaves - 1))


@dataclass(frozen=True, eq=False)
class Standings:
    """The entries of a race, the weight of what their losses are of (rows, or parts), and how many these are."""

    entries: Sequence[Entry]
    weight: NDArray[np.float64]
    n: float

    def mean(self, loss: NDArray[np.float64]) -> float:
        """Return the mean of losses."""
        return float(loss @ self.weight / self.weight.sum())

    def standard_error(self, loss: NDArray[np.float64], other: NDArray[np.float64] | None = None) -> float:
        """Return the standard error of the mean loss, or of its difference from another: the same rows are paired."""
        share = self.weight / self.weight.sum()
        away = loss if other is None else loss - other
        exponent = np.frexp(np.abs(away).max(initial=0.0))[1]
        away = np.ldexp(away, -exponent)  # losses of a large y: their squares would overflow
        return float(np.ldexp(np.sqrt(share @ (away - share @ away) ** 2 / max(self.n - 1, 1)), exponent))

    def best(self) -> Entry:
        """Return the entry of least loss; of equals, the smallest."""
        return min(self.entries, key=lambda e: (round(self.mean(e.loss), 12), e.size))

    def chosen(self, tolerance: float) -> Entry:
        """Return the smallest entry whose loss is within so many standard errors of the least."""
        best = self.best()
        limit = self.mean(best.loss)

        def eligible(entry: Entry) -> bool:
            allowed = tolerance * self.standard_error(entry.loss, best.loss)
            return self.mean(entry.loss) - limit <= allowed + 1e-12

        return min((e for e in self.entries if eligible(e)), key=lambda e: (e.size, self.mean(e.loss)))

    def front(self) -> list[Entry]:
        """Return the entries than which none is both smaller and better; smallest first."""
        kept: list[Entry] = []
        for entry in sorted(self.entries, key=lambda e: (e.size, self.mean(e.loss))):
            if not kept or self.mean(entry.loss) < self.mean(kept[-1].loss) - 1e-12:
                kept.append(entry)
        return kept
