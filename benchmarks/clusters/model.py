"""A model of clusters: what partitions, rounds and reductions cost here, and what follows for larger ones.

A fit takes what its partitions take, over all cores; what its rounds take, one after the other; and what answers take
on the network. The first is read from the times of tasks on one worker, the second from fits on hardly any rows, on one
worker and on two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log2
from typing import Any

import numpy as np
from distributed import Client
from scipy.optimize import nnls

from askew.dask import DaskCARTClassifier, DaskCEDTClassifier, DaskObliqueTreeClassifier
from askew.dask.cluster import reduction
from benchmarks.clusters.runs import CORES, Run, fit, workers
from benchmarks.report import Goal, Section, times

D, WIDE, PARTS = 20, 50, 8
LARGE = 10**9


@dataclass(frozen=True)
class Machines:
    """A cluster.

    Attributes
    ----------
    n : int
        Number of machines, each with a worker.
    cores : float
        Cores of each.
    memory : int
        Memory of each in GB.
    latency : float
        Seconds that a message takes on the network.
    bandwidth : float
        Bytes a second on the network.
    reading : float
        Bytes a second that a machine reads from the files.
    """

    n: int
    cores: float
    memory: int = 0
    latency: float = 0.0
    bandwidth: float = np.inf
    reading: float = np.inf


@dataclass(frozen=True)
class Overhead:
    """What a fit takes besides counting, in seconds.

    Attributes
    ----------
    start : float
        Once.
    round : float
        For each round.
    task : float
        For each task of a round: all of them go through the scheduler.
    fetch : float
        For each answer that a worker gets from another one.
    """

    start: float
    round: float
    task: float
    fetch: float


@dataclass(frozen=True)
class Search:
    """A search, as measured on one worker.

    Attributes
    ----------
    name : str
        The search, and the depth of its trees.
    run : Run
        The fit that was measured.
    grows : bool
        Whether the candidates of a node are a multiple of the logarithm of its rows.
    bytes_of_row : int
        Memory of a row.
    """

    name: str
    run: Run
    grows: bool
    bytes_of_row: int

    def candidates(self, n: float) -> float:
        """Return the number of candidates on `n` rows, as a multiple of those of the run."""
        return log2(n) / log2(self.run.n) if self.grows else 1.0

    def counting(self, n: float, n_rounds: int) -> float:
        """Return the seconds of one core that all partitions take."""
        return self.run.counting / self.run.n_rounds * n_rounds / self.run.n * n * self.candidates(n)

    def seconds(self, n: float, parts: int, machines: Machines, overhead: Overhead, n_rounds: int = 0) -> float:
        """Return the time of a fit; of as many rounds as the run had, if no number is given."""
        n_rounds = n_rounds or self.run.n_rounds
        cores = round(machines.n * machines.cores)
        counting = self.counting(n, n_rounds) / parts * ceil(parts / cores)
        hops = len(reduction(parts))
        a_round = [1.0, tasks_of_round(parts), fetches_of_round(parts, machines.n)]
        costs = overhead.round, overhead.task, overhead.fetch
        rounds = n_rounds * (float(np.dot(a_round, costs)) + (hops + 2) * machines.latency)
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


def fetches_of_round(parts: int, n_workers: int) -> float:
    """Return how many answers come from other workers, one after the other: of eight, all but a worker's own."""
    return sum(ceil(tasks / n_workers) for tasks in reduction(parts)) * 8 * (1 - 1 / n_workers)


def overhead_of(runs: Sequence[Run]) -> Overhead:
    """Read the overhead from runs on hardly any rows, which differ in rounds, partitions and workers."""
    columns = [
        [1.0, *(r.n_rounds * x for x in (1.0, tasks_of_round(r.parts), fetches_of_round(r.parts, r.n_workers)))]
        for r in runs
    ]
    rest = np.array([r.seconds - (r.counting + r.merging) / min(r.n_workers, CORES) for r in runs])
    # Least squares of what the model is off in proportion; no cost is negative.
    found, _ = nnls(np.array(columns) / rest[:, None], np.ones(len(runs)))
    return Overhead(*found.tolist())


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


