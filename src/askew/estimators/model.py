"""`BaseModel`, the base of every estimator: how data are read, and the columns after `fit`."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from askew.data import targets
from askew.data.encoder import Encoder
from askew.data.frames import Labels, MatrixLike
from askew.data.read import Reader, read_X, remember_missing
from askew.parallel import thread_count
from askew.parameters import RandomStateLike, jobs, param

if TYPE_CHECKING:
    # scikit-learn has no types: with an untyped base, a type checker would accept every parameter.
    class BaseEstimator:
        """Methods of scikit-learn's `BaseEstimator`."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""
            ...

        def set_params(self, **params: object) -> Self:
            """Set parameters."""
            ...

        def __getstate__(self) -> dict[str, object]: ...
        def __setstate__(self, state: dict[str, object]) -> None: ...
        def __sklearn_tags__(self) -> Tags: ...

    class ClassifierMixin:
        """Methods of scikit-learn's `ClassifierMixin`."""

        def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
            """Return the accuracy."""
            ...

    class RegressorMixin:
        """Methods of scikit-learn's `RegressorMixin`."""

        def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
            """Return R squared."""
            ...

    class MetaEstimatorMixin:
        """Marks estimators that contain others."""
else:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin

__all__ = ["BaseEstimator", "BaseModel", "ClassifierMixin", "MetaEstimatorMixin", "RegressorMixin"]


@dataclass(kw_only=True, eq=False, repr=False)
class BaseModel(BaseEstimator, ABC):
    """The base of trees and ensembles.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices. The fitted model is the same for the same seed.
    n_jobs : int or None, default=None
        Number of threads; -1 for all cores. The fitted model does not depend on it.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X has column names.
    encoder_ : askew.data.encoder.Encoder or None
        The categories of each feature, the columns that they become, and the columns of missing indicators; None if all
        features are numbers and none has such a column.
    feature_means_ : ndarray or None
        Means of the training rows, which replace missing values; None if `missing_` is neither "mean" nor
        "indicator". -1 for categories.
    missing_ : str
        Treatment of missing values: `missing` as it was in `fit`; for "auto" the chosen one, "mean" or "indicator".
    feature_scale_ : ndarray
        Standard deviation, in the training rows, of each column that is tested.
    """

    random_state: RandomStateLike = None
    n_jobs: int | None = param(None, jobs)

    _numeric_y: ClassVar[bool]
    _takes_categories: ClassVar[bool] = False  # whether the search takes codes (see `askew.data.table.Table.levels`)

    encoder_: Encoder | None = field(init=False)
    feature_means_: NDArray[np.float64] | None = field(init=False)
    feature_scale_: NDArray[np.float64] = field(init=False)
    missing_: str = field(init=False)
    n_features_in_: int = field(init=False)

    def _reader(self) -> Reader:
        """Return the estimator whose parameters say how data are read."""
        return cast(Reader, self)

    def _read_y(self, y: Labels, weights: NDArray[np.float64], classes: Labels | None) -> targets.Target:
        """Return the target; `classes` are those of the training data, where they are known already."""
        if self._numeric_y:
            return targets.Target(targets.read_numbers(y), weights)
        return targets.read_classes(y, weights, classes, getattr(self, "class_weight", None))

    def _seed(self) -> int:
        return targets.first_draw(self.random_state)

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def encoded(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the columns that are tested: X with missing values and categories as numbers."""
        check_is_fitted(self)
        return read_X(self, X)

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        remember_missing(cast(Reader, self))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._reader().missing != "error"
        tags.input_tags.sparse = True  # as a dense array
        tags.target_tags.required = True
        return tags
