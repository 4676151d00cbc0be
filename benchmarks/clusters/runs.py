"""Fits on workers of this machine: the rows, which workers make, and what a fit took."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask import persist
from distributed import Client, LocalCluster, wait

CLASSES = 3
CORES = os.cpu_count() or 1


def made(start: int, size: int, d: int) -> np.ndarray:
    """Return rows of features and, last, their class: the side of two planes, with a tenth at random."""
    rng = np.random.default_rng(start)
    X = rng.normal(size=(size, d))
    label = (X[:, : d // 2].sum(axis=1) > 0).astype(float) + (X[:, d // 2 :].sum(axis=1) > 1)
    label = np.where(rng.random(size) < 0.1, rng.integers(0, CLASSES, size), label)
    return np.column_stack((X, label))


def _features(d: int, block_info: Any = None) -> np.ndarray:
    (start, end), _ = block_info[None]["array-location"]
    return np.ascontiguousarray(made(start, end - start, d)[:, :d])


def _classes(d: int, block_info: Any = None) -> np.ndarray:
    ((start, end),) = block_info[None]["array-location"]
    return made(start, end - start, d)[:, d].astype(np.int64)


def collection(n: int, d: int, parts: int) -> tuple[Any, Any]:
    """Return X and y, made on the workers and kept there."""
    size = -(-n // parts)
    chunks = tuple(min(size, n - i * size) for i in range(parts))
    X = da.map_blocks(_features, d, chunks=(chunks, (d,)), dtype=np.float64)
    y = da.map_blocks(_classes, d, chunks=(chunks,), dtype=np.int64)
    X, y = persist(X, y)
    wait([X, y])
    return X, y


@contextmanager
def workers(n: int, memory_limit: Any = 0) -> Iterator[Client]:
    """Start workers of one thread."""
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50, "memory_limit": memory_limit}
    with LocalCluster(n_workers=n, **options) as cluster, Client(cluster) as client:
        client.run(_imported)
        yield client


def _imported() -> None:
    import askew.dask  # noqa: F401


@dataclass(frozen=True)
class Run:
    """What one fit took.

    Attributes
    ----------
    n, d, parts, n_workers : int
        Rows, features, partitions, workers.
    seconds : float
        The wall clock.
    n_rounds, traffic : int or list of int
        Rounds, and bytes of each level.
    counting, merging : float
        Seconds that tasks on partitions, and those that add up answers, took on workers.
    peak : float
        The largest memory of a worker in the fit, above what it has without rows.
    tree : object
        The tree.
    """

    n: int
    d: int
    parts: int
    n_workers: int
    seconds: float
    n_rounds: int
    traffic: list[int]
    counting: float
    merging: float
    peak: float
    tree: Any


def memory(name: str = "VmHWM") -> float:
    """Return the largest memory of this process since `forget_peak`, in bytes; the present one is VmRSS."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return float(line.split()[1]) * 1024.0
    return 0.0


def forget_peak() -> None:
    """Start to record the largest memory again."""
    Path("/proc/self/clear_refs").write_text("5")


def _durations(dask_scheduler: Any) -> dict[str, float]:
    return {name: tasks.all_durations.get("compute", 0.0) for name, tasks in dask_scheduler.task_prefixes.items()}


def fit(client: Client, tree: Any, n: int, d: int, parts: int) -> Run:
    """Fit a tree on workers that have the rows in memory."""
    bare = client.run(memory, "VmRSS")
    rows = collection(n, d, parts)
    client.run(forget_peak)
    before = client.run_on_scheduler(_durations)
    start = time.perf_counter()
    tree.fit(*rows)
    seconds = time.perf_counter() - start
    peaks, after = client.run(memory), client.run_on_scheduler(_durations)
    took = {name: spent - before.get(name, 0.0) for name, spent in after.items()}
    merging = took.pop("merge", 0.0)
    peak = max(peaks[name] - bare[name] for name in bare)
    counting = sum(took.values())
    return Run(n, d, parts, len(bare), seconds, tree.n_rounds_, tree.traffic_, counting, merging, peak, tree.tree_)
