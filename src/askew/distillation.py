"""`distill`: one readable tree that predicts what an ensemble does, and how much of the ensemble's gain it keeps.

It learns from `SoftLabels`, a table whose rows have shares of the classes in place of a class:

row      0         1              a row of X with the shares .7 .3 .0 becomes two rows, of weight .7 and .3;
shares   .7 .3 .0  0 1 0          they count as .7 and .3 samples, and are held out together
rows     0 0       1
y        0 1       1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from askew.data import targets
from askew.data.frames import some_rows
from askew.data.read import read_training
from askew.data.table import Table
from askew.estimators.auto import AutoTreeClassifier, AutoTreeRegressor
from askew.estimators.base import BaseTree
from askew.estimators.ensemble import Ensemble
from askew.estimators.tasks import TreeClassifier
from askew.model.leaf_values import class_shares
from askew.parallel import progress_bar
from askew.parameters import InvalidParameterError, brief, check_parameters, integer, none

# Smaller probabilities are left out, and the others are scaled up: many classes would make many rows of tiny weight.
LEAST = 0.01


@dataclass(frozen=True, eq=False)
class SoftLabels(Table):
    """A row for each row and each class that it has a share of.

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
        """Give the rows of a table shares of classes (rows x classes), whatever class they had."""
        kept = np.where(shares >= np.minimum(LEAST, shares.max(axis=1, keepdims=True)), shares, 0.0)
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
        """Give each row a number that depends on the seed and its features alone: it has more than one class."""
        same = np.zeros(self.n_rows, dtype=np.int32)
        return Table(self.X, same, self.weight, self.multiplicity, 1, self.feature_names).row_hash(seed)

    def places(self, seed: int, by_class: bool = False) -> NDArray[np.float64]:
        """Give each row its place among all rows, whatever their classes: those of one row of X have the same."""
        return super().places(seed, by_class=False)


@dataclass(frozen=True)
class Distillation:
    """How a distilled tree did on held-out rows: means over the folds of a cross-validation.

    Attributes
    ----------
    folds : number of folds
    fidelity : share of the rows for which the tree predicts the class that the ensemble does; of numbers, R squared
        with the ensemble's predictions as the truth
    ensemble : score (accuracy, or R squared) of the ensemble, fitted again in each fold; None without y
    distilled : score of the tree that is distilled from it; None without y
    tree : score of the same kind of tree, fitted on y itself; None without y
    """

    folds: int
    fidelity: float
    ensemble: float | None = None
    distilled: float | None = None
    tree: float | None = None

    @property
    def gain(self) -> float | None:
        """By how much the ensemble is better than the tree that is fitted on y."""
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
        said = f"on held-out rows ({self.folds} folds): fidelity {self.fidelity:.3f}"
        if self.ensemble is None:
            return said
        said += f", ensemble {self.ensemble:.3f}, distilled tree {self.distilled:.3f}, tree fitted on y {self.tree:.3f}"
        return said + ("; the ensemble gains nothing" if self.kept is None else f"; {self.kept:.0%} of the gain kept")


