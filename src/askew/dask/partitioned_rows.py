"""`PartitionedRows`: rows that no worker holds all of. What growth asks about nodes, it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.criterion import Criterion
from askew.dask.cluster import Cluster
from askew.dask.exact import Grid, centre_of, sum_unit
from askew.dask.gathered import find_gathered, grow_gathered
from askew.dask.part import Bins, Path
from askew.dask.queries import Query, Totals, units
from askew.dask.rounds import Rounds
from askew.dask.where import Where
from askew.grow import Node, Search
from askew.limits import Limits
from askew.split import Split
from askew.table import Summary
from askew.tree import Tree

_T = TypeVar("_T")
_Item = TypeVar("_Item")


@dataclass(frozen=True, eq=False)
class PartitionedRows:
    """Rows on the workers of a cluster, as growth sees them; searches see a `askew.dask.partitioned.PartitionedTable`.

    All that is asked goes to every part of the rows and comes back as whole numbers, which add up exactly: the tree is
    the same for any partitioning, any number of workers and any order of arrival.

    Attributes
    ----------
    cluster : the parts
    n_rows, n_features, n_classes, feature_names, given : as in `askew.table.Table`
    unit, largest_weight : what the weights are multiples of; the largest
    extent_of_y : the least and the largest number; zeros for classes
    bins, max_bins : of every feature; how many at most
    local_rows : a node with no more rows is brought together on one worker
    criterion : as the user gave it: what workers make their own from
    threads : of a task
    tell : is told of each level
    """

    cluster: Cluster
    n_rows: int
    n_features: int
    n_classes: int
    feature_names: tuple[str, ...]
    given: int
    unit: float
    largest_weight: float
    extent_of_y: tuple[float, float]
    bins: Bins
    max_bins: int
    local_rows: int
    criterion: Any
    threads: int
    tell: Callable[[str], None] | None = None
    rounds: Rounds = field(init=False)

    by_level: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", Rounds(self.cluster.ask))

    @property
    def classification(self) -> bool:
        """Whether the rows have classes rather than numbers."""
        return self.n_classes > 0

    # --- growth

    @property
    def everything(self) -> Where:
        """All rows."""
        return self._wheres(Path(), None, [Path()])[0]

    def for_each(self, function: Callable[[_Item], _T], items: Sequence[_Item]) -> Iterable[_T]:
        """Return what a function that asks the table says of each item; all items are asked about together."""
        if items:
            self.cluster.traffic.append(0)
            if self.tell is not None:
                level = len(self.cluster.traffic) - 1
                self.tell(f"level {level}, {len(items)} nodes, {self.cluster.n_rounds} rounds so far")
        return self.rounds.run(function, items)

    def ask(self, query: Query) -> Any:
        """Return the answer of all parts to a question."""
        return self.rounds.ask(query)

    def in_units(self, counts: NDArray[np.int64], grid: Grid) -> NDArray[np.float64]:
        """Return counts of sides as weights, moments and samples."""
        return counts * units(self.unit, self.n_classes, grid)

    def _wheres(self, path: Path, split: Split | None, paths: list[Path]) -> list[Where]:
        """Return the rows of some nodes: the children of a node, or the node itself."""
        low, high = self.extent_of_y
        rough = Grid(0.0, sum_unit(self.largest_weight * max(abs(low), abs(high)), self.n_rows), 2.0**1000)
        if self.classification:
            rough = Grid()
        splits = () if split is None else (split,)
        counts, lows, highs = self.ask(Totals(path, splits, (rough,) * len(paths)))
        if self.classification:
            k = self.n_classes
            return [
                Where(p, int(c[k:-1].sum()), self.in_units(c, rough), rough) for p, c in zip(paths, counts, strict=True)
            ]
        grids, means = [], []
        for c, lower, upper in zip(counts, lows, highs, strict=True):
            mass, total = self.in_units(c, rough)[:2]
            centre = centre_of(total, mass, float(lower), float(upper)) if mass > 0 else 0.0
            grids.append(
                Grid.of(centre, float(lower), float(upper), self.largest_weight, int(c[3])) if mass else Grid()
            )
            means.append((float(lower) if lower == upper else total / mass) if mass > 0 else 0.0)
        counts, _, _ = self.ask(Totals(path, splits, tuple(grids)))
        return [
            Where(p, int(c[3]), self.in_units(c, g), g, float(a), float(b), m)
            for p, c, a, b, g, m in zip(paths, counts, lows, highs, grids, means, strict=True)
        ]

    def summary(self, criterion: Criterion, rows: Where) -> Summary:
        """Return what a tree records of a node."""
        samples = float(rows.counts[-1])
        if self.classification:
            value = rows.counts[: self.n_classes]
            pure = int((value > 0).sum()) <= 1
            mass = self.mass(rows)
        else:
            value, mass, pure = np.array([rows.mean]), float(rows.counts[0]), rows.low == rows.high
        counts = rows.counts[: self.n_classes or 3]
        impurity = 0.0
        if not pure:
            impurity = _core.impurity_of_counts(criterion.kernel, counts, classification=self.classification)
        return value, samples, mass, impurity, pure

    def samples(self, rows: Where) -> float:
        """Return how many samples some rows stand for."""
        return float(rows.counts[-1])

    def mass(self, rows: Where) -> float:
        """Return the weight of some rows."""
        return float(rows.counts[: self.n_classes or 1].sum())

    def divide(self, rows: Where, split: Split) -> list[tuple[Self, Where]]:
        """Send rows to the children of a split."""
        paths = [rows.path.child(split, child) for child in range(split.n_children)]
        return [(self, where) for where in self._wheres(rows.path, split, paths)]

    def subtree(self, node: Node, search: Any, criterion: Criterion, limits: Limits) -> Callable[[], Tree] | None:
        """Grow the tree below a node on one worker, if its rows are few; None if not."""
        # Best-first growth and a least decrease of impurity (a share of the root's) depend on the whole tree.
        if node.rows.size > self.local_rows or limits.best_first or limits.min_impurity_decrease > 0:
            return None
        below = replace(limits, max_depth=limits.max_depth - node.depth)
        future = self._gather(node, grow_gathered, search.local, below)
        return lambda: self.cluster.results([future])[0]

    def find_gathered(self, node: Node, search: Search) -> Split | None:
        """Find the split of a node whose rows are few on one worker."""
        limits = (node.min_samples_leaf, node.min_weight_leaf)
        future = self._gather(node, find_gathered, search, limits)
        split, looked_at = self.cluster.results([future])[0]
        node.looked_at += looked_at
        return split  # type: ignore[no-any-return]

    def _gather(self, node: Node, function: Callable[..., Any], *given: Any) -> Any:
        rows: Any = node.rows
        what = (self.criterion, node.depth, node.seed, self.threads)
        return self.cluster.gathered(rows.path, function, what, *given)
