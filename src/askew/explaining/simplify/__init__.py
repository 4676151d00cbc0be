"""`simplify`: round the weights of a tree, so that the printed numbers are those of the model."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from askew.data.frames import MatrixLike
from askew.data.read import Schema, read_training
from askew.data.table import Table
from askew.estimators.base import BaseTree
from askew.explaining.simplify.rounding import Significant, Whole
from askew.explaining.simplify.search import LossIncrease, Simplifier, Way, simplest_within
from askew.explaining.simplify.shorten import upright
from askew.grow.criterion import as_criterion
from askew.model.digits.shorten import own_digits
from askew.model.fitted import Estimator
from askew.model.tree import Tree
from askew.parameters import check_parameters, check_values, integer, none, one_of, real
from askew.prune.cost_complexity import loss_at

_Tree = TypeVar("_Tree", bound=BaseTree)


_RULES = {
    "digits": integer(1, 15) | none,
    "max_loss": real(0.0, 1.0) | none,
    "weights": one_of("short", "whole") | none,
}


@dataclass(frozen=True)
class Simplification:
    """The cost of simplifying a tree, measured on the rows passed to `simplify`.

    Attributes
    ----------
    how : str
        Method by which weights were shortened.
    score_before, score_after : float
        Accuracy, or R2 of a regression.
    terms_before, terms_after : int
        Number of weights that are not 0.
    leaves_before, leaves_after : int
        Number of leaves.
    rows_moved : float
        Share of the rows that are in another leaf than before, rows of removed leaves included.
    held_out_loss, held_out_error : float or None
        Loss of accuracy, or of R2, on held-out rows, by cross-validation, and its standard error; None without
        `max_loss`.
    rows_lost, rows_won : tuple of int
        Indices of the rows of X that were predicted right before and are wrong now, and the reverse; empty for
        regression.
    """

    how: str
    score_before: float
    score_after: float
    terms_before: int
    terms_after: int
    leaves_before: int
    leaves_after: int
    rows_moved: float
    held_out_loss: float | None = None
    held_out_error: float | None = None
    rows_lost: tuple[int, ...] = ()
    rows_won: tuple[int, ...] = ()

    def __str__(self) -> str:
        return (
            f"{self.how}: {self.terms_before} to {self.terms_after} terms, "
            f"{self.leaves_before} to {self.leaves_after} leaves, score {self.score_before:.4f} to "
            f"{self.score_after:.4f}, {100 * self.rows_moved:.1f}% of the rows in another leaf" + self._held_out()
        )

    def _held_out(self) -> str:
        if self.held_out_loss is None:
            return ""
        return f"; on held-out rows {-self.held_out_loss:+.4f} (standard error {self.held_out_error:.4f})"


def simplify(
    estimator: _Tree,
    X: MatrixLike,
    y: ArrayLike,
    *,
    digits: int | None = None,
    max_loss: float | None = None,
    weights: str | None = None,
    sample_weight: ArrayLike | None = None,
) -> _Tree:
    """Return a copy of a fitted tree whose weights have few digits, so that the printed numbers are the model.

    From the root down, terms without which all rows go the same way are dropped, the weights of each node are rounded,
    and its threshold is set again where the loss with the predictions of the subtrees is least; then the leaves are
    counted, or their linear models fitted, again. Branches that no row reaches are removed. Either `digits` or
    `max_loss` sets the amount of simplification.

    Parameters
    ----------
    estimator : estimator
        A fitted tree estimator.
    X : array-like of shape (n_samples, n_features)
        Rows, usually the training rows.
    y : array-like of shape (n_samples,)
        Their targets.
    digits : int or None, default=None
        Significant digits of each weight, in proportion to the largest; 2 without `max_loss`.
    max_loss : float or None, default=None
        Maximum loss of accuracy (or R2) on held-out rows, as in 0.005. Terms are dropped beyond those that nothing
        depends on, planes of fewer terms are fitted together (`askew.refinement.soft.SoftRefiner`), and weights become
        small integers. Of the many ways to do so, the one with the fewest terms is taken, and of
        equals the one with the fewest digits. The loss of each is measured by cross-validation: the estimator is fitted
        to four fifths of the rows, simplified, and compared with itself on the last fifth, in turn, twice. It takes as
        long as ten fits and more.
    weights : "whole", "short" or None, default=None
        "whole" for integers: a scoring sheet such as ``2 age + 15 smoker + 3 pressure <= 120``. With `max_loss`,
        fractions are used only where every choice of integers exceeds it. "short" allows fractions everywhere. None:
        "whole" with `max_loss`, else "short".
    sample_weight : array or None, default=None
        Weight of each row.

    Returns
    -------
    simplified : estimator
        The copy, with its cost in the attribute ``simplification_``; the estimator itself stays as it is.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = askew.OC1Classifier(random_state=0).fit(X, y)
    >>> short = askew.simplify(tree, X, y, digits=1)
    >>> short.n_terms_ < tree.n_terms_, short.score(X, y) > tree.score(X, y) - 0.02
    (True, True)
    >>> float(abs(short.tree_.weight).max())
    1.0
    >>> sheet = askew.simplify(tree, X, y, max_loss=0.02)
    >>> sheet.n_terms_ < short.n_terms_, bool((sheet.tree_.weight % 1 == 0).all())
    (True, True)
    """
    _check(estimator, digits, max_loss, weights)
    schema, table = read_training(estimator, X, y, sample_weight, known=Schema.of(estimator))
    if table.incomplete:
        raise ValueError("simplify takes rows without missing values where these would go down the tree in parts")
    tree = cast("Tree", estimator.tree_)
    criterion = as_criterion(estimator.criterion, classification=table.classification)
    simplifier = Simplifier(tree, table, criterion, estimator.feature_scale_, estimator._threads())
    lost = None
    if max_loss is None:
        n_digits = 2 if digits is None else int(digits)
        way = Way(Whole(0.0, n_digits) if weights == "whole" else Significant(n_digits))
    else:
        way, lost = simplest_within(simplifier, _growth(estimator, schema), float(max_loss), weights or "whole")
    short = upright(simplifier.simplified(way), estimator.feature_scale_, table.X)
    other = copy(estimator)
    smoothed = cast("Tree", estimator._smoothed_again(short))
    other.tree_, other.display_ = smoothed, own_digits(smoothed, table, estimator._threads())
    cost = _cost(tree, short, table, str(way), lost)
    if table.classification:
        right = [np.asarray(cast("Estimator", one).predict(X)) == np.asarray(y) for one in (estimator, other)]
        cost = replace(cost, rows_lost=_numbers(right[0] & ~right[1]), rows_won=_numbers(right[1] & ~right[0]))
    other.simplification_ = cost  # type: ignore[attr-defined]
    return other


def _numbers(which: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(which).tolist())


def _growth(estimator: BaseTree, schema: Schema) -> Callable[[Table], Tree]:
    """Return a function that grows a tree like the estimator's on other rows."""

    def grow(table: Table) -> Tree:
        grown = copy(estimator).fit_table(table, 0, schema).tree_
        assert isinstance(grown, Tree)  # as that of the estimator
        return grown

    return grow


