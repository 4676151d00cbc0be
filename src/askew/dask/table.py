"""Rows spread over workers: what growth (`PartitionedRows`) and searches (`PartitionedTable`) ask, they count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf, sqrt
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.dask.batched_queries import Rounds
from askew.dask.cluster import Cluster
from askew.dask.exact_sums import Grid, centre_of, sum_unit
from askew.dask.linear_fits import NodeFits
from askew.dask.local_growth import find_gathered, grow_gathered
from askew.dask.part import Bins, Path
from askew.dask.planes import AlongPlanes, Neighbours, plane_bins, values_along
from askew.dask.queries import Extents, Histogram, Planes, Query, Sample, Sides, Totals, units
from askew.dask.scales import ColumnScales, quartiles
from askew.data.table import Summary
from askew.grow.criterion import Criterion
from askew.grow.grow import Node, Search
from askew.grow.limits import Limits
from askew.model.split import Split
from askew.model.tree import Tree
from askew.search.oblique import SCALINGS


@dataclass(eq=False)
class Where:
    """The rows of a node, wherever they are: what `Node.rows` is for a partitioned table.

    Attributes
    ----------
    path : the node
    size : number of rows
    counts : of all its rows (core/score/count_scores.hpp)
    low, high : extent of y; 0 for classes
    grid : what moments of its rows are rounded to
    mean : of y
    histogram, sample, fits : counts of every bin, some rows, penalised fits, once they were asked for
    """

    path: Path
    size: int
    counts: NDArray[np.float64]
    grid: Grid
    low: float = 0.0
    high: float = 0.0
    mean: float = 0.0
    histogram: NDArray[np.float64] | None = None
    sample: NDArray[np.float64] | None = None
    fits: NodeFits | None = None


_T = TypeVar("_T")
_Item = TypeVar("_Item")


@dataclass(frozen=True, eq=False)
class PartitionedRows:
    """Rows on the workers of a cluster, as growth sees them; searches see a `askew.dask.table.PartitionedTable`.

    All that is asked goes to every part of the rows and comes back as whole numbers, which add up exactly: the tree is
    the same for any partitioning, any number of workers and any order of arrival.

    Attributes
    ----------
    cluster : the parts
    n_rows, n_features, n_classes, feature_names, given : as in `askew.data.table.Table`
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
        split, n_evaluated = self.cluster.results([future])[0]
        node.n_evaluated += n_evaluated
        return split  # type: ignore[no-any-return]

    def _gather(self, node: Node, function: Callable[..., Any], *given: Any) -> Any:
        rows: Any = node.rows
        what = (self.criterion, node.depth, node.seed, self.threads)
        return self.cluster.gathered(rows.path, function, what, *given)


_MINMAX, _STANDARD, _ROBUST = (SCALINGS[name] for name in ("minmax", "standard", "robust"))
_SAMPLED_BINS = 8  # rows of a sample for each bin along a plane


