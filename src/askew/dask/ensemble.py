"""Ensembles on a Dask cluster: a tree is a task, on all rows or on those of one partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from distributed import Client, default_client
from sklearn.base import clone
from sklearn.utils import check_random_state

from askew.dask.cluster import Cluster
from askew.dask.collections import is_partitioned
from askew.dask.part import Part
from askew.dask.partitioned import together
from askew.dask.predicting import lazily
from askew.dask.reading import read_parts
from askew.estimators.document import documented
from askew.estimators.reading import Schema
from askew.estimators.vote import KDTClassifier
from askew.parameters import Rule, check_parameters, none, one_of, real
from askew.table import Table


def _all_rows(*parts: Part) -> Table:
    return together([part.table for part in parts])


def _own_rows(part: Part) -> Table:
    return part.table


def _fitted(tree: Any, schema: Schema, table: Table) -> Any:
    return tree.fit_table(table, tree._seed(), schema)


def fit_trees(cluster: Cluster, trees: list[Any], schema: Schema, partition: str) -> list[Any]:
    """Fit trees on the workers, each on all rows ("broadcast") or on those of one partition, in turn ("local")."""
    if partition == "broadcast":
        tables = [cluster.submit(_all_rows, *cluster.parts)]
    else:
        tables = cluster.each(_own_rows, cluster.parts)
    futures = [cluster.submit(_fitted, tree, schema, tables[i % len(tables)]) for i, tree in enumerate(trees)]
    return cluster.results(futures)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DaskKDTClassifier(KDTClassifier):
    """`askew.KDTClassifier` on a cluster: every tree is grown by one worker.

    With ``partition="broadcast"`` the vote is the same for any partitioning and any number of workers.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The client of the cluster; None: the current one.
    partition : "broadcast" or "local", default="broadcast"
        What a tree is grown on: all rows, which must fit on each worker; or the rows of one partition, which is another
        for the next tree, so that nothing is moved. Rows should be in no order then.
    timeout : float, default=60.0
        Seconds after which a cluster without scheduler, or without workers, is given up.

    Attributes
    ----------
    client_ : distributed.Client
        The client that is used.

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

    client: Any = None
    partition: str = "broadcast"
    timeout: float = 60.0

    rules: ClassVar[Mapping[str, Rule]] = {
        **KDTClassifier.rules,
        "client": Rule("a distributed.Client", lambda v: isinstance(v, Client)) | none,
        "partition": one_of("broadcast", "local"),
        "timeout": real(0.0, open_low=True),
    }

    @property
    def client_(self) -> Client:
        """The client that is used: the one that was given, or the current one."""
        return default_client() if self.client is None else self.client

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on the cluster; data that are no collection, on this machine."""
        if not is_partitioned(X):
            super().fit(X, y, sample_weight)
            return self
        check_parameters(self, self.rules)
        model = self._tree()
        check_parameters(model, model.rules)
        cluster = Cluster(self.client_, self.timeout)
        try:
            facts = read_parts(cluster, model, X, y, sample_weight)
            seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_estimators)
            trees = [clone(model).set_params(random_state=int(seed)) for seed in seeds]
            fitted = fit_trees(cluster, trees, facts.schema, self.partition)
        finally:
            cluster.release()
        self._take(fitted)
        return self

    def to_local(self) -> KDTClassifier:
        """Return the fitted vote as the estimator of this machine: without a cluster, to be stored or sent."""
        own = ("client", "partition", "timeout")
        local = KDTClassifier(**{name: v for name, v in self.get_params(deep=False).items() if name not in own})
        local._take(self.estimators_)
        return local

    def predict(self, X: Any) -> Any:
        """Return the class with most votes; of a Dask collection lazily, cut as it is."""
        return lazily(self, "predict", X) if is_partitioned(X) else super().predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the share of the trees that vote for each class; of a Dask collection lazily, cut as it is."""
        return lazily(self, "predict_proba", X) if is_partitioned(X) else super().predict_proba(X)
