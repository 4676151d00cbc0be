"""Trees on Parquet files that are larger than the memory of all workers together."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import pandas as pd
from dask.utils import parse_bytes
from distributed import Client

from askew.dask import DaskCARTClassifier, DaskObliqueTreeClassifier
from benchmarks.clusters.runs import forget_peak, made, memory, workers
from benchmarks.report import Goal, Section

D, WORKERS = 20, 2


@dataclass(frozen=True)
class Files:
    """How many rows, in how many files, and the memory limit of a worker."""

    n: int = 7_200_000
    parts: int = 120
    limit: str = "600MB"


QUICK = Files(40_000, 8, "1GB")


def run(files: Files) -> Iterator[Section]:
    """Write the files and fit trees on them."""
    trees = [
        ("CART, depth 3", DaskCARTClassifier(max_depth=3, local_rows=20_000)),
        ("linear, depth 1", DaskObliqueTreeClassifier(search="linear", max_depth=1, local_rows=20_000)),
    ]
    with tempfile.TemporaryDirectory() as folder:
        nbytes = sum(_written(folder, number, files.n // files.parts) for number in range(files.parts))
        with workers(WORKERS, files.limit) as client:
            pids = client.run(os.getpid)
            rows = [_fitted(name, tree, folder, client) for name, tree in trees]
            same = client.run(os.getpid) == pids
    limit = WORKERS * parse_bytes(files.limit)
    yield Section(
        "Files larger than the memory of all workers",
        f"{files.n:,} x {D} rows: {nbytes / 1e9:.2f} GB in {files.parts} Parquet files; {WORKERS} workers with a "
        f"memory limit of {files.limit} each. Parts that do not fit are on the workers' disks, and are read again in "
        "every round. The peak is that of a worker's process, of which Python and its libraries take some 200 MB.",
        ("search", "seconds", "rounds", "peak of a worker", "training accuracy"),
        rows,
        [
            Goal(f"the files are larger than all workers' memory: {nbytes / limit:.2f}x", nbytes > limit),
            Goal("no worker ran out of memory and was started again", same),
        ],
    )


def _written(folder: str, number: int, size: int) -> int:
    """Write a file, and return its size."""
    path = Path(folder) / f"part-{number:03}.parquet"
    names = [*(f"x{j}" for j in range(D)), "y"]
    pd.DataFrame(made(number * size, size, D), columns=names).to_parquet(path, index=False)
    return path.stat().st_size


def _fitted(name: str, tree: Any, folder: str, client: Client) -> list[str]:
    frame = dd.read_parquet(f"{folder}/part-*.parquet")
    client.run(forget_peak)
    start = time.perf_counter()
    tree.fit(frame.drop(columns="y"), frame["y"].astype(int))
    seconds = time.perf_counter() - start
    peak = max(client.run(memory).values())
    share = float(tree.tree_.value[tree.tree_.is_leaf].max(axis=1).sum() / tree.tree_.mass[0])
    return [name, f"{seconds:.0f}", f"{tree.n_rounds_}", f"{peak / 1e6:.0f} MB", f"{share:.3f}"]
