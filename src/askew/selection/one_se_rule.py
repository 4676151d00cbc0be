"""The k-standard-error rule: the smallest tree near the best; and the losses on held-out rows that it compares."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.model.leaf_values import class_shares
from askew.model.tree import Tree
from askew.prune.cost_complexity import loss_at
from askew.selection.candidates import Setting

if TYPE_CHECKING:
    from sklearn.utils import Tags

Labels: TypeAlias = "NDArray[np.generic]"


class LossFunction(Protocol):
    """A loss that is measured on held-out rows; smaller is better."""

    @property
    def by_row(self) -> bool:
        """Whether each row has a loss; otherwise each fold has one."""
        ...

    def of(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return the loss of each row, or one loss of all rows."""
        ...


@dataclass(frozen=True)
class RowLoss:
    """The error of each row: 0 or 1 for classes, the squared error for regression."""

    by_row: bool = True

    def of(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return the loss of each row."""
        return loss_at(tree, tree.apply(table.X, incomplete=table.incomplete), table)


@dataclass(frozen=True)
class ScorerLoss:
    """Minus the score that a scorer of scikit-learn gives to the held-out rows of a fold.

    Attributes
    ----------
    scorer : callable
        Called with an estimator, X and y.
    classes : ndarray or None
        The classes; None for regression.
    """

    scorer: Callable[..., float]
    classes: Labels | None
    by_row: bool = False

    def of(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return minus the score."""
        y = table.y if self.classes is None else self.classes[table.y]
        weighted = {} if (table.weight == 1).all() else {"sample_weight": table.weight}
        return np.array([-float(self.scorer(_TreeEstimator(tree, self.classes), table.X, y, **weighted))])


class _TreeEstimator:
    """A tree with the methods that a scorer calls."""

    def __init__(self, tree: Tree, classes: Labels | None) -> None:
        self.tree = tree
        if classes is not None:
            self.classes_ = classes

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        classes = hasattr(self, "classes_")
        return Tags(
            estimator_type="classifier" if classes else "regressor",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if classes else None,
            regressor_tags=None if classes else RegressorTags(),
        )

    def fit(self) -> None:
        """Do nothing: the tree is fitted. Scikit-learn asks whether an estimator has this method."""

    def predict(self, X: NDArray[np.float64]) -> Labels:
        """Return the class or the number of each row."""
        if hasattr(self, "classes_"):
            return np.asarray(self.classes_[self.tree.labels(X)])
        return self.tree.outputs(X)[:, 0]

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class."""
        return class_shares(self.tree.outputs(X))


LEAVES_PER_TERM = 0.1  # what a weight beyond the first of a node adds to the size of a tree


@dataclass(frozen=True, eq=False)
class Entry:
    """A setting, and its result in cross-validation.

    Attributes
    ----------
    setting : Setting
        The candidate, the size and the penalty.
    loss : ndarray
        Loss of each row when it was held out, averaged over repetitions; or of each fold.
    leaves, terms : float
        Means over the folds.
    seconds : float
        Time that the growth (or the refinement) took in all folds.
    """

    setting: Setting
    loss: NDArray[np.float64]
    leaves: float
    terms: float
    seconds: float

    @property
    def outcome(self) -> Hashable:
        """Size and losses: entries whose outcome is equal are taken for the same trees."""
        return self.leaves, self.terms, self.loss.tobytes()

    @property
    def size(self) -> float:
        """Size that the rule minimises: leaves, and a tenth for each weight beyond one a node."""
        return self.leaves + LEAVES_PER_TERM * max(0.0, self.terms - (self.leaves - 1))


@dataclass(frozen=True, eq=False)
class Results:
    """The results of cross-validation.

    Attributes
    ----------
    entries : sequence of Entry
        Evaluated settings.
    weight : ndarray
        Weight of each row, or of each fold, whichever the losses belong to.
    n : float
        Number of independent losses, for the standard errors.
    """

    entries: Sequence[Entry]
    weight: NDArray[np.float64]
    n: float

    def mean(self, loss: NDArray[np.float64]) -> float:
        """Return the weighted mean of losses."""
        return float(loss @ self.weight / self.weight.sum())

    def standard_error(self, loss: NDArray[np.float64], other: NDArray[np.float64] | None = None) -> float:
        """Return the standard error of the mean loss, or of its difference from another, paired by rows."""
        share = self.weight / self.weight.sum()
        difference = loss if other is None else loss - other
        exponent = np.frexp(np.abs(difference).max(initial=0.0))[1]
        difference = np.ldexp(difference, -exponent)  # losses of a large y: their squares would overflow
        variance = share @ (difference - share @ difference) ** 2 / max(self.n - 1, 1)
        return float(np.ldexp(np.sqrt(variance), exponent))

    def ranked(self) -> list[Entry]:
        """Return the entries by loss, the least first; among equals the smallest first."""
        return sorted(self.entries, key=self._rank)

    def best(self) -> Entry:
        """Return the entry of least loss; among equals the smallest."""
        return min(self.entries, key=self._rank)

    def chosen(self, tolerance: float) -> Entry:
        """Return the smallest entry whose loss is within `tolerance` standard errors of the least."""
        best = self.best()
        limit = self.mean(best.loss)

        def eligible(entry: Entry) -> bool:
            allowed = tolerance * self.standard_error(entry.loss, best.loss)
            return self.mean(entry.loss) - limit <= allowed + 1e-12

        return min((e for e in self.entries if eligible(e)), key=lambda e: (e.size, self.mean(e.loss)))

    def front(self) -> list[Entry]:
        """Return the Pareto front of size and loss, the smallest entry first."""
        kept: list[Entry] = []
        for entry in sorted(self.entries, key=lambda e: (e.size, self.mean(e.loss))):
            if not kept or self.mean(entry.loss) < self.mean(kept[-1].loss) - 1e-12:
                kept.append(entry)
        return kept

    def _rank(self, entry: Entry) -> tuple[float, float]:
        return round(self.mean(entry.loss), 12), entry.size
