"""`PartitionedTable`: a table whose rows no worker holds all of. What searches ask, it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.criterion import Criterion
from askew.dask.along import AlongPlanes, Neighbours, plane_bins, values_along
from askew.dask.linear import NodeFits
from askew.dask.partitioned_rows import PartitionedRows
from askew.dask.queries import Extents, Histogram, Planes, Sample, Sides
from askew.dask.scales import ColumnScales, quartiles
from askew.dask.where import Where
from askew.grow import Node
from askew.search.oblique import SCALINGS
from askew.split import Split

_MINMAX, _STANDARD, _ROBUST = (SCALINGS[name] for name in ("minmax", "standard", "robust"))
_SAMPLED_BINS = 8  # rows of a sample for each bin along a plane


@dataclass(frozen=True, eq=False)
class PartitionedTable(PartitionedRows):
    """Rows on the workers of a cluster, in the place of an `askew.table.Table`: what the searches that count ask."""

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
        """Return planes that are fitted to the classes or to y: see `askew.table.Table`."""
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
    """Half-way between a < b, never b (core/base/sweep.hpp)."""
    middle = a * 0.5 + b * 0.5
    return middle if a <= middle < b else a
