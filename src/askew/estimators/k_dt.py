"""k-DT: the majority vote of trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from askew.data.frames import Labels, MatrixLike
from askew.data.read import Reader, Schema, read_training
from askew.ensemble.forest import tree_progress
from askew.estimators.ensemble import EnsembleClassifier
from askew.estimators.model import MetaEstimatorMixin
from askew.estimators.oc1 import OC1Classifier
from askew.estimators.tasks import TreeClassifier
from askew.model.fitted import FittedModel
from askew.model.leaf_values import as_they_occur
from askew.model.one_vs_rest import average_importance
from askew.parallel import in_threads, progress_bar, thread_count
from askew.parameters import Rule, check_parameters, documented, integer, none, param

_TREE = Rule("a classifier of askew", lambda v: isinstance(v, TreeClassifier))


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class KDTClassifier(MetaEstimatorMixin, EnsembleClassifier):
    """k-DT: the majority vote of k randomised trees.

    Every tree is grown on all rows, from a different seed: the trees differ by the randomness of their search
    and of the held-out set that they are pruned by. Without either, as with an unpruned `CARTClassifier`, all trees
    are equal.

    Parameters
    ----------
    estimator : a classifier of askew or None, default=None
        The tree, not fitted; None is `OC1Classifier` with its defaults.
    n_estimators : int, default=11
        Number of trees. Odd numbers have no ties between two classes.
    n_jobs : int or None, default=None
        Number of trees that are grown at the same time; -1 is all cores. The vote is the same for every number.

    Attributes
    ----------
    class_mass_ : ndarray
        Weight of each class in the rows that the trees grew on; a tie goes to the heaviest, then to the first.
    n_terms_ : int
        Number of weights that are not 0, over all nodes of all trees.

    References
    ----------
    Heath, Kasif, Salzberg: k-DT: A multi-tree learning method. Second International Workshop on Multistrategy
    Learning (1993).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import KDTClassifier, SADTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> vote = KDTClassifier(estimator=SADTClassifier(max_depth=2), n_estimators=5, random_state=0).fit(X, y)
    >>> vote.predict_proba(X[:1])
    array([[1., 0., 0.]])
    """

    estimator: TreeClassifier | None = field(default=None, kw_only=False, metadata={"rule": _TREE | none})
    n_estimators: int = param(11, integer(1))

    estimators_: list[TreeClassifier] = field(init=False)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array or data frame
            Numbers (rows x features).
        y : array
            Class of each row.
        sample_weight : array or None, default=None
            Weight of each row: 0 removes the row, an integer repeats it.

        Returns
        -------
        self : estimator
            The fitted vote.
        """
        check_parameters(self)
        model = self._tree()
        check_parameters(model)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_estimators)
        trees: list[TreeClassifier] = [clone(model).set_params(random_state=int(seed)) for seed in seeds]
        schema, table = read_training(model, X, y, sample_weight)
        done = np.zeros(len(trees))
        with progress_bar(type(self).__name__, bool(model.verbose)) as progress:

            def fit_tree(number: int) -> TreeClassifier:
                report = tree_progress(done, number, progress)
                return trees[number].fit_table(table, trees[number]._seed(), schema, report, compute_display=True)

            fitted = in_threads(fit_tree, len(trees), thread_count(self.n_jobs))
        self._take_fitted(fitted)
        return self

    def _tree(self) -> TreeClassifier:
        return OC1Classifier() if self.estimator is None else self.estimator

    def _reader(self) -> Reader:
        return self._tree()

    def _take_fitted(self, trees: list[TreeClassifier]) -> None:
        """Set the fitted trees of the vote."""
        self.estimators_ = trees
        Schema.of(trees[0]).write(self)
        self.feature_scale_ = trees[0].feature_scale_
        self.trees_ = [tree.tree_ for tree in trees]  # type: ignore[misc]  # or rule networks, which are not packed
        self.__dict__.pop("_packed", None)
        if self.fitted_model().packs:
            self._walked()  # once, not in every prediction

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the share of the trees that vote for each class (in the order of `classes_`).

        With `class_weight` of the trees, these are still the probabilities of the classes as they occur.
        """
        return as_they_occur(self._votes(X) / len(self.estimators_), self.class_weight_)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the class with most votes; ties go to the most frequent class in training, then to the first."""
        votes = self._votes(X)
        most = votes == votes.max(axis=1, keepdims=True)
        return np.asarray(self.classes_[np.where(most, self.class_mass_, -1.0).argmax(axis=1)])

    def _votes(self, X: MatrixLike) -> NDArray[np.int64]:
        """Return how many trees vote for each class (rows x classes); the data are read once for all of them."""
        columns, schema = self.encoded(X), Schema.of(self)
        if self.fitted_model().packs:
            return self._sums(columns).astype(np.int64)
        votes = np.zeros((columns.shape[0], self.classes_.size), dtype=np.int64)
        rows = np.arange(columns.shape[0])
        for tree in self.estimators_:
            alike = schema.same_columns(Schema.of(tree))
            votes[rows, tree.predict_encoded(columns if alike else tree.encoded(X))] += 1
        return votes

    def fitted_model(self) -> FittedModel:
        """Return the fitted model: the trees, which vote."""
        check_is_fitted(self)
        return FittedModel.vote(type(self).__name__, [tree.fitted_model() for tree in self.estimators_])

    def apply(self, X: MatrixLike) -> NDArray[np.int64]:
        """Return the number of the leaf, or of the region, that each row ends in, of each tree (rows x trees)."""
        check_is_fitted(self)
        if self.fitted_model().packs:
            return super().apply(X)
        return np.column_stack([tree.apply(X) for tree in self.estimators_])

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        if "estimators_" in state and "trees_" not in state:  # an earlier version kept less
            self._take_fitted(self.estimators_)

    @property
    def class_mass_(self) -> NDArray[np.float64]:
        """Weight of each class in the rows that the trees grew on."""
        check_is_fitted(self)
        return self.fitted_model().class_mass

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of the trees' importances; see `askew.model.one_vs_rest.average_importance`."""
        check_is_fitted(self)
        return average_importance([tree.feature_importances_ for tree in self.estimators_])

    @property
    def n_terms_(self) -> int:
        """Number of weights that are not 0, over all nodes of all trees."""
        check_is_fitted(self)
        return sum(tree.n_terms_ for tree in self.estimators_)
