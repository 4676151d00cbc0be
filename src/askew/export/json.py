"""A model as JSON: all that `predict` needs, every digit of it, for programs in other languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.data.encoder import Encoder
from askew.estimators.boosting import Boosting
from askew.estimators.ensemble import Ensemble
from askew.estimators.k_dt import KDTClassifier
from askew.export.fitted import final_step
from askew.export.formatting import printable
from askew.export.names import Columns
from askew.export.wording import model_of
from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.split import HYPERPLANE, LINEAR_MACHINE
from askew.model.tree import Tree

FORMAT = "askew"  # the version changes when a program that reads the older one would go wrong


def export_json(
    estimator: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
) -> str:
    """Return a model as JSON: all that is needed to predict what it predicts.

    The guide has a page on the document, *A model as JSON*; ``tree.schema.json``, in the same folder of the package
    as this function, is its JSON Schema.

    Parameters
    ----------
    estimator, feature_names, class_names : as for `askew.export_text`

    Examples
    --------
    >>> import askew, json
    >>> tree = json.loads(askew.export_json(askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])))
    >>> tree["nodes"][0]["test"]
    {'kind': 'hyperplane', 'columns': ['x0'], 'weights': [1.0], 'threshold': 1.5}
    >>> tree["nodes"][2]["value"]
    [0.0, 1.0]
    """
    return json.dumps(document(estimator, feature_names, class_names), indent=1, allow_nan=False)


def document(
    estimator: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return what `export_json` writes, as Python has it."""
    model = _model(final_step(estimator), feature_names, class_names)
    version = 3 if "class_weight" in model else 2 if _is_newer(model) else 1
    return {"format": FORMAT, "version": version, **model}


def _model(estimator: Any, feature_names: Sequence[str] | None, class_names: Sequence[str] | None) -> dict[str, Any]:
    bare = isinstance(estimator, Tree | RuleNetwork | OneVsRest)
    if not bare:
        check_is_fitted(estimator)
    head: dict[str, Any] = {"estimator": type(estimator).__name__}
    if isinstance(estimator, KDTClassifier):
        members = [_model(one, feature_names, class_names) for one in estimator.estimators_]
        mass = estimator.class_mass_.tolist()
        vote = {"kind": "vote", "classes": members[0]["classes"], "class_weights": mass, **_class_weight(estimator)}
        return {**head, **vote, "members": members}
    columns = Columns.of(estimator, feature_names)
    if isinstance(estimator, Ensemble):
        return {**head, **_ensemble(estimator, columns, class_names)}
    tree = estimator if bare else estimator.tree_
    return {
        **head,
        "kind": _kind(tree),
        "classes": _classes(estimator, tree, class_names),
        **_data(estimator, columns),
        **_body(columns, tree),
    }


def _data(estimator: Any, columns: Columns) -> dict[str, Any]:
    """Return how a row of data becomes the columns that tests name."""
    return {
        "missing": getattr(estimator, "missing_", "error"),
        "features": _features(columns, getattr(estimator, "feature_means_", None)),
        "columns": _columns(columns),
        **_class_weight(estimator),
    }


def _class_weight(estimator: Any) -> dict[str, Any]:
    """Return what probabilities are divided by, if the classes had weights."""
    found = getattr(estimator, "class_weight_", None)
    return {} if found is None else {"class_weight": found.tolist()}


def _is_newer(model: dict[str, Any]) -> bool:
    """Whether a model or a part of it needs version 2: ensembles, models or shares of leaves, missing columns."""
    if model.get("kind") in {"forest", "boosting"}:
        return True
    places = [*model.get("nodes", ()), *model.get("regions", ())]
    parts = [*model.get("members", ()), *model.get("trees", ())]
    told = any("missing" in column for column in model.get("columns", ()))
    return told or any("model" in place or "shares" in place for place in places) or any(map(_is_newer, parts))


def _ensemble(model: Ensemble, columns: Columns, class_names: Sequence[str] | None) -> dict[str, Any]:
    classes = None
    if is_classifier(model):
        labels = model.classes_ if class_names is None else class_names
        if len(labels) != model.classes_.size:
            raise ValueError(f"class_names must have {model.classes_.size} names, got {len(labels)}")
        classes = [_label(label) for label in np.asarray(labels, dtype=object).tolist()]
    trees = [_body(columns, tree) for tree in model.trees_]
    head = {"kind": "forest", "classes": classes}
    if isinstance(model, Boosting):
        head |= {"kind": "boosting", "link": model.link_, "baseline": model.baseline_.tolist()}
    return {**head, **_data(model, columns), "trees": trees}


def _kind(tree: Any) -> str:
    if isinstance(tree, OneVsRest):
        return "one-vs-rest"
    return "rule network" if isinstance(tree, RuleNetwork) else "tree"


def _classes(estimator: Any, tree: Any, names: Sequence[str] | None) -> list[Any] | None:
    """Return the labels of the classes, or the names given for them; None where numbers are predicted."""
    n = len(tree.trees) if isinstance(tree, OneVsRest) else tree.n_outputs
    if names is None and not (n > 1 if estimator is tree else is_classifier(estimator)):
        return None
    labels = getattr(estimator, "classes_", None) if names is None else names
    if labels is None:
        return [f"class {i}" for i in range(n)]
    if len(labels) != n:
        raise ValueError(f"class_names must have {n} names, got {len(labels)}")
    return [_label(label) for label in np.asarray(labels, dtype=object).tolist()]


