"""The refiners: each improves all splits of a grown tree together. `refine` does so with a fitted estimator."""

from __future__ import annotations

from copy import copy
from typing import Protocol, TypeVar

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from askew.data.frames import MatrixLike
from askew.data.read import Reader, Schema, read_training
from askew.data.table import Table
from askew.grow.criterion import CriterionLike, as_criterion
from askew.grow.recipe import Refiner
from askew.model.fitted import FittedTree
from askew.model.linear_leaves import fit_leaf_models, without_models
from askew.model.tree import Tree
from askew.parallel import progress_bar
from askew.parameters import InvalidParameterError, check_parameters
from askew.refinement.soft import SoftRefiner, training_loss

REFINERS: dict[str, type[Refiner]] = {"soft": SoftRefiner}


def as_refiner(refinement: object) -> Refiner | None:
    """Return the refiner that the parameter ``refinement=`` means: None, a name, or a refiner."""
    if refinement is None:
        return None
    if isinstance(refinement, str) and refinement in REFINERS:
        return REFINERS[refinement]()
    if not isinstance(refinement, type | str) and callable(getattr(refinement, "refine", None)):
        refiner: Refiner = refinement  # type: ignore[assignment]
        return refiner
    raise InvalidParameterError(
        f"The 'refinement' parameter must be None, a str among {sorted(REFINERS)} or a refiner with a method 'refine'. "
        f"Got {refinement!r} instead."
    )


class TreeEstimator(Reader, Protocol):
    """What `refine` uses of a tree estimator."""

    criterion: CriterionLike
    verbose: int
    tree_: FittedTree

    def _threads(self) -> int: ...

    def _replace_tree(self, tree: FittedTree, table: Table) -> None: ...


_Tree = TypeVar("_Tree", bound=TreeEstimator)


def refine(
    estimator: _Tree,
    X: MatrixLike,
    y: ArrayLike,
    *,
    l2: float = 0.001,
    l1: float = 0.0,
    sample_weight: ArrayLike | None = None,
) -> _Tree:
    """Return a copy of a fitted tree whose planes are refined together on these rows.

    The planes are fitted as those of a soft tree, which is then made hard again: see `askew.refinement.SoftRefiner`.
    The loss on these rows never rises.

    Parameters
    ----------
    estimator : estimator
        A fitted tree.
    X : array or data frame
        The rows; as a rule those that it was fitted on.
    y : array
        Class or number of each row.
    l2 : float, default=0.001
        Strength of the penalty on squared weights.
    l1 : float, default=0.0
        Strength of the penalty on absolute weights.
    sample_weight : array or None, default=None
        Weight of each row.

    Returns
    -------
    refined : estimator
        The copy; the estimator itself stays as it is.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = askew.CARTClassifier(max_leaf_nodes=3).fit(X, y)
    >>> refined = askew.refine(tree, X, y)
    >>> refined.get_n_leaves(), round(tree.score(X, y), 2), round(refined.score(X, y), 2)
    (3, 0.89, 1.0)
    """
    if not callable(getattr(estimator, "_replace_tree", None)):
        raise TypeError(f"refine takes a fitted tree estimator of askew. Got {estimator!r} instead.")
    check_parameters(estimator)
    check_is_fitted(estimator)
    if not isinstance(estimator.tree_, Tree):
        raise ValueError(f"refine takes a single tree: this {type(estimator).__name__} has none")
    refiner = SoftRefiner(l2=l2, l1=l1)
    _, table = read_training(estimator, X, y, sample_weight, known=Schema.of(estimator))
    criterion = as_criterion(estimator.criterion, classification=table.classification)
    other = copy(estimator)
    with progress_bar(type(estimator).__name__, bool(estimator.verbose)) as progress:
        tree = refiner.refine(without_models(estimator.tree_), table, criterion, 0, estimator._threads(), progress)
    if estimator.tree_.payload.varies:
        tree = _with_models(tree, estimator.tree_, table, estimator._threads())
    other._replace_tree(tree, table)
    return other


def _with_models(refined: Tree, before: Tree, table: Table, threads: int) -> Tree:
    """Return the refined tree with linear leaves, or the original one if its loss on these rows is lower."""
    found = fit_leaf_models(refined, table, threads)
    return found if training_loss(found, table) <= training_loss(before, table) else before
