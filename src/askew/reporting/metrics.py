"""How well a model, and each subtree along its pruning path, predicts rows whose target is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askew.export.json import JsonObject
from askew.model.tree import Tree
from askew.prune.cost_complexity import PruningPath
from askew.reporting.data import OTHER, Evidence

_BINS = 10
_CURVES = 12  # classes that have a ROC curve and a calibration
_POINTS = 200  # of a ROC curve
_MATRIX = 40  # classes that a confusion matrix can show


def figures(evidence: Evidence) -> JsonObject:
    """Return the figures of a report, as JSON values."""
    return _of_numbers(evidence) if evidence.classes is None else _of_classes(evidence)


def _of_numbers(evidence: Evidence) -> JsonObject:
    truth, found = evidence.truth, evidence.predicted
    residual = truth - found
    spread = float(((truth - truth.mean()) ** 2).sum())
    return {
        "score": {"name": "R²", "value": r2(truth, found)},
        "facts": [
            ["mean absolute error", float(np.abs(residual).mean())],
            ["root mean squared error", float(np.sqrt((residual**2).mean()))],
            ["standard deviation of the target", float(np.sqrt(spread / truth.size))],
        ],
        "residuals": histogram(residual, 30),
    }


def r2(truth: NDArray[np.float64], found: NDArray[np.float64]) -> float | None:
    """Return the share of the variance that is explained; None if there is no variance."""
    spread = float(((truth - truth.mean()) ** 2).sum())
    return None if spread == 0 else 1.0 - float(((truth - found) ** 2).sum()) / spread


def histogram(values: NDArray[np.float64], bins: int, ends: tuple[float, float] | None = None) -> JsonObject:
    """Return the counts of values in bins of equal width, from the least to the largest or between these ends."""
    low, high = span(values) if ends is None else ends
    return {"low": low, "high": high, "counts": np.histogram(values, bins, (low, high))[0].tolist()}


def span(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the least and the largest value, or, of equal ones, a little on both sides."""
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    away = 0.5 * max(abs(low), 1.0) if low == high else 0.0
    return low - away, high + away


def _of_classes(evidence: Evidence) -> JsonObject:
    assert evidence.classes is not None
    assert evidence.shares is not None
    truth, found, n = evidence.truth, evidence.predicted, len(evidence.classes)
    right = truth == found
    counts = np.bincount(truth[truth != OTHER], minlength=n)
    recall = [float(right[truth == code].mean()) for code in range(n) if counts[code]]
    facts: list[list[str | float | None]] = [["balanced accuracy", float(np.mean(recall)) if recall else None]]
    facts.append(["share of the most frequent class", float(counts.max() / truth.size)])
    curves = [_curves(truth == code, evidence.shares[:, code]) for code in range(n)] if n <= _CURVES else []
    return {
        "score": {"name": "accuracy", "value": float(right.mean())},
        "facts": facts,
        "matrix": _matrix(truth, found, n) if n <= _MATRIX else None,
        "curves": curves,
    }


def _matrix(truth: NDArray[np.int64], found: NDArray[np.int64], n: int) -> list[list[int]]:
    """Return the confusion matrix: a row for each true class; a last one for those not in the training data, if any."""
    index = np.where(truth == OTHER, n, truth)
    counts = np.bincount(index * n + found, minlength=(n + 1) * n).reshape(n + 1, n)
    return [row for k, row in enumerate(counts.tolist()) if k < n or any(row)]


def _curves(truth: NDArray[np.bool_], share: NDArray[np.float64]) -> JsonObject:
    """Return ROC curve and calibration of one class against the others."""
    return {"roc": _roc(truth, share), "calibration": _calibration(truth, share)}


def _roc(truth: NDArray[np.bool_], share: NDArray[np.float64]) -> JsonObject | None:
    """Return the points of a ROC curve and the area under it; None if all rows are of one kind."""
    if truth.all() or not truth.any():
        return None
    order = np.argsort(-share, kind="stable")
    last = np.flatnonzero(np.append(np.diff(share[order]) != 0, True))  # rows of equal probability are one point
    hits = np.concatenate(([0.0], np.cumsum(truth[order])[last] / truth.sum()))
    alarms = np.concatenate(([0.0], np.cumsum(~truth[order])[last] / (~truth).sum()))
    area = float(np.sum(np.diff(alarms) * (hits[1:] + hits[:-1]) / 2))
    kept = np.unique(np.linspace(0, hits.size - 1, min(hits.size, _POINTS)).round().astype(np.int64))
    return {"area": area, "x": alarms[kept].round(5).tolist(), "y": hits[kept].round(5).tolist()}


def _calibration(truth: NDArray[np.bool_], share: NDArray[np.float64]) -> list[list[float]]:
    """Return, for bins of the predicted probability: its mean, the share of rows of the class, how many rows."""
    index = np.minimum((share * _BINS).astype(np.int64), _BINS - 1)
    bins = [index == k for k in range(_BINS)]
    return [[float(share[b].mean()), float(truth[b].mean()), int(b.sum())] for b in bins if b.any()]


_STEPS = 60


def subtrees(evidence: Evidence, tree: Tree) -> JsonObject:
    """Return the steps of the pruning path, the full tree first, and the step at which each node becomes a leaf.

    Of a long path some steps are left out.
    """
    path = PruningPath.of(tree, evidence.classes is not None)
    steps = np.unique(np.linspace(0, path.alphas.size - 1, min(path.alphas.size, _STEPS)).round().astype(np.int64))
    adds_full_tree = int(path.n_leaves[0]) < tree.n_leaves  # the first subtree lacks links of strength 0 already
    entries = [_step(evidence, tree, tree.n_leaves, evidence.leaf, 0.0)] if adds_full_tree else []
    chosen = set(steps.tolist())
    for step, node in enumerate(path.ends(_leaf(evidence))):
        if step in chosen:
            entries.append(_step(evidence, tree, int(path.n_leaves[step]), node, float(path.alphas[step])))
    entries[0]["score"] = figures(evidence)["score"]["value"]  # rows that go down in parts have more than one leaf
    # The first of the steps that are kept at which a node is a leaf.
    collapsed = np.searchsorted(steps, path.collapsed_at) + int(adds_full_tree)
    collapsed[tree.is_leaf] = len(entries)
    return {"steps": entries, "collapsed": np.minimum(collapsed, len(entries)).tolist()}


def _leaf(evidence: Evidence) -> NDArray[np.int64]:
    assert evidence.leaf is not None
    return evidence.leaf


def _step(evidence: Evidence, tree: Tree, leaves: int, node: NDArray[np.int64] | None, alpha: float) -> JsonObject:
    if evidence.classes is None:
        score = r2(evidence.truth, tree.payload.outputs(node, evidence.columns)[:, 0])  # type: ignore[arg-type]
    else:
        found = tree.payload.labels(node, evidence.columns)  # type: ignore[arg-type]
        score = float((found == evidence.truth).mean())
    return {"leaves": leaves, "alpha": alpha, "score": score}
