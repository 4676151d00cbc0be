"""What every tree estimator does: read the data, cook the recipe, walk the tree."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from askew.criterion import as_criterion
from askew.encoding import Encoder
from askew.estimators import data
from askew.estimators.pruned import pruned
from askew.grow import Progress, Search
from askew.limits import Limits
from askew.network import RuleNetwork
from askew.parameters import Rule, boolean, check_parameters, columns, integer, none, one_of, real, share
from askew.progress import progress_bar
from askew.prune import as_pruner
from askew.prune.cost_complexity import PruningPath
from askew.recipe import Recipe, Regrowth
from askew.search.crimcoord import in_coordinates
from askew.table import Table
from askew.tree import Tree


@dataclass(kw_only=True, eq=False, repr=False)
class BaseTree(BaseEstimator, ABC):  # type: ignore[misc]
    """The parameters and methods that all trees share.

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
    pruning : None, "cost_complexity", "error_based" or a pruner, default=None
        How the grown tree is made smaller. "cost_complexity" is `askew.CostComplexity` with its defaults:
        10% of the rows are held out to choose the subtree of least error (OC1, 1994, section 3.3.2).
        "error_based" is `askew.ErrorBased`, for classifiers: nothing is held out, errors are estimated (C4.5).
        `askew.LAPruner` ("learning_automata") and `askew.GAPruner` ("genetic") put a classifier's regions
        together anew; `tree_` is then an `askew.RuleNetwork`.
        An own pruner is an object with the methods of `askew.prune.Pruner`.
    missing : "error", "mean" or "below", default="error"
        What NaN in X does: "error" raises, "mean" puts the mean of the training rows in its place, in
        `fit` and in `predict` (OC1). "below", for CART-ELC alone, leaves NaN: the row is below every plane that
        tests the feature, and defines none (ELC, section 3.2.5). A missing category is an error with "error",
        otherwise a category of its own.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Which columns hold categories. "from_dtype": in a data frame those of text and categories (pandas
        ``category``, ``object``, ``string``; Polars ``Categorical``, ``Enum``, ``String``), otherwise none.
        A list of names or numbers of columns, a mask with an entry for each column, or None for none.
        A category that `fit` never saw is none of those that a node names.
    categorical_encoding : "onehot" or "crimcoord", default="onehot"
        What the search makes of a categorical feature: a column of 0 and 1 for each category, or, at each
        node, one number, the scale of the categories that parts the classes there best; see
        `askew.search.crimcoord.Crimcoord`. C4.5 and ID3 take categories as they are.
    random_state : int, RandomState instance or None, default=None
        Seed of the search and of the rows that are held out. The tree is the same for the same seed.
    n_jobs : int or None, default=None
        Number of threads; -1 is all cores. The tree is the same for every number.
    verbose : int, default=0
        Above 0: show a progress bar on standard error.

    Attributes
    ----------
    tree_ : askew.tree.Tree or askew.RuleNetwork
        The fitted tree: flat arrays, with `n_leaves`, `depth`, `node_count`, `coef` and `intercept`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X has column names.
    encoder_ : askew.encoding.Encoder or None
        The categories of each feature, and the columns that they become; None if all features are numbers.
    feature_means_ : ndarray or None
        What stands in for missing values; None with ``missing="error"``. -1, no category, for categories.
    feature_scale_ : ndarray
        Standard deviation, in the training rows, of each column that the tree tests.
    feature_importances_ : ndarray
        Share of each feature in the decrease of impurity.
    n_hyperplanes_ : int
        How many hyperplanes the search looked at.
    """

    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    impurity_threshold: float = 0.0
    pruning: Any = None
    missing: str = "error"
    categorical_features: Any = "from_dtype"
    categorical_encoding: str = "onehot"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    criterion: Any = None

    rules: ClassVar[Mapping[str, Rule]] = {
        "max_depth": integer(1) | none,
        "min_samples_split": integer(2) | share(),
        "min_samples_leaf": integer(1) | share(closed=False),
        "min_weight_fraction_leaf": real(0.0, 0.5),
        "max_leaf_nodes": integer(2) | none,
        "min_impurity_decrease": real(0.0),
        "impurity_threshold": real(0.0),
        "missing": one_of("error", "mean"),
        "categorical_features": columns,
        "categorical_encoding": one_of("onehot", "crimcoord"),
        "n_jobs": Rule("an int other than 0 or None", lambda v: v is None or (isinstance(v, Integral) and v != 0)),
        "verbose": integer(0) | boolean,
    }

    _numeric_y: ClassVar[bool]
    _takes_categories: ClassVar[bool] = False  # whether the search wants codes (see `askew.table.Table.levels`)

    tree_: Tree | RuleNetwork = field(init=False)
    encoder_: Encoder | None = field(init=False)
    feature_means_: NDArray[np.float64] | None = field(init=False)
    feature_scale_: NDArray[np.float64] = field(init=False)
    n_features_in_: int = field(init=False)

    # --- what a kind of tree adds

    @abstractmethod
    def _search(self) -> Search:
        """Make the search out of the parameters."""

    @abstractmethod
    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64], int]:
        """Return y as the table holds it, the weights, and the number of classes (0 for regression)."""

    # --- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree, and prune it if `pruning` says so.

        Parameters
        ----------
        X : array or data frame
            Numbers and categories (rows x features).
        y : array
            Class or number of each row.
        sample_weight : array or None, default=None
            Weight of each row: 0 is an absent row, a whole number is a repeated one.

        Returns
        -------
        self : estimator
            The fitted tree.
        """
        check_parameters(self, self.rules)
        before = dict(self.__dict__)
        try:
            table = self._table(X, y, sample_weight)
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            with progress_bar(type(self).__name__, bool(self.verbose)) as progress:
                self.tree_ = self._grown(table, seed, progress)
            self.feature_scale_ = data.column_spreads(table.X, table.weight)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _grown(self, table: Table, seed: int, progress: Progress | None) -> Any:
        return self._recipe(table).fit(table, seed, self._threads(), progress)

    def _table(self, X: Any, y: Any, sample_weight: Any) -> Table:
        return data.read_table(self, X, y, sample_weight)

    def _known(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.missing == "fractional":
            return X
        if self.feature_means_ is not None:
            return data.fill(X, self.feature_means_)
        if self.missing == "error" and data.has_nan(X):
            raise ValueError(
                f"Input X contains NaN. {type(self).__name__} was made with missing='error'; "
                "make it with missing='mean' to put the mean of the training rows in their place."
            )
        return X

    def _recipe(self, table: Table) -> Recipe:
        return Recipe(
            search=in_coordinates(self._search(), self.encoder_, self.categorical_encoding),
            criterion=as_criterion(self.criterion, classification=table.classification),
            limits=Limits.of(
                float(table.multiplicity.sum()),
                self.max_depth,
                self.min_samples_split,
                self.min_samples_leaf,
                self.max_leaf_nodes,
                self.min_impurity_decrease,
                self.impurity_threshold,
                self.min_weight_fraction_leaf * float(table.weight.sum()),
            ),
            pruner=as_pruner(self.pruning),
        )

    def _threads(self) -> int:
        jobs = int(effective_n_jobs(self.n_jobs))
        return jobs if jobs <= 1 else min(jobs, os.cpu_count() or 1)  # cores are slow to count

    # --- the fitted tree

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row ends in."""
        check_is_fitted(self)
        known = data.encoded(self, data.read_X(self, X))
        return self.tree_.apply(known, self._threads(), self._incomplete(known))

    def _incomplete(self, X: NDArray[np.float64]) -> bool:
        """Whether rows go down the tree in parts."""
        return self.missing == "fractional" and data.has_nan(X)

    def decision_path(self, X: Any) -> csr_array:
        """Return a sparse matrix (rows x nodes): 1 for every node that a row passes."""
        check_is_fitted(self)
        known = data.encoded(self, data.read_X(self, X))
        return self.tree_.decision_path(known, self._threads(), self._incomplete(known))

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    @property
    def n_hyperplanes_(self) -> int:
        """How many hyperplanes the search looked at."""
        check_is_fitted(self)
        return self.tree_.n_hyperplanes

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity; see `askew.tree.Tree.importance`."""
        check_is_fitted(self)
        origin = None if self.encoder_ is None else self.encoder_.origin
        return self.tree_.importance(self.feature_scale_, origin, self.n_features_in_)

    def pruned(self, pruner: Any, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return a copy of this fitted tree that is pruned by these rows.

        Parameters
        ----------
        pruner : a pruner or its name, as for `pruning`
        X, y : the rows to prune by: the training rows for `askew.LAPruner` and `askew.GAPruner`, rows that `fit`
            has not seen for `askew.CostComplexity`
        sample_weight : array or None, default=None
            Weight of each row.

        Returns
        -------
        pruned : estimator
            The copy; this tree stays as it is.

        Examples
        --------
        >>> from askew import GAPruner, OC1Classifier
        >>> from askew.datasets import make_apdt2_standin
        >>> X, y = make_apdt2_standin(random_state=0)
        >>> tree = OC1Classifier(pruning=None, random_state=0).fit(X, y)
        >>> tree.pruned(GAPruner(n_units=2), X, y).get_n_leaves() < tree.get_n_leaves()
        True
        """
        return pruned(self, pruner, X, y, sample_weight)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Return the complexities at which links are cut, and the risk of each subtree.

        Returns
        -------
        path : Bunch
            ``ccp_alphas`` (ascending) and ``impurities`` (loss on the training rows).
        """
        check_parameters(self, self.rules)
        other = self.__sklearn_clone__()
        table = other._table(X, y, sample_weight)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        tree = Regrowth(other._recipe(table), seed, self._threads(), None)(table)
        path = PruningPath.of(tree, table.classification)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.target_tags.required = True
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class TreeClassifier(ClassifierMixin, BaseTree):  # type: ignore[misc]
    """A tree whose leaves hold classes.

    Parameters
    ----------
    criterion : str or callable, default="gini"
        How splits are scored: "gini", "twoing", "entropy", "gain_ratio", "max_minority", "sum_minority" or
        "sum_of_variances"; or your own function, see `askew.criterion.as_criterion`.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class, multiplied with `sample_weight`. "balanced" gives each class the same
        weight in all.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted, as they were given.
    """

    criterion: Any = "gini"
    class_weight: Any = None

    rules: ClassVar[Mapping[str, Rule]] = {
        **BaseTree.rules,
        "class_weight": Rule(
            "a dict, 'balanced' or None",
            lambda v: v is None or isinstance(v, dict) or (isinstance(v, str) and v == "balanced"),
        ),
    }
    _numeric_y: ClassVar[bool] = False

    classes_: NDArray[Any] = field(init=False)

    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64], int]:
        check_classification_targets(y)
        self.classes_, inverse = np.unique(y, return_inverse=True)
        codes = inverse.astype(np.int32)
        if self.class_weight is None:
            return codes, weights, self.classes_.size
        per_class = data.class_weights(self.class_weight, self.classes_, codes, weights)
        return codes, weights * per_class[codes], self.classes_.size

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of each class (in the order of `classes_`) in the leaf of each row."""
        return self._shares(self.apply(X))

    def _shares(self, leaf: NDArray[np.int64]) -> NDArray[np.float64]:
        counts = self.tree_.value[leaf]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most frequent class in the leaf of each row; of equals, the first."""
        leaf = self.apply(X)
        counts = self.tree_.value
        # Whichever is fewer: the nodes or the rows.
        code = counts.argmax(axis=1)[leaf] if counts.shape[0] < leaf.size else counts[leaf].argmax(axis=1)
        return np.asarray(self.classes_[code])


@dataclass(kw_only=True, eq=False, repr=False)
class TreeRegressor(RegressorMixin, BaseTree):  # type: ignore[misc]
    """A tree whose leaves hold numbers.

    Parameters
    ----------
    criterion : str or callable, default="squared_error"
        How splits are scored: "squared_error" or "absolute_error"; or your own function, see
        `askew.criterion.as_criterion`.
    """

    criterion: Any = "squared_error"

    _numeric_y: ClassVar[bool] = True

    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64], int]:
        data.check_range(y, "y")
        return y.astype(np.float64), weights, 0

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the number in the leaf of each row."""
        leaf = self.apply(X)
        return np.asarray(self.tree_.value[leaf, 0])
