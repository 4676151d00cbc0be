"""A tree as JSON: every digit of it, for programs in other languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

from askew.export.text import Writer, writer
from askew.split import HYPERPLANE, LEAF, LINEAR_MACHINE


def export_json(
    estimator: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
) -> str:
    """Return a tree as JSON.

    ``nodes`` lists the nodes, the root first; a node names its ``children`` by their place in the list and has a
    ``test``:

    - ``hyperplane``: the first child if the sum of ``weights`` (a column's name and its weight) is at most
      ``threshold``, else the second;
    - ``linear machine``: the child whose sum in ``sums`` (weights and a ``constant``) is the largest, of equals the
      first;
    - ``categories``: the child that ``children_of`` gives for the category, else ``otherwise``.

    Of columns or categories with equal names, all but the first have a number behind: ``a``, ``a (2)``. An ``impurity``
    beyond the largest float is null.

    Parameters
    ----------
    estimator, feature_names, class_names : as for `askew.export_text`

    Examples
    --------
    >>> import askew, json
    >>> tree = json.loads(askew.export_json(askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])))
    >>> tree["nodes"][0]["test"]
    {'kind': 'hyperplane', 'weights': {'x0': 1.0}, 'threshold': 1.5}
    >>> tree["nodes"][2]["value"]
    [0.0, 1.0]
    """
    words = writer(estimator, feature_names, class_names)
    tree = words.tree
    nodes = []
    for node in range(tree.node_count):
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        entry: dict[str, Any] = {} if tree.kind[node] == LEAF else {"test": _test(words, node)}
        nodes.append(
            {
                **entry,
                "children": list(range(first, first + n)),
                "value": tree.value[node].tolist(),
                "n_samples": int(tree.n_samples[node]),
                "impurity": float(tree.impurity[node]) if isfinite(tree.impurity[node]) else None,
            }
        )
    return json.dumps(
        {
            "estimator": type(estimator).__name__,
            "columns": words.names.names,
            "classes": words.classes,
            "nodes": nodes,
        },
        indent=1,
        allow_nan=False,  # no JSON of other programs
    )


def _test(words: Writer, node: int) -> dict[str, Any]:
    tree, names = words.tree, words.names.names
    tested, weights = tree.test(node)
    columns = [names[j] for j in tested.tolist()]
    if tree.kind[node] == HYPERPLANE:
        by_name = dict(zip(columns, weights.tolist(), strict=True))
        return {"kind": "hyperplane", "weights": by_name, "threshold": float(tree.threshold[node])}
    if tree.kind[node] == LINEAR_MACHINE:
        rows = weights.reshape(-1, tested.size + 1).tolist()
        sums = [{"weights": dict(zip(columns, row[:-1], strict=True)), "constant": row[-1]} for row in rows]
        return {"kind": "linear machine", "sums": sums}
    codes = words.names.codes(int(tested[0]), weights.size)
    children = {name: int(child) for name, child in zip(codes, weights.tolist(), strict=True)}
    otherwise = int(tree.threshold[node])
    return {"kind": "categories", "column": columns[0], "children_of": children, "otherwise": otherwise}