def searches(client: Client, n: int, d: int, wanted: dict[str, Any]) -> list[Search]:
    """Measure each search on one worker."""
    found = []
    for name, tree in wanted.items():
        by_planes = name.startswith("CE-DT")
        # Values, their bins, class, weights and the number of the row; CE-DT has float32 values packed beside them.
        memory = (8 + 2) * d + 32 + (4 * (d + 2) if by_planes else 0)
        found.append(Search(name, fit(client, tree, n, d, PARTS), by_planes, memory))
    return found


def run(sizes: Sizes, larger: Sequence[Run] = ()) -> Iterator[Section]:
    """Measure the costs, check the model, and ask it; `larger` has runs of CE-DT to depth 1, to check it on, too."""
    shallow, deep = trees(sizes, (3, 1, 1)), trees(sizes, (6, 3, 3))
    small: dict[str, list[Run]] = {name: [] for name in shallow}
    for n_workers in (1, 2):
        with workers(n_workers) as client:
            for name, tree in shallow.items():
                small[name] += [fit(client, tree, sizes.few, D, parts) for parts in (PARTS, 1, 4 * PARTS)]
            if n_workers == 1:
                measured = searches(client, sizes.measured, D, shallow)
                wide = searches(client, sizes.measured, WIDE, deep)
    overhead = overhead_of([one for runs in small.values() for one in runs])
    few = [replace(s, run=small[s.name][0]) for s in measured]
    checks = [(s, one) for s in measured for one in larger if s.grows]
    for n_workers in (1, 2, 4, 8):
        with workers(n_workers) as client:
            for known, n in ((few, sizes.few), (measured, sizes.checked)):
                checks += [(s, fit(client, shallow[s.name], n, D, PARTS)) for s in known]
    yield _costs(overhead, measured)
    yield _checked(sizes, overhead, checks)
    yield _simulated(overhead, wide)


def _costs(overhead: Overhead, measured: list[Search]) -> Section:
    return Section(
        "What a fit is made of",
        f"A fit has {overhead.start:.1f} s of its own, a round {overhead.round * 1e3:.1f} ms, "
        f"{overhead.task * 1e3:.2f} ms for each task (one for each partition, and those that add up eight answers) and "
        f"{overhead.fetch * 1e3:.2f} ms for each answer that comes from another worker. The rest is "
        f"counting, here of {measured[0].run.n:,} x {D} rows in {PARTS} partitions.",
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


def _checked(sizes: Sizes, overhead: Overhead, checks: list[tuple[Search, Run]]) -> Section:
    """Compare the model with runs."""
    rows, ratios = [], []
    for known, one in sorted(checks, key=lambda check: (check[0].name, check[1].n, check[1].n_workers)):
        machines = Machines(one.n_workers, min(1.0, CORES / one.n_workers))
        expected = known.seconds(one.n, one.parts, machines, overhead, one.n_rounds)
        ratios.append(expected / one.seconds)
        cells = [known.name, f"{one.n:,}", f"{one.n_workers}", f"{one.seconds:.1f}", f"{expected:.1f}"]
        rows.append([*cells, times(ratios[-1])])
    mean = float(np.exp(np.mean(np.abs(np.log(ratios)))))
    return Section(
        "The model beside what was measured",
        f"Costs of a row come from {sizes.measured:,} rows on one worker (from {sizes.few:,} for runs on so few), "
        f"those of rounds from {sizes.few:,} rows on one worker and on two. Workers beyond the {CORES} "
        "cores count no faster.",
        ("search", "rows", "workers", "measured, s", "model, s", "model over measured"),
        rows,
        [Goal(f"the model is right within 30% on average: {mean - 1:.0%}", mean <= 1.3)],
    )


NETWORK = {"latency": 0.5e-3, "bandwidth": 1.25e9, "reading": 0.25e9}
RENTED = [
    Machines(20, 8, 64, **NETWORK),
    Machines(100, 8, 16, **NETWORK),
    Machines(25, 32, 64, **NETWORK),
]


def _simulated(overhead: Overhead, wide: list[Search]) -> Section:
    rows = []
    for s in wide:
        for machines in RENTED:
            parts = machines.n * machines.cores
            seconds = s.seconds(LARGE, parts, machines, overhead)
            needed = s.bytes_of_row * LARGE / machines.n / 1e9
            counting = s.counting(LARGE, s.run.n_rounds) / parts / seconds
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
