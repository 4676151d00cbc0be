"""Shared by the plots: colours and markers for colour-blind readers, legends, the late import of Matplotlib."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.legend import Legend

Colour: TypeAlias = "str | tuple[float, float, float] | tuple[float, float, float, float]"  # as Matplotlib takes it

# Okabe & Ito (2008); black comes last.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#4D4D4D")
# Petroff (2021), for nine and ten: distinguished in pairs by colour-blind readers too.
_TEN = (
    "#3F90DA", "#FFA90E", "#BD1F01", "#94A4A2", "#832DB6", "#A96B59", "#E76300", "#B9AC70", "#717581", "#92DADD",
)  # fmt: skip
# Viridis at even steps: even in lightness, and distinguished by colour-blind readers.
_SCALE = ("#440154", "#482878", "#3E4989", "#31688E", "#26828E", "#1F9E89", "#35B779", "#6DCD59", "#B4DE2C", "#FDE725")
_MARKERS = "os^vD<>p"
_LEGEND_ROWS = 16  # entries of a column that fit beside axes of five inches
_LEGEND_WIDTH = 24  # characters of a name in a legend
_BREAKS = re.compile(r"(?<=[\s_])|(?<=[^\W\d]-)(?=[^\W\d])")  # not in 1e-05


class LegendPosition(TypedDict, total=False):
    """Arguments of ``Axes.legend`` for the position of a legend."""

    loc: Literal["best", "lower right", "upper left"]
    framealpha: float
    bbox_to_anchor: tuple[float, float]
    frameon: bool
    borderaxespad: float


LEGEND_OUTSIDE = LegendPosition(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, borderaxespad=0)


def pyplot() -> ModuleType:
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


def colours(n: int) -> list[Colour]:
    """Return `n` colours; above ten they are taken evenly from a scale of even lightness steps."""
    if n <= len(_TEN):
        return [*_named(n)]
    return [tuple(colour) for colour in pyplot().get_cmap("viridis")(np.linspace(0, 1, n)).tolist()]


def _named(n: int) -> tuple[str, ...]:
    return (_COLOURS if n <= len(_COLOURS) else _TEN)[:n]


def rgb(colour: str) -> tuple[float, float, float]:
    """Return the parts of a colour such as ``#0072B2``, from 0 to 1."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue


def on_scale(share: float) -> tuple[float, float, float]:
    """Return the colour of a number from 0 to 1, without Matplotlib: its viridis, from ten of its colours.

    Examples
    --------
    >>> from askew.plot.palette import on_scale, rgb
    >>> on_scale(0.0) == rgb("#440154")
    True
    """
    position = min(max(share, 0.0), 1.0) * (len(_SCALE) - 1)
    low = min(int(position), len(_SCALE) - 2)
    first, second = rgb(_SCALE[low]), rgb(_SCALE[low + 1])
    red, green, blue = (a + (position - low) * (b - a) for a, b in zip(first, second, strict=True))
    return red, green, blue


def plain_colours(n: int) -> list[tuple[float, float, float]]:
    """Return `n` colours as `colours` does, without Matplotlib."""
    if n <= len(_TEN):
        return [rgb(colour) for colour in _named(n)]
    return [on_scale(k / (n - 1)) for k in range(n)]


def tint(colour: Colour, share: float) -> tuple[float, float, float]:
    """Mix a colour with white; 1 leaves it, 0 is white."""
    parts = rgb(colour) if isinstance(colour, str) else colour[:3]
    red, green, blue = (1 - share + share * float(part) for part in parts)
    return red, green, blue


def wrapped(text: str, width: int) -> str:
    r"""Break a name into lines of at most `width` characters: after spaces, underscores and hyphens, else anywhere.

    Examples
    --------
    >>> from askew.plot.palette import wrapped
    >>> wrapped("number_of_open accounts", 12).split("\n")
    ['number_of_', 'open', 'accounts']
    """
    lines = [""]
    for piece in _BREAKS.split(text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        while len(piece.rstrip()) > width:
            lines[-1:] = [piece[:width], ""]
            piece = piece[width:]
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def scatter(
    ax: Axes, points: NDArray[np.float64], y: NDArray[np.generic], classes: Iterable[object], outside: bool = True
) -> None:
    """Draw points (n x 2) with a colour and a marker for each class, and a legend; see `legend`."""
    from matplotlib.colors import to_rgb

    names = list(classes)
    size = float(np.clip(12000 / max(len(y), 1), 6, 30))
    for i, (name, colour) in enumerate(zip(names, colours(len(names)), strict=True)):
        x = points[y == name]
        red, green, blue = to_rgb(colour)
        ax.scatter(
            x[:, 0],
            x[:, 1],
            marker=_MARKERS[i % len(_MARKERS)],
            c=[colour],
            s=size,
            label=wrapped(str(name), _LEGEND_WIDTH),
            edgecolors=[(0.6 * red, 0.6 * green, 0.6 * blue)],  # so that a pale colour stands out from its region
            linewidths=0.4,
            zorder=2,
        )
    for handle in legend(ax, len(names), outside).legend_handles:
        cast("PathCollection", handle).set_sizes([36])


def legend_columns(n: int) -> int:
    """Return how many columns a legend of `n` entries has."""
    return -(-n // _LEGEND_ROWS)


def legend(ax: Axes, n: int, outside: bool) -> Legend:
    """Add the legend of `n` classes, in as many columns as keep it inside the figure.

    Parameters
    ----------
    ax : Axes
        The axes.
    n : int
        Number of entries.
    outside : bool
        Whether it stands to the right of the axes, where the layout makes room for it; in axes of the user it
        stands inside, so that it covers none of their neighbours.
    """
    columns = legend_columns(n)
    position = LEGEND_OUTSIDE if outside else LegendPosition(loc="best", framealpha=0.8)
    size = "small" if columns > 1 or not outside else "medium"
    return ax.legend(title="class", ncols=columns, fontsize=size, title_fontsize=size, columnspacing=1.0, **position)
