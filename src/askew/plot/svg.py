"""Shapes as SVG, and a fitted tree as a fragment of HTML for notebooks."""

from __future__ import annotations

from html import escape

from askew.export.fitted import Fitted, fitted_model
from askew.export.text import export_text
from askew.plot.shapes import Colour, Drawing, Label, Line, Rect, Ribbon, Shape, rough_width
from askew.plot.tree_drawing import draw_tree

_ANCHOR = {"left": "start", "center": "middle", "right": "end"}
_MARGIN = 6.0
_LAYERS = (Ribbon, Rect, Line, Label)  # the last on top


def as_svg(drawing: Drawing, title: str, scale: float = 1.0) -> str:
    """Return a drawing as an SVG element on a white ground; `scale` is its size in pixels of a point.

    Examples
    --------
    >>> from askew.plot.shapes import Drawing, Label
    >>> from askew.plot.svg import as_svg
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


_LINES = 200  # of the rules
_PIXELS = 4 / 3  # of a point


def tree_html(estimator: Fitted) -> str:
    """Return the picture of a fitted tree as HTML; of a rule network, or of a tree for each class, the rules.

    It needs neither Matplotlib nor a network, and whatever names contain is escaped.

    Examples
    --------
    >>> import askew
    >>> from askew.plot.svg import tree_html
    >>> tree_html(askew.CARTClassifier().fit([[0.0], [1.0]], ["<b>", "c"])).count("&lt;b&gt;") > 0
    True
    """
    model = fitted_model(estimator)
    tree = model.single_tree
    if tree is not None:
        size = f"{tree.n_leaves} leaves, depth {tree.depth}"
        shown = as_svg(draw_tree(model, None, rough_width), f"{model.estimator}: {size}", _PIXELS)
    else:
        lines = export_text(estimator).split("\n")
        rest = len(lines) - _LINES
        more = [f"... and {rest} lines more: askew.export_text"] if rest > 0 else []
        shown = f"<pre>{escape(chr(10).join(lines[:_LINES] + more))}</pre>"
    return f'<div class="askew-tree" style="overflow:auto;max-height:50em">{shown}</div>'
