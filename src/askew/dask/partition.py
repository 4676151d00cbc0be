"""`Partition`: the rows of one partition on the worker that holds them, and which node each of them is at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.model.split import Split

_T = TypeVar("_T")


@dataclass(frozen=True)
class NodePath:
    """The path from the root to a node: its splits, and the child that is taken at each."""

    splits: tuple[Split, ...] = ()
    children: tuple[int, ...] = ()

    def child(self, split: Split, number: int) -> NodePath:
        """Return the path to a child."""
        return NodePath((*self.splits, split), (*self.children, number))

    @property
    def parent(self) -> NodePath:
        """The path to the node above."""
        return NodePath(self.splits[:-1], self.children[:-1])


@dataclass(frozen=True, eq=False)
class FeatureBins:
    """The bins of every feature: bin i has the values above edge i - 1 and not above edge i.

    Attributes
    ----------
    edges : tuple of float64 arrays
        The edges of each feature, ascending; the last bin has the values above the last edge.
    exact : bool array
        For each feature, whether each of its values has a separate bin.
    """

    edges: tuple[NDArray[np.float64], ...]
    exact: NDArray[np.bool_]

    @property
    def first(self) -> NDArray[np.int64]:
        """The number of the first bin of each feature, and of all bins."""
        return np.concatenate(([0], np.cumsum([e.size + 1 for e in self.edges]))).astype(np.int64)

    def codes(self, X: NDArray[np.float64]) -> NDArray[np.uint16]:
        """Return the bin of each value."""
        codes = np.empty(X.shape, dtype=np.uint16)
        for j, edges in enumerate(self.edges):
            codes[:, j] = np.searchsorted(edges, X[:, j], side="left")
        return codes


class Partition:
    """Some rows of a table that is spread over workers.

    The rows of each node, and rows packed for counting, are cached while the partition stays on its worker. If it is
    moved, or made again after its worker was lost, they are computed again from the paths of the nodes.

    Parameters
    ----------
    table : Table
        The rows.
    unit : float
        Unit that the weights are multiples of.
    bins : FeatureBins or None
        The bins of the features; None before they are known.
    """

    def __init__(self, table: Table, unit: float, bins: FeatureBins | None = None) -> None:
        self.table, self.unit, self.bins = table, unit, bins
        self.codes = None if bins is None else bins.codes(table.X)
        self._clear()

    def _clear(self) -> None:
        self._rows: dict[tuple[int, ...], NDArray[np.uint32]] = {}
        self._cached: dict[tuple[int, ...], tuple[str, object]] = {}
        self._lock = RLock()

    def __getstate__(self) -> dict[str, object]:
        return {"table": self.table, "unit": self.unit, "bins": self.bins, "codes": self.codes}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._clear()

    def __sizeof__(self) -> int:
        table = self.table
        arrays = (table.X, table.y, table.weight, table.multiplicity, self.codes)
        return sum(array.nbytes for array in arrays if array is not None)

    def binned(self, bins: FeatureBins) -> Partition:
        """Return the part with the bins of its values."""
        return Partition(self.table, self.unit, bins)

    def rows(self, path: NodePath) -> NDArray[np.uint32]:
        """Return the rows that are at a node, ascending."""
        with self._lock:
            known = self._rows.get(path.children)
            if known is not None:
                return known
            if not path.children:
                rows = self.table.all_rows
            else:
                above, split = self.rows(path.parent), path.splits[-1]
                route = split.route(self.table.X, above)
                for child in range(split.n_children):
                    self._rows[*path.children[:-1], child] = above[route == child]
                self._rows.pop(path.children[:-1], None)
                self._cached.pop(path.children[:-1], None)
                rows = self._rows[path.children]
            self._rows[path.children] = rows
            return rows

    def cached(self, path: NodePath, what: str, make: Callable[[], _T]) -> _T:
        """Return the value that a node caches under this name, computed if it is missing; a node caches one value."""
        with self._lock:
            name, thing = self._cached.get(path.children, ("", None))
            if name != what:
                thing = make()
                self._cached[path.children] = (what, thing)
            return cast(_T, thing)

    def node(self, path: NodePath, threads: int = 1) -> _core.Node:
        """Return the rows at a node as kernels take them."""
        return self.node_of(self.rows(path), threads)

    def node_of(self, rows: NDArray[np.uint32], threads: int = 1) -> _core.Node:
        """Return some rows as kernels take them."""
        return _core.Node(
            target=self.table.target,
            X=self.table.X,
            rows=rows,
            min_samples_leaf=1.0,
            min_weight_leaf=0.0,
            threads=threads,
        )

    def at(self, path: NodePath) -> Table:
        """Return the table of the rows at a node."""
        return self.table.take(self.rows(path))