def distill(
    ensemble: Any,
    X: Any,
    y: Any = None,
    *,
    tree: BaseTree | None = None,
    sample_weight: Any = None,
    cv: int | None = 3,
    random_state: Any = None,
) -> Any:
    """Return the best single tree that predicts what an ensemble does (Breiman and Shang 1996, Domingos 1998).

    The tree learns from soft labels: each row counts for every class, with the probability that the ensemble gives it.
    So the leaves hold the ensemble's mean probabilities, any number of classes is one tree, and the choice of method
    and size weighs errors by how sure the ensemble is. (A regression on probabilities would need a tree for each
    class.) Of numbers, the tree learns the ensemble's predictions.

    Parameters
    ----------
    ensemble : a fitted classifier with `predict_proba`, or a fitted regressor
        As a rule a forest or boosting of this library; any other model of scikit-learn's interface will do.
    X : array or data frame
        The rows to learn from, as a rule those that the ensemble was fitted on. They need no labels.
    y : array or None, default=None
        Class or number of each row. It is not learnt from; it is what `ensemble`, the distilled tree and a tree that is
        fitted on y are scored by in cross-validation, each fitted on the other rows.
    tree : a tree estimator of this library, not fitted, or None, default=None
        What is fitted. None: `AutoTreeClassifier` or `AutoTreeRegressor`, which choose the method and the size.
    sample_weight : array or None, default=None
        Weight of each row.
    cv : int or None, default=3
        Number of folds in which the evidence is found; None: none, which leaves one fit of the tree alone.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, and of the tree if it is not given.

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
    evidence = None if cv is None else _measured(ensemble, tree, X, y, sample_weight, cv, random_state)
    found = _fitted(clone(tree), ensemble, X, sample_weight)
    found.distillation_ = evidence
    return found


def _check(ensemble: Any, tree: Any, cv: Any) -> None:
    """Raise what a user expects, before any work."""
    classes = hasattr(ensemble, "__sklearn_tags__") and is_classifier(ensemble)
    if not (hasattr(ensemble, "predict_proba") if classes else hasattr(ensemble, "predict") and is_regressor(ensemble)):
        raise TypeError(
            f"distill takes a classifier with predict_proba, or a regressor. Got {brief(ensemble)} instead."
        )
    check_is_fitted(ensemble)
    if tree is not None and (not isinstance(tree, BaseTree) or is_classifier(tree) != classes):
        wanted = "classification" if classes else "regression"
        raise InvalidParameterError(
            f"The 'tree' parameter must be None or a {wanted} tree of askew. Got {brief(tree)} instead."
        )
    if getattr(tree, "class_weight", None) is not None:
        raise ValueError("distill takes a tree without class_weight: the ensemble's probabilities are what is learnt")
    if not isinstance(getattr(tree, "cv", None), Integral | None):
        raise ValueError("distill takes a tree whose cv is a number of folds: the rows of its table are others")
    rule = integer(2) | none
    if not rule.holds(cv):
        raise InvalidParameterError(f"The 'cv' parameter must be {rule.says}. Got {brief(cv)} instead.")


def _fitted(tree: Any, ensemble: Any, X: Any, sample_weight: Any) -> Any:
    """Fit a tree on what an ensemble predicts for the rows."""
    if not isinstance(tree, TreeClassifier):
        return tree.fit(X, ensemble.predict(X), sample_weight)
    shares = np.asarray(ensemble.predict_proba(X), dtype=np.float64)
    classes = np.asarray(ensemble.classes_)
    class_weight = getattr(ensemble, "class_weight_", None)
    if class_weight is not None:  # so that the tree predicts the classes that the ensemble does
        shares = class_shares(shares * class_weight)
    schema, table = read_training(tree, X, classes[shares.argmax(axis=1)], sample_weight)
    present = targets.read_weights(sample_weight, shares.shape[0]) > 0  # the table has no other rows
    with progress_bar(type(tree).__name__, bool(tree.verbose)) as progress:
        soft = SoftLabels.of(table, shares[present])
        schema = replace(schema, classes=classes, class_weight=class_weight)
        return tree.fit_table(soft, tree._seed(), schema, progress, legibly=True)


def _measured(ensemble: Any, tree: Any, X: Any, y: Any, sample_weight: Any, cv: int, random_state: Any) -> Distillation:
    """Return the evidence of a cross-validation."""
    rows: list[dict[str, float]] = []
    for train, test in _folds(ensemble, X, y, cv, random_state):
        here, there = some_rows(X, train), some_rows(X, test)
        weights = [None if sample_weight is None else np.asarray(sample_weight)[part] for part in (train, test)]
        if y is None:
            small = _fitted(clone(tree), ensemble, here, weights[0])
            rows.append({"fidelity": small.score(there, ensemble.predict(there), weights[1])})
            continue
        labels = np.asarray(y)
        large = clone(ensemble).fit(here, labels[train], **_given(weights[0]))
        small = _fitted(clone(tree), large, here, weights[0])
        plain = clone(tree).fit(here, labels[train], weights[0])
        models = {"ensemble": large, "distilled": small, "tree": plain}
        scores = {name: model.score(there, labels[test], **_given(weights[1])) for name, model in models.items()}
        rows.append({"fidelity": small.score(there, large.predict(there), weights[1]), **scores})
    return Distillation(cv, **{name: float(np.mean([row[name] for row in rows])) for name in rows[0]})


def _given(weights: Any) -> dict[str, Any]:
    return {} if weights is None else {"sample_weight": weights}


def _folds(
    ensemble: Any, X: Any, y: Any, cv: int, random_state: Any
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Divide the rows at random, those of a class (as the ensemble predicts them, without y) in equal parts."""
    from sklearn.model_selection import KFold, StratifiedKFold  # takes as long as the rest of scikit-learn

    labels = np.asarray(ensemble.predict(X) if y is None else y)
    by_class = is_classifier(ensemble) and np.unique(labels, return_counts=True)[1].min() >= cv
    made = StratifiedKFold if by_class else KFold
    yield from made(cv, shuffle=True, random_state=random_state).split(np.zeros(labels.size), labels)
