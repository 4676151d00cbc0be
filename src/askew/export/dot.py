"""A tree in the language of Graphviz, as text: nothing needs to be installed to write it."""

from __future__ import annotations

from collections.abc import Sequence

from askew.export.fitted import Fitted
from askew.export.text import Writer, writer
from askew.export.wording import filled
from askew.model.split import HYPERPLANE, LEAF

_WIDTH = 60  # characters of a line in a box


def export_dot(
    estimator: Fitted,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
    max_terms: int | None = None,
) -> str:
    r"""Return a tree as a Graphviz graph: ``dot -Tsvg tree.dot`` draws it.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        A fitted tree estimator, a fitted Pipeline that ends in one, or its ``tree_``.
    feature_names, class_names : list of str or None, default=None
        As for `askew.export_text`.
    decimals, max_depth, max_terms : int or None, default=None
        As for `askew.export_text`.

    Examples
    --------
    >>> import askew
    >>> print(askew.export_dot(askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])))
    digraph tree {
      node [shape=box, style=rounded, fontname="sans-serif"]
      edge [fontname="sans-serif"]
      0 [label="x0 <= 1.5\n2 rows  100.0%  [1 1]"]
      1 [label="no\n1 row    50.0%  [1 0]"]
      2 [label="yes\n1 row    50.0%  [0 1]"]
      0 -> 1 [label="yes"]
      0 -> 2 [label="no"]
    }
    """
    words = writer(estimator, feature_names, class_names, decimals, max_depth, max_terms)
    lines = [
        "digraph tree {",
        '  node [shape=box, style=rounded, fontname="sans-serif"]',
        '  edge [fontname="sans-serif"]',
    ]
    if words.wording.note:
        lines.append(f'  label="{words.wording.note}"; labelloc=b; fontname="sans-serif"')
    edges = []
    stack = [(0, 0)]
    while stack:
        node, depth = stack.pop()
        text, labels = _node(words, node, depth)
        lines.append(f'  {node} [label="{_quoted(text)}\\n{_quoted(words.columns(node, 1))}"]')
        children = [int(words.tree.first_child[node]) + i for i in range(len(labels))]
        edges += [f'  {node} -> {child} [label="{_quoted(to)}"]' for child, to in zip(children, labels, strict=True)]
        stack += [(child, depth + 1) for child in reversed(children)]
    return "\n".join([*lines, *edges, "}"])


def _node(words: Writer, node: int, depth: int) -> tuple[str, list[str]]:
    """Return the text of a node, and of the edge to each child; no edges below `max_depth`."""
    tree = words.tree
    if tree.kind[node] == LEAF:
        return words.prediction(node), []
    if words.max_depth is not None and depth >= words.max_depth:
        return f"{words.prediction(node)}, and {words.leaves_below[node]} leaves below", []
    if tree.kind[node] == HYPERPLANE:
        return "\n".join(filled(words.wording.inequality(node), _WIDTH)), ["yes", "no"]
    opening, between = words.test(node)
    return " ".join(opening), ["\n".join(filled(line, _WIDTH)).removeprefix("where ") for line in between]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
