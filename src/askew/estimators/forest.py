"""Forests of oblique trees: parameters, out-of-bag estimates, estimators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch

from askew.data import targets
from askew.data.frames import ColumnsLike, Labels, MatrixLike
from askew.data.read import Schema, read_training
from askew.data.table import Table
from askew.data.targets import ClassWeightLike
from askew.ensemble.distinct_rows import DistinctRows
from askew.ensemble.forest import NATIVE, ForestGrowth, Sampling, out_of_bag_sums
from askew.estimators.base import BaseTree
from askew.estimators.ensemble import Ensemble, EnsembleClassifier, EnsembleRegressor, tree_seeds
from askew.grow.criterion import CriterionLike
from askew.grow.grow import Search, is_search
from askew.grow.limits import Limits
from askew.model.leaf_values import as_they_occur, class_shares
from askew.model.tree import Tree
from askew.parallel import progress_bar
from askew.parameters import (
    InvalidParameterError,
    Rule,
    boolean,
    brief,
    check_parameters,
    columns,
    documented,
    features_drawn,
    function,
    integer,
    mapping,
    none,
    one_of,
    param,
    real,
    share,
)
from askew.search import SEARCHES

_SPLITS = (*NATIVE, *SEARCHES)
_SHARE = Rule("a float above 0.0", lambda v: not isinstance(v, Integral) and real(0.0, open_low=True).holds(v))
_SYNONYMS = {"log_loss": "entropy"}  # as scikit-learn has both


@dataclass(kw_only=True, eq=False, repr=False)
class Forest(Ensemble):
    """The base of forests for classification and regression.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    split : "newton", "projection", "axis", the name of a search or a search, default="newton"
        How a node is split. "newton": some features are drawn, one penalised Newton step of a logistic model (for
        numbers, of a linear one; for more than two classes, the first canonical direction) makes a direction of
        them (where there are two samples or more for each), and of the best cuts along it and along each of these
        features the best is taken. "projection": random combinations of two of the drawn features. "axis": cuts of
        one feature, as in a random forest. Or any search of this library, such as "oc1" or ``CrossEntropy()``; the
        parameters `max_features`, `n_draws` and `l2` do not matter then.
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        Number of features that are drawn together: a number, a share of all, the root or the logarithm of their number
        (rounded up); None: all. Constant ones do not count.
    n_draws : int, default=3
        Number of draws of features at a node.
    l2 : float, default=1.0
        Penalty on the weights of a Newton step; features have mean 0 and deviation 1 over the node's rows.
    max_depth : int or None, default=None
        Deepest level that a leaf may have; the root is at depth 0. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the samples of a tree.
    min_samples_leaf : int or float, default=1
        Each child must have this many samples. A float is a share of the samples of a tree.
    min_weight_fraction_leaf : float, default=0.0
        Each child must have this share of the weight of a tree's sample.
    bootstrap : bool, default=True
        Whether each tree has a bootstrap sample: the number of times that a row is drawn is Poisson with mean 1.
        Otherwise each has all rows, or the share `max_samples` without repetition.
    max_samples : int, float or None, default=None
        Number of samples that are drawn for a tree, on average; a float is a share. None: as many as there are. More
        than there are can be drawn with `bootstrap`.
    oob_score : bool or callable, default=False
        Whether rows are predicted by the trees that were not grown on them; needs samples that leave rows out. A
        function of y and these predictions scores them.
    missing : "mean" or "error", default="mean"
        Treatment of NaN in X: "error" raises, "mean" imputes the mean of the training rows. A missing category is
        an error with "error", otherwise a separate category.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Which columns hold categories, which become columns of 0 and 1; as for `askew.ObliqueTreeClassifier`.
    verbose : int, default=0
        Above 0: show a progress bar on standard error.
    warm_start : bool, default=False
        Whether another `fit` keeps the trees and adds those that are missing. The data must be the same.

    Attributes
    ----------
    oob_score_ : float
        Accuracy, or R squared, of the out-of-bag predictions; with ``oob_score=True``.
    """

    n_estimators: int = param(100, integer(1))
    split: Search | str = param("newton", one_of(*_SPLITS) | Rule("a search", is_search))
    criterion: CriterionLike = "gini"
    max_features: float | str | None = param("sqrt", one_of("sqrt", "log2") | integer(1) | share() | none)
    n_draws: int = param(3, integer(1))
    l2: float = param(1.0, real(0.0))
    max_depth: int | None = param(None, integer(1) | none)
    min_samples_split: float = param(2, integer(2) | share())
    min_samples_leaf: float = param(1, integer(1) | share(closed=False))
    min_weight_fraction_leaf: float = param(0.0, real(0.0, 0.5))
    bootstrap: bool = param(True, boolean)
    max_samples: float | None = param(None, integer(1) | _SHARE | none)
    oob_score: bool | Callable[..., float] = param(False, boolean | function)
    missing: str = param("mean", one_of("mean", "error"))
    categorical_features: ColumnsLike = param("from_dtype", columns)
    verbose: int = param(0, integer(0) | boolean)
    warm_start: bool = param(False, boolean)

    _native_criteria: ClassVar[tuple[str, ...]]

    oob_score_: float = field(init=False)
    seed_: int = field(init=False)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array or data frame
            Numbers and categories (rows x features).
        y : array
            Class or number of each row.
        sample_weight : array or None, default=None
            Weight of each row: 0 removes the row, an integer repeats it.

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
        seed = self.seed_ if kept else self._seed()
        seeds = tree_seeds(seed, len(kept), self.n_estimators)
        with progress_bar(type(self).__name__, bool(self.verbose)) as progress:
            grown = growth.grow(rows, seeds, self._threads(), progress)
        schema.write(self)
        self.seed_ = seed
        self.feature_scale_ = targets.column_spreads(table.X, table.weight)
        self._take([*kept, *grown])
        self._score_out_of_bag(rows, growth.sampling)
        return self

    def _kept(self) -> list[Tree]:
        """Return the trees that a warm start keeps."""
        trees: list[Tree] = self.__dict__.get("trees_", []) if self.warm_start else []
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

    def _criterion(self) -> CriterionLike:
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
        size = float(self.max_samples)
        share = size / n_samples if isinstance(self.max_samples, Integral) else size
        if share > 1 and not self.bootstrap:
            raise ValueError(
                f"max_samples={self.max_samples} must be at most {n_samples:g}, the number of samples, unless bootstrap"
            )
        return Sampling(self.bootstrap, share)

    @property
    def estimators_(self) -> list[BaseTree]:
        """Each tree as a fitted estimator."""
        return self._fitted_trees(Schema.of(self))

    # --- out of bag: predictions of the trees that were not grown on a row

    def _score_out_of_bag(self, rows: DistinctRows, sampling: Sampling) -> None:
        for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
            self.__dict__.pop(name, None)
        if not self.oob_score:
            return
        predicted = self._out_of_bag(rows, rows.table.X, sampling)
        if np.isnan(predicted).any():
            warn(
                "Some inputs do not have OOB scores: all trees were grown on them. With more trees, all have one.",
                stacklevel=3,
            )
        self._keep_out_of_bag(rows, predicted, sampling)
        self.oob_score_ = self._oob_score(rows, predicted)

    def _out_of_bag(
        self,
        rows: DistinctRows,
        X: NDArray[np.float64],
        sampling: Sampling,
        entries: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the mean prediction of the trees that were not grown on a row; NaN if there is none."""
        packed, values = self._walked()
        entries = values if entries is None else entries
        drawn = sampling.draw(rows, tree_seeds(self.seed_, 0, len(self.trees_)), self._threads())
        sums, number = out_of_bag_sums(packed, entries, X, drawn, self._threads())
        return np.where(number[:, None] > 0, sums / np.maximum(number, 1)[:, None], np.nan)

    @abstractmethod
    def _keep_out_of_bag(self, rows: DistinctRows, predicted: NDArray[np.float64], sampling: Sampling) -> None:
        """Keep the prediction of each row as the attribute that scikit-learn names."""

    def _labels(self, y: Labels) -> Labels:
        """Return the labels of encoded y."""
        return y if self._numeric_y else np.asarray(Schema.of(self).classes)[y]

    def _oob_labels(self, predicted: NDArray[np.float64]) -> Labels:
        """Return the class or the number of each row."""
        return predicted[:, 0] if self._numeric_y else self._labels(predicted.argmax(axis=1))

    def _oob_score(self, rows: DistinctRows, predicted: NDArray[np.float64]) -> float:
        """Return the score of the rows that some tree was not grown on; NaN if there are fewer than two."""
        known = ~np.isnan(predicted[:, 0])
        if known.sum() < 2:
            return float("nan")
        if callable(self.oob_score):  # on the rows of X, not on the distinct rows
            row = rows.index[known[rows.index]]
            return float(self.oob_score(self._labels(rows.table.y[row]), self._oob_labels(predicted[row])))
        y, weight = self._labels(rows.table.y[known]), rows.table.weight[known]
        from sklearn.metrics import accuracy_score, r2_score  # late: slow to import

        usual = r2_score if self._numeric_y else accuracy_score
        return float(usual(y, self._oob_labels(predicted[known]), sample_weight=weight))

    def oob_permutation_importance(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        n_repeats: int = 5,
        random_state: int | None = 0,
    ) -> Bunch:
        """Return how much worse the out-of-bag score is when the values of a feature are permuted (Breiman 2001).

        Parameters
        ----------
        X, y : array-like
            The rows that the forest was fitted on.
        sample_weight : array-like or None, default=None
            Their weights in `fit`.
        n_repeats : int, default=5
            Number of permutations of each feature.
        random_state : int or None, default=0
            Seed of the permutations.

        Returns
        -------
        result : Bunch
            ``importances`` (features x repeats), ``importances_mean`` and ``importances_std``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from askew import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> int(forest.oob_permutation_importance(X, y).importances_mean.argmin())
        1
        """
        check_parameters(self)
        _, table = read_training(self, X, y, sample_weight, Schema.of(self))
        rows = DistinctRows.of(table)
        sampling = self._sampling(float(table.multiplicity.sum()))
        if not sampling.bootstrap and sampling.share >= 1:
            raise ValueError("there are no rows out of bag: the forest was fitted with bootstrap=False")
        before = self._oob_score(rows, self._out_of_bag(rows, rows.table.X, sampling))
        origin = np.arange(table.n_features) if self.encoder_ is None else self.encoder_.origin
        drops = np.zeros((self.n_features_in_, n_repeats))
        random = np.random.default_rng(random_state)
        for feature in range(self.n_features_in_):
            changed = origin == feature
            for repeat in range(n_repeats):
                permuted = rows.table.X.copy()
                permuted[:, changed] = permuted[random.permutation(rows.table.n_rows)][:, changed]
                after = self._oob_score(rows, self._out_of_bag(rows, permuted, sampling))
                drops[feature, repeat] = before - after
        return Bunch(importances=drops, importances_mean=drops.mean(axis=1), importances_std=drops.std(axis=1))


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueForestClassifier(EnsembleClassifier, Forest):
    """A forest of oblique trees for classes.

    Each tree is grown on a bootstrap sample, and at each node on a random sample of features; the
    prediction is the mean of the shares of the classes in the leaves. Trees with planes of a few features need fewer
    nodes than those with cuts of one, and their forests are as a rule more accurate.

    Parameters
    ----------
    criterion : "gini", "entropy" or "log_loss", default="gini"
        How cuts are scored; the last two are the same. With a search as `split`, any criterion that it supports.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weight of each class, multiplied with `sample_weight`. "balanced" gives each class the same weight in all;
        "balanced_subsample" does so in the sample of each tree.
        `predict` follows these weights; `predict_proba` has the probabilities of the classes as they occur.

    Attributes
    ----------
    oob_decision_function_ : ndarray
        Mean shares of the classes over the trees that were not grown on the row; NaN if there are none.

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

    criterion: CriterionLike = "gini"
    class_weight: ClassWeightLike = param(None, mapping | one_of("balanced", "balanced_subsample") | none)

    _native_criteria: ClassVar[tuple[str, ...]] = ("gini", "entropy")

    oob_decision_function_: NDArray[np.float64] = field(init=False)

    def _read_y(self, y: Labels, weights: NDArray[np.float64], classes: Labels | None) -> targets.Target:
        if not self._balances_samples():
            return super()._read_y(y, weights, classes)
        balanced = targets.read_classes(y, weights, classes, "balanced")  # the samples of the trees are balanced
        return balanced._replace(weight=weights)

    def _balances_samples(self) -> bool:
        return isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _sampling(self, n_samples: float) -> Sampling:
        return replace(super()._sampling(n_samples), balanced=self._balances_samples())

    def _keep_out_of_bag(self, rows: DistinctRows, predicted: NDArray[np.float64], sampling: Sampling) -> None:
        if self.class_weight_ is not None:
            predicted = self._out_of_bag(rows, rows.table.X, sampling, self.leaf_shares())
        self.oob_decision_function_ = predicted[rows.index]

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the mean over the trees of the share of each class (in the order of `classes_`) in a row's leaf.

        With `class_weight`, these are still the probabilities of the classes as they occur.
        """
        columns = self.encoded(X)
        packed, _ = self._walked()
        return class_shares(packed.sums(self.leaf_shares(), columns, self._threads()))

    def leaf_shares(self) -> NDArray[np.float64]:
        """Return the share of each class, as they occur, in every node of all trees (nodes x classes)."""
        return as_they_occur(self._walked()[1], self.class_weight_)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the class of the largest mean share, by weight; the first, if several tie."""
        columns = self.encoded(X)
        return np.asarray(self.classes_[self._sums(columns).argmax(axis=1)])


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueForestRegressor(EnsembleRegressor, Forest):
    """A forest of oblique trees for numbers.

    Each tree is grown on nine tenths of the rows, and at each node on a random sample of features; the forest
    predicts the mean of the predictions of its trees. Large samples and few draws of features suit numbers better than
    bootstrap samples and three draws, the defaults for classes.

    Parameters
    ----------
    criterion : "squared_error", default="squared_error"
        How cuts are scored. With a search as `split`, any criterion that it supports.

    Attributes
    ----------
    oob_prediction_ : ndarray
        Mean prediction of the trees that were not grown on the row; NaN if there are none.

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

    criterion: CriterionLike = "squared_error"
    max_features: float | str | None = 0.34
    n_draws: int = 1
    bootstrap: bool = False
    max_samples: float | None = 0.9

    _native_criteria: ClassVar[tuple[str, ...]] = ("squared_error",)

    oob_prediction_: NDArray[np.float64] = field(init=False)

    def _keep_out_of_bag(self, rows: DistinctRows, predicted: NDArray[np.float64], sampling: Sampling) -> None:
        self.oob_prediction_ = predicted[rows.index, 0]

    def predict(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the mean of the predictions of the trees."""
        columns = self.encoded(X)
        return np.asarray(self._sums(columns)[:, 0] / len(self.trees_))
