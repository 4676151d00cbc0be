"""`NodeRows`: the statistics of a node whose rows are spread over workers, from counts that the workers return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.dask.exact_sums import Grid, centre_of, sum_unit
from askew.dask.linear_fits import NodeFits
from askew.dask.partition import NodePath
from askew.dask.planes import AlongPlanes, Neighbours, plane_bins, values_along
from askew.dask.queries import Extents, Histogram, Planes, Sample, Sides, Totals
from askew.dask.scales import ColumnScales, quartiles
from askew.dask.table import PartitionedTable
from askew.grow.criterion import Criterion
from askew.grow.limits import Limits
from askew.grow.rows import Floats, Summary
from askew.model.split import Split

_SAMPLED_BINS = 8  # rows of a sample for each bin along a plane


@dataclass(eq=False)
class NodeRows:
    """The rows of a node on the workers of a cluster: see `askew.grow.rows.RowStatistics`.

    Attributes
    ----------
    table : PartitionedTable
        The data.
    path : NodePath
        The node, by which workers find its rows.
    limits : Limits
        The limits on growth.
    n_rows : int
        Number of rows.
    counts : float64 array
        Counts of all rows (core/score/count_scores.hpp).
    grid : Grid
        Unit that moments of the rows are rounded to.
    low, high, mean : float
        Extent and mean of y; 0 for classes.
    """

    table: PartitionedTable
    path: NodePath
    limits: Limits
    n_rows: int
    counts: Floats
    grid: Grid
    low: float = 0.0
    high: float = 0.0
    mean: float = 0.0
    # No cached_property: before Python 3.12 those of all nodes share a lock, and nodes of a level ask at the same time.
    _histogram: Floats | None = field(default=None, init=False)
    _sample: Floats | None = field(default=None, init=False)
    _fits: NodeFits | None = field(default=None, init=False)

    @classmethod
    def root(cls, table: PartitionedTable, limits: Limits) -> NodeRows:
        """Return all rows."""
        return _counted(table, limits, NodePath(), None, [NodePath()])[0]

    def divide(self, split: Split) -> list[NodeRows]:
        """Return the rows of each child of a split."""
        paths = [self.path.child(split, child) for child in range(split.n_children)]
        return _counted(self.table, self.limits, self.path, split, paths)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.table.n_features

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return self.table.n_classes

    @property
    def threads(self) -> int:
        """Number of threads of a task."""
        return self.table.threads

    @property
    def n_samples(self) -> float:
        """Number of samples that the rows stand for."""
        return float(self.counts[-1])

    @property
    def mass(self) -> float:
        """Weight of the rows."""
        return float(self.counts[: self.n_classes or 1].sum())

    def summary(self, criterion: Criterion) -> Summary:
        """Return the statistics of the node that a tree records."""
        if self.n_classes:
            value = self.counts[: self.n_classes]
            pure = int((value > 0).sum()) <= 1
        else:
            value, pure = np.array([self.mean]), self.low == self.high
        impurity = 0.0
        if not pure:
            counts = self.counts[: self.n_classes or 3]
            impurity = _core.impurity_of_counts(criterion.kernel, counts, classification=self.n_classes > 0)
        return value, self.n_samples, self.mass, impurity, pure

    # --- cuts of features

    def _scores(self, criterion: Criterion, sides: Floats, *, as_sweep: bool = False) -> Floats:
        return _core.score_counts(
            criterion.kernel,
            sides,
            self.counts,
            classification=self.n_classes > 0,
            min_samples_leaf=max(1.0, self.limits.min_samples_leaf),
            min_weight_leaf=self.limits.min_weight_leaf,
            as_sweep=as_sweep,
        )

    @property
    def histogram(self) -> Floats:
        """The counts of every bin of every feature."""
        if self._histogram is None:
            (counts,) = self.table.ask(Histogram(self.path, self.grid))
            self._histogram = self.table.in_units(counts, self.grid)
        return self._histogram

    def _best_edges(self, criterion: Criterion, histogram: Floats, first: NDArray[np.int64]) -> list[tuple[float, int]]:
        """Return the score of the best edge of each column of a histogram, and its index; infinite if there is none."""
        best = []
        for start, end in pairwise(first):
            lower = np.cumsum(histogram[start : end - 1], axis=0)
            scores = self._scores(criterion, lower, as_sweep=True) if len(lower) else np.array([inf])
            edge = int(np.argmin(scores))
            best.append((float(scores[edge]), edge))
        return best

    def axis_cut(
        self, criterion: Criterion, max_features: int | None = None, seed: int = 0
    ) -> tuple[int, float, float] | None:
        """Return feature, threshold and score of the best cut at the edge of a bin."""
        bins = self.table.bins
        best = self._best_edges(criterion, self.histogram, bins.first)
        feature = int(np.argmin([score for score, _ in best]))
        score, edge = best[feature]
        if not score < inf:
            return None
        plane, limit = np.eye(1, self.n_features, feature), bins.edges[feature][edge]
        a, b = self.table.ask(Neighbours(self.path, plane, np.array([limit])))
        return feature, _midpoint(float(a[0]), float(b[0])), score

    # --- fits

    @property
    def fits(self) -> NodeFits:
        """The penalised fits of the node."""
        if self._fits is None:
            self._fits = self._new_fits()
        return self._fits

    def _new_fits(self) -> NodeFits:
        ask = self.table.ask
        if self.n_classes:
            return NodeFits(ask, self.path, self.n_rows, self.mass, self.counts[: self.n_classes])
        mass, first, second = self.counts[:3].tolist()
        deviation = sqrt(max(second / mass - (first / mass) ** 2, 0.0)) or 1.0
        return NodeFits(ask, self.path, self.n_rows, mass, np.empty(0), self.mean, deviation)

    def linear_directions(
        self,
        penalty: _core.Penalty,
        *,
        canonical: int = 0,
        groups: NDArray[np.int8] | None = None,
        starts: Sequence[Split] = (),
    ) -> Floats:
        """Return planes that are fitted to the classes or to y (planes x columns)."""
        fits, found = self.fits, []
        if canonical:
            found += fits.canonical(penalty, canonical)
        if groups is not None:
            found += fits.logistic(groups, penalty)
        if not self.n_classes:
            found += [fits.ridge(penalty), *fits.hinges(starts, penalty)]
        return fits.planes(found)

    @property
    def _sampled_share(self) -> float:
        return min(1.0, _SAMPLED_BINS * self.table.max_bins / self.n_rows)

    @property
    def sample(self) -> Floats:
        """Some rows, of which bins along planes are made."""
        if self._sample is None:
            (self._sample,) = self.table.ask(Sample(self.path, self._sampled_share))
        return self._sample

    def plane_cuts(self, criterion: Criterion, planes: Floats) -> tuple[Floats, Floats]:
        """Return threshold and score of the best cut along each plane, at the edge of a bin."""
        thresholds, scores = np.full(len(planes), inf), np.full(len(planes), inf)
        if not len(planes):
            return thresholds, scores
        along = values_along(self.sample, planes)
        bins = plane_bins(along, self.table.max_bins, complete=self._sampled_share == 1.0)
        (counts,) = self.table.ask(AlongPlanes(self.path, self.grid, planes, bins))
        best = self._best_edges(criterion, self.table.in_units(counts, self.grid), bins.first)
        cut = [i for i, (score, _) in enumerate(best) if score < inf]
        if cut:
            limits = np.array([bins.edges[i][best[i][1]] for i in cut])
            below, above = self.table.ask(Neighbours(self.path, planes[cut], limits))
            thresholds[cut] = [_midpoint(float(a), float(b)) for a, b in zip(below, above, strict=True)]
            scores[cut] = [best[i][0] for i in cut]
        return thresholds, scores

    # --- planes by cross-entropy

    def column_scales(self, scaling: _core.Scaling) -> tuple[Floats, Floats]:
        """Return the location and the width of each column; width 0 if it is constant."""
        ask = self.table.ask
        low, high = ask(Extents(self.path))
        shift, scale = np.zeros(self.n_features), np.ones(self.n_features)
        if scaling is _core.Scaling.robust:
            samples = self.histogram[:, -1]
            shift, scale = quartiles(ask, self.path, self.table.bins, samples, low, high)
        elif scaling is not _core.Scaling.none:
            measured = ColumnScales.of(ask, self.path, self.n_samples, by_samples=True)
            shift, scale = measured.mean, measured.deviation
            scale = scale if scaling is _core.Scaling.standard else 2 * (high * 0.5 - low * 0.5)
        return _core.usable_scales(low, high, shift, scale)

    def cross_entropy(
        self,
        criterion: Criterion,
        rules: _core.CrossEntropyRules,
        *,
        features: NDArray[np.int64],
        shift: Floats,
        inverse: Floats,
        seed: int,
    ) -> _core.CrossEntropyResult:
        """Search planes by the cross-entropy method: every worker draws them, and counts the rows above each."""
        search = _core.CrossEntropySearch(features.size + 1, rules, seed=seed)
        while not search.done:
            mu, kappa, n, draw = search.distribution()
            drawn = Planes(
                self.path,
                self.grid,
                features=features,
                shift=shift,
                inverse=inverse,
                mu=mu,
                kappa=kappa,
                n=n,
                seed=draw,
                threads=self.threads,
            )
            (counts,) = self.table.ask(drawn)
            search.take(self._scores(criterion, self.table.in_units(counts, self.grid)))
        return search.result()

    # --- splits

    def _first_children(self, splits: tuple[Split, ...]) -> Floats:
        """Return the counts of the first child of each split."""
        (counts,) = self.table.ask(Sides(self.path, self.grid, splits))
        return self.table.in_units(counts, self.grid)

    def class_mass(self, split: Split) -> Floats:
        """Return the weight of each class in the first child of a split."""
        return self._first_children((split,))[0, : self.n_classes]

    def split_scores(self, criterion: Criterion, splits: Sequence[Split | None]) -> list[float]:
        """Return the score of binary splits; infinite for None, or if the limits refuse a child."""
        present = tuple(split for split in splits if split is not None)
        if not present:
            return [inf] * len(splits)
        scores = iter(self._scores(criterion, self._first_children(present)).tolist())
        return [inf if split is None else next(scores) for split in splits]


def _counted(
    table: PartitionedTable, limits: Limits, path: NodePath, split: Split | None, paths: list[NodePath]
) -> list[NodeRows]:
    """Return the rows of some nodes: the children of a node, or the node itself."""
    splits = () if split is None else (split,)
    if table.classification:
        grid, k = Grid(), table.n_classes
        counts, _, _ = table.ask(Totals(path, splits, (grid,) * len(paths)))
        return [
            NodeRows(table, p, limits, int(c[k:-1].sum()), table.in_units(c, grid), grid)
            for p, c in zip(paths, counts, strict=True)
        ]
    low, high = table.extent_of_y
    rough = Grid(0.0, sum_unit(table.largest_weight * max(abs(low), abs(high)), table.n_rows), 2.0**1000)
    counts, lows, highs = table.ask(Totals(path, splits, (rough,) * len(paths)))
    grids, means = [], []
    for c, lower, upper in zip(counts, lows.tolist(), highs.tolist(), strict=True):
        mass, total = table.in_units(c, rough)[:2].tolist()
        centre = centre_of(total, mass, lower, upper) if mass > 0 else 0.0
        grids.append(Grid.of(centre, lower, upper, table.largest_weight, int(c[3])) if mass else Grid())
        means.append((lower if lower == upper else total / mass) if mass > 0 else 0.0)
    counts, _, _ = table.ask(Totals(path, splits, tuple(grids)))
    return [
        NodeRows(table, p, limits, int(c[3]), table.in_units(c, g), g, a, b, m)
        for p, c, a, b, g, m in zip(paths, counts, lows.tolist(), highs.tolist(), grids, means, strict=True)
    ]


def _midpoint(a: float, b: float) -> float:
    """Half-way between a < b, never b (core/score/sweep.hpp)."""
    middle = a * 0.5 + b * 0.5
    return middle if a <= middle < b else a
