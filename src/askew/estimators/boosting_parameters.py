"""The parameters of boosting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from askew.estimators.ensemble import Ensemble
from askew.parameters import Rule, boolean, integer, none, one_of, real, share


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingParameters(Ensemble):
    """The parameters that boosting of classes and of numbers shares.

    Parameters
    ----------
    learning_rate : float, default=0.1
        What the values of the leaves are multiplied by.
    max_iter : int, default=100
        Number of stages; each has one tree, with more than two classes one for each.
    split : "newton" or "axis", default="newton"
        How a node is split: "axis" by cuts of one feature, at the edges of its bins; "newton" also by planes, one
        weighted Newton step in features that are drawn for it.
    n_draws : int, default=1
        How many planes are tried at a node.
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        How many features are drawn for a plane; with ``split="axis"``, how many are tried at a node. A number, a share
        of all, the root or the logarithm of their number (rounded up); None: all.
    l2 : float, default=1.0
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
        Stages without a fall of the loss on the rows held out after which no more are added.
    tol : float, default=1e-7
        What counts as a fall.
    """

    learning_rate: float = 0.1
    max_iter: int = 100
    split: str = "newton"
    n_draws: int = 1
    max_features: Any = "sqrt"
    l2: float = 1.0
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 5
    l2_regularization: float = 1.0
    max_bins: int = 255
    subsample: float = 1.0
    monotonic_cst: Any = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7

    rules: ClassVar[Mapping[str, Rule]] = {
        **Ensemble.rules,
        "learning_rate": real(0.0, open_low=True),
        "max_iter": integer(1),
        "split": one_of("newton", "axis"),
        "n_draws": integer(1),
        "max_features": one_of("sqrt", "log2") | integer(1) | share() | none,
        "l2": real(0.0),
        "max_leaf_nodes": integer(2) | none,
        "max_depth": integer(1) | none,
        "min_samples_leaf": integer(1),
        "l2_regularization": real(0.0),
        "max_bins": integer(2, 255),
        "subsample": real(0.0, 1.0, open_low=True),
        "monotonic_cst": Rule(
            "a dict, an array or None", lambda v: v is None or isinstance(v, dict) or np.ndim(v) == 1
        ),
        "early_stopping": boolean,
        "validation_fraction": real(0.0, 1.0, open_low=True, open_high=True),
        "n_iter_no_change": integer(1),
        "tol": real(0.0),
    }
