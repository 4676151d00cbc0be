"""A fitted tree as a fragment of HTML, for notebooks: its picture, or its rules where it has none."""

from __future__ import annotations

from html import escape
from typing import Any

from askew.export.pictures.drawing import rough_width
from askew.export.pictures.svg import as_svg
from askew.export.pictures.tree_drawing import draw_tree
from askew.export.text import export_text
from askew.tree import Tree

_LINES = 200  # of the rules
_PIXELS = 4 / 3  # of a point


def tree_html(estimator: Any) -> str:
    """Return the picture of a fitted tree as HTML; of a rule network, or of a tree for each class, the rules.

    It needs neither Matplotlib nor a network, and whatever names contain is escaped.

    Examples
    --------
    >>> import askew
    >>> from askew.export.pictures.html import tree_html
    >>> tree_html(askew.CARTClassifier().fit([[0.0], [1.0]], ["<b>", "c"])).count("&lt;b&gt;") > 0
    True
    """
    if isinstance(estimator.tree_, Tree):
        size = f"{estimator.tree_.n_leaves} leaves, depth {estimator.tree_.depth}"
        shown = as_svg(draw_tree(estimator, None, rough_width), f"{type(estimator).__name__}: {size}", _PIXELS)
    else:
        lines = export_text(estimator).split("\n")
        rest = len(lines) - _LINES
        more = [f"... and {rest} lines more: askew.export_text"] if rest > 0 else []
        shown = f"<pre>{escape(chr(10).join(lines[:_LINES] + more))}</pre>"
    return f'<div class="askew-tree" style="overflow:auto;max-height:50em">{shown}</div>'
