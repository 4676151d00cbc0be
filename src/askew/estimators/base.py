"""`BaseTree`, the base of every tree estimator: read the data, run the recipe, walk the tree, prune it later."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn import get_config
from sklearn.utils import Bunch, estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from askew import _notebook
from askew.data import targets
from askew.data.encoder import Encoder
from askew.data.read import Schema, read_training, read_X, remember_missing
from askew.data.table import Table
from askew.estimators.parameters import TreeParameters
from askew.grow.criterion import as_criterion
from askew.grow.grow import Progress, Search, child_seed
from askew.grow.limits import Limits
from askew.grow.recipe import Recipe, Regrowth, TreeGrower
from askew.model.digits.shorten import Display, display_digits
from askew.model.fitted import FittedModel
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree
from askew.parallel import progress_bar, thread_count
from askew.parameters import check_parameters
from askew.prune import as_pruner
from askew.prune.cost_complexity import PruningPath
from askew.refinement import as_refiner
from askew.search.crimcoord import in_coordinates


class ShownInNotebooks:
    """Shows the fitted tree below the diagram of the parameters, as long as scikit-learn's option `display` wants one.

    ``_repr_html_`` and ``_repr_mimebundle_`` are IPython's names for what it shows.
    """

    @property
    def _repr_html_(self) -> Callable[[], str]:
        if get_config()["display"] != "diagram":
            raise AttributeError("_repr_html_ is there only if scikit-learn's option 'display' is 'diagram'")
        return self._as_html

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            shown["text/html"] = self._as_html()
        return shown

    def _as_html(self) -> str:
        diagram: str = estimator_html_repr(self)
        show = _notebook.fitted_html
        return f"{diagram}\n{show(self)}" if show is not None and hasattr(self, "tree_") else diagram


_Estimator = TypeVar("_Estimator", bound=Any)


def pruned(estimator: _Estimator, pruner: Any, X: Any, y: Any, sample_weight: Any) -> _Estimator:
    """Return a copy of a fitted estimator that is pruned by these rows; see `BaseTree.pruned`."""
    check_parameters(estimator)
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
    if "pruning" in estimator.get_params(deep=False):
        other.pruning = pruner
    seed = estimator._seed()
    with progress_bar(type(estimator).__name__, bool(estimator.verbose)) as progress:
        regrow = Regrowth(estimator._grower(table, schema), seed, estimator._threads(), progress)
        tree = chosen.prune(estimator.tree_, table, table, regrow, child_seed(seed, 0))
        if isinstance(regrow.recipe, Recipe):
            tree = regrow.recipe.with_models(tree, table, estimator._threads())
    other._replace_tree(tree, table)
    return other


@dataclass(kw_only=True, eq=False, repr=False)
class BaseTree(ShownInNotebooks, TreeParameters, ABC):
    """What all trees do with the parameters that they share.

    Attributes
    ----------
    tree_ : askew.model.tree.Tree or askew.RuleNetwork
        The fitted tree: flat arrays, with `n_leaves`, `depth`, `node_count`, `coef` and `intercept`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, when X has column names.
    encoder_ : askew.data.encoder.Encoder or None
        The categories of each feature, the columns that they become, and those that tell where values are missing; None
        if all features are numbers and none has such a column.
    feature_means_ : ndarray or None
        Means of the training rows, put in place of missing values; None if `missing_` is neither "mean" nor
        "indicator". -1 for categories.
    missing_ : str
        What a missing value becomes: `missing` as it was in `fit`; of "auto", "mean" or "indicator", as was chosen.
    feature_scale_ : ndarray
        Standard deviation, in the training rows, of each column that the tree tests.
    display_ : askew.model.digits.shorten.Display or None
        The numbers of `tree_` as they are printed, with as many digits as the training rows need; None: with all.
    feature_importances_ : ndarray
        Share of each feature in the decrease of impurity.
    n_hyperplanes_ : int
        How many hyperplanes the search looked at.
    terms_ : int
        Number of weights that are not 0, over all nodes.
    """

    _search_class: ClassVar[type[Any]]  # a dataclass; its parameters are those of the same names
    _numeric_y: ClassVar[bool]
    chooses_size: ClassVar[bool] = False  # whether the method finds the right size itself, and needs no pruning
    _takes_categories: ClassVar[bool] = False  # whether the search wants codes (see `askew.data.table.Table.levels`)

    tree_: Tree | RuleNetwork = field(init=False)
    encoder_: Encoder | None = field(init=False)
    feature_means_: NDArray[np.float64] | None = field(init=False)
    feature_scale_: NDArray[np.float64] = field(init=False)
    display_: Display | None = field(init=False)
    missing_: str = field(init=False)
    n_features_in_: int = field(init=False)

    # --- what a kind of tree adds

    def _new_search(self) -> Search:
        """Make the search out of the parameters; NumPy's scalars become Python's."""
        given = {one.name: getattr(self, one.name) for one in fields(self._search_class) if hasattr(self, one.name)}
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
        search: Search = self._search_class(**plain)
        return search

    @abstractmethod
    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64], classes: NDArray[Any] | None) -> targets.Target:
        """Return the target; `classes` are those of the training data, where they are known already."""

    @abstractmethod
    def predict_encoded(self, columns: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class code (position in `classes_`) of each row, or its number; the rows are `encoded`."""

    # --- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree, refine it if `refine` says so, and prune it if `pruning` does.

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
        """Grow a tree on a table that has been read already: what an ensemble does with each of its trees.

        Parameters
        ----------
        table, schema : what `askew.data.read.read_training` returns
        seed : the seed of the tree, in place of `random_state`
        progress : called with the share of the work that is done
        compute_display : whether to find out how many digits are needed to print the tree; one among many needs none

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

    def _set_tree(self, tree: Any, table: Table, schema: Schema, compute_display: bool) -> None:
        """Set the fitted attributes."""
        tree = self._smoothed(tree)
        scale = targets.column_spreads(table.X, table.weight)
        display = display_digits(tree, table, scale, self._threads()) if compute_display else None
        schema.write(self)
        self.tree_, self.feature_scale_, self.display_ = tree, scale, display

    def _replace_tree(self, tree: Any, table: Table) -> None:
        """Set a tree that was made of the fitted one with these rows."""
        self.tree_ = self._smoothed_again(tree)
        self.display_ = display_digits(self.tree_, table, self.feature_scale_, self._threads())

    def _smoothed(self, tree: Any) -> Any:
        """Return the tree with the probabilities that are asked for."""
        return tree

    def _smoothed_again(self, tree: Any) -> Any:
        """Return a tree that was made of the fitted one with probabilities of the same kind."""
        return self._smoothed(tree)

    def _keep(self, search: Search) -> None:
        """Keep what the search has recorded."""

    def _seed(self) -> int:
        return targets.first_draw(self.random_state)

    def _grower(self, table: Table, schema: Schema) -> TreeGrower:
        """Return what grows the trees of `fit`, before they are pruned."""
        return self._recipe(self._new_search(), table, schema)

    def _recipe(self, search: Search, table: Table, schema: Schema) -> Recipe:
        return Recipe(
            search=in_coordinates(search, schema.encoder, self.categorical_encoding),
            criterion=as_criterion(self.criterion, classification=table.classification),
            limits=self._limits(float(table.multiplicity.sum()), float(table.weight.sum())),
            pruner=as_pruner(self.pruning),
            refiner=as_refiner(self.refine),
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

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    # --- the fitted tree

    def encoded(self, X: Any) -> NDArray[np.float64]:
        """Return the columns that the tree tests: X with missing values and categories as numbers."""
        check_is_fitted(self)
        return read_X(self, X)

    def _walk(self, columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], int, bool]:
        """Return what a walk down the tree takes: the columns, the threads, and whether rows go down in parts."""
        return columns, self._threads(), self.missing_ == "fractional" and targets.has_nan(columns)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row ends in."""
        walk = self._walk(self.encoded(X))
        return self.tree_.apply(*walk)

    def decision_path(self, X: Any) -> csr_array:
        """Return a sparse matrix (rows x nodes): 1 for every node that a row passes."""
        walk = self._walk(self.encoded(X))
        return self.tree_.decision_path(*walk)

    def fitted_model(self) -> FittedModel:
        """Return what was fitted: the tree, and how data are read."""
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
        """How many hyperplanes the search looked at."""
        check_is_fitted(self)
        return self.tree_.n_hyperplanes

    @property
    def terms_(self) -> int:
        """Number of weights that are not 0, over all nodes: how much there is to read, beside the leaves."""
        check_is_fitted(self)
        return self.tree_.n_terms

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity; see `askew.model.tree.Tree.importance`."""
        check_is_fitted(self)
        origin = None if self.encoder_ is None else self.encoder_.origin
        return self.tree_.importance(self.feature_scale_, origin, self.n_features_in_)

    def pruned(self, pruner: Any, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return a copy of this fitted tree that is pruned by these rows.

        Parameters
        ----------
        pruner : a pruner or its name, as for `pruning`
        X, y : the rows to prune by: the training rows for `askew.LAPruner` and `askew.GAPruner`, a held-out set for
            `askew.CostComplexity`
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
        check_parameters(self)
        schema, table = read_training(self, X, y, sample_weight)
        tree = self._grower(table, schema).grow(table, self._seed(), self._threads())
        path = PruningPath.of(tree, table.classification)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        remember_missing(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = True  # as a dense array
        tags.target_tags.required = True
        return tags
