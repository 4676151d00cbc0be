"""Trees for data on a Dask cluster, and `DaskTree`, which grows a tree of one machine there."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from askew.dask.base import OnCluster, WithProbabilities, lazily
from askew.dask.batched_queries import BatchedQueries
from askew.dask.cluster import Cluster
from askew.dask.growth import LevelGrowth
from askew.dask.partition import NodePath
from askew.dask.partitions import Partitioned, is_partitioned
from askew.dask.quantiles import make_bins
from askew.dask.rows import NodeRows
from askew.dask.scales import ColumnScales
from askew.dask.schema import Facts, binned, read_parts
from askew.dask.table import PartitionedTable
from askew.data.frames import MatrixLike
from askew.estimators.cart import CARTClassifier, CARTRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.estimators.cedt import CEDTClassifier, CEDTRegressor
from askew.grow.grow import Search
from askew.parameters import InvalidParameterError, documented, integer, param
from askew.search import as_search
from askew.search.axis import AxisParallel
from askew.search.cross_entropy import CrossEntropy
from askew.search.linear import LinearPlanes

_SAMPLED = 100_000  # rows that bins are made of


@dataclass(kw_only=True, eq=False, repr=False)
class DaskTree(OnCluster):
    """Mixin of all trees on a cluster; the local estimator follows it in the list of bases.

    Parameters
    ----------
    local_rows : int, default=100000
        A node with no more rows is brought together on one worker and finished there.
    max_bins : int, default=1024
        Bins of a feature, or along a plane, for cuts of nodes that no worker holds. A feature with no more different
        values is cut exactly.

    Attributes
    ----------
    n_rounds_ : int
        Number of rounds of queries to the cluster.
    traffic_ : list of int
        Bytes of the answers of each partition: before growth, then in each level. They depend on planes, bins and
        classes, not on rows.
    """

    local_rows: int = param(100_000, integer(0))
    max_bins: int = param(1024, integer(2, 65535))

    def _check(self) -> None:
        super()._check()
        self._searches()

    def _fit_on(self, cluster: Cluster, X: Partitioned, y: Partitioned, sample_weight: Partitioned | None) -> None:
        facts = read_parts(cluster, self, X, y, sample_weight)
        table = self._table(cluster, facts)
        root = NodeRows.root(table, self._limits(facts.n_samples, facts.mass))
        on_level = self._print if self.verbose else None
        local_rows = max(self.local_rows, table.n_features)
        growth = LevelGrowth(root, cluster, *self._searches(), self.criterion, local_rows, on_level)
        tree = growth.run(self._seed())
        scale = ColumnScales.of(table.ask, NodePath(), facts.mass).deviation
        facts.schema.write(self)
        self.__dict__.update(tree_=tree, feature_scale_=scale, traffic_=cluster.traffic, n_rounds_=cluster.n_rounds)

    def _table(self, cluster: Cluster, facts: Facts) -> PartitionedTable:
        n_features = len(facts.schema.column_names)
        queries = BatchedQueries(cluster.ask)
        bins = make_bins(queries.ask, n_features, facts.n_rows, self.max_bins, _SAMPLED)
        cluster.parts = cluster.each(binned, cluster.parts, bins)
        return PartitionedTable(
            queries=queries,
            n_rows=facts.n_rows,
            n_features=n_features,
            n_classes=0 if facts.schema.classes is None else facts.schema.classes.size,
            unit=facts.unit,
            largest_weight=facts.largest,
            extent_of_y=facts.y,
            bins=bins,
            max_bins=self.max_bins,
            threads=self._threads(),
        )

    def _print(self, message: str) -> None:
        print(f"{type(self).__name__}: {message}", file=sys.stderr, flush=True)

    def _local_search(self) -> Search:
        search: Search = self._new_search()
        return search

    def _searches(self) -> tuple[Search, Search]:
        """Return the searches over all workers and on one, after checking that a cluster can run them."""
        search = self._new_search()
        for name in ("pruning", "refinement"):
            if getattr(self, name) is not None:
                raise InvalidParameterError(
                    f"The {name!r} parameter of {type(self).__name__} must be None: it would need all rows on one "
                    f"machine. Got {getattr(self, name)!r} instead. After fitting, use to_local() and `pruned`."
                )
        if self.categorical_encoding != "onehot":
            raise InvalidParameterError(
                f"The 'categorical_encoding' parameter of {type(self).__name__} must be 'onehot'. "
                f"Got {self.categorical_encoding!r} instead."
            )
        if self.criterion == "absolute_error":
            raise InvalidParameterError(
                "absolute_error needs medians, which counts cannot give: use squared_error on a cluster."
            )
        if isinstance(search, CrossEntropy):
            if search.feature_reduction is True:
                raise InvalidParameterError("feature_reduction=True needs all rows of a node: use 'auto' or False.")
            if search.callback is not None:
                raise InvalidParameterError("a trace is kept on one machine only: use trace=False, and no callback.")
        elif isinstance(search, AxisParallel):
            if search.max_features is not None:
                raise InvalidParameterError("max_features must be None: all features are counted together.")
        elif not isinstance(search, LinearPlanes):
            raise InvalidParameterError(
                f"{type(search).__name__} looks at all rows of a node at once and cannot run over several machines. "
                "Use search='axis', 'ce_dt' or 'linear', and give it as local_search for nodes that fit on one worker."
            )
        return search, self._local_search()

    def apply(self, X: Partitioned | MatrixLike) -> Partitioned:
        """Return the number of the leaf of each row; of a Dask collection lazily, with its partitions."""
        return lazily(self, "apply", X) if is_partitioned(X) else super().apply(X)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskCARTClassifier(DaskTree, WithProbabilities, CARTClassifier):
    """`askew.CARTClassifier` on larger-than-memory data.

    The tree is the same for any partitioning and any number of workers. It is that of `askew.CARTClassifier`, bit for
    bit, if weights are integers and no feature has more than `max_bins` different values.

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
    """`askew.CARTRegressor` on larger-than-memory data; the criterion is "squared_error" or user-defined."""

    _plain_class = CARTRegressor


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskCEDTClassifier(DaskTree, WithProbabilities, CEDTClassifier):
    """`askew.CEDTClassifier` on larger-than-memory data.

    Every worker draws the same planes and counts the rows above them; the counts are added up. The tree is the same for
    any partitioning and any number of workers. It is that of `askew.CEDTClassifier`, bit for bit, if weights are
    integers, `normalize` is "robust" or None, and no feature has more than `max_bins` different values, or `univariate`
    is False.
    """

    _plain_class = CEDTClassifier


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskCEDTRegressor(DaskTree, CEDTRegressor):
    """`askew.CEDTRegressor` on larger-than-memory data; the criterion is "squared_error" or user-defined."""

    _plain_class = CEDTRegressor


@dataclass(kw_only=True, eq=False, repr=False)
class _AnySearch(DaskTree):
    local_search: str | Search | None = None

    def _local_search(self) -> Search:
        return self._new_search() if self.local_search is None else as_search(self.local_search)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskObliqueTreeClassifier(_AnySearch, WithProbabilities, ObliqueTreeClassifier):
    """Classification tree by two searches: one that counts over all workers, any other below.

    Parameters
    ----------
    search : str or object, default="axis"
        Search for the split of a node that no worker holds: "axis", "ce_dt", "linear", or such a search with
        other parameters.
    local_search : str, object or None, default=None
        Search for the splits of a node with no more than `local_rows` rows, and below it: any search of the library,
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
        Search for the split of a node that no worker holds: "axis", "ce_dt", "linear", or such a search with
        other parameters.
    local_search : str, object or None, default=None
        Search for the splits of a node with no more than `local_rows` rows, and below it: any search of the library.
        None: `search`.
    """

    _plain_class = ObliqueTreeRegressor
