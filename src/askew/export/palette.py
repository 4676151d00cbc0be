"""Colours and markers of the classes, told apart by colour-blind readers too, and Matplotlib, imported late."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito (2008); black comes last.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#4D4D4D")
_MARKERS = "os^vD<>p"


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``.

    Raises
    ------
    ImportError
        Names the extra that brings Matplotlib.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need Matplotlib: pip install 'askew[plot]'") from error
    return plt


def axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return `ax`, or new axes in a figure of this size (inches)."""
    if ax is not None:
        return ax
    _, made = pyplot().subplots(figsize=size, layout="constrained")
    return made  # type: ignore[no-any-return]


def colours(n: int) -> list[Any]:
    """Return `n` colours; above eight they are taken evenly from a scale of even lightness steps."""
    if n <= len(_COLOURS):
        return list(_COLOURS[:n])
    return list(pyplot().get_cmap("viridis")(np.linspace(0, 1, n)))


def tint(colour: Any, share: float) -> tuple[float, float, float]:
    """Mix a colour with white; 1 leaves it, 0 is white."""
    from matplotlib.colors import to_rgb

    r, g, b = (1 - share + share * part for part in to_rgb(colour))
    return r, g, b


def scatter(ax: Axes, points: NDArray[np.float64], y: NDArray[Any], classes: Iterable[Any]) -> None:
    """Draw points (n x 2) with a colour and a marker for each class, and a legend beside the axes."""
    from matplotlib.colors import to_rgb

    names = list(classes)
    size = float(np.clip(12000 / max(len(y), 1), 6, 30))
    for i, (name, colour) in enumerate(zip(names, colours(len(names)), strict=True)):
        x = points[y == name]
        look: dict[str, Any] = {
            "marker": _MARKERS[i % len(_MARKERS)],
            "c": [colour],
            "s": size,
            "label": str(name),
            "zorder": 2,
        }
        rim: Any = [tuple(0.6 * part for part in to_rgb(colour))]  # pale colours stand out from a region of their own
        ax.scatter(x[:, 0], x[:, 1], edgecolors=rim, linewidths=0.4, **look)
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, title="class", borderaxespad=0)
    for handle in legend.legend_handles:
        handle.set_sizes([36])  # type: ignore[union-attr]
