"""What every ensemble of trees does: read the data, keep the trees, walk all of them at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, log2, sqrt
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from askew.data import targets
from askew.data.encoder import Encoder
from askew.data.read import Schema, read_X, remember_missing
from askew.ensemble.importance import plane_importance
from askew.estimators.cart import ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.grow.grow import child_seed
from askew.model.fitted import Combination, FittedModel
from askew.model.one_vs_rest import average_importance
from askew.model.packed import PackedTrees
from askew.model.split import HYPERPLANE, LEAF
from askew.model.split_arrays import starts
from askew.model.tree import Tree
from askew.parallel import thread_count
from askew.parameters import boolean, columns, integer, jobs, one_of, param


@dataclass(kw_only=True, eq=False, repr=False)
class Ensemble(BaseEstimator, ABC):  # type: ignore[misc]
    """What forests and boosting share.

    Parameters
    ----------
    missing : "mean" or "error", default="mean"
        What is done with NaN in X: "error" raises, "mean" puts the mean of the training rows in their place. A
        missing category is an error with "error", otherwise a category of its own.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Which columns hold categories, which become columns of 0 and 1; as for `askew.ObliqueTreeClassifier`.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees' seeds. The trees are the same for the same seed, whatever the order of the rows.
    n_jobs : int or None, default=None
        Number of threads; -1 is all cores. The trees are the same for every number.
    verbose : int, default=0
        Above 0: show a progress bar on standard error.
    warm_start : bool, default=False
        Whether another `fit` keeps the trees that are there, and adds those that are missing. It must be given the
        same data.

    Attributes
    ----------
    trees_ : list of askew.model.tree.Tree
        The trees.
    estimators_ : list
        Each tree as a fitted estimator, for `askew.export_text` and the like.
    feature_importances_ : ndarray
        Mean of the trees' importances; trees of a single leaf have none, and do not count.
    n_hyperplanes_ : int
        How many hyperplanes were looked at for all trees.
    encoder_ : askew.data.encoder.Encoder or None
        The categories of each feature, and the columns that they become; None if all features are numbers.
    feature_means_ : ndarray or None
        Means of the training rows, put in place of missing values; None unless `missing_` is "mean".
    missing_ : str
        What a missing value becomes: `missing` as it was in `fit`.
    feature_scale_ : ndarray
        Standard deviation, in the training rows, of each column that the trees test.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X has column names.
    """

    missing: str = param("mean", one_of("mean", "error"))
    categorical_features: Any = param("from_dtype", columns)
    random_state: Any = None
    n_jobs: int | None = param(None, jobs)
    verbose: int = param(0, integer(0) | boolean)
    warm_start: bool = param(False, boolean)

    _numeric_y: ClassVar[bool]
    _takes_categories: ClassVar[bool] = False

    trees_: list[Tree] = field(init=False)
    encoder_: Encoder | None = field(init=False)
    feature_means_: NDArray[np.float64] | None = field(init=False)
    feature_scale_: NDArray[np.float64] = field(init=False)
    missing_: str = field(init=False)
    n_features_in_: int = field(init=False)
    seed_: int = field(init=False)

    @abstractmethod
    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64], classes: NDArray[Any] | None) -> targets.Target:
        """Return the target; `classes` are those of the training data, where they are known already."""

    def _new_seed(self) -> int:
        return targets.first_draw(self.random_state)

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    # --- the fitted trees

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return the columns that the trees test: X with missing values and categories as numbers."""
        check_is_fitted(self)
        return read_X(self, X)

    def _take(self, trees: list[Tree]) -> None:
        """Become the ensemble of these trees."""
        self.trees_ = trees
        self.__dict__.pop("_packed", None)
        self._walked()

    def _walked(self) -> tuple[PackedTrees, NDArray[np.float64]]:
        """Return all trees in one set of arrays, and what their nodes add to a prediction; made once."""
        if "_packed" not in self.__dict__:
            self._packed = PackedTrees.of(self.trees_), self.fitted_model().entries()
        return self._packed

    def _sums(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        packed, entries = self._walked()
        return packed.sums(entries, columns, self._threads())

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row ends in, of each tree (rows x trees)."""
        columns = self.encoded(X)
        return self._walked()[0].apply(columns, self._threads())

    def decision_path(self, X: Any) -> tuple[csr_array, NDArray[np.int64]]:
        """Return a sparse matrix (rows x nodes of all trees), 1 for nodes on its paths; and where each tree begins."""
        columns = self.encoded(X)
        paths = [tree.decision_path(columns, self._threads()) for tree in self.trees_]
        return csr_array(hstack(paths, format="csr")), starts([tree.node_count for tree in self.trees_])

    def __len__(self) -> int:
        """Return the number of trees."""
        check_is_fitted(self)
        return len(self.trees_)

    def __getitem__(self, number: int) -> Any:
        """Return a tree as a fitted estimator."""
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        """Go through the trees as fitted estimators."""
        return iter(self.estimators_)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_packed"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        remember_missing(self)

    def _schema_of_trees(self) -> Schema:
        return Schema.of(self)

    @property
    def estimators_(self) -> list[Any]:
        """Each tree as a fitted estimator."""
        check_is_fitted(self)
        schema = self._schema_of_trees()
        kind: Any = ObliqueTreeRegressor if schema.classes is None else ObliqueTreeClassifier
        fitted = []
        for tree in self.trees_:
            one = kind(search="axis", missing=self.missing_, categorical_features=self.categorical_features)
            schema.write(one)
            one.tree_, one.feature_scale_ = tree, self.feature_scale_
            fitted.append(one)
        return fitted

    def fitted_model(self) -> FittedModel:
        """Return what was fitted: the trees, and how they combine."""
        check_is_fitted(self)
        return FittedModel(
            estimator=type(self).__name__,
            schema=Schema.of(self),
            parts=tuple(self.trees_),
            combination=Combination.MEAN,
            scale=self.feature_scale_,
        )

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of the trees' importances; see `askew.model.tree.Tree.importance`."""
        check_is_fitted(self)
        given = self.encoder_ is None
        n = self.trees_[0].n_features
        origin = np.arange(n) if self.encoder_ is None else self.encoder_.origin
        return average_importance(
            [
                plane_importance(tree, self.feature_scale_, origin, self.n_features_in_)
                if np.isin(tree.kind, (LEAF, HYPERPLANE)).all()
                else tree.importance(self.feature_scale_, None if given else origin, self.n_features_in_)
                for tree in self.trees_
            ]
        )

    @property
    def n_hyperplanes_(self) -> int:
        """How many hyperplanes were looked at for all trees."""
        check_is_fitted(self)
        return sum(tree.n_hyperplanes for tree in self.trees_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = True  # as a dense array
        tags.target_tags.required = True
        return tags


def features_drawn(max_features: Any, n: int) -> int:
    """Return how many of n features `max_features` means."""
    if max_features is None:
        return n
    if isinstance(max_features, str):
        return max(1, ceil(sqrt(n) if max_features == "sqrt" else log2(n)))
    return min(n, int(max_features)) if isinstance(max_features, Integral) else max(1, ceil(float(max_features) * n))


def tree_seeds(seed: int, start: int, stop: int) -> NDArray[np.uint64]:
    """Return the seeds of some trees: the same whether they are grown at once or one after the other."""
    return np.array([child_seed(seed, i) for i in range(start, stop)], dtype=np.uint64)
