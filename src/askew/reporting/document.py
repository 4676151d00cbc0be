"""Everything that the page of a report shows, as one JSON document."""

from __future__ import annotations

from math import isfinite
from typing import cast

import numpy as np
from numpy.typing import NDArray

from askew.data.encoder import label_text
from askew.export.formatting import printable
from askew.export.json import JsonObject, data_of, nodes_of
from askew.export.names import Columns, distinct
from askew.model.fitted import Combination, FittedModel
from askew.reporting.data import Evidence
from askew.reporting.metrics import figures, subtrees
from askew.reporting.nodes import nodes

_ROWS, _CELLS = 1000, 20_000  # of the data that a page holds
_TRIED = 60  # lines of a leaderboard


def payload(evidence: Evidence, title: str) -> JsonObject:
    """Return the document of the page."""
    return cast("JsonObject", _finite(_payload(evidence, title)))


def _finite(value: object) -> object:
    """Return a document without numbers beyond the largest float, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _payload(evidence: Evidence, title: str) -> JsonObject:
    tree = evidence.tree
    found: JsonObject = {
        "title": printable(title),
        "estimator": evidence.model.estimator,
        "classes": evidence.classes,
        "features": _features(evidence),
        "n_rows": evidence.n_rows,
        "figures": figures(evidence),
        "importances": _importances(evidence.estimator),
        "leaderboard": _leaderboard(evidence.estimator),
        "rows": _rows(evidence),
    }
    if tree is None:
        return {**found, "instead": _instead(evidence.model)}
    columns = Columns.of(evidence.model, evidence.feature_names)
    numbers = range(len(columns.names))  # shorter than names
    return {
        **found,
        "model": {
            **data_of(evidence.model, columns),
            "nodes": _with_used(nodes_of(tree, numbers, columns.encoder)),
        },
        "nodes": _with_used(nodes(evidence, tree, columns)),
        "path": subtrees(evidence, tree),
        "terms": int(tree.n_terms),
        "depth": tree.depth,
        "scale": _scale(evidence),
    }


def _with_used(nodes: list[JsonObject]) -> list[JsonObject]:
    """Return nodes whose tests and models have the numbers of their columns as `used`."""

    def renamed(part: JsonObject) -> JsonObject:
        used = part["columns"] if "columns" in part else [part["column"]]
        return {**{key: value for key, value in part.items() if key not in ("column", "columns")}, "used": used}

    return [{key: renamed(part) if key in ("test", "model") else part for key, part in node.items()} for node in nodes]


def _features(evidence: Evidence) -> list[JsonObject]:
    """Return name and categories of each feature, and of numbers the least, the median and the largest."""
    columns = Columns.of(evidence.model, evidence.feature_names)
    encoder, found = columns.encoder, []
    for j, name in enumerate(distinct(columns.features)):
        labels = None if encoder is None else encoder.categories[j]
        column = evidence.cells[:, j]
        known = column[~np.isnan(column)]
        entry: JsonObject = {"name": name, "categories": None}
        if labels is not None:
            entry["categories"] = distinct(label_text(label) for label in labels)
            entry["usual"] = int(np.bincount(known[known >= 0].astype(np.int64), minlength=1).argmax())
        elif known.size:
            entry |= {"low": float(known.min()), "usual": float(f"{np.median(known):.6g}"), "high": float(known.max())}
        found.append(entry)
    return found


def _scale(evidence: Evidence) -> list[float]:
    """Return the spread of each feature in the rows, by which distances are measured; 1 for one that has none."""
    found = []
    for column in evidence.cells.T:
        known = column[~np.isnan(column)]
        size = float(np.abs(known).max(initial=0.0)) or 1.0  # divided by it, squares do not overflow
        found.append(float(np.std(known / size)) * size if known.size else 0.0)
    return [one if one > 0 else 1.0 for one in found]


def _rows(evidence: Evidence) -> JsonObject:
    """Return some of the rows, as many of each leaf as there is room for, with their predictions."""
    room = max(min(_ROWS, _CELLS // max(evidence.cells.shape[1], 1)), 50)
    chosen = _spread_out(evidence.leaf, evidence.n_rows, room)
    cells = [[None if value != value else _short(value) for value in row] for row in evidence.cells[chosen].tolist()]
    return {
        "number": chosen.tolist(),
        "cells": cells,
        "truth": evidence.truth[chosen].tolist(),
        "predicted": evidence.predicted[chosen].tolist(),
        **({} if evidence.leaf is None else {"leaf": evidence.leaf[chosen].tolist()}),
    }


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _spread_out(leaf: NDArray[np.int64] | None, n_rows: int, room: int) -> NDArray[np.int64]:
    """Return the numbers of at most `room` rows: random ones, and equally many of each leaf while it has more."""
    order = np.random.default_rng(0).permutation(n_rows)
    if leaf is not None:
        by_leaf = order[np.argsort(leaf[order], kind="stable")]
        first = np.searchsorted(leaf[by_leaf], leaf[by_leaf])
        order = by_leaf[np.argsort(np.arange(n_rows) - first, kind="stable")]
    return np.sort(order[:room])


def _importances(estimator: object) -> list[float] | None:
    found = getattr(estimator, "feature_importances_", None)  # a rule network has none
    return None if found is None else [round(float(one), 6) for one in found]


def _leaderboard(estimator: object) -> JsonObject | None:
    choice = getattr(estimator, "selection_", None)
    if choice is None or not choice.records:
        return None
    lines = [r for i, r in enumerate(choice.records) if i < _TRIED or r.chosen]
    return {"tried": len(choice.records), "lines": [line._asdict() for line in lines]}


def _instead(model: FittedModel) -> str:
    """Return the text that is shown if the model does not have exactly one tree."""
    kind = f"made of {len(model.members or model.parts)} trees"
    if model.combination is Combination.SINGLE:
        kind = "a rule network"
    elif model.combination is Combination.ONE_VS_REST:
        kind = "one tree for each class"
    return f"This model is {kind}. How well it predicts is below; a single tree can be explored."
