"""Estimators of `askew.dask` on small data, and clusters of real processes, for the sections that use them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context
from sklearn.datasets import load_diabetes, load_wine

import askew
from askew import dask as on_cluster
from trust.models import digest, is_classifier

LONG = 600.0  # seconds without a worker: a busy machine is slow to start one


def estimators() -> dict[str, Any]:
    """Return estimators of every class of `askew.dask`, of every search that they can run, not fitted."""
    tree = {"random_state": 0, "max_depth": 4, "timeout": LONG}
    planes = {"n_samples": 40, "patience": 2, **tree, "max_depth": 3}
    linear = {"search": "linear", "local_rows": 40, **tree}
    many = {"random_state": 0, "max_depth": 4, "n_estimators": 24, "timeout": LONG}
    vote = {"estimator": askew.CEDTClassifier(n_samples=40, max_depth=3), "n_estimators": 12, "timeout": LONG}
    return {
        "DaskCARTClassifier": on_cluster.DaskCARTClassifier(local_rows=0, **tree),
        "DaskCARTRegressor": on_cluster.DaskCARTRegressor(local_rows=0, **tree),
        "DaskCEDTClassifier": on_cluster.DaskCEDTClassifier(local_rows=40, **planes),
        "DaskCEDTRegressor": on_cluster.DaskCEDTRegressor(local_rows=40, **planes),
        "DaskObliqueTreeClassifier, axis, then oc1": on_cluster.DaskObliqueTreeClassifier(
            search="axis", local_search="oc1", local_rows=60, **tree
        ),
        "DaskObliqueTreeClassifier, linear": on_cluster.DaskObliqueTreeClassifier(**linear),
        "DaskObliqueTreeRegressor, linear": on_cluster.DaskObliqueTreeRegressor(**linear),
        "DaskObliqueForestClassifier": on_cluster.DaskObliqueForestClassifier(**many),
        "DaskObliqueForestRegressor": on_cluster.DaskObliqueForestRegressor(**many),
        "DaskKDTClassifier": on_cluster.DaskKDTClassifier(random_state=0, **vote),
    }


def data(model: Any) -> tuple[Any, ...]:
    """Return a small table, targets and weights that are no whole numbers."""
    X, y = load_wine(return_X_y=True) if is_classifier(type(model)) else load_diabetes(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:178]
    return X[rows, :6], y[rows], np.random.default_rng(1).uniform(0.1, 2.0, rows.size)


def whole(model: Any) -> list[Any]:
    """Return the data of an estimator as Dask arrays of one partition."""
    return [da.from_array(one, chunks=-1) for one in data(model)]


def parted(model: Any, rng: np.random.Generator, most: int = 8) -> list[Any]:
    """Return the data as Dask arrays of some random partitions, rows in random order; partitions may be empty."""
    arrays = data(model)
    n = len(arrays[0])
    order, n_parts = rng.permutation(n), int(rng.integers(2, most + 1))
    ends = np.sort(rng.integers(0, n + 1, n_parts - 1))
    sizes = tuple(int(size) for size in np.diff([0, *ends, n]))
    return [da.from_array(one[order], chunks=(sizes, *one.shape[1:])) for one in arrays]


def fitted_digest(model: Any, arrays: list[Any]) -> str:
    """Fit an estimator on the current cluster; return the hash of the model."""
    return digest(model.fit(*arrays).to_local())


@contextmanager
def processes(n_workers: int) -> Iterator[Client]:
    """Start a cluster of real processes on this machine.

    Workers are forked from a process that has imported the library: one that is started again works at once.
    """
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context()  # tells the fork server what Dask needs; the library comes on top
        multiprocessing.get_context("forkserver").set_forkserver_preload(["distributed", "pandas", "askew.dask"])
        options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
        with LocalCluster(n_workers=n_workers, **options) as cluster, Client(cluster) as client:
            yield client
