"""`python -m benchmarks.clusters`: CE-DT over the workers of a Dask cluster, and a model of larger ones.

Measures on this machine, in one run: two workers beside one, one worker beside plain CE-DT, the peak memory of a
worker, the bytes of each level; then checks a model of the time of a level against runs on 1, 2, 4 and 8 workers, and
asks it for 100 workers and 10^9 rows; then fits trees on Parquet files that are larger than the memory of all workers
(`--memory`: that alone). Writes `docs/benchmarks-clusters.md`.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from rich.console import Console

from askew import CEDTClassifier
from askew.dask import DaskCARTClassifier, DaskCEDTClassifier, DaskObliqueTreeClassifier
from benchmarks.report import Goal, Section, machine, show, times

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks-clusters.md"
D, CLASSES, DEPTH = 20, 3, 3
PARTS = 8
CORES = os.cpu_count() or 1


def made(start: int, size: int, d: int) -> np.ndarray:
    """Return rows of features and, last, their class: the side of two planes, with a tenth at random."""
    rng = np.random.default_rng(start)
    X = rng.normal(size=(size, d))
    label = (X[:, : d // 2].sum(axis=1) > 0).astype(float) + (X[:, d // 2 :].sum(axis=1) > 1)
    label = np.where(rng.random(size) < 0.1, rng.integers(0, CLASSES, size), label)
    return np.column_stack((X, label))


def _block(d: int, size: int, block_info: Any = None) -> np.ndarray:
    (start, end), _ = block_info[None]["array-location"]
    return made(start, end - start, d)


def collection(n: int, parts: int) -> tuple[Any, Any]:
    """Return X and y, made on the workers."""
    size = -(-n // parts)
    chunks = tuple(min(size, n - i * size) for i in range(parts))
    rows = da.map_blocks(_block, D, size, chunks=(chunks, (D + 1,)), dtype=np.float64)
    return rows[:, :D], rows[:, D].astype(np.int64)


@contextmanager
def workers(n: int, memory_limit: Any = 0) -> Iterator[Client]:
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50, "memory_limit": memory_limit}
    with LocalCluster(n_workers=n, **options) as cluster, Client(cluster) as client:
        yield client


@dataclass(frozen=True)
class Run:
    """What one fit took.

    Attributes
    ----------
    n_workers, seconds : how many, and the wall clock
    n_rounds, traffic : rounds, and bytes of each level
    peak : what the fit added to the memory of the largest worker
    tree : the tree
    """

    n_workers: int
    seconds: float
    n_rounds: int
    traffic: list[int]
    peak: float
    tree: Any


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def fit(n: int, n_workers: int, parts: int, **effort: Any) -> Run:
    with workers(n_workers) as client:
        client.run(_imported)
        before = client.run(_memory)
        start = time.perf_counter()
        tree = DaskCEDTClassifier(max_depth=DEPTH, local_rows=1000, random_state=0, **effort).fit(*collection(n, parts))
        seconds = time.perf_counter() - start
        after = client.run(_memory)
    peak = max(after[name] - before[name] for name in before)
    return Run(n_workers, seconds, tree.n_rounds_, tree.traffic_, peak, tree.tree_)


def _imported() -> None:
    import askew.dask  # noqa: F401


def plain(n: int, parts: int, **effort: Any) -> tuple[float, Any]:
    size = -(-n // parts)
    rows = np.concatenate([made(start, min(size, n - start), D) for start in range(0, n, size)])
    X, y = np.ascontiguousarray(rows[:, :D]), rows[:, D].astype(np.int64)
    start = time.perf_counter()
    tree = CEDTClassifier(max_depth=DEPTH, random_state=0, **effort).fit(X, y)
    return time.perf_counter() - start, tree.tree_


# --- a model of larger clusters


@dataclass(frozen=True)
class Model:
    """The time of a fit, from what was measured here.

    Attributes
    ----------
    rows, per_row : measured on so many: seconds of one core for each, of D features, in all rounds of a fit
    per_round : seconds of a round without rows on one worker: client, scheduler, task
    per_part : what each further part adds to a round
    n_rounds, traffic : rounds and bytes of a fit
    latency, bandwidth : of the network
    """

    rows: int
    per_row: float
    per_round: float
    per_part: float
    n_rounds: int
    traffic: int
    latency: float = 0.0
    bandwidth: float = np.inf  # bytes in a second

    def seconds(self, n: float, parts: int, cores: int, d: int = D) -> float:
        """Return the time of a fit: cores count rows at the same time, rounds come one after the other."""
        # Planes are two for each feature and each doubling of the rows, and each costs its width.
        planes = d / D * np.log2(n) / np.log2(self.rows)
        counting = self.per_row * n * planes * (d / D) / cores
        hops = np.ceil(np.log(max(parts, 2)) / np.log(8))
        moving = self.traffic * planes / self.bandwidth * 8 * hops
        return float(
            counting + self.n_rounds * (self.per_round + self.per_part * (parts - 1) + hops * self.latency) + moving
        )


def measured(runs: list[Run], small: list[Run], n: int) -> Model:
    """Read the model from runs on one worker: with rows, and with hardly any in one part and in several."""
    one, many = (r.seconds / r.n_rounds for r in small)
    per_part = max(0.0, (many - one) / (PARTS - 1))
    alone = runs[0]
    per_row = max(0.0, alone.seconds - alone.n_rounds * many) / n
    return Model(n, per_row, one, per_part, alone.n_rounds, sum(alone.traffic[1:]))


def run(n: int, few: int, **effort: Any) -> Iterator[Section]:
    """Measure; a section is told as soon as it is known."""
    alone, in_plain = plain(n, PARTS, **effort)
    runs = [fit(n, w, PARTS, **effort) for w in (1, 2)]
    part = n * (D + 2) * 8.0
    speed_up, against = runs[0].seconds / runs[1].seconds, runs[0].seconds / alone
    yield Section(
        f"CE-DT on {n:,} x {D}, depth {DEPTH}",
        f"{PARTS} partitions, a thread a worker, {CORES} cores. The tree is "
        f"{'that of plain CE-DT' if in_plain == runs[0].tree else 'another than that of plain CE-DT'}.",
        ("fit", "seconds", "beside plain", "rounds", "memory of a worker over its part"),
        [
            ["plain CE-DT, one thread", f"{alone:.1f}", "1.00x", "", ""],
            *(
                [
                    f"{r.n_workers} worker{'s' if r.n_workers > 1 else ''}",
                    f"{r.seconds:.1f}",
                    times(r.seconds / alone),
                    f"{r.n_rounds}",
                    times(r.peak / (part / r.n_workers)),
                ]
                for r in runs
            ),
        ],
        [
            Goal(f"two workers are at least 1.6x as fast as one: {speed_up:.2f}x", speed_up >= 1.6),
            Goal(f"one worker takes at most 1.3x of plain CE-DT: {against:.2f}x", against <= 1.3),
            Goal("a worker's peak is at most 2x its part", all(r.peak * r.n_workers <= 2 * part for r in runs)),
            Goal("one worker and two give the same tree", runs[0].tree == runs[1].tree),
        ],
    )
    fewer = fit(n // 10, 2, PARTS, **effort)
    levels = range(max(len(runs[1].traffic), len(fewer.traffic)))
    yield Section(
        "Bytes of a level",
        "What each partition answers. It depends on planes, bins, nodes and classes; a tenth of the rows has about "
        "the same (planes are 2 d log2 n).",
        ("level", f"{n:,} rows", f"{n // 10:,} rows"),
        [
            [
                "reading" if i == 0 else f"{i}",
                *(f"{t[i]:,}" if i < len(t) else "" for t in (runs[1].traffic, fewer.traffic)),
            ]
            for i in levels
        ],
    )
    yield from simulated(n, few, runs, **effort)


def simulated(n: int, few: int, runs: list[Run], **effort: Any) -> list[Section]:
    model = measured(runs, [fit(few, 1, parts, **effort) for parts in (1, PARTS)], n)
    small = [fit(few, w, PARTS, **effort) for w in (2, 4, 8)]
    checked = [(n, r) for r in runs] + [(few, r) for r in small]
    rows = []
    for size, r in checked:
        own = replace(model, n_rounds=r.n_rounds)
        expected = own.seconds(size, PARTS, min(r.n_workers, CORES))
        rows.append([f"{size:,}", f"{r.n_workers}", f"{r.seconds:.1f}", f"{expected:.1f}", times(expected / r.seconds)])
    network = replace(model, latency=1e-3, bandwidth=1.25e9)
    large = []
    for n_workers, cores in ((10, 10), (100, 100), (100, 800)):
        seconds = network.seconds(1e9, 10 * n_workers, cores, d=50)
        large.append(
            [f"{n_workers}", f"{cores}", f"{1e9 * 50 * 10 / 1e9 / n_workers:,.0f} GB", f"{seconds / 60:,.0f} min"]
        )
    return [
        Section(
            "The model beside what was measured",
            f"Counting: {model.per_row * 1e6:.2f} microseconds a row and fit on one core; a round: "
            f"{model.per_round * 1e3:.0f} ms and {model.per_part * 1e3:.1f} ms for each further part. Workers beyond "
            f"the {CORES} cores count no faster.",
            ("rows", "workers", "measured, s", "model, s", "model over measured"),
            rows,
        ),
        Section(
            "10^9 x 50 rows, depth 3: simulated",
            "The model with a network of 1 ms and 10 Gbit/s, ten partitions a worker. Not measured. Time grows with "
            "the square of the features, since planes do and their width does. Memory: rows, bins and numbers of rows.",
            ("workers", "cores in all", "memory of a worker", "time"),
            large,
        ),
    ]


# --- more than the workers' memory


def _written(folder: str, number: int, size: int) -> str:
    rows = made(number * size, size, D)
    path = f"{folder}/part-{number:03}.parquet"
    pd.DataFrame(rows, columns=[*(f"x{j}" for j in range(D)), "y"]).to_parquet(path, index=False)
    return path


def larger(n: int, parts: int, limit: str) -> Iterator[Section]:
    """Fit trees on files that two workers cannot hold."""
    rows, nbytes = [], n * (D + 1) * 8
    trees = [
        ("CART", DaskCARTClassifier(max_depth=DEPTH, local_rows=20_000)),
        ("linear", DaskObliqueTreeClassifier(search="linear", max_depth=2, local_rows=20_000)),
    ]
    with tempfile.TemporaryDirectory() as folder, workers(2, limit) as client:
        client.gather(client.map(_written, [folder] * parts, range(parts), [n // parts] * parts, pure=False))
        frame, before = dd.read_parquet(f"{folder}/part-*.parquet"), client.run(os.getpid)
        for name, tree in trees:
            start = time.perf_counter()
            tree.fit(frame[frame.columns[:D]], frame["y"].astype(int))
            seconds = time.perf_counter() - start
            peak = max(client.run(_memory).values())
            share = float(tree.tree_.value[tree.tree_.is_leaf].max(axis=1).sum() / tree.tree_.mass[0])
            rows.append([name, f"{seconds:.0f}", f"{tree.n_rounds_}", f"{peak / 1e6:.0f} MB", f"{share:.3f}"])
        same = client.run(os.getpid) == before
    yield Section(
        f"{nbytes / 1e9:.1f} GB of Parquet, two workers of {limit}",
        f"{n:,} x {D} rows in {parts} files. Parts that do not fit are on the workers' disks, and are read again "
        "in every round. The peak is that of a worker's process, of which Python and its libraries take 200 MB.",
        ("search", "seconds", "rounds", "peak of a worker", "training accuracy"),
        rows,
        [Goal("no worker ran out of memory and was started again", same)],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rows: does it run?")
    parser.add_argument("--memory", action="store_true", help="files larger than the workers' memory, and no more")
    parser.add_argument("--rows", type=int, default=5_000_000)
    arguments = parser.parse_args()
    console = Console(width=140)
    n, few, effort = (
        (8_000, 2_000, {"patience": 1, "n_samples": 20}) if arguments.quick else (arguments.rows, 4_000, {})
    )
    parts = [] if arguments.memory else [run(n, few, **effort)]
    parts.append(larger(40_000, 8, "1GB") if arguments.quick else larger(9_000_000, 60, "400MB"))
    sections: list[Section] = []
    for section in chain(*parts):
        show(section, console)
        sections.append(section)
        if not (arguments.quick or arguments.memory):
            PAGE.write_text(page(sections), encoding="utf-8")


def page(sections: list[Section]) -> str:
    """Return the page of figures."""
    lines = ["# Benchmarks of clusters", "", "Written by `make bench-dask`; all in one run on one machine.", ""]
    lines += [*(f"- {name}: {value}" for name, value in machine().items()), ""]
    for section in sections:
        lines += [f"## {section.title}", "", section.text, ""]
        lines += [f"| {' | '.join(section.columns)} |", f"|---|{'---:|' * (len(section.columns) - 1)}"]
        lines += [f"| {' | '.join(row)} |" for row in section.rows]
        lines += ["", *(f"- {'met' if goal.met else '**missed**'}: {goal.text}" for goal in section.goals), ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    main()
