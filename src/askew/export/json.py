"""A model as JSON: everything that `predict` needs, with all digits, for programs in other languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from askew.data.encoder import Encoder
from askew.export.fitted import Fitted, fitted_model
from askew.export.formatting import printable
from askew.export.names import Columns
from askew.model.fitted import Combination, FittedModel, Part
from askew.model.rule_network import RuleNetwork
from askew.model.split import HYPERPLANE, LINEAR_MACHINE
from askew.model.tree import Tree

Label = str | bool | int | float | None  # a class or a category, as JSON has it
Names = Sequence[str] | range
JsonObject: TypeAlias = dict[str, Any]

FORMAT = "askew"  # its version rises when a program for the older one would predict wrongly


def export_json(
    estimator: Fitted, *, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
) -> str:
    """Return a model as JSON, with everything that `predict` needs.

    The reference describes it (*The JSON document*); ``tree.schema.json``, in the same folder of the package as this
    function, is its JSON Schema.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        A fitted estimator of askew, a fitted Pipeline that ends in one, or its ``tree_``.
    feature_names, class_names : list of str or None, default=None
        As for `askew.export_text`.

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
    estimator: Fitted, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
) -> JsonObject:
    """Return the document of `export_json` as Python objects."""
    model = _model(fitted_model(estimator), feature_names, class_names)
    version = 3 if "class_weight" in model else 2 if _is_newer(model) else 1
    return {"format": FORMAT, "version": version, **model}


def _model(model: FittedModel, feature_names: Sequence[str] | None, class_names: Sequence[str] | None) -> JsonObject:
    classes = classes_of(model, class_names)
    head: JsonObject = {"estimator": model.estimator, "kind": _kind(model), "classes": classes}
    if model.combination is Combination.VOTE:
        members = [_model(member, feature_names, class_names) for member in model.members]
        return {**head, "class_weights": model.class_mass.tolist(), **_class_weight(model), "members": members}
    if model.combination is Combination.SUM:
        head |= {"link": model.link, "baseline": list(model.baseline)}
    columns = Columns.of(model, feature_names)
    parts = [_part(part, columns.names, columns.encoder) for part in model.parts]
    body = parts[0] if model.combination is Combination.SINGLE else {"trees": parts}
    return {**head, **data_of(model, columns), **body}


def _kind(model: FittedModel) -> str:
    if model.combination is Combination.SINGLE:
        return "rule network" if isinstance(model.part, RuleNetwork) else "tree"
    kinds = {Combination.MEAN: "forest", Combination.SUM: "boosting", Combination.VOTE: "vote"}
    return kinds.get(model.combination, "one-vs-rest")


def data_of(model: FittedModel, columns: Columns) -> JsonObject:
    """Return the features and the columns that tests name."""
    return {
        "missing": model.schema.missing,
        "features": _features(columns, model.schema.means),
        "columns": _columns(columns),
        **_class_weight(model),
    }


def _class_weight(model: FittedModel) -> JsonObject:
    """Return the divisors of the probabilities, if the classes had weights."""
    found = model.schema.class_weight
    return {} if found is None else {"class_weight": found.tolist()}


def classes_of(model: FittedModel, names: Sequence[str] | None = None) -> list[Label] | None:
    """Return the labels of the classes, or `names`; None for regression."""
    labels = model.classes if names is None else names
    if labels is None or (model.classes is None and model.combination is not Combination.SINGLE):
        return None
    if len(labels) != model.n_outputs:
        raise ValueError(f"class_names must have {model.n_outputs} names, got {len(labels)}")
    return [label_of(label) for label in np.asarray(labels, dtype=object).tolist()]


def _is_newer(model: JsonObject) -> bool:
    """Whether a model or a part of it needs version 2: ensembles, models or shares of leaves, missing columns."""
    if model.get("kind") in {"forest", "boosting"}:
        return True
    entries = [*model.get("nodes", ()), *model.get("regions", ())]
    parts = [*model.get("members", ()), *model.get("trees", ())]
    indicators = any("missing" in column for column in model.get("columns", ()))
    return indicators or any("model" in entry or "shares" in entry for entry in entries) or any(map(_is_newer, parts))


def label_of(label: object) -> Label:
    """Return a class or a category as a JSON value; other types as text."""
    label = label.item() if isinstance(label, np.generic) else label
    if label is None or isinstance(label, str | bool | int) or (isinstance(label, float) and isfinite(label)):
        return label
    return printable(label)


