"""Text that keeps its size relative to the data around it: `plot_tree` fits into axes of any size, at any time."""

from __future__ import annotations

from typing import Literal

from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from askew.plot.palette import Colour


class FittedText(Text):
    """Text with a font size in units of the vertical axis, not in points."""

    def __init__(
        self,
        x: float,
        y: float,
        text: str,
        *,
        units: float,
        ha: Literal["left", "center", "right"],
        va: Literal["baseline", "center_baseline"],
        color: Colour,
        fontweight: str,
        zorder: float | None = None,
    ) -> None:
        super().__init__(x, y, text, parse_math=False, ha=ha, va=va, color=color, fontweight=fontweight)
        if zorder is not None:
            self.set_zorder(zorder)
        self._units = units

    def draw(self, renderer: RendererBase) -> None:
        """Draw at the current size of the axes."""
        self._fit()
        super().draw(renderer)

    def get_window_extent(self, renderer: RendererBase | None = None, dpi: float | None = None) -> Bbox:
        """Return the box around the text at the current size of the axes."""
        self._fit()
        return super().get_window_extent(renderer, dpi)

    def _fit(self) -> None:
        if self.axes is None or self.figure is None:
            return
        low, high = self.axes.transData.transform([(0.0, 0.0), (0.0, self._units)])[:, 1]
        size = float(high - low) * 72.0 / self.figure.dpi
        if size != self.get_fontsize():
            self.set_fontsize(size)
