"""`BaseTree`, the base of every tree estimator: read the data, run the recipe, walk the tree, prune it later."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, fields
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn import get_config
from sklearn.utils import Bunch, estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from askew import _notebook
from askew.data import targets
from askew.data.frames import ColumnsLike, Labels, MatrixLike
from askew.data.read import Schema, read_training
from askew.data.table import Table
from askew.estimators.model import BaseModel
from askew.grow.criterion import CriterionLike, as_criterion
from askew.grow.grow import Search, child_seed
from askew.grow.limits import Limits
from askew.grow.recipe import Pruner, Recipe, Refiner, Regrowth, TreeGrower
from askew.model.digits.shorten import Display, display_digits
from askew.model.fitted import FittedModel, FittedTree
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree
from askew.parallel import Progress, progress_bar
from askew.parameters import (
    Strategy,
    boolean,
    changed,
    check_parameters,
    columns,
    integer,
    none,
    one_of,
    param,
    real,
    share,
)
from askew.prune import as_pruner
from askew.prune.cost_complexity import PruningPath
from askew.refinement import as_refiner
from askew.search import as_search
from askew.search.crimcoord import in_coordinates

_BY_NAME: dict[str, Callable[[object], object]] = {"pruning": as_pruner, "refinement": as_refiner, "search": as_search}


@dataclass(kw_only=True, eq=False, repr=False)
class BaseTree(BaseModel):
    """The base of all trees.

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
    refinement : None, "soft" or a refiner, default=None
        How all splits of the grown tree are improved together, before it is pruned. "soft" is
        `askew.refinement.SoftRefiner` with its defaults. A custom refiner is an object with the method of
        `askew.grow.recipe.Refiner`.
    pruning : None, "cost_complexity", "error_based" or a pruner, default=None
        How the grown tree is made smaller. "cost_complexity" is `askew.prune.CostComplexity` with its defaults:
        10% of the rows are held out to choose the subtree of least error (OC1, 1994, section 3.3.2). With few rows
        the choice depends on the seed; ``CostComplexity(cv=5)`` chooses by cross-validation.
        "error_based" is `askew.prune.ErrorBased`, for classifiers: nothing is held out, errors are estimated (C4.5).
        `askew.prune.LearningAutomata` ("learning_automata") and `askew.prune.GeneticAlgorithm` ("genetic") combine a
        classifier's regions again, into an `askew.RuleNetwork`. A custom pruner is an object with the methods of
        `askew.prune.Pruner`.
    leaf_model : "constant" or "linear", default="constant"
        Model of a leaf: the mean of its rows or the shares of their classes, or a linear model of the features,
        shrunk towards that of its parent and kept where it is expected to do better on other rows; see
        `askew.model.linear_leaves.fit_leaf_models`.
    missing : "mean", "indicator", "error" or "below", default="mean"
        Treatment of NaN in X: "mean" imputes the mean of the training rows, in `fit` and in `predict` (OC1).
        "indicator" does so too, and adds a column of 0 and 1 for each feature that lacks values in training, such as
        ``age is missing``, so that a tree can test it. "error" raises. "below", for CART-ELC alone, leaves NaN: the row
        is below every plane that tests the feature, and defines none (ELC, section 3.2.5). A missing category is an
        error with "error", otherwise a separate category.
    categorical_features : "from_dtype", list, mask or None, default="from_dtype"
        Which columns hold categories. "from_dtype": in a data frame those of text and categories (pandas
        ``category``, ``object``, ``string``; Polars ``Categorical``, ``Enum``, ``String``), otherwise none.
        A list of names or numbers of columns, a mask with an entry for each column, or None for none.
        A category that is not in the training data differs from all that a node names.
    categorical_encoding : "onehot" or "crimcoord", default="onehot"
        Encoding of a categorical feature for the search: a column of 0 and 1 for each category, or, at each
        node, one number, the scaling of the categories that separates the classes there best; see
        `askew.search.crimcoord.Crimcoord`. C4.5 and ID3 take categories as they are.
    verbose : int, default=0
        Above 0: show a progress bar on standard error.

    Attributes
    ----------
    tree_ : askew.model.tree.Tree or askew.RuleNetwork
        The fitted tree: flat arrays, with `n_leaves`, `depth`, `node_count`, `coef` and `intercept`.
    display_ : askew.model.digits.shorten.Display or None
        The numbers of `tree_` as they are printed, with as many digits as the training rows need; None: with all.
    feature_importances_ : ndarray
        Share of each feature in the decrease of impurity.
    n_hyperplanes_ : int
        Number of hyperplanes that the search evaluated.
    n_terms_ : int
        Number of weights that are not 0, over all nodes and the linear models of leaves.
    """

    max_depth: int | None = param(None, integer(1) | none)
    min_samples_split: float = param(2, integer(2) | share())
    min_samples_leaf: float = param(1, integer(1) | share(closed=False))
    min_weight_fraction_leaf: float = param(0.0, real(0.0, 0.5))
    max_leaf_nodes: int | None = param(None, integer(2) | none)
    min_impurity_decrease: float = param(0.0, real(0.0))
    impurity_threshold: float = param(0.0, real(0.0))
    refinement: Refiner | str | None = None
    pruning: Pruner | str | None = None
    leaf_model: str = param("constant", one_of("constant", "linear"))
    missing: str = param("mean", one_of("mean", "indicator", "error"))
    categorical_features: ColumnsLike = param("from_dtype", columns)
    categorical_encoding: str = param("onehot", one_of("onehot", "crimcoord"))
    verbose: int = param(0, integer(0) | boolean)
    criterion: CriterionLike = "gini"

    _search_class: ClassVar[type[Strategy]]  # a dataclass; its parameters are those of the same names
    chooses_size: ClassVar[bool] = False  # whether the method finds the right size itself, and needs no pruning

    tree_: FittedTree = field(init=False)
    display_: Display | None = field(init=False)

    def set_params(self, **params: object) -> Self:
        """Set parameters; ``pruning__cv=5`` sets the parameter `cv` of the pruner.

        Parameters
        ----------
        **params : dict
            Parameters by name. Those of a pruner, refiner or search come after two underscores; these never change
            themselves: the estimator gets a copy.

        Returns
        -------
        self : estimator
            The estimator itself.
        """
        direct: dict[str, object] = {}
        inner: dict[str, dict[str, object]] = {}
        for key, value in params.items():
            name, nested, rest = key.partition("__")
            within = inner.setdefault(name, {}) if nested and name in _BY_NAME and hasattr(self, name) else direct
            within[rest if within is not direct else key] = value
        super().set_params(**direct)
        for name, values in inner.items():
            setattr(self, name, changed(name, _BY_NAME[name](getattr(self, name)), values))
        return self

    # --- methods that a kind of tree overrides

    def _new_search(self) -> Search:
        """Make the search out of the parameters; NumPy's scalars become Python's."""
        found = {one.name: getattr(self, one.name) for one in fields(self._search_class) if hasattr(self, one.name)}
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in found.items()}
        return as_search(self._search_class(**plain))

    @abstractmethod
    def predict_encoded(self, columns: NDArray[np.float64]) -> Labels:
        """Return the class code (position in `classes_`) of each row, or its number; the rows are `encoded`."""

    # --- fit

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow a tree, refine it if `refinement` says so, and prune it if `pruning` does.

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
            The fitted tree.
        """
        check_parameters(self)
        schema, table = read_training(self, X, y, sample_weight)
        with progress_bar(type(self).__name__, bool(self.verbose)) as progress:
            return self.fit_table(table, self._seed(), schema, progress, compute_display=True)

    def fit_table(
        self,
        table: Table,
        seed: int,
        schema: Schema,
        progress: Progress | None = None,
        compute_display: bool = False,
    ) -> Self:
        """Grow a tree on a table that has been read already, as an ensemble does for each of its trees.

        Parameters
        ----------
        table : askew.data.table.Table
            The rows, as `askew.data.read.read_training` returns them.
        seed : int
            Seed of the tree, instead of `random_state`.
        schema : askew.data.read.Schema
            The columns and the classes.
        progress : callable or None, default=None
            Called with the share of the work that is done.
        compute_display : bool, default=False
            Whether to compute how many digits are needed to print the tree; trees of an ensemble do without.

        Returns
        -------
        self : estimator
            The fitted tree. If fitting fails, it is left as it was.
        """
        search = self._new_search()
        tree = self._recipe(search, table, schema).fit(table, seed, self._threads(), progress)
        self._set_tree(tree, table, schema, compute_display)
        self._keep(search)
        return self

    def _set_tree(self, tree: FittedTree, table: Table, schema: Schema, compute_display: bool) -> None:
        """Set the fitted attributes."""
        tree = self._smoothed(tree)
        scale = targets.column_spreads(table.X, table.weight)
        display = display_digits(tree, table, scale, self._threads()) if compute_display else None
        schema.write(self)
        self.tree_, self.feature_scale_, self.display_ = tree, scale, display

    def _replace_tree(self, tree: FittedTree, table: Table) -> None:
        """Set a tree that was derived from the fitted one with these rows."""
        self.tree_ = self._smoothed_again(tree)
        self.display_ = display_digits(self.tree_, table, self.feature_scale_, self._threads())

    def _smoothed(self, tree: FittedTree) -> FittedTree:
        """Return the tree with the probabilities of `smoothing`."""
        return tree

    def _smoothed_again(self, tree: FittedTree) -> FittedTree:
        """Return a tree that was derived from the fitted one, with the same smoothing."""
        return self._smoothed(tree)

    def _keep(self, search: Search) -> None:
        """Keep the records of the search."""

    def _grower(self, table: Table, schema: Schema) -> TreeGrower:
        """Return the grower of the trees of `fit`, before pruning."""
        return self._recipe(self._new_search(), table, schema)

    def _recipe(self, search: Search, table: Table, schema: Schema) -> Recipe:
        return Recipe(
            search=in_coordinates(search, schema.encoder, self.categorical_encoding),
            criterion=as_criterion(self.criterion, classification=table.classification),
            limits=self._limits(float(table.multiplicity.sum()), float(table.weight.sum())),
            pruner=as_pruner(self.pruning),
            refiner=as_refiner(self.refinement),
            leaf_model=self.leaf_model,
        )

    def _limits(self, n_samples: float, mass: float) -> Limits:
        return Limits.of(
            n_samples,
            self.max_depth,
            self.min_samples_split,
            self.min_samples_leaf,
            self.max_leaf_nodes,
            self.min_impurity_decrease,
            self.impurity_threshold,
            self.min_weight_fraction_leaf * mass,
        )

    # --- the fitted tree

    def _walk(self, columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], int, bool]:
        """Return the arguments of a walk down the tree: columns, threads, and whether rows go down in parts."""
        return columns, self._threads(), self.missing_ == "fractional" and targets.has_nan(columns)

    def apply(self, X: MatrixLike) -> NDArray[np.int64]:
        """Return the number of the leaf that each row ends in."""
        walk = self._walk(self.encoded(X))
        return self.tree_.apply(*walk)

    def decision_path(self, X: MatrixLike) -> csr_array:
        """Return a sparse matrix (rows x nodes): 1 for every node that a row passes."""
        walk = self._walk(self.encoded(X))
        return self.tree_.decision_path(*walk)

    def fitted_model(self) -> FittedModel:
        """Return the fitted model: the tree, and how data are read."""
        check_is_fitted(self)
        display = getattr(self, "display_", None)  # pickles of earlier versions have none
        return FittedModel.of_tree(type(self).__name__, Schema.of(self), self.tree_, self.feature_scale_, display)

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
        """Number of hyperplanes that the search evaluated."""
        check_is_fitted(self)
        return self.tree_.n_hyperplanes

    @property
    def n_terms_(self) -> int:
        """Number of weights that are not 0, over all nodes: how much there is to read, beside the leaves."""
        check_is_fitted(self)
        return self.tree_.n_terms

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity; see `askew.model.tree.Tree.importance`."""
        check_is_fitted(self)
        origin = None if self.encoder_ is None else self.encoder_.origin
        return self.tree_.importance(self.feature_scale_, origin, self.n_features_in_)

    def pruned(self, pruner: Pruner | str, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Return a copy of this fitted tree that is pruned by these rows.

        Parameters
        ----------
        pruner : str or a pruner
            A pruner or its name, as for `pruning`.
        X : array or data frame
            The rows to prune by: the training rows for `askew.prune.LearningAutomata` and
            `askew.prune.GeneticAlgorithm`, a held-out set for `askew.prune.CostComplexity`.
        y : array
            Class or number of each row.
        sample_weight : array or None, default=None
            Weight of each row.

        Returns
        -------
        pruned : estimator
            The copy; this tree stays as it is.

        Examples
        --------
        >>> from askew import OC1Classifier
        >>> from askew.prune import GeneticAlgorithm
        >>> from askew.datasets import make_apdt2_standin
        >>> X, y = make_apdt2_standin(random_state=0)
        >>> tree = OC1Classifier(pruning=None, random_state=0).fit(X, y)
        >>> tree.pruned(GeneticAlgorithm(n_units=2), X, y).get_n_leaves() < tree.get_n_leaves()
        True
        """
        check_parameters(self)
        check_is_fitted(self)
        chosen = as_pruner(pruner)
        if chosen is None:
            raise ValueError("pruned needs a pruner. Got None instead.")
        name = type(self).__name__
        if isinstance(self.tree_, RuleNetwork):
            raise ValueError(f"this {name} is a rule network already: fit a tree with pruning=None, and prune that")
        if not isinstance(self.tree_, Tree):
            raise ValueError(f"this {name} has a tree for each class: fit it with the parameter pruning instead")
        schema, table = read_training(self, X, y, sample_weight, known=Schema.of(self))
        other = copy(self)
        if "pruning" in self.get_params(deep=False):
            other.pruning = pruner
        seed = self._seed()
        with progress_bar(name, bool(self.verbose)) as progress:
            regrow = Regrowth(self._grower(table, schema), seed, self._threads(), progress)
            tree = chosen.prune(self.tree_, table, table, regrow, child_seed(seed, 0))
            if isinstance(regrow.recipe, Recipe):
                tree = regrow.recipe.with_models(tree, table, self._threads())
        other._replace_tree(tree, table)
        return other

    def cost_complexity_pruning_path(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Return the complexities at which links are cut, and the risk of each subtree.

        Returns
        -------
        path : Bunch
            ``ccp_alphas`` (ascending) and ``impurities`` (loss on the training rows).
        """
        check_parameters(self)
        schema, table = read_training(self, X, y, sample_weight)
        tree = self._grower(table, schema).grow(table, self._seed(), self._threads())
        path = PruningPath.of(tree, table.classification)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)

    # --- in notebooks; the names are IPython's

    @property
    def _repr_html_(self) -> Callable[[], str]:
        if get_config()["display"] != "diagram":
            raise AttributeError("_repr_html_ is there only if scikit-learn's option 'display' is 'diagram'")
        return self._as_html

    def _repr_mimebundle_(self, include: object = None, exclude: object = None, **_: object) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            shown["text/html"] = self._as_html()
        return shown

    def _as_html(self) -> str:
        diagram: str = estimator_html_repr(self)
        show = _notebook.fitted_html
        return f"{diagram}\n{show(self)}" if show is not None and hasattr(self, "tree_") else diagram