def _features(columns: Columns, means: NDArray[np.float64] | None) -> list[JsonObject]:
    """Return the features: name, categories or None, and the mean that is imputed for a missing number."""
    entries = []
    for j, name in enumerate(columns.features):
        labels = None if columns.encoder is None else columns.encoder.categories[j]
        mean = None if means is None or labels is not None else float(means[j])
        categories = None if labels is None else [label_of(label) for label in labels]
        entries.append({"name": name, "categories": categories, "mean": mean})
    return entries


def _columns(columns: Columns) -> list[JsonObject]:
    """Return the columns that tests name, with their features."""
    encoder = columns.encoder
    if encoder is None:
        return [{"name": name, "feature": j, "category": None} for j, name in enumerate(columns.names)]
    described = zip(columns.names, encoder.origin.tolist(), _category_index(encoder), encoder.is_indicator, strict=True)
    return [
        {"name": name, "feature": feature, "category": category, **({"missing": True} if indicates else {})}
        for name, feature, category, indicates in described
    ]


def _category_index(encoder: Encoder) -> list[int | None]:
    """Return the category of each column of 0 and 1; None for all other columns."""
    found: list[int | None] = []
    for j, labels in enumerate(encoder.categories):
        found += [None] if labels is None or not encoder.onehot else range(len(labels))
        found += [None] if j in encoder.indicators else []
    return found


def _part(part: Part, names: Names, encoder: Encoder | None) -> JsonObject:
    if isinstance(part, Tree):
        return {"nodes": nodes_of(part, names, encoder)}
    regions = [
        {"conditions": [list(pair) for pair in part.conditions(region)], **_value(part, region, names)}
        for region in range(part.n_leaves)
    ]
    return {"tests": [_test(part, split, names, encoder) for split in range(part.n_splits)], "regions": regions}


def nodes_of(tree: Tree, names: Names, encoder: Encoder | None) -> list[JsonObject]:
    """Return the nodes of a tree: test, children, value.

    Parameters
    ----------
    tree : Tree
        The tree.
    names : list of str or range
        Names of the columns; a range for their numbers.
    encoder : Encoder or None
        The encoder, for the categories of category tables.
    """
    return [_node(tree, node, names, encoder) for node in range(tree.node_count)]


def _node(tree: Tree, node: int, names: Names, encoder: Encoder | None) -> JsonObject:
    first, n = int(tree.first_child[node]), int(tree.n_children[node])
    impurity = float(tree.impurity[node])
    return {
        **({} if tree.is_leaf[node] else {"test": _test(tree, node, names, encoder)}),
        "children": list(range(first, first + n)) if n else [],
        **_value(tree, node, names, predicts=bool(tree.is_leaf[node])),
        "impurity": impurity if isfinite(impurity) else None,  # beyond the largest float
    }


def _value(part: Part, node: int, names: Names, predicts: bool = True) -> JsonObject:
    return {
        "value": part.value[node].tolist(),
        **(linear_model(part, node, names) if predicts else {}),
        **({"shares": part.payload.share[node].tolist()} if predicts and part.payload.share is not None else {}),
        "n_samples": int(part.n_samples[node]),
        "weight": float(part.mass[node]),
    }


def linear_model(part: Part, node: int, names: Names) -> JsonObject:
    """Return the linear model of a leaf or region, if it has one: a sum for each output, the range of a number."""
    model = part.payload.model(node)
    if model is None:
        return {}
    pairs = zip(model.weights.T, model.constants, strict=True)
    sums = [{"weights": weights.tolist(), "constant": float(constant)} for weights, constant in pairs]
    limits = None if model.limits is None else list(model.limits)
    return {"model": {"columns": [names[j] for j in model.columns.tolist()], "sums": sums, "range": limits}}


def _test(part: Part, node: int, names: Names, encoder: Encoder | None) -> JsonObject:
    tested, weights = part.test(node)
    named = [names[j] for j in tested.tolist()]
    if part.kind[node] == HYPERPLANE:
        threshold = float(part.threshold[node])
        return {"kind": "hyperplane", "columns": named, "weights": weights.tolist(), "threshold": threshold}
    if part.kind[node] == LINEAR_MACHINE:
        rows = weights.reshape(-1, tested.size + 1).tolist()
        sums = [{"weights": row[:-1], "constant": row[-1]} for row in rows]
        return {"kind": "linear machine", "columns": named, "sums": sums}
    labels = None if encoder is None else encoder.codes_of(int(tested[0]))
    return {
        "kind": "categories",
        "column": named[0],
        "categories": [
            label_of(label) for label in (range(weights.size) if labels is None else labels[: weights.size])
        ],
        "goes_to": weights.astype(np.int64).tolist(),
        "otherwise": int(part.threshold[node]),
    }
