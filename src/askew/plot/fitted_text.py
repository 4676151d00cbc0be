"""Text that keeps its size relative to the data around it: `plot_tree` fits into axes of any size, at any time."""

from __future__ import annotations

from typing import Any

from matplotlib.text import Text
from matplotlib.transforms import Bbox


class FittedText(Text):
    """Text whose font size is given in units of the vertical axis, not in points."""

    def __init__(self, x: float, y: float, text: str, *, units: float, **look: Any) -> None:
        super().__init__(x, y, text, parse_math=False, **look)
        self._units = units

    def draw(self, renderer: Any) -> None:
        """Draw, at the size that the axes have now."""
        self._fit()
        super().draw(renderer)

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Bbox:
        """Return the box around the text, at the size that the axes have now."""
        self._fit()
        return super().get_window_extent(renderer, dpi)

    def _fit(self) -> None:
        if self.axes is None or self.figure is None:
            return
        low, high = self.axes.transData.transform([(0.0, 0.0), (0.0, self._units)])[:, 1]
        size = float(high - low) * 72.0 / self.figure.dpi
        if size != self.get_fontsize():
            self.set_fontsize(size)
