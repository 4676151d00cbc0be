"""The nodes of a report: the test in words, the hyperplane in two units, the rows that reach the node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew.export.json import JsonObject, linear_model
from askew.export.names import Columns
from askew.export.wording import Wording
from askew.model.split import CATEGORY_TABLE, HYPERPLANE, LINEAR_MACHINE
from askew.model.split_arrays import starts
from askew.model.tree import Tree
from askew.plot.node_rows import TreeRows
from askew.reporting.data import OTHER, Evidence
from askew.reporting.metrics import histogram, span

MINUS = "\N{MINUS SIGN}"
_BINS = 36
_DRAWN = 400  # nodes that have a histogram, those with the most rows
_LABEL_TERMS = 2  # of a test in the tree
_TEXT_TERMS = 6  # of the full text of a test


def nodes(evidence: Evidence, tree: Tree, names: Columns) -> list[JsonObject]:
    """Return the entry of each node of a tree."""
    assert evidence.columns is not None
    scale = evidence.model.scale
    describer = _Describer(
        evidence,
        tree,
        names,
        np.nanstd(evidence.columns, axis=0) if scale is None else scale,
        _rows(evidence, tree),
    )
    drawn = set(np.argsort(-np.diff(describer.rows.start), kind="stable")[:_DRAWN].tolist())
    return [describer.describe(node, node in drawn) for node in range(tree.node_count)]


def _rows(evidence: Evidence, tree: Tree) -> TreeRows:
    """Return the rows that reach each node; a class that is not in the training data comes last."""
    assert evidence.leaf is not None
    assert evidence.columns is not None
    order, begin, count = tree.rows_by_node(evidence.leaf)
    rows = [np.sort(order[first : first + n]) for first, n in zip(begin.tolist(), count.tolist(), strict=True)]
    n = 0 if evidence.classes is None else len(evidence.classes) + 1
    target = np.where(evidence.truth == OTHER, n - 1, evidence.truth) if n else evidence.truth
    return TreeRows(tree, evidence.columns, target, n, np.concatenate(rows), starts([one.size for one in rows]))


@dataclass(frozen=True, eq=False)
class _Describer:
    """Describes the nodes of a tree.

    Attributes
    ----------
    evidence : Evidence
        The model, and the rows of the report.
    tree : Tree
        The tree.
    names : Columns
        Names of its columns.
    scale : ndarray
        The spread of each column.
    rows : TreeRows
        The rows that reach each node.
    """

    evidence: Evidence
    tree: Tree
    names: Columns
    scale: NDArray[np.float64]
    rows: TreeRows

    def wording(self, max_terms: int | None) -> Wording:
        printed = self.evidence.model.printed_of(0)
        return Wording(self.tree, self.names, self.scale, max_terms=max_terms, printed=printed)

    def describe(self, node: int, drawn: bool) -> JsonObject:
        here = self.rows.at(node)
        found: JsonObject = {"rows": int(here.size)}
        if self.evidence.classes is None:
            found["mean"] = float(self.evidence.truth[here].mean()) if here.size else None
        if drawn and self.evidence.classes is None:
            found["target"] = histogram(self.evidence.truth[here], _BINS, span(self.evidence.truth))
        if self.tree.is_leaf[node]:
            return found
        found |= self._test(node) | linear_model(self.tree, node, range(len(self.names.names)))
        return found | (self._histogram(node) if drawn and here.size else {})

    def _test(self, node: int) -> JsonObject:
        """Return the text of a test, the labels of its children, and the terms of a hyperplane."""
        tested, _ = self.tree.test(node)
        if self.tree.kind[node] == CATEGORY_TABLE:
            name = self.names.names[int(tested[0])]
            return {"label": name, "text": name, "branches": self.names.cases(self.tree, node)}
        if self.tree.kind[node] == LINEAR_MACHINE:
            sums = [" ".join(one) for one in self.wording(_TEXT_TERMS).sums(node, MINUS)]
            label = f"the largest of {len(sums)} sums"
            return {"label": label, "text": label, "sums": sums, "branches": [f"sum {k + 1}" for k in range(len(sums))]}
        return {
            "label": self._inequality(node, _LABEL_TERMS),
            "text": self._inequality(node, _TEXT_TERMS),
            "branches": ["yes", "no"],
            "terms": self._terms(node),
            "unit": self.wording(None).unit(node),
            "means": _means(self.rows.columns[self.rows.at(node)][:, tested]),
        }

    def _inequality(self, node: int, max_terms: int) -> str:
        text = " ".join(self.wording(max_terms).inequality(node, minus=MINUS))
        return text.replace("<=", "\N{LESS-THAN OR EQUAL TO}").replace(">=", "\N{GREATER-THAN OR EQUAL TO}")

    def _terms(self, node: int) -> list[list[str | float | None]]:
        """Return name, weight and share of the decision of each term; None where the name has a weight a category."""
        parts, _ = self.wording(None).parts(node)
        return [
            [part.term.name, part.term.weight if len(part.term.indices) == 1 else None, round(part.share, 6)]
            for part in parts
        ]

    def _histogram(self, node: int) -> JsonObject:
        """Return the rows along a plane, by class or with means of the target; of other tests, those of each child."""
        found = self.rows.histogram(node, self.wording(None), _BINS)
        shown: JsonObject = {"low": float(found.edges[0]), "high": float(found.edges[-1])}
        if found.threshold is not None:
            shown["threshold"] = found.threshold
            shown["single"] = self.tree.kind[node] == HYPERPLANE and self.wording(None).single(node) is not None
        counts = found.count.astype(np.int64).T.tolist()
        shown["counts"] = counts if self.evidence.classes is None else counts[: len(self.evidence.classes)]
        if found.mean is not None:
            shown["means"] = [float(f"{mean:.6g}") for mean in np.nan_to_num(found.mean)]
        return {"histogram": shown}


def _means(here: NDArray[np.float64]) -> list[float]:
    """Return the mean of each column over the rows that have a value; 0 without any."""
    known = ~np.isnan(here)
    total, count = np.where(known, here, 0.0).sum(axis=0), np.maximum(known.sum(axis=0), 1)
    return [float(mean) for mean in total / count]
