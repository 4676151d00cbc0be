"""Any search, with a limit on the number of features that a node tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from askew.criterion import Criterion
from askew.grow import Node, Search
from askew.split import Hyperplane, Split


@dataclass(frozen=True)
class FewTerms:
    """Any search of hyperplanes, with at most so many features at a node.

    Where the search finds a plane of more, it searches once more among the features that move it most: those of the
    largest weights, times the spread of the feature in the rows of the node.

    Parameters
    ----------
    search : the search to run
    max_terms : features at a node, at most
    """

    search: Search
    max_terms: int

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split that the search finds among the features that matter most."""
        split = self.search.find(node, criterion, seed)
        if not isinstance(split, Hyperplane) or split.features.size <= self.max_terms:
            return split
        move = np.abs(split.weights) * np.ptp(node.X[:, split.features], axis=0)
        kept = np.sort(split.features[np.argsort(-move, kind="stable")[: self.max_terms]])
        own = node.table.take(node.rows)
        table = replace(
            own,
            X=np.ascontiguousarray(own.X[:, kept]),
            feature_names=tuple(own.feature_names[j] for j in kept),
            given=0,
        )
        inner = replace(node, table=table, rows=np.arange(table.n_rows, dtype=np.uint32), looked_at=0, grown_on=None)
        found = self.search.find(inner, criterion, seed)
        node.looked_at += inner.looked_at
        if not isinstance(found, Hyperplane):
            return found
        return Hyperplane(kept[found.features], found.weights, found.threshold)
