"""Shapes as SVG: a picture that needs no library to be made, and none to be seen."""

from __future__ import annotations

from html import escape

from askew.export.pictures.drawing import Colour, Drawing, Label, Line, Rect, Ribbon, Shape

_ANCHOR = {"left": "start", "center": "middle", "right": "end"}
_MARGIN = 6.0
_LAYERS = (Ribbon, Rect, Line, Label)  # the last on top


def as_svg(drawing: Drawing, title: str, scale: float = 1.0) -> str:
    """Return a drawing as an SVG element on a white ground; `scale` is its size in pixels of a point.

    Examples
    --------
    >>> from askew.export.pictures.drawing import Drawing, Label
    >>> from askew.export.pictures.svg import as_svg
    >>> drawing = Drawing(50.0, 20.0, [Label(0.0, 12.0, "a < b", 9.0)])
    >>> "a &lt; b" in as_svg(drawing, "An inequality")
    True
    """
    wide, high = drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_n(wide * scale)}" height="{_n(high * scale)}" '
        f'viewBox="{_n(-_MARGIN)} {_n(-_MARGIN)} {_n(wide)} {_n(high)}" '
        'font-family="Helvetica, Arial, sans-serif" style="background:#fff">',
        f"<title>{escape(title)}</title>",
    ]
    for layer in _LAYERS:
        parts += [_element(shape) for shape in drawing.shapes if isinstance(shape, layer)]
    return "\n".join([*parts, "</svg>"])


def _element(shape: Shape) -> str:
    if isinstance(shape, Rect):
        edge = "" if shape.edge is None else f' stroke="{_hex(shape.edge)}" stroke-width="0.8"'
        round_ = f' rx="{_n(shape.radius)}"' if shape.radius else ""
        return (
            f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
            f'{round_} fill="{_hex(shape.fill)}"{edge}/>'
        )
    if isinstance(shape, Label):
        bold = ' font-weight="bold"' if shape.bold else ""
        return (
            f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}" '
            f'text-anchor="{_ANCHOR[shape.anchor]}" fill="{_hex(shape.colour)}"{bold} xml:space="preserve">'
            f"{escape(shape.text)}</text>"
        )
    x, y, to_x, to_y = map(_n, (shape.x, shape.y, shape.to_x, shape.to_y))
    way = f"L{to_x} {to_y}"
    if isinstance(shape, Ribbon):
        third = (shape.to_y - shape.y) / 3
        way = f"C{x} {_n(shape.y + third)} {to_x} {_n(shape.to_y - third)} {to_x} {to_y}"
    return f'<path d="M{x} {y}{way}" fill="none" stroke="{_hex(shape.colour)}" stroke-width="{_n(shape.width)}"/>'


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
