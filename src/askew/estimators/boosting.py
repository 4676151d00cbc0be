"""Gradient boosting of oblique trees: parameters, monotonic constraints, estimators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from askew.data import targets
from askew.data.frames import ColumnsLike, Labels, MatrixLike
from askew.data.read import Schema, read_training
from askew.data.table import Table
from askew.data.targets import ClassWeightLike
from askew.ensemble.boosting import BoostingRule, Schedule, Stages, boost, staged_sums
from askew.ensemble.distinct_rows import DistinctRows
from askew.ensemble.losses import BinaryLogLoss, Loss, MultinomialLogLoss, Poisson, Quantile, SquaredError
from askew.estimators.base import BaseTree
from askew.estimators.ensemble import Ensemble, EnsembleClassifier, EnsembleRegressor
from askew.grow.grow import child_seed
from askew.model.fitted import Combination, FittedModel
from askew.model.leaf_values import as_they_occur
from askew.model.tree import Tree
from askew.parallel import progress_bar
from askew.parameters import (
    Rule,
    boolean,
    check_parameters,
    columns,
    documented,
    features_drawn,
    integer,
    mapping,
    none,
    one_of,
    param,
    real,
    share,
)

_SIGNS = Rule("a dict, an array or None", lambda v: v is None or isinstance(v, dict) or np.ndim(v) == 1)


def monotonic_signs(
    monotonic_cst: Mapping[str, int] | ArrayLike | None, schema: Schema, many_classes: bool
) -> NDArray[np.int8] | None:
    """Return 1, -1 or 0 for each column that the trees test; None if there is no constraint.

    Parameters
    ----------
    monotonic_cst : dict, array or None
        The signs by name, or one for each feature.
    schema : askew.data.read.Schema
        The columns.
    many_classes : bool
        Whether there are more than two classes, which have no order.

    Examples
    --------
    >>> from askew.estimators.boosting import monotonic_signs
    >>> from askew.data.read import Schema
    >>> monotonic_signs([1, 0], Schema(2, None, None, None, None, "error"), False)
    array([1, 0], dtype=int8)
    """
    if monotonic_cst is None:
        return None
    if isinstance(monotonic_cst, dict):
        names = [] if schema.feature_names is None else schema.feature_names.tolist()
        unknown = [name for name in monotonic_cst if name not in names]
        if unknown:
            raise ValueError(f"monotonic_cst names {unknown[0]!r}, which is no feature of X: {names}")
        signs = np.array([monotonic_cst.get(name, 0) for name in names])
    else:
        signs = np.asarray(monotonic_cst)
    if signs.shape != (schema.n_features,) or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"monotonic_cst must be -1, 0 or 1 for each of {schema.n_features} features, got {signs.tolist()}"
        )
    if many_classes and signs.any():
        raise ValueError("monotonic_cst is for numbers and for two classes: more classes have no order")
    if schema.encoder is None:
        return signs.astype(np.int8)
    wrong = np.flatnonzero(schema.encoder.is_categorical & (signs != 0))
    if wrong.size:
        raise ValueError(f"monotonic_cst: feature {wrong[0]} holds categories, which have no order")
    return signs.astype(np.int8)[schema.encoder.origin]


@dataclass(kw_only=True, eq=False, repr=False)
class Boosting(Ensemble):
    """The base of boosting for classification and regression.

    Parameters
    ----------
    learning_rate : float, default=0.1
        Factor of the values of the leaves.
    max_iter : int, default=100
        Number of stages; each has one tree, with more than two classes one for each.
    split : "newton" or "axis", default="newton"
        How a node is split: "axis" by cuts of one feature, at the edges of its bins; "newton" also by planes, one
        weighted Newton step in features that are drawn for it.
    n_draws : int, default=1
        Number of planes that are tried at a node.
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        Number of features that are drawn for a plane; with ``split="axis"``, how many are tried at a node. A number, a
        share of all, the root or the logarithm of their number (rounded up); None: all.
    plane_l2 : float, default=1.0
        Penalty on the weights of a plane; features have mean 0 and deviation 1 over the node's rows.
    max_leaf_nodes : int or None, default=31
        Leaves of a tree; the leaf whose split lowers the loss most is split first. None: no limit.
    max_depth : int or None, default=None
        Deepest level that a leaf may have; the root is at depth 0. None: no limit.
    min_samples_leaf : int, default=5
        Each child must have this many samples.
    l2_regularization : float, default=1.0
        Penalty on the values of the leaves.
    max_bins : int, default=255
        Bins of a feature; fewer if it has fewer values.
    subsample : float, default=1.0
        Share of the samples that the trees of a stage are grown on.
    monotonic_cst : dict, array or None, default=None
        For each feature (or by name) 1 if the prediction must not fall as the feature rises, -1 if it must not rise, 0
        otherwise. A plane is tried only if it keeps all constraints. Not for more than two classes.
    early_stopping : bool, default=False
        Whether rows are held out, and stages are added only as long as the loss on them falls.
    validation_fraction : float, default=0.1
        Share of the rows that are held out for `early_stopping`.
    n_iter_no_change : int, default=10
        Boosting stops when the loss on the held-out rows has not fallen for this many stages.
    tol : float, default=1e-7
        Least decrease of the loss that counts as a fall.
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
    n_iter_ : int
        Number of stages.
    link_ : str
        Link function: the sum of the trees is the "identity", "log", "logit" or "softmax" of the prediction.
    n_trees_per_iteration_ : int
        Trees of a stage.
    train_score_ : ndarray
        Mean loss on the rows that the trees grew on, after each stage; the first is without any.
    validation_score_ : ndarray
        The same on the rows held out; empty without `early_stopping`.
    """

    learning_rate: float = param(0.1, real(0.0, open_low=True))
    max_iter: int = param(100, integer(1))
    split: str = param("newton", one_of("newton", "axis"))
    n_draws: int = param(1, integer(1))
    max_features: float | str | None = param("sqrt", one_of("sqrt", "log2") | integer(1) | share() | none)
    plane_l2: float = param(1.0, real(0.0))
    max_leaf_nodes: int | None = param(31, integer(2) | none)
    max_depth: int | None = param(None, integer(1) | none)
    min_samples_leaf: int = param(5, integer(1))
    l2_regularization: float = param(1.0, real(0.0))
    max_bins: int = param(255, integer(2, 255))
    subsample: float = param(1.0, real(0.0, 1.0, open_low=True))
    monotonic_cst: Mapping[str, int] | ArrayLike | None = param(None, _SIGNS)
    early_stopping: bool = param(False, boolean)
    validation_fraction: float = param(0.1, real(0.0, 1.0, open_low=True, open_high=True))
    n_iter_no_change: int = param(10, integer(1))
    tol: float = param(1e-7, real(0.0))
    missing: str = param("mean", one_of("mean", "error"))
    categorical_features: ColumnsLike = param("from_dtype", columns)
    verbose: int = param(0, integer(0) | boolean)
    warm_start: bool = param(False, boolean)

    baseline_: NDArray[np.float64] = field(init=False)
    link_: str = field(init=False)
    train_score_: NDArray[np.float64] = field(init=False)
    validation_score_: NDArray[np.float64] = field(init=False)
    seed_: int = field(init=False)

    @abstractmethod
    def _new_loss(self, n_classes: int) -> Loss:
        """Return the loss."""

    def _check_y(self, table: Table) -> None:
        """Raise ValueError if the loss is undefined for this y."""

    # --- fit

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow trees, stage by stage.

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
            The fitted boosting.
        """
        check_parameters(self)
        goes_on = bool(self.warm_start and self.__dict__.get("trees_"))
        schema, table = read_training(self, X, y, sample_weight, Schema.of(self) if goes_on else None)
        self._check_y(table)
        loss = self._new_loss(0 if schema.classes is None else schema.classes.size)
        monotonic = monotonic_signs(self.monotonic_cst, schema, isinstance(loss, MultinomialLogLoss))
        seed = self.seed_ if goes_on else self._seed()
        learning, held_out = self._held_out(table, seed)
        with progress_bar(type(self).__name__, bool(self.verbose)) as progress:
            stages = boost(
                DistinctRows.of(learning),
                held_out,
                loss,
                self._rule(table),
                self._schedule(),
                monotonic=monotonic,
                before=self._fitted_stages() if goes_on else None,
                seed=seed,
                threads=self._threads(),
                progress=progress,
            )
        schema.write(self)
        self.seed_, self.baseline_, self.link_ = seed, stages.baseline, loss.link
        self.feature_scale_ = targets.column_spreads(table.X, table.weight)
        self.train_score_, self.validation_score_ = np.array(stages.train_score), np.array(stages.validation_score)
        self._take([tree for stage in stages.trees for tree in stage])
        return self

    def _schedule(self) -> Schedule:
        return Schedule(
            max_iter=int(self.max_iter),
            n_iter_no_change=int(self.n_iter_no_change),
            tol=float(self.tol),
            subsample=float(self.subsample),
            max_bins=int(self.max_bins),
        )

    def _fitted_stages(self) -> Stages:
        """Return the stages that are there, to go on from."""
        if self.n_iter_ > self.max_iter:
            raise ValueError(
                f"max_iter={self.max_iter} must be at least {self.n_iter_}, the number of stages that are there, when "
                "warm_start is True"
            )
        scores = self.train_score_.tolist(), self.validation_score_.tolist()
        return Stages(self.baseline_, self._stages(), *scores)

    def _held_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        if not self.early_stopping:
            return table, None
        out = table.positions(child_seed(seed, 1)) < self.validation_fraction
        if out.all() or not out.any():
            raise ValueError(
                f"early_stopping with validation_fraction={self.validation_fraction} leaves no row to learn from, or "
                f"none to stop by, of {table.n_rows}"
            )
        return table.take(~out), table.take(out)

    def _rule(self, table: Table) -> BoostingRule:
        planes = int(self.n_draws) if self.split == "newton" and table.n_features > 1 else 0
        return BoostingRule(
            n_planes=planes,
            max_features=features_drawn(self.max_features, table.n_features),
            max_leaves=np.inf if self.max_leaf_nodes is None else self.max_leaf_nodes,
            max_depth=np.inf if self.max_depth is None else self.max_depth,
            min_samples_leaf=float(self.min_samples_leaf),
            l2=float(self.l2_regularization),
            plane_l2=float(self.plane_l2),
            shrinkage=float(self.learning_rate),
        )

    # --- the fitted trees

    @property
    def stored_link(self) -> str:
        """The link that the parameters imply: for a model of an earlier version, which was stored without `link_`."""
        return self._new_loss(len(getattr(self, "classes_", ()))).link

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        if "baseline_" in state and "link_" not in state:
            self.link_ = self.stored_link

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of a stage."""
        check_is_fitted(self)
        return int(self.baseline_.size)

    @property
    def n_iter_(self) -> int:
        """Number of stages."""
        check_is_fitted(self)
        return len(self.trees_) // self.n_trees_per_iteration_

    def fitted_model(self) -> FittedModel:
        """Return the fitted model: the trees, which are added to the baseline."""
        mean = super().fitted_model()
        baseline = tuple(self.baseline_.tolist())
        return replace(mean, combination=Combination.SUM, link=self.link_, baseline=baseline)

    @property
    def estimators_(self) -> list[BaseTree]:
        """Each tree as a fitted estimator; it predicts a number."""
        return self._fitted_trees(replace(Schema.of(self), classes=None))

    def _raw(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the predictions before the link function (outputs x rows)."""
        columns = self.encoded(X)
        return np.ascontiguousarray((self._sums(columns) + self.baseline_).T)

    def _staged_raw(self, X: MatrixLike) -> Iterator[NDArray[np.float64]]:
        columns = self.encoded(X)
        yield from staged_sums(self._stages(), self.baseline_, columns, self._threads())

    def _stages(self) -> list[list[Tree]]:
        k = self.n_trees_per_iteration_
        return [self.trees_[i : i + k] for i in range(0, len(self.trees_), k)]


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueBoostingClassifier(EnsembleClassifier, Boosting):
    """Gradient boosting of oblique trees for classes: the log loss is minimised, stage by stage.

    Parameters
    ----------
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, multiplied with `sample_weight`. "balanced" gives each class the same weight in all.
        `predict` follows these weights; `predict_proba` has the probabilities of the classes as they occur.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29 (2001). Chen,
    Guestrin: XGBoost: a scalable tree boosting system (2016). Ke et al.: LightGBM (2017).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from askew import ObliqueBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosting = ObliqueBoostingClassifier(max_iter=30, random_state=0).fit(X[:400], y[:400])
    >>> boosting.score(X[400:], y[400:]) > 0.95
    True
    """

    class_weight: ClassWeightLike = param(None, mapping | one_of("balanced") | none)

    def _new_loss(self, n_classes: int) -> Loss:
        return BinaryLogLoss() if n_classes <= 2 else MultinomialLogLoss(n_classes)

    def _weighted(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the weighted classes, from the sums of the trees."""
        p = self._new_loss(self.classes_.size).inverse_link(raw).T
        return np.ascontiguousarray(p) if self.classes_.size > 1 else np.ones((raw.shape[1], 1))

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the log odds of the second class; of more than two, one number for each (rows x classes)."""
        raw = self._raw(X)
        return raw[0] if raw.shape[0] == 1 else np.ascontiguousarray(raw.T)

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the probability of each class (in the order of `classes_`).

        With `class_weight`, these are still the probabilities of the classes as they occur.
        """
        raw = self._raw(X)
        return as_they_occur(self._weighted(raw), self.class_weight_)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the most probable class, by weight; the first, if several tie."""
        raw = self._raw(X)
        return self._labels(raw)

    def _labels(self, raw: NDArray[np.float64]) -> Labels:
        return np.asarray(self.classes_[self._weighted(raw).argmax(axis=1)])

    def staged_predict_proba(self, X: MatrixLike) -> Iterator[NDArray[np.float64]]:
        """Yield the result of `predict_proba` after each stage."""
        for raw in self._staged_raw(X):
            yield as_they_occur(self._weighted(raw), self.class_weight_)

    def staged_predict(self, X: MatrixLike) -> Iterator[Labels]:
        """Yield the result of `predict` after each stage."""
        for raw in self._staged_raw(X):
            yield self._labels(raw)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueBoostingRegressor(EnsembleRegressor, Boosting):
    """Gradient boosting of oblique trees for numbers.

    Parameters
    ----------
    loss : "squared_error", "absolute_error", "quantile" or "poisson", default="squared_error"
        Loss to minimise. "quantile" predicts the quantile `quantile`; "poisson" counts, which must not be negative.
    quantile : float, default=0.5
        For ``loss="quantile"``.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29 (2001). Chen,
    Guestrin: XGBoost: a scalable tree boosting system (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import ObliqueBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> boosting = ObliqueBoostingRegressor(max_iter=30, max_leaf_nodes=8, random_state=0).fit(X[:300], y[:300])
    >>> boosting.score(X[300:], y[300:]) > 0.4
    True
    """

    loss: str = param("squared_error", one_of("squared_error", "absolute_error", "quantile", "poisson"))
    quantile: float = param(0.5, real(0.0, 1.0, open_low=True, open_high=True))

    def _check_y(self, table: Table) -> None:
        if self.loss == "poisson" and ((table.y < 0).any() or not (table.y > 0).any()):
            raise ValueError("loss='poisson' needs a y without negative numbers, and with one above 0")

    def _new_loss(self, n_classes: int) -> Loss:
        if self.loss == "squared_error":
            return SquaredError()
        return Poisson() if self.loss == "poisson" else Quantile(self.quantile if self.loss == "quantile" else 0.5)

    def predict(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the prediction for each row."""
        raw = self._raw(X)
        return self._linked(raw)

    def staged_predict(self, X: MatrixLike) -> Iterator[NDArray[np.float64]]:
        """Yield the result of `predict` after each stage."""
        for raw in self._staged_raw(X):
            yield self._linked(raw)

    def _linked(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        loss: Loss = Poisson() if self.link_ == Poisson.link else SquaredError()
        return np.asarray(loss.inverse_link(raw)[0])
