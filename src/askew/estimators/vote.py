"""k-DT: the majority vote of trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from askew.encoding import Encoder
from askew.estimators.base import BaseTree
from askew.estimators.classifier import TreeClassifier
from askew.estimators.oc1 import OC1Classifier
from askew.parameters import Rule, check_parameters, integer, none


@dataclass(kw_only=True, eq=False, repr=False)
class KDTClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """k-DT: the majority vote of k randomised trees.

    Every tree is grown on all rows, from a seed of its own: what makes the trees differ is the chance in their search
    and in the rows that are held out to prune them. Without either, as with an unpruned `CARTClassifier`, all trees
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
    class_mass_ : ndarray
        Weight of each class in the rows that the trees grew on; a tie goes to the heaviest, then to the first.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X has column names.
    feature_importances_ : ndarray
        Mean of the trees' importances.
    n_hyperplanes_ : int
        How many hyperplanes the searches of all trees looked at.

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

    estimator: Any = None
    n_estimators: int = 11
    random_state: Any = None
    n_jobs: int | None = None

    rules: ClassVar[Mapping[str, Rule]] = {
        "estimator": Rule("a classifier of askew", lambda v: isinstance(v, TreeClassifier)) | none,
        "n_estimators": integer(1),
        "n_jobs": BaseTree.rules["n_jobs"],
    }

    estimators_: list[TreeClassifier] = field(init=False)
    classes_: NDArray[Any] = field(init=False)
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
        check_parameters(self, self.rules)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_estimators)
        trees = [clone(self._tree()).set_params(random_state=int(seed)) for seed in seeds]
        # Threads: a search leaves the interpreter to the others, and the data are not copied.
        fitted = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(tree.fit)(X, y, sample_weight) for tree in trees
        )
        self._take(fitted)
        return self

    def _tree(self) -> TreeClassifier:
        return OC1Classifier() if self.estimator is None else self.estimator

    def _take(self, trees: list[TreeClassifier]) -> None:
        """Become the vote of fitted trees."""
        self.estimators_ = trees
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(trees[0], name):
                setattr(self, name, getattr(trees[0], name))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the trees that vote for each class (in the order of `classes_`)."""
        return np.asarray(self._votes(X) / len(self.estimators_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with most votes; of equals the most frequent in training, then the first."""
        votes = self._votes(X)
        most = votes == votes.max(axis=1, keepdims=True)
        return np.asarray(self.classes_[np.where(most, self.class_mass_, -1.0).argmax(axis=1)])

    def _votes(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self)
        codes = [np.searchsorted(self.classes_, tree.predict(X)) for tree in self.estimators_]
        return np.stack([np.sum(np.equal(codes, c), axis=0) for c in range(self.classes_.size)], axis=1)

    @property
    def encoder_(self) -> Encoder | None:
        """The categories of the features, which all trees see alike; None if all are numbers."""
        check_is_fitted(self)
        return self.estimators_[0].encoder_

    @property
    def class_mass_(self) -> NDArray[np.float64]:
        """Weight of each class in the rows that the trees grew on."""
        check_is_fitted(self)
        return np.asarray(np.sum([tree.tree_.value[0] for tree in self.estimators_], axis=0))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of the trees' importances."""
        check_is_fitted(self)
        return np.asarray(np.mean([tree.feature_importances_ for tree in self.estimators_], axis=0))

    @property
    def n_hyperplanes_(self) -> int:
        """How many hyperplanes the searches of all trees looked at."""
        check_is_fitted(self)
        return sum(tree.n_hyperplanes_ for tree in self.estimators_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self._tree()).input_tags.allow_nan
        tags.target_tags.required = True
        return tags
