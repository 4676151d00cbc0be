"""Forests of oblique trees."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from askew.data import targets
from askew.data.read import Schema, read_training
from askew.data.table import Table
from askew.ensemble.distinct_rows import DistinctRows
from askew.ensemble.forest import NATIVE, ForestGrowth, Sampling
from askew.estimators.ensemble import features_drawn, tree_seeds
from askew.estimators.out_of_bag import OutOfBag
from askew.estimators.tasks import ProbabilisticClassifier
from askew.grow.limits import Limits
from askew.model.leaf_values import as_they_occur, class_shares
from askew.parallel import progress_bar
from askew.parameters import (
    InvalidParameterError,
    brief,
    check_parameters,
    documented,
    mapping,
    none,
    one_of,
    param,
)
from askew.search import SEARCHES

_SYNONYMS = {"log_loss": "entropy"}  # as scikit-learn has both


@dataclass(kw_only=True, eq=False, repr=False)
class Forest(OutOfBag):
    """What forests of classes and of numbers share."""

    _native_criteria: ClassVar[tuple[str, ...]]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array or data frame
            Numbers and categories (rows x features).
        y : array
            Class or number of each row.
        sample_weight : array or None, default=None
            Weight of each row: 0 is an absent row, a whole number is a repeated one.

        Returns
        -------
        self : estimator
            The fitted forest.
        """
        check_parameters(self)
        self._check_together()
        kept = self._kept()
        schema, table = read_training(self, X, y, sample_weight, Schema.of(self) if kept else None)
        rows = DistinctRows.of(table)
        growth = self._growth(table)
        seed = self.seed_ if kept else self._new_seed()
        seeds = tree_seeds(seed, len(kept), self.n_estimators)
        with progress_bar(type(self).__name__, bool(self.verbose)) as progress:
            grown = growth.grow(rows, seeds, self._threads(), progress)
        schema.write(self)
        self.seed_ = seed
        self.feature_scale_ = targets.column_spreads(table.X, table.weight)
        self._take([*kept, *grown])
        self._score_out_of_bag(rows, growth.sampling)
        return self

    def _kept(self) -> list[Any]:
        """Return the trees that a warm start keeps."""
        trees: list[Any] = self.__dict__.get("trees_", []) if self.warm_start else []
        if len(trees) > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least {len(trees)}, the number of trees that are there, "
                "when warm_start is True"
            )
        if len(trees) == self.n_estimators:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3)
        return list(trees)

    def _check_together(self) -> None:
        """Refuse parameters that do not go together."""
        if isinstance(self.split, str) and self.split in NATIVE and self._criterion() not in self._native_criteria:
            raise InvalidParameterError(
                f"The 'criterion' parameter of {type(self).__name__} must be a str among "
                f"{sorted(self._native_criteria)} with split={self.split!r}. Got {brief(self.criterion)} instead."
            )
        if self.oob_score and not self.bootstrap and self.max_samples is None:
            raise ValueError("Out of bag estimation only available if bootstrap=True, or with max_samples")

    def _criterion(self) -> Any:
        return _SYNONYMS.get(self.criterion, self.criterion) if isinstance(self.criterion, str) else self.criterion

    def _growth(self, table: Table) -> ForestGrowth:
        n_samples = float(table.multiplicity.sum())
        sampling = self._sampling(n_samples)
        split = self.split if not isinstance(self.split, str) or self.split in NATIVE else SEARCHES[self.split]()
        limits = Limits.of(
            n_samples * min(sampling.share, 1.0),
            self.max_depth,
            self.min_samples_split,
            self.min_samples_leaf,
            None,
            0.0,
            0.0,
        )
        return ForestGrowth(
            split=split,
            criterion=self._criterion(),
            limits=limits,
            sampling=sampling,
            max_features=features_drawn(self.max_features, table.n_features),
            n_draws=int(self.n_draws),
            l2=float(self.l2),
            min_weight_fraction=float(self.min_weight_fraction_leaf),
        )

    def _sampling(self, n_samples: float) -> Sampling:
        if self.max_samples is None:
            return Sampling(self.bootstrap, 1.0)
        given = float(self.max_samples)
        share = given / n_samples if isinstance(self.max_samples, Integral) else given
        if share > 1 and not self.bootstrap:
            raise ValueError(
                f"max_samples={self.max_samples} must be at most {n_samples:g}, the number of samples, unless bootstrap"
            )
        return Sampling(self.bootstrap, share)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueForestClassifier(ProbabilisticClassifier, Forest):
    """A forest of oblique trees for classes.

    Each tree is grown on a bootstrap sample, and at each node on some features that are drawn anew; what the forest
    predicts is the mean of the shares of the classes in the leaves. Trees with planes of a few features need fewer
    nodes than those with cuts of one, and their forests are as a rule more accurate.

    Parameters
    ----------
    criterion : "gini", "entropy" or "log_loss", default="gini"
        How cuts are scored; the last two are the same. With a search of this library as `split`, whatever that takes.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weight of each class, multiplied with `sample_weight`. "balanced" gives each class the same weight in all;
        "balanced_subsample" does so in the sample of each tree.
        `predict` follows these weights; `predict_proba` has the probabilities of the classes as they occur.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted, as they were given.
    class_weight_ : ndarray or None
        Weight of each class; None without `class_weight`.
    oob_decision_function_ : ndarray
        Shares of the classes that the trees predict that were not grown on a row; NaN if all were.

    References
    ----------
    Breiman: Random forests. Machine Learning 45 (2001). Jaeger, Welden, Lenoir, Speiser, Segar, Pandey, Pajewski:
    Accelerated and interpretable oblique random survival forests. Journal of Computational and Graphical Statistics
    (2024). Rainforth, Wood: Canonical correlation forests (2015). Tomita et al.: Sparse projection oblique randomer
    forests. JMLR 21 (2020).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ObliqueForestClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.94
    True
    """

    criterion: Any = "gini"
    class_weight: Any = param(None, mapping | one_of("balanced", "balanced_subsample") | none)

    _numeric_y: ClassVar[bool] = False
    _native_criteria: ClassVar[tuple[str, ...]] = ("gini", "entropy")

    classes_: NDArray[Any] = field(init=False)
    class_weight_: NDArray[np.float64] | None = field(init=False)
    oob_decision_function_: NDArray[np.float64] = field(init=False)

    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64], classes: NDArray[Any] | None) -> targets.Target:
        if not self._balances_samples():
            return targets.read_classes(y, weights, classes, self.class_weight)
        balanced = targets.read_classes(y, weights, classes, "balanced")  # as samples are in the mean
        return balanced._replace(weight=weights)

    def _balances_samples(self) -> bool:
        return isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _sampling(self, n_samples: float) -> Sampling:
        return replace(super()._sampling(n_samples), balanced=self._balances_samples())

    def _keep_out_of_bag(self, rows: DistinctRows, predicted: NDArray[np.float64], sampling: Sampling) -> None:
        if self.class_weight_ is not None:
            predicted = self._out_of_bag(rows, rows.table.X, sampling, self.leaf_shares())
        self.oob_decision_function_ = predicted[rows.place]

    def _labels(self, y: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.classes_[y])

    def _oob_labels(self, predicted: NDArray[np.float64]) -> NDArray[Any]:
        return self._labels(predicted.argmax(axis=1))

    @property
    def _usual_score(self) -> Any:
        from sklearn.metrics import accuracy_score  # here and below, as it takes long

        return accuracy_score

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the mean over the trees of the share of each class (in the order of `classes_`) in a row's leaf.

        With `class_weight`, these are still the probabilities of the classes as they occur.
        """
        columns = self.encoded(X)
        packed, _ = self._walked()
        return class_shares(packed.sums(self.leaf_shares(), columns, self._threads()))

    def leaf_shares(self) -> NDArray[np.float64]:
        """Return the share of each class, as they occur, in every node of all trees (nodes x classes)."""
        return as_they_occur(self._walked()[1], self.class_weight_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the largest mean share, by weight; of equals, the first."""
        columns = self.encoded(X)
        return np.asarray(self.classes_[self._sums(columns).argmax(axis=1)])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueForestRegressor(RegressorMixin, Forest):  # type: ignore[misc]
    """A forest of oblique trees for numbers.

    Each tree is grown on nine tenths of the rows, and at each node on some features that are drawn anew; the forest
    predicts the mean of what its trees do. Large samples and few draws of features suit numbers better than bootstrap
    samples and three draws, the defaults for classes.

    Parameters
    ----------
    criterion : "squared_error", default="squared_error"
        How cuts are scored. With a search of this library as `split`, whatever that takes.

    Attributes
    ----------
    oob_prediction_ : ndarray
        Mean of what the trees predict that were not grown on a row; NaN if all were.

    References
    ----------
    Breiman: Random forests. Machine Learning 45 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import ObliqueForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ObliqueForestRegressor(oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.4
    True
    """

    criterion: Any = "squared_error"
    max_features: Any = 0.34
    n_draws: int = 1
    bootstrap: bool = False
    max_samples: float | None = 0.9

    _numeric_y: ClassVar[bool] = True
    _native_criteria: ClassVar[tuple[str, ...]] = ("squared_error",)

    oob_prediction_: NDArray[np.float64] = field(init=False)

    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64], classes: NDArray[Any] | None) -> targets.Target:
        return targets.Target(targets.read_numbers(y), weights)

    def _keep_out_of_bag(self, rows: DistinctRows, predicted: NDArray[np.float64], sampling: Sampling) -> None:
        self.oob_prediction_ = predicted[rows.place, 0]

    def _labels(self, y: NDArray[Any]) -> NDArray[Any]:
        return y

    def _oob_labels(self, predicted: NDArray[np.float64]) -> NDArray[Any]:
        return predicted[:, 0]

    @property
    def _usual_score(self) -> Any:
        from sklearn.metrics import r2_score

        return r2_score

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the mean of what the trees predict."""
        columns = self.encoded(X)
        return np.asarray(self._sums(columns)[:, 0] / len(self.trees_))
