"""APDT: trees whose splits leave sides that are linearly separable."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from askew.data.frames import MatrixLike
from askew.data.read import Schema
from askew.data.table import Table
from askew.estimators.tasks import TreeClassifier
from askew.grow.criterion import CriterionLike
from askew.grow.grow import Search
from askew.grow.recipe import OneVsRestRecipe, Recipe
from askew.parameters import documented, one_of, param
from askew.search.alopex import Alopex, AlopexParameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class APDTClassifier(AlopexParameters, TreeClassifier):
    """APDT: classification tree by the degree of linear separability (Alopex Perceptron Decision Tree).

    A split is good if one more plane can separate the classes of either side, however mixed they are. Planes are found
    by Alopex, a random walk that tends to repeat successful steps; separability is estimated by a perceptron.

    Parameters
    ----------
    multiclass : "one_tree" or "one_vs_rest", default="one_tree"
        Treatment of more than two classes (section V of the paper). "one_tree": on each side of a split, the
        predominant class is to be separable from the others. "one_vs_rest": a tree for each class against the rest;
        `tree_` is an `askew.model.one_vs_rest.OneVsRest` then, which also says how the trees' answers are combined, and
        `apply` returns a column for each class.
    criterion : str or callable, default="gini"
        Measures the impurity of nodes, for the limits, for pruning and for `feature_importances_`. Splits are not
        chosen by it.

    References
    ----------
    Shah, Sastry: New Algorithms for Learning and Pruning Oblique Decision Trees. IEEE Transactions on Systems, Man,
    and Cybernetics, Part C 29 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from askew import APDTClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> APDTClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    criterion: CriterionLike = "gini"

    _search_class = Alopex
    multiclass: str = param("one_tree", one_of("one_tree", "one_vs_rest"))

    def _recipe(self, search: Search, table: Table, schema: Schema) -> Recipe:
        recipe = super()._recipe(search, table, schema)
        return recipe if self.multiclass == "one_tree" or table.n_classes <= 2 else OneVsRestRecipe(**vars(recipe))

    def cost_complexity_pruning_path(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Return the complexities at which links are cut, and the risk of each subtree; of one tree alone."""
        if self.multiclass == "one_vs_rest":
            raise ValueError("every class has a tree, and so a path: make it with multiclass='one_tree'")
        return super().cost_complexity_pruning_path(X, y, sample_weight)
