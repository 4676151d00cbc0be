"""k-DT: the majority vote of trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from askew._core import check_interrupt
from askew.data.encoder import Encoder
from askew.data.read import Schema, read_training
from askew.estimators.oc1 import OC1Classifier
from askew.estimators.tasks import ProbabilisticClassifier, TreeClassifier
from askew.model.fitted import FittedModel
from askew.model.leaf_values import as_they_occur
from askew.model.one_vs_rest import average_importance
from askew.model.packed import PackedTrees
from askew.model.tree import Tree
from askew.parallel import in_threads, progress_bar, thread_count
from askew.parameters import Rule, check_parameters, integer, jobs, none, param

_TREE = Rule("a classifier of askew", lambda v: isinstance(v, TreeClassifier))


@dataclass(kw_only=True, eq=False, repr=False)
class KDTClassifier(MetaEstimatorMixin, ProbabilisticClassifier, BaseEstimator):  # type: ignore[misc]
    """k-DT: the majority vote of k randomised trees.

    Every tree is grown on all rows, from a seed of its own: the trees differ by the randomness of their search
    and of the held-out set that they are pruned by. Without either, as with an unpruned `CARTClassifier`, all trees
    are equal.

    Parameters
    ----------
    estimator : a classifier of askew or None, default=None
        The tree, not fitted; None is `OC1Classifier` with its defaults.
    n_estimators : int, default=11
        Number of trees. Odd numbers have no ties between two classes.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees' seeds. The vote is the same for the same seed.
    n_jobs : int or None, default=None
        Number of trees that are grown at the same time; -1 is all cores. The vote is the same for every number.

    Attributes
    ----------
    estimators_ : list
        The fitted trees.
    classes_ : ndarray
        The classes, sorted, as they were given.
    class_weight_ : ndarray or None
        Weight of each class; None without `class_weight` of the trees.
    class_mass_ : ndarray
        Weight of each class in the rows that the trees grew on; a tie goes to the heaviest, then to the first.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X has column names.
    feature_importances_ : ndarray
        Mean of the trees' importances; trees of a single leaf have none, and do not count.
    n_hyperplanes_ : int
        How many hyperplanes the searches of all trees looked at.
    terms_ : int
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

    estimator: Any = field(default=None, kw_only=False, metadata={"rule": _TREE | none})
    n_estimators: int = param(11, integer(1))
    random_state: Any = None
    n_jobs: int | None = param(None, jobs)

    estimators_: list[TreeClassifier] = field(init=False)
    classes_: NDArray[Any] = field(init=False)
    class_weight_: NDArray[np.float64] | None = field(init=False)
    n_features_in_: int = field(init=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array or data frame
            Numbers (rows x features).
        y : array
            Class of each row.
        sample_weight : array or None, default=None
            Weight of each row: 0 is an absent row, a whole number is a repeated one.

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
                def tell(part: float) -> None:
                    check_interrupt()
                    done[number] = part
                    if progress is not None:
                        progress(float(done.mean()))

                return trees[number].fit_table(table, trees[number]._seed(), schema, tell, compute_display=True)

            fitted = in_threads(fit_tree, len(trees), thread_count(self.n_jobs))
        self._take(fitted)
        return self

    def _tree(self) -> TreeClassifier:
        return OC1Classifier() if self.estimator is None else self.estimator

    def _take(self, trees: list[TreeClassifier]) -> None:
        """Become the vote of fitted trees."""
        self.estimators_ = trees
        for name in ("classes_", "class_weight_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(trees[0], name):
                setattr(self, name, getattr(trees[0], name))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the trees that vote for each class (in the order of `classes_`).

        With `class_weight` of the trees, these are still the probabilities of the classes as they occur.
        """
        return as_they_occur(self._votes(X) / len(self.estimators_), self.class_weight_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with most votes; of equals the most frequent in training, then the first."""
        votes = self._votes(X)
        most = votes == votes.max(axis=1, keepdims=True)
        return np.asarray(self.classes_[np.where(most, self.class_mass_, -1.0).argmax(axis=1)])

    def _votes(self, X: Any) -> NDArray[np.int64]:
        """Return how many trees vote for each class (rows x classes); the data are read once for all of them."""
        check_is_fitted(self)
        first = self.estimators_[0]
        columns = first.encoded(X)
        walked = self._walked()
        if walked is not None:
            packed, ballots = walked
            return packed.sums(ballots, columns, thread_count(self.n_jobs)).astype(np.int64)
        schema = Schema.of(first)
        votes = np.zeros((columns.shape[0], self.classes_.size), dtype=np.int64)
        rows = np.arange(columns.shape[0])
        for tree in self.estimators_:
            alike = schema.same_columns(Schema.of(tree))
            votes[rows, tree.predict_encoded(columns if alike else tree.encoded(X))] += 1
        return votes

    def _walked(self) -> tuple[PackedTrees, NDArray[np.float64]] | None:
        """Return all trees in one set of arrays, and the vote of each node; None if they cannot be walked together."""
        model = self.fitted_model()
        trees = [part for part in model.parts if isinstance(part, Tree)]
        return (PackedTrees.of(trees), model.entries()) if model.packs else None

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return the columns that the trees test: X with missing values and categories as numbers."""
        check_is_fitted(self)
        return self.estimators_[0].encoded(X)

    def fitted_model(self) -> FittedModel:
        """Return what was fitted: the trees, which vote."""
        check_is_fitted(self)
        return FittedModel.vote(type(self).__name__, [tree.fitted_model() for tree in self.estimators_])

    @property
    def encoder_(self) -> Encoder | None:
        """The categories of the features, which all trees see alike; None if all are numbers."""
        check_is_fitted(self)
        return self.estimators_[0].encoder_

    @property
    def missing_(self) -> str:
        """What a missing value becomes, which is alike in all trees."""
        check_is_fitted(self)
        return self.estimators_[0].missing_

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
    def terms_(self) -> int:
        """Number of weights that are not 0, over all nodes of all trees."""
        check_is_fitted(self)
        return sum(tree.terms_ for tree in self.estimators_)

    @property
    def n_hyperplanes_(self) -> int:
        """How many hyperplanes the searches of all trees looked at."""
        check_is_fitted(self)
        return sum(tree.n_hyperplanes_ for tree in self.estimators_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self._tree()).input_tags.allow_nan
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
