"""Any search, with a limit on the number of features that a node tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew.grow.criterion import Criterion
from askew.grow.grow import Node, Search
from askew.model.split import Hyperplane, Split
from askew.search.axis import best_axis_cut
from askew.search.oblique import score_on


@dataclass(frozen=True)
class FewTerms:
    """Any search of hyperplanes, with a limit on the features of a node.

    Where the search finds a plane of more, the half of its features that move it least (the smallest weights, times the
    range of the feature in the rows of the node) are left out, and it searches again, until the limit is met (recursive
    feature elimination: Guyon et al. 2002). The best axis-parallel cut is taken if it is as good.

    Parameters
    ----------
    search : Search
        The search to run.
    max_terms : int
        Features at a node, at most.
    """

    search: Search
    max_terms: int

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split that the search finds among the features that matter most."""
        split = self.search.find(node, criterion, seed)
        if not isinstance(split, Hyperplane) or split.features.size <= self.max_terms:
            return split
        found: Split | None = split
        while isinstance(found, Hyperplane) and found.features.size > self.max_terms:
            move = np.abs(found.weights) * np.ptp(node.X[:, found.features], axis=0)
            n = max(self.max_terms, found.features.size // 2)
            kept = np.sort(found.features[np.argsort(-move, kind="stable")[:n]])
            found = self._among(kept, node, criterion, seed)
        axis = best_axis_cut(node, criterion)
        if axis is not None and not (isinstance(found, Hyperplane) and score_on(node, criterion, found) < axis.score):
            return axis.split
        return found

    def _among(self, kept: NDArray[np.int64], node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Search in some of the columns."""
        own = node.table.take(node.rows)
        names = tuple(own.feature_names[j] for j in kept)
        table = replace(own, X=np.ascontiguousarray(own.X[:, kept]), feature_names=names, n_input_features=0)
        inner = node.on(table, grown_on=table)
        found = self.search.find(inner, criterion, seed)
        node.n_evaluated += inner.n_evaluated
        if not isinstance(found, Hyperplane):
            return found
        return Hyperplane(kept[found.features], found.weights, found.threshold)
