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
