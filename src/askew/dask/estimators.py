"""The trees for data on a Dask cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askew.dask.on_cluster import WithProbabilities
from askew.dask.tree import DaskTree
from askew.estimators.cedt import CEDTClassifier, CEDTRegressor
from askew.estimators.document import documented
from askew.estimators.trees import CARTClassifier, CARTRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.grow import Search
from askew.search import as_search


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskCARTClassifier(DaskTree, WithProbabilities, CARTClassifier):
    """`askew.CARTClassifier` on data that no machine holds.

    The tree is the same for any partitioning and any number of workers. It is that of `askew.CARTClassifier`, bit for
    bit, if weights are whole and no feature has more than `max_bins` different values.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from askew.dask import DaskCARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     tree = DaskCARTClassifier(max_depth=2, local_rows=0)
    ...     tree = tree.fit(da.from_array(X, chunks=(50, 4)), da.from_array(y, chunks=50))
    >>> tree.get_n_leaves()
    3
    """

    _plain_class = CARTClassifier


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskCARTRegressor(DaskTree, CARTRegressor):
    """`askew.CARTRegressor` on data that no machine holds; the criterion is "squared_error" or your own."""

    _plain_class = CARTRegressor


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskCEDTClassifier(DaskTree, WithProbabilities, CEDTClassifier):
    """`askew.CEDTClassifier` on data that no machine holds.

    Every worker draws the same planes and counts the rows above them; the counts are added up. The tree is the same for
    any partitioning and any number of workers. It is that of `askew.CEDTClassifier`, bit for bit, if weights are whole,
    `normalize` is "robust" or None, and no feature has more than `max_bins` different values, or `univariate` is False.
    """

    _plain_class = CEDTClassifier


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskCEDTRegressor(DaskTree, CEDTRegressor):
    """`askew.CEDTRegressor` on data that no machine holds; the criterion is "squared_error" or your own."""

    _plain_class = CEDTRegressor


@dataclass(kw_only=True, eq=False, repr=False)
class _AnySearch(DaskTree):
    local_search: Any = None

    def _local_search(self) -> Search:
        return self._new_search() if self.local_search is None else as_search(self.local_search)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskObliqueTreeClassifier(_AnySearch, WithProbabilities, ObliqueTreeClassifier):
    """Classification tree by two searches: one that counts over all workers, any other below.

    Parameters
    ----------
    search : str or object, default="axis"
        What finds the split of a node that no worker holds: "axis", "ce_dt", "linear", or such a search with
        other parameters.
    local_search : str, object or None, default=None
        What finds the splits of a node with no more than `local_rows` rows, and below it: any search of the library,
        such as "oc1". None: `search`.
    """

    _plain_class = ObliqueTreeClassifier


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskObliqueTreeRegressor(_AnySearch, ObliqueTreeRegressor):
    """Regression tree by two searches: one that counts over all workers, any other below.

    Parameters
    ----------
    search : str or object, default="axis"
        What finds the split of a node that no worker holds: "axis", "ce_dt", "linear", or such a search with
        other parameters.
    local_search : str, object or None, default=None
        What finds the splits of a node with no more than `local_rows` rows, and below it: any search of the library.
        None: `search`.
    """

    _plain_class = ObliqueTreeRegressor
