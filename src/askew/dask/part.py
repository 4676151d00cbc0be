"""`Part`: the rows of one partition on the worker that holds them, and which node each of them is at."""

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
class Path:
    """The way from the root to a node: the splits on it, and the child that each is left by."""

    splits: tuple[Split, ...] = ()
    children: tuple[int, ...] = ()

    def child(self, split: Split, number: int) -> Path:
        """Return the path to a child."""
        return Path((*self.splits, split), (*self.children, number))

    @property
    def parent(self) -> Path:
        """The path to the node above."""
        return Path(self.splits[:-1], self.children[:-1])


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of every feature: bin i has the values above edge i - 1 and not above edge i.

    Attributes
    ----------
    edges : ascending, for each feature; the last bin has what is above the last edge
    exact : for each feature, whether the edges are all the values that it has
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


class Part:
    """Some rows of a table that is spread over workers.

    What is worked out on the way (the rows of each node, rows packed for counting) is kept while the part stays where
    it is. A part that is moved, or made again after its worker was lost, works it out anew from the paths of the nodes.

    Parameters
    ----------
    table : the rows
    unit : what the weights are multiples of
    bins : the bins of the features; None before they are known
    """

    def __init__(self, table: Table, unit: float, bins: Bins | None = None) -> None:
        self.table, self.unit, self.bins = table, unit, bins
        self.codes = None if bins is None else bins.codes(table.X)
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[tuple[int, ...], NDArray[np.uint32]] = {}
        self._kept: dict[tuple[int, ...], tuple[str, object]] = {}
        self._lock = RLock()

    def __getstate__(self) -> dict[str, object]:
        return {"table": self.table, "unit": self.unit, "bins": self.bins, "codes": self.codes}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()

    def __sizeof__(self) -> int:
        table = self.table
        arrays = (table.X, table.y, table.weight, table.multiplicity, self.codes)
        return sum(array.nbytes for array in arrays if array is not None)

    def binned(self, bins: Bins) -> Part:
        """Return the part with the bins of its values."""
        return Part(self.table, self.unit, bins)

    def rows(self, path: Path) -> NDArray[np.uint32]:
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
                self._kept.pop(path.children[:-1], None)
                rows = self._rows[path.children]
            self._rows[path.children] = rows
            return rows

    def kept(self, path: Path, what: str, make: Callable[[], _T]) -> _T:
        """Return what is kept of a node under this name, made now if it is not there; a node keeps one thing."""
        with self._lock:
            name, thing = self._kept.get(path.children, ("", None))
            if name != what:
                thing = make()
                self._kept[path.children] = (what, thing)
            return cast(_T, thing)

    def node(self, path: Path, threads: int = 1) -> _core.Node:
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

    def at(self, path: Path) -> Table:
        """Return the table of the rows at a node."""
        return self.table.take(self.rows(path))