def _check(estimator: object, digits: int | None, max_loss: float | None, weights: str | None) -> None:
    """Check the arguments of `simplify` before any work."""
    if not isinstance(estimator, BaseTree):
        raise TypeError(f"simplify takes a fitted tree estimator of askew. Got {estimator!r} instead.")
    if digits is not None and max_loss is not None:
        raise ValueError("simplify takes either digits or max_loss, not both")
    check_values({"digits": digits, "max_loss": max_loss, "weights": weights}, _RULES)
    check_parameters(estimator)
    check_is_fitted(estimator)
    if not isinstance(estimator.tree_, Tree):
        raise ValueError(f"simplify takes a single tree: this {type(estimator).__name__} has none")


def _cost(before: Tree, after: Tree, table: Table, how: str, lost: LossIncrease | None) -> Simplification:
    then, now = before.apply(table.X), after.apply(table.X)
    # Leaves have other numbers now: the leaf that most rows of a leaf are in is the same leaf.
    pairs, which = np.unique(np.column_stack([then, now]), axis=0, return_inverse=True)
    weight = np.bincount(which.ravel(), table.weight)
    stayed = sum(float(weight[pairs[:, 1] == leaf].max()) for leaf in np.unique(now).tolist())
    return Simplification(
        how=how,
        score_before=score(before, table),
        score_after=score(after, table),
        terms_before=before.n_terms,
        terms_after=after.n_terms,
        leaves_before=before.n_leaves,
        leaves_after=after.n_leaves,
        rows_moved=1.0 - stayed / float(table.weight.sum()),
        held_out_loss=None if lost is None else lost.mean,
        held_out_error=None if lost is None else lost.error,
    )


def score(tree: Tree, table: Table) -> float:
    """Return the accuracy of a tree, or its R2."""
    loss = float(table.weight @ loss_at(tree, tree.apply(table.X), table))
    mass = float(table.weight.sum())
    if table.classification:
        return 1.0 - loss / mass
    mean = float(table.weight @ table.y) / mass
    total = float(table.weight @ (table.y - mean) ** 2)
    return 1.0 - loss / total if total > 0 else 0.0
