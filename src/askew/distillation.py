"""`distill`: one readable tree that imitates an ensemble, and how much of the ensemble's gain it keeps.

It learns from `SoftLabels`, a table whose rows have shares of the classes instead of a class:

row      0         1              a row of X with the shares .7 .3 .0 becomes two rows, of weight .7 and .3;
shares   .7 .3 .0  0 1 0          they count as .7 and .3 samples, and are held out together
rows     0 0       1
y        0 1       1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from askew.data import targets
from askew.data.frames import MatrixLike, some_rows
from askew.data.read import read_training
from askew.data.table import Table
from askew.estimators.auto import AutoTreeClassifier, AutoTreeRegressor
from askew.estimators.base import BaseTree
from askew.estimators.ensemble import Ensemble
from askew.estimators.tasks import TreeClassifier
from askew.model.leaf_values import class_shares
from askew.parallel import progress_bar
from askew.parameters import (
    InvalidParameterError,
    RandomStateLike,
    brief,
    check_parameters,
    check_values,
    integer,
    none,
)

# Smaller probabilities are dropped, and the others are rescaled: many classes would make many rows of tiny weight.
LEAST_SHARE = 0.01

_Tree = TypeVar("_Tree", bound=BaseTree)
_Splits: TypeAlias = Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]


class Teacher(Protocol):
    """A fitted model that a tree is distilled from."""

    def predict(self, X: MatrixLike, /) -> NDArray[np.generic]:
        """Return the class or the number of each row."""
        ...


class ClassTeacher(Teacher, Protocol):
    """A fitted classifier that a tree is distilled from."""

    classes_: NDArray[np.generic]

    def predict_proba(self, X: MatrixLike, /) -> NDArray[np.float64]:
        """Return the probability of each class."""
        ...


@dataclass(frozen=True, eq=False)
class SoftLabels(Table):
    """A table with a row for each original row and each class that it has a share of.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.distillation import SoftLabels
    >>> from askew.data.table import Table
    >>> one = np.ones(2)
    >>> table = Table(np.array([[1.0], [2.0]]), np.zeros(2, dtype=np.int32), one, one, 1, ("x0",))
    >>> soft = SoftLabels.of(table, np.array([[0.75, 0.25], [0.0, 1.0]]))
    >>> soft.y.tolist(), soft.weight.tolist()
    ([0, 1, 1], [0.75, 0.25, 1.0])
    """

    @classmethod
    def of(cls, table: Table, shares: NDArray[np.float64]) -> SoftLabels:
        """Replace the classes of the rows of a table by shares of classes (rows x classes)."""
        kept = np.where(shares >= np.minimum(LEAST_SHARE, shares.max(axis=1, keepdims=True)), shares, 0.0)
        row, label = np.nonzero(kept)
        share = kept[row, label] / kept.sum(axis=1)[row]
        return cls(
            X=np.ascontiguousarray(table.X[row]),
            y=label.astype(np.int32),
            weight=share * table.weight[row],
            multiplicity=share * table.multiplicity[row],
            n_classes=shares.shape[1],
            feature_names=table.feature_names,
            levels=table.levels,
            divides=table.divides,
            n_input_features=table.n_input_features,
        )

    def row_hash(self, seed: int) -> NDArray[np.float64]:
        """Return for each row a number that depends on the seed and its features, and not on the class."""
        same = np.zeros(self.n_rows, dtype=np.int32)
        return Table(self.X, same, self.weight, self.multiplicity, 1, self.feature_names).row_hash(seed)

    def positions(self, seed: int, by_class: bool = False) -> NDArray[np.float64]:
        """Give each row its position among all rows, regardless of class: the rows of one row of X share it."""
        return super().positions(seed, by_class=False)


@dataclass(frozen=True)
class Distillation:
    """Scores of a distilled tree on held-out rows: means over the folds of a cross-validation.

    Attributes
    ----------
    folds : int
        Number of folds.
    fidelity : float
        Share of the rows for which the tree predicts the same class as the ensemble; for regression, R squared with the
        ensemble's predictions as the truth.
    ensemble : float or None
        Score (accuracy, or R squared) of the ensemble, fitted again in each fold; None without y.
    distilled : float or None
        Score of the tree that is distilled from it; None without y.
    tree : float or None
        Score of the same kind of tree, fitted on y itself; None without y.
    """

    folds: int
    fidelity: float
    ensemble: float | None = None
    distilled: float | None = None
    tree: float | None = None

    @property
    def gain(self) -> float | None:
        """The difference of the scores of the ensemble and of the tree that is fitted on y."""
        return None if self.ensemble is None or self.tree is None else self.ensemble - self.tree

    @property
    def kept(self) -> float | None:
        """The share of the ensemble's gain that the distilled tree keeps; None if the ensemble gains nothing.

        1 if it is as good as the ensemble, 0 if it is as good as the tree that is fitted on y, negative if it is worse.
        """
        gain = self.gain
        if gain is None or gain <= 0 or self.distilled is None or self.tree is None:
            return None
        return (self.distilled - self.tree) / gain

    def __str__(self) -> str:
        text = f"on held-out rows ({self.folds} folds): fidelity {self.fidelity:.3f}"
        if self.ensemble is None:
            return text
        text += f", ensemble {self.ensemble:.3f}, distilled tree {self.distilled:.3f}, tree fitted on y {self.tree:.3f}"
        return text + ("; the ensemble gains nothing" if self.kept is None else f"; {self.kept:.0%} of the gain kept")


def distill(
    ensemble: Teacher,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    tree: BaseTree | None = None,
    sample_weight: ArrayLike | None = None,
    cv: int | None = 3,
    random_state: RandomStateLike = None,
) -> Any:
    """Return the best single tree that imitates an ensemble (Breiman and Shang 1996, Domingos 1998).

    The tree learns from soft labels: each row counts for every class, weighted by the ensemble's probability. So the
    leaves hold the ensemble's mean probabilities, one tree is enough for any number of classes, and the selection of a
    method and a size weights errors by the ensemble's confidence. (A regression on probabilities would need a tree for
    each class.) For regression the tree learns the ensemble's predictions.

    Parameters
    ----------
    ensemble : estimator
        A fitted classifier with `predict_proba`, or a fitted regressor. Usually a forest or boosting of this library;
        any model with scikit-learn's interface will do.
    X : array or data frame
        The rows to learn from, usually those that the ensemble was fitted on. They need no labels.
    y : array or None, default=None
        Class or number of each row. The distilled tree does not learn from it: the ensemble, the distilled tree and a
        tree that is fitted on y are scored by it in cross-validation.
    tree : BaseTree or None, default=None
        The estimator to fit, a tree of this library. None: `AutoTreeClassifier` or `AutoTreeRegressor`, which choose
        the method and the size.
    sample_weight : array or None, default=None
        Weight of each row.
    cv : int or None, default=3
        Number of folds of this cross-validation; None: no cross-validation, only the fit of the tree.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, and of the tree if `tree` is None.

    Returns
    -------
    distilled : estimator
        The fitted tree, with the attribute ``distillation_``: a `askew.distillation.Distillation`, or None
        without `cv`.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = askew.ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> tree = askew.distill(forest, X, tree=askew.CARTClassifier(max_leaf_nodes=4), random_state=0)
    >>> tree.get_n_leaves(), tree.distillation_.fidelity > 0.9
    (4, True)
    """
    _check(ensemble, tree, cv)
    kind = AutoTreeClassifier if is_classifier(ensemble) else AutoTreeRegressor
    if tree is None:
        tree = kind(random_state=random_state)
        if isinstance(ensemble, Ensemble):
            tree.set_params(categorical_features=ensemble._reader().categorical_features, n_jobs=ensemble.n_jobs)
    check_parameters(tree)
    measured = None if cv is None else _cross_validated(ensemble, tree, X, y, sample_weight, cv, random_state)
    distilled: Any = _fitted(clone(tree), ensemble, X, sample_weight)
    distilled.distillation_ = measured
    return distilled


def _check(ensemble: object, tree: object, cv: object) -> None:
    """Raise an error for parameters that cannot be used, before any work."""
    classes = hasattr(ensemble, "__sklearn_tags__") and is_classifier(ensemble)
    if not (hasattr(ensemble, "predict_proba") if classes else hasattr(ensemble, "predict") and is_regressor(ensemble)):
        raise TypeError(
            f"distill takes a classifier with predict_proba, or a regressor. Got {brief(ensemble)} instead."
        )
    check_is_fitted(ensemble)
    if tree is not None and (not isinstance(tree, BaseTree) or is_classifier(tree) != classes):
        task = "classification" if classes else "regression"
        raise InvalidParameterError(
            f"The 'tree' parameter must be None or a {task} tree of askew. Got {brief(tree)} instead."
        )
    if getattr(tree, "class_weight", None) is not None:
        raise ValueError("distill takes a tree without class_weight: the tree learns the ensemble's probabilities")
    if not isinstance(getattr(tree, "cv", None), Integral | None):
        raise ValueError(
            "distill takes a tree whose cv is a number of folds: splits of X do not fit the table of soft labels"
        )
    check_values({"cv": cv}, {"cv": integer(2) | none})


def _fitted(tree: _Tree, ensemble: Teacher, X: MatrixLike, sample_weight: ArrayLike | None) -> _Tree:
    """Fit a tree on the predictions of an ensemble for the rows."""
    if not isinstance(tree, TreeClassifier):
        return tree.fit(X, ensemble.predict(X), sample_weight)
    teacher = cast(ClassTeacher, ensemble)
    shares = np.asarray(teacher.predict_proba(X), dtype=np.float64)
    classes = np.asarray(teacher.classes_)
    class_weight = getattr(ensemble, "class_weight_", None)
    if class_weight is not None:  # so that the tree predicts the classes that the ensemble does
        shares = class_shares(shares * class_weight)
    schema, table = read_training(tree, X, classes[shares.argmax(axis=1)], sample_weight)
    present = targets.read_weights(sample_weight, shares.shape[0]) > 0  # the table has no other rows
    with progress_bar(type(tree).__name__, bool(tree.verbose)) as progress:
        soft = SoftLabels.of(table, shares[present])
        schema = replace(schema, classes=classes, class_weight=class_weight)
        return tree.fit_table(soft, tree._seed(), schema, progress, compute_display=True)


def _cross_validated(
    ensemble: Teacher,
    tree: BaseTree,
    X: MatrixLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    cv: int,
    random_state: RandomStateLike,
) -> Distillation:
    """Return the scores on held-out rows."""
    rows: list[dict[str, float]] = []
    for train, test in _splits(ensemble, X, y, cv, random_state):
        X_train, X_test = some_rows(X, train), some_rows(X, test)
        weights = [None if sample_weight is None else np.asarray(sample_weight)[part] for part in (train, test)]
        if y is None:
            small = _fitted(clone(tree), ensemble, X_train, weights[0])
            rows.append({"fidelity": small.score(X_test, ensemble.predict(X_test), weights[1])})
            continue
        labels = np.asarray(y)
        large = clone(ensemble).fit(X_train, labels[train], **_as_argument(weights[0]))
        small = _fitted(clone(tree), large, X_train, weights[0])
        plain = clone(tree).fit(X_train, labels[train], weights[0])
        models = {"ensemble": large, "distilled": small, "tree": plain}
        scores = {name: model.score(X_test, labels[test], **_as_argument(weights[1])) for name, model in models.items()}
        rows.append({"fidelity": small.score(X_test, large.predict(X_test), weights[1]), **scores})
    return Distillation(cv, **{name: float(np.mean([row[name] for row in rows])) for name in rows[0]})


def _as_argument(weights: NDArray[np.float64] | None) -> dict[str, NDArray[np.float64]]:
    return {} if weights is None else {"sample_weight": weights}


def _splits(ensemble: Teacher, X: MatrixLike, y: ArrayLike | None, cv: int, random_state: RandomStateLike) -> _Splits:
    """Divide the rows at random, stratified by class (without y, by the class that the ensemble predicts)."""
    from sklearn.model_selection import KFold, StratifiedKFold  # late: slow to import

    labels = np.asarray(ensemble.predict(X) if y is None else y)
    by_class = is_classifier(ensemble) and np.unique(labels, return_counts=True)[1].min() >= cv
    splitter = StratifiedKFold if by_class else KFold
    yield from splitter(cv, shuffle=True, random_state=random_state).split(np.zeros(labels.size), labels)