def _label(label: Any) -> Any:
    """Return a class or a category as JSON has it; what it cannot hold as text."""
    label = label.item() if isinstance(label, np.generic) else label
    plain = label is None or isinstance(label, str | bool | int) or (isinstance(label, float) and isfinite(label))
    return label if plain else printable(label)


def _features(columns: Columns, means: NDArray[np.float64] | None) -> list[dict[str, Any]]:
    """Return what a row of data has: a name, the categories or None, and what stands in for a missing number."""
    entries = []
    for j, name in enumerate(columns.features):
        labels = None if columns.encoder is None else columns.encoder.categories[j]
        mean = None if means is None or labels is not None else float(means[j])
        categories = None if labels is None else [_label(label) for label in labels]
        entries.append({"name": name, "categories": categories, "mean": mean})
    return entries


def _columns(columns: Columns) -> list[dict[str, Any]]:
    """Return how each column that the tests name is made of a feature."""
    encoder = columns.encoder
    if encoder is None:
        return [{"name": name, "feature": j, "category": None} for j, name in enumerate(columns.names)]
    described = zip(columns.names, encoder.origin.tolist(), _places(encoder), encoder.is_indicator, strict=True)
    return [
        {"name": name, "feature": feature, "category": category, **({"missing": True} if tells else {})}
        for name, feature, category, tells in described
    ]


def _places(encoder: Encoder) -> list[int | None]:
    """Return which category of its feature each column of 0 and 1 stands for; None for all other columns."""
    place: list[int | None] = []
    for j, labels in enumerate(encoder.categories):
        place += [None] if labels is None or not encoder.onehot else range(len(labels))
        place += [None] if j in encoder.indicators else []
    return place


def _body(columns: Columns, tree: Any) -> dict[str, Any]:
    if isinstance(tree, OneVsRest):
        return {"trees": [_body(columns, one) for one in tree.trees]}
    if isinstance(tree, RuleNetwork):
        tests = [_test(columns, tree, split) for split in range(tree.n_splits)]
        regions = [
            {"conditions": [list(pair) for pair in tree.conditions(region)], **_holds(columns, tree, region)}
            for region in range(tree.n_leaves)
        ]
        return {"tests": tests, "regions": regions}
    return {"nodes": [_node(columns, tree, node) for node in range(tree.node_count)]}


def _node(columns: Columns, tree: Tree, node: int) -> dict[str, Any]:
    first, n = int(tree.first_child[node]), int(tree.n_children[node])
    impurity = float(tree.impurity[node])
    return {
        **({} if tree.is_leaf[node] else {"test": _test(columns, tree, node)}),
        "children": list(range(first, first + n)) if n else [],
        **_holds(columns, tree, node, predicts=bool(tree.is_leaf[node])),
        "impurity": impurity if isfinite(impurity) else None,  # beyond the largest float
    }


def _holds(columns: Columns, tree: Tree | RuleNetwork, place: int, predicts: bool = True) -> dict[str, Any]:
    return {
        "value": tree.value[place].tolist(),
        **(linear_model(columns, tree, place) if predicts else {}),
        **({"shares": tree.payload.share[place].tolist()} if predicts and tree.payload.share is not None else {}),
        "n_samples": int(tree.n_samples[place]),
        "weight": float(tree.mass[place]),
    }


def linear_model(columns: Columns, tree: Tree | RuleNetwork, place: int) -> dict[str, Any]:
    """Return the linear model of a place, if it has one, as `model`: a sum for each output, the range of a number."""
    model = model_of(tree, place)
    if model is None:
        return {}
    used, weights, constants = model
    sums = [{"weights": w.tolist(), "constant": float(c)} for w, c in zip(weights.T, constants, strict=True)]
    ends = [getattr(tree.payload, name) for name in ("model_low", "model_high")] if len(sums) == 1 else []
    limits = [float(end[place]) for end in ends] or None
    return {"model": {"columns": [columns.names[j] for j in used.tolist()], "sums": sums, "range": limits}}


def _test(columns: Columns, tree: Tree | RuleNetwork, node: int) -> dict[str, Any]:
    tested, weights = tree.test(node)
    names = [columns.names[j] for j in tested.tolist()]
    if tree.kind[node] == HYPERPLANE:
        threshold = float(tree.threshold[node])
        return {"kind": "hyperplane", "columns": names, "weights": weights.tolist(), "threshold": threshold}
    if tree.kind[node] == LINEAR_MACHINE:
        rows = weights.reshape(-1, tested.size + 1).tolist()
        sums = [{"weights": row[:-1], "constant": row[-1]} for row in rows]
        return {"kind": "linear machine", "columns": names, "sums": sums}
    labels = None if columns.encoder is None else columns.encoder.codes_of(int(tested[0]))
    return {
        "kind": "categories",
        "column": names[0],
        "categories": [_label(label) for label in (range(weights.size) if labels is None else labels[: weights.size])],
        "goes_to": weights.astype(np.int64).tolist(),
        "otherwise": int(tree.threshold[node]),
    }
