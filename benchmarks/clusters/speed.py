"""CE-DT on one worker and on two, beside CE-DT without a cluster: time, memory, bytes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from distributed import Client

from askew import CEDTClassifier
from askew.dask import DaskCEDTClassifier
from benchmarks.clusters.runs import CORES, Run, fit, made, workers
from benchmarks.report import Goal, Section, times

D, PARTS = 20, 8


@dataclass(frozen=True)
class Size:
    """Rows, the depth of the tree, and the effort of CE-DT; rows whose bytes are compared, in deeper trees."""

    n: int
    depth: int = 1  # ten levels take ten times as long, in the same proportions
    effort: dict[str, Any] = field(default_factory=dict)
    compared: tuple[int, int] = (100_000, 10_000)
    levels: int = 3


QUICK = Size(8_000, 1, {"patience": 1, "n_samples": 20}, (4_000, 2_000), 2)


def run(size: Size, runs: list[Run]) -> Iterator[Section]:
    """Measure; `runs` is given those on one worker and on two."""
    alone, tree = _plain(size)
    for n_workers in (1, 2):
        with workers(n_workers) as client:
            runs.append(_fit(client, size.n, size.depth, size.effort))
    yield _times(size, alone, tree, runs)
    with workers(2) as client:
        yield _bytes([runs[1], *(_fit(client, n, size.levels, size.effort) for n in size.compared)])


def _plain(size: Size) -> tuple[float, Any]:
    """Return the time of a fit without a cluster, and the tree."""
    step = -(-size.n // PARTS)
    rows = np.concatenate([made(start, min(step, size.n - start), D) for start in range(0, size.n, step)])
    X, y = np.ascontiguousarray(rows[:, :D]), rows[:, D].astype(np.int64)
    del rows
    start = time.perf_counter()
    tree = CEDTClassifier(max_depth=size.depth, random_state=0, **size.effort).fit(X, y)
    return time.perf_counter() - start, tree.tree_


def _fit(client: Client, n: int, depth: int, effort: dict[str, Any]) -> Run:
    tree = DaskCEDTClassifier(max_depth=depth, local_rows=0, random_state=0, **effort)
    return fit(client, tree, n, D, PARTS)


def _times(size: Size, alone: float, tree: Any, runs: list[Run]) -> Section:
    part = size.n * (D + 2) * 8.0
    speed_up, against = runs[0].seconds / runs[1].seconds, runs[0].seconds / alone
    return Section(
        f"CE-DT on {size.n:,} x {D}, depth {size.depth}",
        f"{PARTS} partitions, a thread a worker, {CORES} cores. The tree is "
        f"{'that of plain CE-DT' if tree == runs[0].tree else 'another than that of plain CE-DT'}. A part is its rows "
        "as float64, with class and weight.",
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


def _bytes(runs: list[Run]) -> Section:
    levels = range(max(len(r.traffic) for r in runs))
    return Section(
        "Bytes of a level",
        "What each partition answers in all rounds of a level. It depends on planes, bins, nodes and classes; "
        "on rows only as the planes (2 d log2 n) and the rounds do that CE-DT needs.",
        ("level", *(f"{r.n:,} rows, {r.n_rounds} rounds" for r in runs)),
        [
            ["reading" if i == 0 else f"{i}", *(f"{r.traffic[i]:,}" if i < len(r.traffic) else "" for r in runs)]
            for i in levels
        ],
    )
