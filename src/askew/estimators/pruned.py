"""Pruning a tree that is fitted already."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted

from askew.estimators import data
from askew.grow import child_seed
from askew.network import RuleNetwork
from askew.parameters import check_parameters
from askew.progress import progress_bar
from askew.prune import as_pruner
from askew.recipe import Regrowth
from askew.table import Table

_Estimator = TypeVar("_Estimator", bound=Any)


def pruned(estimator: _Estimator, pruner: Any, X: Any, y: Any, sample_weight: Any) -> _Estimator:
    """Return a copy of a fitted estimator that is pruned by these rows; see `BaseTree.pruned`."""
    check_parameters(estimator, estimator.rules)
    check_is_fitted(estimator)
    chosen = as_pruner(pruner)
    if chosen is None:
        raise ValueError("pruned needs a pruner. Got None instead.")
    if isinstance(estimator.tree_, RuleNetwork):
        raise ValueError(
            f"this {type(estimator).__name__} is a rule network already: prune a tree that was fitted anew"
        )
    table = _table(estimator, X, y, sample_weight)
    other = copy(estimator)
    other.pruning = pruner
    seed = int(check_random_state(estimator.random_state).randint(np.iinfo(np.int32).max))
    with progress_bar(type(estimator).__name__, bool(estimator.verbose)) as progress:
        recipe = copy(estimator)._recipe(table)  # a search that keeps a trace begins a new one
        regrow = Regrowth(recipe, seed, estimator._threads(), progress)
        other.tree_ = chosen.prune(estimator.tree_, table, table, regrow, child_seed(seed, 0))
    return other


def _table(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Table:
    """Return the rows as the fitted estimator sees them, in its own classes."""
    numbers = data.encoded(estimator, data.read_X(estimator, X))
    labels = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    weights = data.read_weights(sample_weight, numbers.shape[0])
    present = weights > 0
    numbers, labels, weights = numbers[present], labels[present], weights[present]
    reader = copy(estimator)  # reading y changes the classes
    target, importance, n_classes = reader._read_y(labels, weights)
    if n_classes:
        unseen = np.setdiff1d(reader.classes_, estimator.classes_)
        if unseen.size:
            raise ValueError(f"y holds a class that fit never saw: {unseen.tolist()[0]!r}")
        target = np.searchsorted(estimator.classes_, reader.classes_)[target].astype(np.int32)
        n_classes = estimator.classes_.size
    given = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)])
    encoder = estimator.encoder_
    names = tuple(given if encoder is None else encoder.names(given))
    levels = () if encoder is None or encoder.onehot else encoder.levels
    table = Table(numbers, target, importance, data.multiplicities(weights), n_classes, names, levels)
    return table if (importance > 0).all() else table.take(importance > 0)  # a class of weight 0
