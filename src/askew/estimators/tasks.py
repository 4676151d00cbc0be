"""Classification and regression trees, the two kinds of `askew.estimators.base.BaseTree`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew.data.frames import Labels, MatrixLike
from askew.data.targets import ClassWeightLike
from askew.estimators.base import BaseTree
from askew.estimators.model import ClassifierMixin, RegressorMixin
from askew.grow.criterion import CriterionLike
from askew.model.fitted import FittedTree
from askew.model.leaf_values import as_they_occur, class_shares
from askew.model.smoothing import SMOOTHINGS, Smoothing, as_smoothing, is_smoothing, smoothed
from askew.parameters import Rule, mapping, none, one_of, param

_SMOOTHING = Rule(f"None, a str among {sorted(SMOOTHINGS)} or a smoothing with a method 'shares'", is_smoothing)


@dataclass(kw_only=True, eq=False, repr=False)
class TreeClassifier(ClassifierMixin, BaseTree):
    """A tree whose leaves hold classes.

    Parameters
    ----------
    criterion : str or callable, default="gini"
        How splits are scored: "gini", "twoing", "entropy", "gain_ratio", "max_minority", "sum_minority" or
        "sum_of_variances"; or a user-defined function, see `askew.grow.criterion.as_criterion`.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, multiplied with `sample_weight`. "balanced" gives each class the same weight in all.
        `predict` follows these weights; `predict_proba` has the probabilities of the classes as they occur.
    smoothing : None, "laplace", "m_estimate" or a smoothing, default=None
        How `predict_proba` estimates the shares of the classes in a leaf: as frequencies, by
        `askew.model.smoothing.Laplace` or `askew.model.smoothing.MEstimate` with their defaults, or by such an object.
        Neither the predicted classes nor linear models change.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted, as in y.
    class_weight_ : ndarray or None
        Weight of each class; None without `class_weight`. `predict` returns the class whose probability times its
        weight is largest.
    """

    criterion: CriterionLike = "gini"
    class_weight: ClassWeightLike = param(None, mapping | one_of("balanced") | none)
    smoothing: Smoothing | str | None = param(None, _SMOOTHING)

    _numeric_y: ClassVar[bool] = False

    classes_: Labels = field(init=False)
    class_weight_: NDArray[np.float64] | None = field(init=False)

    def _smoothed(self, tree: FittedTree) -> FittedTree:
        return smoothed(tree, as_smoothing(self.smoothing))

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the probability of each class (in the order of `classes_`) in the leaf of each row, or by its model.

        With `class_weight`, these are still the probabilities of the classes as they occur.
        """
        return self.proba_encoded(self.encoded(X))

    def predict_log_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def proba_encoded(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the result of `predict_proba` for rows that are `encoded` already."""
        return as_they_occur(class_shares(self.tree_.outputs(*self._walk(columns))), self.class_weight_)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the class of the largest weight in the leaf of each row; the first, if several tie."""
        codes = self.predict_encoded(self.encoded(X))
        return np.asarray(self.classes_[codes])

    def predict_encoded(self, columns: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the position in `classes_` of the predicted class, for rows that are `encoded` already."""
        return self.tree_.labels(*self._walk(columns))


@dataclass(kw_only=True, eq=False, repr=False)
class TreeRegressor(RegressorMixin, BaseTree):
    """A tree whose leaves hold numbers.

    Parameters
    ----------
    criterion : str or callable, default="squared_error"
        How splits are scored: "squared_error" or "absolute_error"; or a user-defined function, see
        `askew.grow.criterion.as_criterion`.
    """

    criterion: CriterionLike = "squared_error"

    _numeric_y: ClassVar[bool] = True

    def predict(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the number in the leaf of each row."""
        return self.predict_encoded(self.encoded(X))

    def predict_encoded(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the result of `predict` for rows that are `encoded` already."""
        return self.tree_.outputs(*self._walk(columns))[:, 0]
