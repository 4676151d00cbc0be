"""`Ensemble`, the base of forests, boosting and votes: it keeps the trees and walks all of them at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from sklearn.utils.validation import check_is_fitted

from askew.data.frames import Labels, MatrixLike
from askew.data.read import Schema
from askew.estimators.base import BaseTree
from askew.estimators.cart import ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.estimators.model import BaseModel, ClassifierMixin, RegressorMixin
from askew.grow.grow import child_seed
from askew.model.fitted import Combination, FittedModel
from askew.model.one_vs_rest import average_importance
from askew.model.packed import PackedTrees
from askew.model.split_arrays import starts
from askew.model.tree import Tree


@dataclass(kw_only=True, eq=False, repr=False)
class Ensemble(BaseModel):
    """The base of forests, boosting and votes.

    Attributes
    ----------
    trees_ : list of askew.model.tree.Tree
        The trees.
    estimators_ : list
        Each tree as a fitted estimator, for `askew.export_text` and the like.
    feature_importances_ : ndarray
        Mean of the trees' importances; trees of a single leaf have none, and do not count.
    n_hyperplanes_ : int
        Number of hyperplanes that were evaluated for all trees.
    """

    trees_: list[Tree] = field(init=False)

    if TYPE_CHECKING:  # a property of forests and boosting, a fitted attribute of votes

        @property
        def estimators_(self) -> Sequence[BaseTree]:
            """Each tree as a fitted estimator."""

    def _take(self, trees: list[Tree]) -> None:
        """Set the trees of the ensemble."""
        self.trees_ = trees
        self.__dict__.pop("_packed", None)
        self._walked()

    def _walked(self) -> tuple[PackedTrees, NDArray[np.float64]]:
        """Return all trees in one set of arrays, and the contributions of their nodes to a prediction; cached."""
        if "_packed" not in self.__dict__:
            self._packed = PackedTrees.of(self.trees_), self.fitted_model().entries()
        return self._packed

    def _sums(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        packed, entries = self._walked()
        return packed.sums(entries, columns, self._threads())

    def apply(self, X: MatrixLike) -> NDArray[np.int64]:
        """Return the number of the leaf that each row ends in, of each tree (rows x trees)."""
        columns = self.encoded(X)
        return self._walked()[0].apply(columns, self._threads())

    def decision_path(self, X: MatrixLike) -> tuple[csr_array, NDArray[np.int64]]:
        """Return a sparse matrix (rows x nodes of all trees), 1 for nodes on its paths; and where each tree begins."""
        columns = self.encoded(X)
        paths = [tree.decision_path(columns, self._threads()) for tree in self.trees_]
        return csr_array(hstack(paths, format="csr")), starts([tree.node_count for tree in self.trees_])

    def __len__(self) -> int:
        """Return the number of trees."""
        check_is_fitted(self)
        return len(self.trees_)

    def __getitem__(self, number: int) -> BaseTree:
        """Return a tree as a fitted estimator."""
        return self.estimators_[number]

    def __iter__(self) -> Iterator[BaseTree]:
        """Go through the trees as fitted estimators."""
        return iter(self.estimators_)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in super().__getstate__().items() if name != "_packed"}

    def _fitted_trees(self, schema: Schema) -> list[BaseTree]:
        """Return each tree as a fitted estimator."""
        check_is_fitted(self)
        kind = ObliqueTreeRegressor if schema.classes is None else ObliqueTreeClassifier
        fitted: list[BaseTree] = []
        for tree in self.trees_:
            one = kind(search="axis", missing=schema.missing, categorical_features=self._reader().categorical_features)
            schema.write(one)
            one.tree_, one.feature_scale_ = tree, self.feature_scale_
            fitted.append(one)
        return fitted

    def fitted_model(self) -> FittedModel:
        """Return the fitted model: the trees, and how they combine."""
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
        origin = None if self.encoder_ is None else self.encoder_.origin
        return average_importance(
            [tree.importance(self.feature_scale_, origin, self.n_features_in_) for tree in self.trees_]
        )

    @property
    def n_hyperplanes_(self) -> int:
        """Number of hyperplanes that were evaluated for all trees."""
        check_is_fitted(self)
        return sum(tree.n_hyperplanes for tree in self.trees_)


@dataclass(kw_only=True, eq=False, repr=False)
class EnsembleClassifier(ClassifierMixin, Ensemble):
    """An ensemble that predicts classes.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted, as in y.
    class_weight_ : ndarray or None
        Weight of each class; None without `class_weight`.
    """

    _numeric_y: ClassVar[bool] = False

    classes_: Labels = field(init=False)
    class_weight_: NDArray[np.float64] | None = field(init=False)

    @abstractmethod
    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the probability of each class (in the order of `classes_`)."""

    def predict_log_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


@dataclass(kw_only=True, eq=False, repr=False)
class EnsembleRegressor(RegressorMixin, Ensemble):
    """An ensemble that predicts numbers."""

    _numeric_y: ClassVar[bool] = True


def tree_seeds(seed: int, start: int, stop: int) -> NDArray[np.uint64]:
    """Return the seeds of some trees: the same whether they are grown at once or one after the other."""
    return np.array([child_seed(seed, i) for i in range(start, stop)], dtype=np.uint64)
