"""The loss of a tree on rows that were held out: of each row, or of all by a scorer of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from askew.payload import class_shares
from askew.prune.cost_complexity import loss_at
from askew.table import Table
from askew.tree import Tree


class Judge(Protocol):
    """What says how bad a tree is on some rows."""

    @property
    def by_row(self) -> bool:
        """Whether each row has a loss; otherwise each part has one."""
        ...

    def loss(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return the loss of each row, or one loss of all rows: what is chosen by, and what is shown (2 x units)."""
        ...


@dataclass(frozen=True)
class RowLoss:
    """The error of each row, and how far off its probabilities are; for numbers the squared error.

    Errors alone are a coarse judge where rows are few: two trees with the same errors may differ in how sure they are
    of them. Of each row, `smooth` times the squared distance of the probabilities from the truth (Brier's score) is
    mixed in.

    Attributes
    ----------
    smooth : share of Brier's score
    """

    smooth: float = 0.5
    by_row: bool = True

    def loss(self, tree: Tree, table: Table) -> NDArray[np.float64]:
        """Return the loss of each row, and its error alone."""
        leaf = tree.apply(table.X, incomplete=table.incomplete)
        hard = loss_at(tree, leaf, table)
        if not table.classification or self.smooth == 0:
            return np.stack([hard, hard])
        counts = tree.payload.outputs(leaf, table.X)
        prior = class_shares(tree.value[:1])
        share = (counts + prior) / (counts.sum(axis=1, keepdims=True) + 1.0)
        own = share[np.arange(table.n_rows), table.y]
        brier = ((share**2).sum(axis=1) - 2 * own + 1) / 2
        return np.stack([(1 - self.smooth) * hard + self.smooth * brier, hard])


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
        score = float(self.scorer(_Fitted(tree, self.classes), table.X, y, **weighted))
        return np.full((2, 1), -score)


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
