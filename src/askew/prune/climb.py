"""Hill climbing: single conditions of a network are exchanged, as long as that makes more rows right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.prune.cells import Cells, pack

_TOGETHER = 4096  # conditions that are tried in one call
_EQUAL = 1e-9  # gains that differ by less than this share of all weight are equal: sums round


def climbed(cells: Cells, label: int, units: NDArray[np.bool_], threads: int = 1) -> NDArray[np.bool_]:
    """Return units that no change of a single condition makes better for a class.

    In turn, each unit leaves out a condition if nothing is lost by that, else exchanges it for the one that gains
    most, or takes one more, if anything is gained.

    Parameters
    ----------
    cells : Cells
        Rows and conditions.
    label : int
        The class.
    units : ndarray
        What each unit selects (units x conditions).
    threads : int, default=1
        For the search; the answer does not depend on it.
    """
    units, gain, holds = units.copy(), cells.gain(label), pack(cells.fulfilled.T)
    fires = np.array([cells.fires(unit) for unit in units])
    best, equal = float(gain[fires.any(axis=0)].sum()), _EQUAL * float(cells.weight.sum())
    moved = True
    while moved:
        moved = False
        for u, unit in enumerate(units):
            others = np.delete(fires, u, axis=0).any(axis=0)
            already, free = float(gain[others].sum()), np.where(others, 0.0, gain)
            for condition in [*np.flatnonzero(unit).tolist(), None]:  # None: one more, and none is left out
                kept = unit.copy()
                kept[[] if condition is None else [condition]] = False
                held = cells.fires(kept)
                without = already + float(free[held].sum())
                if condition is not None and without >= best - equal:
                    chosen = without
                else:
                    found = already + _with_each(holds, np.where(held, free, 0.0), threads)
                    chosen = float(found.max())
                    if chosen <= best + equal:
                        continue
                    kept[int(found.argmax())] = True
                best, unit[:], moved = max(best, chosen), kept, True
            fires[u] = cells.fires(unit)
    return units


def _with_each(holds: NDArray[np.uint64], gain: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
    """Return what the cells of each condition gain together."""
    n = len(holds)
    found = []
    for first in range(0, n, _TOGETHER):
        alone = np.eye(min(_TOGETHER, n - first), n, first, dtype=bool)
        found.append(_core.network_gains(holds, gain, pack(alone[:, None, :]), threads))
    return np.concatenate(found)