@dataclass(frozen=True, eq=False)
class PartitionedTable(PartitionedRows):
    """Rows on the workers of a cluster, in place of an `askew.data.table.Table`: what counting searches ask for."""

    # --- cuts of features

    def _scores(self, criterion: Criterion, node: Node, sides: NDArray[np.float64], **options: Any) -> Any:
        rows: Any = node.rows
        return _core.score_counts(
            criterion.kernel,
            sides,
            rows.counts,
            classification=self.classification,
            min_samples_leaf=max(1.0, node.min_samples_leaf),
            min_weight_leaf=node.min_weight_leaf,
            **options,
        )

    def histogram(self, rows: Where) -> NDArray[np.float64]:
        """Return the counts of every bin on the rows of a node."""
        if rows.histogram is None:
            (counts,) = self.ask(Histogram(rows.path, rows.grid))
            rows.histogram = self.in_units(counts, rows.grid)
        return rows.histogram

    def _best_edges(
        self, criterion: Criterion, node: Node, histogram: NDArray[np.float64], first: NDArray[np.int64]
    ) -> list[tuple[float, int]]:
        """Return the score of the best edge of each column of a histogram, and its place; infinite if there is none."""
        best = []
        for start, end in pairwise(first):
            lower = np.cumsum(histogram[start : end - 1], axis=0)
            scores = self._scores(criterion, node, lower, as_sweep=True) if len(lower) else np.array([inf])
            place = int(np.argmin(scores))
            best.append((float(scores[place]), place))
        return best

    def axis_cut(
        self, criterion: Criterion, node: Node, max_features: int | None = None, seed: int = 0
    ) -> tuple[int, float, float] | None:
        """Return feature, threshold and score of the best cut at the edge of a bin."""
        rows: Any = node.rows
        best = self._best_edges(criterion, node, self.histogram(rows), self.bins.first)
        feature = int(np.argmin([score for score, _ in best]))
        score, place = best[feature]
        if not score < inf:
            return None
        plane, limit = np.eye(1, self.n_features, feature), self.bins.edges[feature][place]
        a, b = self.ask(Neighbours(rows.path, plane, np.array([limit])))
        return feature, _midpoint(float(a[0]), float(b[0])), score

    # --- fits

    def _fits(self, rows: Where) -> NodeFits:
        """Return the fits of a node."""
        if rows.fits is None:
            if self.classification:
                rows.fits = NodeFits(self.ask, rows.path, rows.size, self.mass(rows), rows.counts[: self.n_classes])
            else:
                mass, first, second = rows.counts[:3].tolist()
                deviation = sqrt(max(second / mass - (first / mass) ** 2, 0.0)) or 1.0
                rows.fits = NodeFits(self.ask, rows.path, rows.size, mass, np.empty(0), rows.mean, deviation)
        return rows.fits

    def linear_directions(
        self,
        node: Node,
        *,
        canonical: int = 0,
        groups: NDArray[np.int8] | None = None,
        starts: Sequence[Split] = (),
        **penalty: Any,
    ) -> NDArray[np.float64]:
        """Return planes that are fitted to the classes or to y: see `askew.data.table.Table`."""
        rows: Any = node.rows
        fits, found = self._fits(rows), []
        if canonical:
            found += fits.canonical(penalty["l2"], canonical)
        if groups is not None:
            found += fits.logistic(groups, **penalty)
        if not self.classification:
            found += [fits.ridge(**penalty), *fits.hinges(starts, **penalty)]
        return fits.planes(found)

    def plane_cuts(
        self, criterion: Criterion, node: Node, planes: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return threshold and score of the best cut along each plane, at the edge of a bin."""
        rows: Any = node.rows
        thresholds, scores = np.full(len(planes), inf), np.full(len(planes), inf)
        if not len(planes):
            return thresholds, scores
        share = min(1.0, _SAMPLED_BINS * self.max_bins / rows.size)
        if rows.sample is None:
            (rows.sample,) = self.ask(Sample(rows.path, share))
        bins = plane_bins(values_along(rows.sample, planes), self.max_bins, complete=share == 1.0)
        (counts,) = self.ask(AlongPlanes(rows.path, rows.grid, planes, bins))
        best = self._best_edges(criterion, node, self.in_units(counts, rows.grid), bins.first)
        cut = [i for i, (score, _) in enumerate(best) if score < inf]
        if cut:
            limits = np.array([bins.edges[i][best[i][1]] for i in cut])
            below, above = self.ask(Neighbours(rows.path, planes[cut], limits))
            thresholds[cut] = [_midpoint(float(a), float(b)) for a, b in zip(below, above, strict=True)]
            scores[cut] = [best[i][0] for i in cut]
        return thresholds, scores

    def class_mass(self, node: Node, split: Split) -> NDArray[np.float64]:
        """Return the weight of each class in the first child of a split of a node."""
        rows: Any = node.rows
        (counts,) = self.ask(Sides(rows.path, rows.grid, (split,)))
        return self.in_units(counts, rows.grid)[0, : self.n_classes]

    # --- planes by cross-entropy

    def column_scales(self, node: Node, scaling: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where each column lies on a node's rows, and how wide it is there; width 0 if it is constant."""
        rows: Any = node.rows
        low, high = self.ask(Extents(rows.path))
        shift, scale = np.zeros(self.n_features), np.ones(self.n_features)
        if scaling == _ROBUST:
            samples = self.histogram(rows)[:, -1]
            shift, scale = quartiles(self.ask, rows.path, self.bins, samples, low, high)
        elif scaling in (_MINMAX, _STANDARD):
            measured = ColumnScales.of(self.ask, rows.path, self.samples(rows), by_samples=True)
            shift, scale = measured.mean, measured.deviation
            scale = scale if scaling == _STANDARD else 2 * (high * 0.5 - low * 0.5)
        return _core.usable_scales(low, high, shift, scale)

    def cross_entropy(self, criterion: Criterion, node: Node, **rules: Any) -> tuple[Any, ...]:
        """Search planes by the cross-entropy method: every worker draws them, and counts what is above."""
        rows: Any = node.rows
        where = {name: rules.pop(name) for name in ("features", "shift", "inverse")}
        search = _core.CrossEntropySearch(where["features"].size + 1, **rules)
        while not search.done:
            mu, kappa, n, seed = search.distribution()
            drawn = Planes(rows.path, rows.grid, **where, mu=mu, kappa=kappa, n=n, seed=seed, threads=self.threads)
            (counts,) = self.ask(drawn)
            search.take(self._scores(criterion, node, self.in_units(counts, rows.grid)))
        return search.result()

    def split_scores(self, criterion: Criterion, node: Node, splits: Sequence[Split | None]) -> list[float]:
        """Return the score of splits in two on a node's rows; infinite without one, or if the limits refuse a child."""
        rows: Any = node.rows
        given = tuple(split for split in splits if split is not None)
        if not given:
            return [inf] * len(splits)
        (counts,) = self.ask(Sides(rows.path, rows.grid, given))
        scores = iter(self._scores(criterion, node, self.in_units(counts, rows.grid)).tolist())
        return [inf if split is None else next(scores) for split in splits]


def _midpoint(a: float, b: float) -> float:
    """Half-way between a < b, never b (core/score/sweep.hpp)."""
    middle = a * 0.5 + b * 0.5
    return middle if a <= middle < b else a
