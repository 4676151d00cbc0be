"""Ensembles on a Dask cluster: a tree is a task, on all rows or on those of one partition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from distributed import Future
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from askew.dask.base import OnCluster, WithProbabilities
from askew.dask.cluster import Cluster
from askew.dask.growth import together
from askew.dask.partition import NodePath, Partition
from askew.dask.partitions import Partitioned
from askew.dask.scales import ColumnScales
from askew.dask.schema import Facts, read_parts
from askew.data.read import Schema
from askew.data.table import Table
from askew.ensemble.distinct_rows import DistinctRows
from askew.estimators.base import BaseTree
from askew.estimators.ensemble import tree_seeds
from askew.estimators.forest import Forest, ObliqueForestClassifier, ObliqueForestRegressor
from askew.estimators.k_dt import KDTClassifier
from askew.model.tree import Tree
from askew.parameters import InvalidParameterError, check_parameters, documented, one_of, param


def _all_rows(*parts: Partition) -> Table:
    return together([part.table for part in parts])


def _own_rows(part: Partition) -> Table:
    return part.table


def _fitted(tree: BaseTree, schema: Schema, table: Table) -> BaseTree:
    return tree.fit_table(table, tree._seed(), schema)


def _grown(forest: Forest, seeds: NDArray[np.uint64], table: Table) -> list[Tree]:
    return forest._growth(table).grow(DistinctRows.of(table), seeds, forest._threads())


def _tables(cluster: Cluster, partition: str) -> list[Future]:
    """Return the tables that trees are grown on, in turn: all rows ("broadcast"), or each partition ("local")."""
    if partition == "broadcast":
        return [cluster.submit(_all_rows, *cluster.parts)]
    return cluster.each(_own_rows, cluster.parts)


@dataclass(kw_only=True, eq=False, repr=False)
class DaskEnsemble(OnCluster):
    """Mixin of the ensembles on a cluster.

    Parameters
    ----------
    partition : "broadcast" or "local", default="broadcast"
        Rows that a tree is grown on: "broadcast" for all rows, which must fit on each worker; "local" for the rows of
        one partition, a different one for the next tree, so that nothing is moved. Rows should be in random order then.
    """

    partition: str = param("broadcast", one_of("broadcast", "local"))


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskKDTClassifier(DaskEnsemble, WithProbabilities, KDTClassifier):
    """`askew.KDTClassifier` on a cluster: every tree is grown by one worker.

    With ``partition="broadcast"`` the vote is the same for any partitioning and any number of workers.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from askew import SADTClassifier
    >>> from askew.dask import DaskKDTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> vote = DaskKDTClassifier(estimator=SADTClassifier(max_depth=2), n_estimators=3, random_state=0)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     vote = vote.fit(da.from_array(X, chunks=(50, 4)), da.from_array(y, chunks=50))
    >>> vote.predict(X[:2])
    array([0, 0])
    """

    _plain_class = KDTClassifier

    def _fit_on(self, cluster: Cluster, X: Partitioned, y: Partitioned, sample_weight: Partitioned | None) -> None:
        model = self._tree()
        check_parameters(model)
        facts = read_parts(cluster, model, X, y, sample_weight)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_estimators)
        tables = _tables(cluster, self.partition)
        futures = [
            cluster.submit(
                _fitted, clone(model).set_params(random_state=int(seed)), facts.schema, tables[i % len(tables)]
            )
            for i, seed in enumerate(seeds)
        ]
        self._take_fitted(cluster.results(futures))


class _DaskForest(DaskEnsemble):
    """Mixin that grows a forest on a cluster."""

    def _check(self) -> None:
        super()._check()
        for name in ("oob_score", "warm_start"):
            if getattr(self, name):
                raise InvalidParameterError(
                    f"The {name!r} parameter of {type(self).__name__} must be False on a cluster. Got True instead."
                )
        self._check_together()

    def _fit_on(self, cluster: Cluster, X: Partitioned, y: Partitioned, sample_weight: Partitioned | None) -> None:
        facts = read_parts(cluster, self, X, y, sample_weight)
        seed = self._seed()
        grown = self._grow_on(cluster, facts, seed)
        scale = ColumnScales.of(lambda query: cluster.ask([query])[0], NodePath(), facts.mass).deviation
        facts.schema.write(self)
        self.seed_, self.feature_scale_ = seed, scale
        self._take(grown)

    def _grow_on(self, cluster: Cluster, facts: Facts, seed: int) -> list[Tree]:
        """Grow some trees in each task."""
        plain = self.plain()
        assert isinstance(plain, Forest)
        plain.seed_ = seed
        seeds = tree_seeds(seed, 0, self.n_estimators)
        if facts.factors is not None:
            plain.set_params(class_weight=None)  # is in the weights
        partition: str = self.partition
        tables, n_tasks = _tables(cluster, partition), 4 * cluster.n_threads()
        if partition == "broadcast":
            some = np.array_split(np.arange(seeds.size), min(n_tasks, seeds.size))
        else:  # a tree belongs to a partition, whatever the number of workers
            some = [np.arange(i, seeds.size, len(tables)) for i in range(min(len(tables), seeds.size))]
        futures = [
            cluster.submit(_grown, plain, seeds[numbers], tables[i % len(tables)]) for i, numbers in enumerate(some)
        ]
        trees: dict[int, Tree] = {}
        for numbers, grown in zip(some, cluster.results(futures), strict=True):
            trees.update(zip(numbers.tolist(), grown, strict=True))
        return [trees[i] for i in range(seeds.size)]


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskObliqueForestClassifier(_DaskForest, WithProbabilities, ObliqueForestClassifier):
    """`askew.ObliqueForestClassifier` on a cluster: every tree is grown by one worker.

    With ``partition="broadcast"`` the forest is that of one machine, for any partitioning and any number of workers.
    """

    _plain_class = ObliqueForestClassifier


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskObliqueForestRegressor(_DaskForest, ObliqueForestRegressor):
    """`askew.ObliqueForestRegressor` on a cluster: every tree is grown by one worker.

    With ``partition="broadcast"`` the forest is that of one machine, for any partitioning and any number of workers.
    """

    _plain_class = ObliqueForestRegressor
