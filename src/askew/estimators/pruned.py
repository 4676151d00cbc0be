"""Pruning a tree that is fitted already."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar

from sklearn.utils.validation import check_is_fitted

from askew.estimators.reading import Schema, read_training
from askew.grow import child_seed
from askew.network import RuleNetwork
from askew.parameters import check_parameters
from askew.printed.legible import legible
from askew.progress import progress_bar
from askew.prune import as_pruner
from askew.recipe import Regrowth
from askew.tree import Tree

_Estimator = TypeVar("_Estimator", bound=Any)


def pruned(estimator: _Estimator, pruner: Any, X: Any, y: Any, sample_weight: Any) -> _Estimator:
    """Return a copy of a fitted estimator that is pruned by these rows; see `BaseTree.pruned`."""
    check_parameters(estimator, estimator.rules)
    check_is_fitted(estimator)
    chosen = as_pruner(pruner)
    if chosen is None:
        raise ValueError("pruned needs a pruner. Got None instead.")
    name = type(estimator).__name__
    if isinstance(estimator.tree_, RuleNetwork):
        raise ValueError(f"this {name} is a rule network already: fit a tree with pruning=None, and prune that")
    if not isinstance(estimator.tree_, Tree):
        raise ValueError(f"this {name} has a tree for each class: fit it with the parameter pruning instead")
    schema, table = read_training(estimator, X, y, sample_weight, known=Schema.of(estimator))
    other = copy(estimator)
    other.pruning = pruner
    seed = estimator._seed()
    with progress_bar(type(estimator).__name__, bool(estimator.verbose)) as progress:
        recipe = estimator._recipe(estimator._new_search(), table, schema)
        regrow = Regrowth(recipe, seed, estimator._threads(), progress)
        tree = chosen.prune(estimator.tree_, table, table, regrow, child_seed(seed, 0))
        tree = recipe.with_models(tree, table, estimator._threads())
    other.tree_ = legible(estimator._smoothed_again(tree), table, estimator.feature_scale_, estimator._threads())
    return other
