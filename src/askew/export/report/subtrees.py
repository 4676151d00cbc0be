"""The subtrees along the pruning path, and how well each predicts: what the slider of a report goes along."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.export.report.evidence import Evidence
from askew.export.report.figures import figures, r2
from askew.prune.cost_complexity import PruningPath
from askew.tree import Tree

_STEPS = 60


def subtrees(evidence: Evidence, tree: Tree) -> dict[str, Any]:
    """Return the steps of the pruning path, the whole tree first, and the step at which each node becomes a leaf.

    Of a long path some steps are left out.
    """
    path = PruningPath.of(tree, evidence.classes is not None)
    steps = np.unique(np.linspace(0, path.alphas.size - 1, min(path.alphas.size, _STEPS)).round().astype(np.int64))
    whole = int(path.n_leaves[0]) < tree.n_leaves  # links of no strength are cut in the first subtree already
    told = [_step(evidence, tree, tree.n_leaves, evidence.leaf, 0.0)] if whole else []
    chosen = set(steps.tolist())
    for step, node in enumerate(path.ends(_leaf(evidence))):
        if step in chosen:
            told.append(_step(evidence, tree, int(path.n_leaves[step]), node, float(path.alphas[step])))
    told[0]["score"] = figures(evidence)["score"]["value"]  # rows that go down in parts have more than one leaf
    # The first of the steps that are kept at which a node is a leaf.
    collapsed = np.searchsorted(steps, path.collapsed_at) + int(whole)
    collapsed[tree.is_leaf] = len(told)
    return {"steps": told, "collapsed": np.minimum(collapsed, len(told)).tolist()}


def _leaf(evidence: Evidence) -> NDArray[np.int64]:
    assert evidence.leaf is not None
    return evidence.leaf


def _step(evidence: Evidence, tree: Tree, leaves: int, node: Any, alpha: float) -> dict[str, Any]:
    if evidence.classes is None:
        score = r2(evidence.truth, tree.payload.outputs(node, evidence.columns)[:, 0])  # type: ignore[arg-type]
    else:
        found = tree.payload.labels(node, evidence.columns)  # type: ignore[arg-type]
        score = float((found == evidence.truth).mean())
    return {"leaves": leaves, "alpha": alpha, "score": score}
