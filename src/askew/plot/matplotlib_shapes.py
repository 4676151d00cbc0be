"""Shapes drawn by Matplotlib: a few collections, in layers, so that files stay small and can be scaled."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from askew.plot.shapes import Drawing, Label, Line, Rect, Ribbon

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STEPS = 24  # along a ribbon


@lru_cache(maxsize=8192)
def width_of(text: str, size: float, bold: bool = False) -> float:
    """Return how wide Matplotlib writes a text."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    if not text:
        return 0.0
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    # Hinting makes text on a screen a little wider than its outlines.
    return 1.05 * float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def render(ax: Axes, drawing: Drawing) -> None:
    """Draw shapes: ribbons, boxes, bars, lines, and labels on top. The axes' y grows upwards."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import FancyBboxPatch

    from askew.plot.fitted_text import FittedText  # late: it needs Matplotlib

    ribbons = [shape for shape in drawing.shapes if isinstance(shape, Ribbon)]
    fills = [ribbon.colour for ribbon in ribbons]
    ax.add_collection(PolyCollection([_band(r) for r in ribbons], facecolors=fills, linewidths=0, zorder=1), False)
    rects = [shape for shape in drawing.shapes if isinstance(shape, Rect)]
    for box in (rect for rect in rects if rect.radius):
        style = f"round,pad=0,rounding_size={box.radius}"
        corner = (box.x, -box.y - box.height)
        ax.add_patch(
            FancyBboxPatch(
                corner,
                box.width,
                box.height,
                boxstyle=style,
                zorder=2,
                facecolor=box.fill,
                edgecolor=box.edge or box.fill,
                linewidth=0.8,
            )
        )
    bars = [rect for rect in rects if not rect.radius]
    fills, edges = [bar.fill for bar in bars], [bar.edge or "none" for bar in bars]
    outlines = [_corners(bar.x, bar.y, bar.x + bar.width, bar.y + bar.height) for bar in bars]
    ax.add_collection(PolyCollection(outlines, facecolors=fills, edgecolors=edges, linewidths=0.5, zorder=3), False)
    lines = [shape for shape in drawing.shapes if isinstance(shape, Line)]
    fills, outlines = [line.colour for line in lines], [_thick(line) for line in lines]
    ax.add_collection(PolyCollection(outlines, facecolors=fills, linewidths=0, zorder=4, snap=False), False)
    for label in (shape for shape in drawing.shapes if isinstance(shape, Label)):
        ax.add_artist(
            FittedText(
                label.x,
                -label.y,
                label.text,
                units=label.size,
                fontweight="bold" if label.bold else "normal",
                ha=label.anchor,
                va="baseline",
                color=label.colour,
                zorder=5,
            )
        )


def _corners(left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
    return [(left, -bottom), (left, -top), (right, -top), (right, -bottom)]


def _thick(line: Line) -> list[tuple[float, float]]:
    """Return a vertical or horizontal line as a rectangle, so that its width scales with the drawing."""
    half = line.width / 2
    if line.x == line.to_x:
        return _corners(line.x - half, line.y, line.x + half, line.to_y)
    return _corners(line.x, line.y - half, line.to_x, line.y + half)


def _band(ribbon: Ribbon) -> NDArray[np.float64]:
    """Return the outline of a ribbon: a curve of one width, vertical at both ends."""
    t = np.linspace(0.0, 1.0, _STEPS)
    ease = t * t * (3 - 2 * t)  # a cubic Bezier curve with vertical ends, along its height
    x, y = ribbon.x + (ribbon.to_x - ribbon.x) * ease, ribbon.y + (ribbon.to_y - ribbon.y) * t
    along = np.stack([6 * t * (1 - t) * (ribbon.to_x - ribbon.x), np.full(_STEPS, ribbon.to_y - ribbon.y)])
    across = ribbon.width / 2 * along[::-1] / np.linalg.norm(along, axis=0)
    left, right = np.stack([x - across[0], y + across[1]]), np.stack([x + across[0], y - across[1]])
    return np.concatenate([left, right[:, ::-1]], axis=1).T * (1, -1)
