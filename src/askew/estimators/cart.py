"""CART, and the trees that take any search."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.grow import Search
from askew.parameters import documented
from askew.search import as_search
from askew.search.axis import AxisParallel


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifier(TreeClassifier):
    """Axis-parallel classification tree (CART).

    Every node tests one feature: the best cut over all features and all values, found exactly. Ties go to
    the first feature, then to the lowest threshold, so that the tree is deterministic. With the defaults it is grown
    until its leaves are pure, and not pruned.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), chapters 2 to 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = CARTClassifier(max_depth=2).fit(X, y)
    >>> tree.get_n_leaves()
    3
    >>> tree.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    _search_class = AxisParallel


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTRegressor(TreeRegressor):
    """Axis-parallel regression tree (CART).

    Every node tests one feature, as in `CARTClassifier`. A leaf predicts the weighted mean of its rows, or
    their weighted median when the criterion is "absolute_error".

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), chapter 8.

    Examples
    --------
    >>> from askew import CARTRegressor
    >>> tree = CARTRegressor(max_leaf_nodes=2).fit([[1], [2], [3], [4]], [0, 1, 8, 9])
    >>> tree.predict([[1.5], [3.5]])
    array([0.5, 8.5])
    """

    _search_class = AxisParallel


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueTreeClassifier(TreeClassifier):
    """Classification tree by any search, criterion and pruner.

    Parameters
    ----------
    search : str or object, default="axis"
        Search for the split of a node: a name in `askew.search.SEARCHES`, or an object with the method
        ``find(node, criterion, seed)`` that returns a split, or None for a leaf (see `askew.grow.grow.Search`).

    Examples
    --------
    A custom search, which cuts the first feature at its mean:

    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.model.split import Hyperplane
    >>> class FirstFeature:
    ...     def find(self, node, criterion, seed):
    ...         return Hyperplane([0], [1.0], node.X[:, 0].mean())
    >>> X, y = load_iris(return_X_y=True)
    >>> ObliqueTreeClassifier(search=FirstFeature(), max_depth=3).fit(X, y).get_depth()
    3
    """

    search: Search | str = "axis"

    def _new_search(self) -> Search:
        return as_search(self.search)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueTreeRegressor(TreeRegressor):
    """Regression tree by any search, criterion and pruner.

    Parameters
    ----------
    search : str or object, default="axis"
        Search for the split of a node, as in `ObliqueTreeClassifier`.

    Examples
    --------
    >>> from askew import ObliqueTreeRegressor
    >>> from askew.prune import CostComplexity
    >>> pruning = CostComplexity(ccp_alpha=1.0)
    >>> ObliqueTreeRegressor(search="axis", pruning=pruning).fit([[1], [2], [3], [4]], [0, 1, 8, 9]).get_n_leaves()
    2
    """

    search: Search | str = "axis"

    def _new_search(self) -> Search:
        return as_search(self.search)
