"""What a report tells of each node: its test in words, its plane in two units, the rows that come there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.export.columns import Columns
from askew.export.json import linear_model
from askew.export.report.evidence import OTHER, Evidence
from askew.export.report.figures import span
from askew.export.wording import Wording, scale_of
from askew.split import CATEGORY_TABLE, HYPERPLANE, LINEAR_MACHINE
from askew.tree import Tree

MINUS = "\N{MINUS SIGN}"
_BINS = 36
_DRAWN = 400  # nodes that have a histogram, those with the most rows
_LABEL_TERMS = 2
_TERMS = 6  # of the full text of a test


def nodes(evidence: Evidence, tree: Tree, names: Columns) -> list[dict[str, Any]]:
    """Return what is told of each node of a tree."""
    assert evidence.columns is not None
    scale = scale_of(evidence.estimator)
    if scale is None:
        scale = np.nanstd(evidence.columns, axis=0)
    writers = [Wording(tree, names, scale, max_terms=n) for n in (_LABEL_TERMS, _TERMS)]
    rows = rows_of_nodes(tree, evidence)
    drawn = set(np.argsort([-r.size for r in rows], kind="stable")[:_DRAWN].tolist())
    return [
        {
            **_counts(evidence, rows[node]),
            **({} if tree.is_leaf[node] else _test(evidence, tree, names, writers, scale, node, rows[node])),
            **({} if tree.is_leaf[node] else linear_model(names, tree, node)),
            **(_drawn(evidence, tree, node, rows[node]) if node in drawn else {}),
        }
        for node in range(tree.node_count)
    ]


def rows_of_nodes(tree: Tree, evidence: Evidence) -> list[NDArray[np.int64]]:
    """Return the numbers of the rows that come to each node."""
    assert evidence.leaf is not None
    order = np.argsort(evidence.leaf, kind="stable")
    parts = np.split(order, np.searchsorted(evidence.leaf[order], np.arange(1, tree.node_count)))
    found = [[part] for part in parts]
    for node in range(tree.node_count - 1, 0, -1):
        found[int(tree.parent[node])] += found[node]
    return [np.sort(np.concatenate(pieces)) for pieces in found]


def _counts(evidence: Evidence, rows: NDArray[np.int64]) -> dict[str, Any]:
    if evidence.classes is None:
        return {"rows": int(rows.size), "mean": float(evidence.truth[rows].mean()) if rows.size else None}
    truth = evidence.truth[rows]
    return {
        "rows": int(rows.size),
        "counts": np.bincount(truth[truth != OTHER], minlength=len(evidence.classes)).tolist(),
    }


def _test(
    evidence: Evidence,
    tree: Tree,
    names: Columns,
    writers: list[Wording],
    scale: NDArray[np.float64],
    node: int,
    rows: NDArray[np.int64],
) -> dict[str, Any]:
    """Return the words of a test, what leads to each child, and the terms of a plane."""
    assert evidence.columns is not None
    tested, weights = tree.test(node)
    if tree.kind[node] == CATEGORY_TABLE:
        name = names.names[int(tested[0])]
        return {"label": name, "text": name, "branches": names.cases(tree, node)}
    means = _means(evidence.columns[rows][:, tested])
    if tree.kind[node] == LINEAR_MACHINE:
        sums = [" ".join(one) for one in writers[1].sums(node, MINUS)]
        label = f"the largest of {len(sums)} sums"
        branches = [f"sum {k + 1}" for k in range(len(sums))]
        return {"label": label, "text": label, "sums": sums, "branches": branches, "means": means}
    label, text = (_written(writer, node) for writer in writers)
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(weights) * scale[tested]
        share = np.nan_to_num(size / size.sum()) if size.sum() > 0 else size
    printed = writers[0].tests.weight[tree.weight_start[node] : tree.weight_start[node + 1]]
    return {
        "label": label,
        "text": text,
        "branches": ["yes", "no"],
        "printed": printed.tolist(),
        "share": share.round(6).tolist(),
        "means": means,
    }


def _written(writer: Wording, node: int) -> str:
    text = " ".join(writer.inequality(node, minus=MINUS))
    return text.replace("<=", "\N{LESS-THAN OR EQUAL TO}").replace(">=", "\N{GREATER-THAN OR EQUAL TO}")


def _means(here: NDArray[np.float64]) -> list[float]:
    """Return the mean of each column over the rows that have a value; 0 without any."""
    known = ~np.isnan(here)
    total, count = np.where(known, here, 0.0).sum(axis=0), np.maximum(known.sum(axis=0), 1)
    return [float(mean) for mean in total / count]


def _drawn(evidence: Evidence, tree: Tree, node: int, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Return the distribution of what a plane sums up, by class or with means of the target, and of the target."""
    assert evidence.columns is not None
    found: dict[str, Any] = {}
    if evidence.classes is None:
        low, high = span(evidence.truth)
        counts = np.histogram(evidence.truth[rows], _BINS, (low, high))[0]
        found["target"] = {"low": low, "high": high, "counts": counts.tolist()}
    if tree.kind[node] != HYPERPLANE or not rows.size:
        return found
    tested, weights = tree.test(node)
    threshold = float(tree.threshold[node])
    with np.errstate(over="ignore", invalid="ignore"):
        along = evidence.columns[rows][:, tested] @ weights
        if tested.size == 1 and weights[0] != 0:  # one column: its values, in the units of the data
            along, threshold = along / weights[0], threshold / float(weights[0])
    usable = np.isfinite(along)
    along, truth = along[usable], evidence.truth[rows][usable]
    # Outliers stand in the first and the last bin, so that the others have room.
    ends = np.append(np.quantile(along, (0.005, 0.995)) if along.size else [], threshold)
    low, high = span(ends)
    place = np.clip(((along - low) / (high - low) * _BINS).astype(np.int64), 0, _BINS - 1)
    bins: dict[str, Any] = {"low": low, "high": high, "threshold": threshold}
    if evidence.classes is None:
        count = np.bincount(place, minlength=_BINS)
        mean = np.bincount(place, truth, minlength=_BINS) / np.maximum(count, 1)
        bins |= {"counts": [count.tolist()], "means": [float(f"{one:.6g}") for one in mean]}
    else:
        codes = range(len(evidence.classes))
        bins["counts"] = [np.bincount(place[truth == code], minlength=_BINS).tolist() for code in codes]
    return {**found, "histogram": bins}
