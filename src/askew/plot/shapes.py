"""Pictures as plain shapes, in points: made once, drawn by Matplotlib (`plot_tree`) or as SVG (`_repr_html_`).

The corner (0, 0) is the upper left one, and y grows downwards, as in SVG; labels stand on their baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

Colour = tuple[float, float, float]
Measure = Callable[[str, float, bool], float]  # text, size, bold -> width

INK: Colour = (0.13, 0.13, 0.13)
GREY: Colour = (0.4, 0.4, 0.4)
PALE: Colour = (0.8, 0.8, 0.8)
WHITE: Colour = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Rect:
    """A rectangle; `edge` is the colour of its outline, `radius` rounds its corners."""

    x: float
    y: float
    width: float
    height: float
    fill: Colour
    edge: Colour | None = None
    radius: float = 0.0


@dataclass(frozen=True)
class Label:
    """A line of text."""

    x: float
    y: float
    text: str
    size: float
    anchor: Literal["left", "center", "right"] = "left"
    colour: Colour = INK
    bold: bool = False


@dataclass(frozen=True)
class Line:
    """A vertical or horizontal line; its width is in the units of the drawing."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: Colour = INK
    width: float = 0.8


@dataclass(frozen=True)
class Ribbon:
    """A curved band that is vertical at both ends."""

    x: float
    y: float
    to_x: float
    to_y: float
    width: float
    colour: Colour = PALE


Shape = Rect | Label | Line | Ribbon


@dataclass
class Drawing:
    """Shapes, and the room that they take."""

    width: float = 0.0
    height: float = 0.0
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        """Put shapes on top of those that are there."""
        self.shapes += shapes

    def place(self, other: Drawing, x: float, y: float) -> None:
        """Put another drawing on top, with its corner at (x, y)."""
        self.shapes += moved(other.shapes, x, y)


def moved(shapes: Iterable[Shape], x: float, y: float) -> list[Shape]:
    """Return shapes moved by `x` and `y`."""
    found: list[Shape] = []
    for shape in shapes:
        if isinstance(shape, Line | Ribbon):
            found.append(replace(shape, x=shape.x + x, y=shape.y + y, to_x=shape.to_x + x, to_y=shape.to_y + y))
        else:
            found.append(replace(shape, x=shape.x + x, y=shape.y + y))
    return found


def lines_of(text: str, x: float, y: float, size: float, leading: float, like: Label) -> list[Shape]:
    """Return a label for each line of a text; `y` is the upper edge of the first, `like` has all other attributes."""
    middle = 0.5 * (leading + 0.72 * size)  # the baseline, for capitals to stand in the middle of the line
    return [
        replace(like, x=x, y=y + middle + k * leading, text=line, size=size) for k, line in enumerate(text.split("\n"))
    ]


@lru_cache(maxsize=8192)
def rough_width(text: str, size: float, bold: bool = False) -> float:
    """Return an upper estimate of the width of a text: the reader's font is not known.

    Examples
    --------
    >>> from askew.plot.shapes import rough_width
    >>> rough_width("ill", 10.0) < rough_width("www", 10.0)
    True
    """
    width = sum(1.0 if ord(c) >= _FULL_WIDTH else _WIDTHS.get(c, 0.74 if c.isupper() else 0.64) for c in text)
    return size * width * (1.1 if bold else 1.0)


# In parts of the font size: the widths of DejaVu Sans, which is wider than most.
_WIDTHS = {
    c: width
    for letters, width in (("iljI.,:;|'! ", 0.34), ("tfr()[]-", 0.42), ("mwMW@%+=<>≤≥\N{MINUS SIGN}…", 1.0))
    for c in letters
}
_FULL_WIDTH = 0x2E80  # from here on, letters are as wide as they are high
