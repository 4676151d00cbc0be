"""The parameters that all trees share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import BaseEstimator

from askew.parameters import boolean, changed, columns, integer, jobs, none, one_of, param, real, share
from askew.prune import as_pruner
from askew.refinement import as_refiner
from askew.search import as_search

_BY_NAME: dict[str, Callable[[object], Any]] = {"pruning": as_pruner, "refine": as_refiner, "search": as_search}


@dataclass(kw_only=True, eq=False, repr=False)
class TreeParameters(BaseEstimator):  # type: ignore[misc]
    """The parameters that all trees share.

    Parameters
    ----------
    max_depth : int or None, default=None
        Deepest level that a leaf may have; the root is at depth 0. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of all samples.
    min_samples_leaf : int or float, default=1
        Each child must have this many samples. A float is a share of all samples.
    min_weight_fraction_leaf : float, default=0.0
        Each child must have this share of the weight of all rows.
    max_leaf_nodes : int or None, default=None
        Grow the node with the best gain first, up to this many leaves. None: no limit.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity, weighted by the node's share of the rows, by this much.
    impurity_threshold : float, default=0.0
        A node whose impurity is not above this is a leaf (the stop of OC1, 1993).
    refine : None, "soft" or a refiner, default=None
        How all splits of the grown tree are improved together, before it is pruned. "soft" is
        `askew.refinement.SoftRefiner` with its defaults. An own refiner is an object with the method of
        `askew.grow.recipe.Refiner`.
    pruning : None, "cost_complexity", "error_based" or a pruner, default=None
        How the grown tree is made smaller. "cost_complexity" is `askew.CostComplexity` with its defaults:
        10% of the rows are held out to choose the subtree of least error (OC1, 1994, section 3.3.2). With few rows
        the choice depends on the seed; ``CostComplexity(folds=5)`` chooses by cross-validation.
        "error_based" is `askew.ErrorBased`, for classifiers: nothing is held out, errors are estimated (C4.5).
        `askew.LAPruner` ("learning_automata") and `askew.GAPruner` ("genetic") combine a classifier's regions
        again, into an `askew.RuleNetwork`.
        A custom pruner is an object with the methods of `askew.prune.Pruner`.
    leaf_model : "constant" or "linear", default="constant"
        What a leaf predicts: the mean of its rows or the shares of their classes, or a linear model of the features,
        shrunk towards that of its parent and kept where it is expected to do better on other rows; see
        `askew.model.linear_leaves.fit_leaf_models`.
    missing : "mean", "indicator", "error" or "below", default="mean"
        What is done with NaN in X: "mean" imputes the mean of the training rows, in `fit` and in `predict` (OC1).
        "indicator" does so too, and adds a column of 0 and 1 for each feature that lacks values in training, such as
        ``age is missing``, so that a tree can test it. "error" raises. "below", for CART-ELC alone, leaves NaN: the row
        is below every plane that tests the feature, and defines none (ELC, section 3.2.5). A missing category is an
        error with "error", otherwise a category of its own.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Which columns hold categories. "from_dtype": in a data frame those of text and categories (pandas
        ``category``, ``object``, ``string``; Polars ``Categorical``, ``Enum``, ``String``), otherwise none.
        A list of names or numbers of columns, a mask with an entry for each column, or None for none.
        A category not in the training data is none of those that a node names.
    categorical_encoding : "onehot" or "crimcoord", default="onehot"
        What the search makes of a categorical feature: a column of 0 and 1 for each category, or, at each
        node, one number, the scaling of the categories that separates the classes there best; see
        `askew.search.crimcoord.Crimcoord`. C4.5 and ID3 take categories as they are.
    random_state : int, RandomState instance or None, default=None
        Seed of the search and of the rows that are held out. The tree is the same for the same seed.
    n_jobs : int or None, default=None
        Number of threads; -1 is all cores. The tree is the same for every number.
    verbose : int, default=0
        Above 0: show a progress bar on standard error.
    """

    max_depth: int | None = param(None, integer(1) | none)
    min_samples_split: float = param(2, integer(2) | share())
    min_samples_leaf: float = param(1, integer(1) | share(closed=False))
    min_weight_fraction_leaf: float = param(0.0, real(0.0, 0.5))
    max_leaf_nodes: int | None = param(None, integer(2) | none)
    min_impurity_decrease: float = param(0.0, real(0.0))
    impurity_threshold: float = param(0.0, real(0.0))
    refine: Any = None
    pruning: Any = None
    leaf_model: str = param("constant", one_of("constant", "linear"))
    missing: str = param("mean", one_of("mean", "indicator", "error"))
    categorical_features: Any = param("from_dtype", columns)
    categorical_encoding: str = param("onehot", one_of("onehot", "crimcoord"))
    random_state: Any = None
    n_jobs: int | None = param(None, jobs)
    verbose: int = param(0, integer(0) | boolean)
    criterion: Any = None

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``pruning__folds=5`` is a parameter of what `pruning` is or names.

        Parameters
        ----------
        **params : parameters by name; those of a pruner, refiner or search (which never change themselves: the
            estimator gets a copy) after two underscores

        Returns
        -------
        self : estimator
            The estimator itself.
        """
        own: dict[str, Any] = {}
        inner: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, nested, rest = key.partition("__")
            within = inner.setdefault(name, {}) if nested and name in _BY_NAME and hasattr(self, name) else own
            within[rest if within is not own else key] = value
        super().set_params(**own)
        for name, given in inner.items():
            setattr(self, name, changed(name, _BY_NAME[name](getattr(self, name)), given))
        return self
