"""A model of clusters: what partitions, rounds and reductions cost here, and what follows for larger ones.

A fit takes what its partitions take, over all cores; what its rounds take, one after the other; and what answers take
on the network. The first is read from the times of tasks on one worker, the second from fits on hardly any rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Any

import numpy as np

from askew.dask import DaskCARTClassifier, DaskCEDTClassifier, DaskObliqueTreeClassifier
from askew.dask.cluster import reduction
from benchmarks.clusters.runs import CORES, Run, fit
from benchmarks.report import Goal, Section, times

D, WIDE, PARTS = 20, 50, 8
LARGE = 10**9


@dataclass(frozen=True)
class Machines:
    """A cluster.

    Attributes
    ----------
    n, cores, memory : machines, cores of each, memory of each in GB
    latency, bandwidth, reading : of the network: seconds of a message, bytes in a second; bytes in a second that a
        machine reads from where the files are
    """

    n: int
    cores: int
    memory: int = 0
    latency: float = 0.0
    bandwidth: float = np.inf
    reading: float = np.inf


@dataclass(frozen=True)
class Overhead:
    """What a fit takes besides counting: at its start, for each round, for each task of a round, in seconds."""

    start: float
    round: float
    task: float


@dataclass(frozen=True)
class Search:
    """A search, as measured on one worker.

    Attributes
    ----------
    name : of the search, and how deep its trees are
    run : what a fit took
    grows : whether the candidates of a node are a multiple of the logarithm of its rows
    bytes_of_row : memory of a row
    """

    name: str
    run: Run
    grows: bool
    bytes_of_row: int

    def candidates(self, n: float) -> float:
        """Return how many times the candidates of the run there are on so many rows."""
        return log2(n) / log2(self.run.n) if self.grows else 1.0

    def counting(self, n: float) -> float:
        """Return the seconds of one core that all partitions take."""
        return self.run.counting / self.run.n * n * self.candidates(n)

    def seconds(self, n: float, parts: int, machines: Machines, overhead: Overhead) -> float:
        """Return the time of a fit."""
        cores = machines.n * machines.cores
        counting = self.counting(n) / parts * ceil(parts / cores)
        tasks, hops = tasks_of_round(parts), len(reduction(parts))
        rounds = self.run.n_rounds * (overhead.round + tasks * overhead.task + (hops + 2) * machines.latency)
        # A task of the reduction gets up to eight answers, and adds them up.
        answers = 8 * sum(self.run.traffic) * self.candidates(n)
        moving = (hops + 1) * answers / machines.bandwidth
        merging = hops * self._merging() * answers
        read = 2 * n * self.run.d * 8 / (machines.n * machines.reading)
        return overhead.start + read + counting + rounds + moving + merging

    def _merging(self) -> float:
        """Return the seconds that adding up takes for a byte."""
        return self.run.merging / (self.run.parts * sum(self.run.traffic)) if self.run.merging else 0.0


def tasks_of_round(parts: int) -> int:
    """Return how many tasks a round has: the partitions, and those that add up."""
    return parts + sum(reduction(parts))


def overhead_of(runs: Sequence[Run]) -> Overhead:
    """Read the overhead from runs on one worker that differ in rounds and partitions, by least squares."""
    columns = [[1.0, r.n_rounds, r.n_rounds * tasks_of_round(r.parts)] for r in runs]
    rest = [r.seconds - r.counting - r.merging for r in runs]
    scale = 1.0 / np.array(rest)  # all of them should be right in proportion
    found = np.linalg.lstsq(np.array(columns) * scale[:, None], np.ones(len(runs)), rcond=None)[0]
    return Overhead(*np.maximum(found, 0.0).tolist())


# --- runs


@dataclass(frozen=True)
class Sizes:
    """How many rows the runs have: hardly any; what is measured; what the model is checked on."""

    few: int = 4_000
    measured: int = 100_000
    checked: int = 500_000
    effort: dict[str, Any] = field(default_factory=dict)


QUICK = Sizes(1_000, 2_000, 4_000, {"patience": 1, "n_samples": 20})


def trees(sizes: Sizes, depths: tuple[int, int, int]) -> dict[str, Any]:
    """Return the trees whose time is modelled, by name and depth."""
    own = [
        ("CART", DaskCARTClassifier()),
        ("linear", DaskObliqueTreeClassifier(search="linear")),
        ("CE-DT", DaskCEDTClassifier(random_state=0, **sizes.effort)),
    ]
    return {
        f"{name}, depth {depth}": tree.set_params(max_depth=depth, local_rows=0)
        for (name, tree), depth in zip(own, depths, strict=True)
    }


def searches(n: int, d: int, wanted: dict[str, Any]) -> list[Search]:
    """Measure each search on one worker."""
    found = []
    for name, tree in wanted.items():
        counted_by_planes = name.startswith("CE-DT")
        # Values, their bins, class, weights and the number of the row; CE-DT has float32 values packed beside them.
        memory = (8 + 2) * d + 32 + (4 * (d + 2) if counted_by_planes else 0)
        found.append(Search(name, fit(tree, n, d, PARTS, 1), counted_by_planes, memory))
    return found


def run(sizes: Sizes, larger: Sequence[Run] = ()) -> Iterator[Section]:
    """Measure the costs, check the model, and ask it; `larger` has runs of CE-DT to depth 1, to check it on, too."""
    shallow = trees(sizes, (3, 1, 1))
    small = {
        name: [fit(tree, sizes.few, D, parts, 1) for parts in (1, PARTS, 4 * PARTS)] for name, tree in shallow.items()
    }
    overhead = overhead_of([one for runs in small.values() for one in runs])
    measured = searches(sizes.measured, D, shallow)
    yield _costs(overhead, measured)
    yield _checked(sizes, overhead, measured, small, larger)
    yield _simulated(overhead, searches(sizes.measured, WIDE, trees(sizes, (6, 3, 3))))


def _costs(overhead: Overhead, measured: list[Search]) -> Section:
    return Section(
        "What a fit is made of",
        f"Measured on one worker. A fit has {overhead.start:.1f} s of its own, a round {overhead.round * 1e3:.0f} ms "
        f"and {overhead.task * 1e3:.1f} ms for each task: one for each partition, and those that add up eight answers. "
        f"The rest is counting: {measured[0].run.n:,} x {D} rows in {PARTS} partitions.",
        ("search", "rounds", "counting a row, us", "adding up, ms a round", "bytes of all answers of a partition"),
        [
            [
                s.name,
                f"{s.run.n_rounds}",
                f"{s.run.counting / s.run.n * 1e6:.2f}",
                f"{s.run.merging / s.run.n_rounds * 1e3:.2f}",
                f"{sum(s.run.traffic):,}",
            ]
            for s in measured
        ],
    )


def _checked(
    sizes: Sizes, overhead: Overhead, measured: list[Search], small: dict[str, list[Run]], larger: Sequence[Run]
) -> Section:
    """Compare the model with runs that it was not made of."""
    rows, ratios = [], []
    for s in measured:
        tree = trees(sizes, (3, 1, 1))[s.name]
        few = Search(s.name, small[s.name][1], s.grows, s.bytes_of_row)
        pairs = [(few, fit(tree, sizes.few, D, PARTS, w)) for w in (2, 4, 8)]
        pairs += [(s, fit(tree, sizes.checked, D, PARTS, w)) for w in (1, 2, 4, 8)]
        pairs += [(s, one) for one in larger if s.grows]
        for known, one in pairs:
            expected = known.seconds(one.n, one.parts, Machines(min(one.n_workers, CORES), 1), overhead)
            ratios.append(expected / one.seconds)
            cells = [s.name, f"{one.n:,}", f"{one.n_workers}", f"{one.seconds:.1f}", f"{expected:.1f}"]
            rows.append([*cells, times(ratios[-1])])
    mean = float(np.exp(np.mean(np.abs(np.log(ratios)))))
    return Section(
        "The model beside what was measured",
        f"Costs of a row come from {sizes.measured:,} rows on one worker (from {sizes.few:,} for runs on so few), "
        f"those of rounds from {sizes.few:,} rows on one worker. Workers beyond the {CORES} cores count no faster.",
        ("search", "rows", "workers", "measured, s", "model, s", "model over measured"),
        rows,
        [Goal(f"the model is right within 30% on average: {mean - 1:.0%}", mean <= 1.3)],
    )


NETWORK = {"latency": 0.5e-3, "bandwidth": 1.25e9, "reading": 0.25e9}
RENTED = [
    Machines(20, 8, 64, **NETWORK),
    Machines(100, 8, 16, **NETWORK),
    Machines(100, 32, 64, **NETWORK),
]


def _simulated(overhead: Overhead, wide: list[Search]) -> Section:
    rows = []
    for s in wide:
        for machines in RENTED:
            parts = machines.n * machines.cores
            seconds = s.seconds(LARGE, parts, machines, overhead)
            needed = s.bytes_of_row * LARGE / machines.n / 1e9
            counting = s.counting(LARGE) / parts / seconds
            rows.append(
                [s.name, f"{machines.n}", f"{machines.cores}, {machines.memory} GB", f"{needed:.0f} GB",
                 f"{seconds / 60:,.0f} min", f"{seconds / 3600 * machines.n:,.0f}", f"{counting:.0%}"]
            )  # fmt: skip
    return Section(
        f"10^9 x {WIDE} rows: simulated",
        f"Not measured: the model, with costs of a row from {wide[0].run.n:,} x {WIDE} rows, cores as fast as those "
        "here, a network of 10 Gbit/s and 0.5 ms, 250 MB/s of files read by each machine, a partition for each core.",
        ("search", "machines", "of each: cores, memory", "memory that it needs", "time", "machine hours", "counting"),
        rows,
    )
