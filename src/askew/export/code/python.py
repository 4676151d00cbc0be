"""A model as a Python module that imports nothing but `math`."""

from __future__ import annotations

from importlib.resources import files
from pprint import pformat

from askew.export.code.plan import Plan, PlannedLeaf, PlannedPart, PlannedTest, plan_of
from askew.export.fitted import Fitted
from askew.export.json import JsonObject

_CUT = "# --- from here on as it is\n"


def export_python(estimator: Fitted) -> str:
    """Return a model as Python code with functions `predict(row)` and `predict_proba(row)`, which needs nothing else.

    A row is a list in the order of `FEATURES`, or a dict by name; None or NaN is a missing value, categories are passed
    as they are. The functions give what the estimator gives: the terms of a test are added in the same order. What goes
    through an exponential (boosting) may differ in its last digits.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        Fitted estimator of askew: a tree, a rule network, a vote, a forest or boosting.

    Raises
    ------
    ValueError
        A pipeline with steps before the tree.

    Examples
    --------
    >>> import askew
    >>> code = askew.export_python(askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"]))
    >>> names = {}
    >>> exec(code, names)
    >>> names["predict"]([1.8]), names["predict_proba"]([1.8])
    ('yes', [0.0, 1.0])
    """
    plan = plan_of(estimator, "export_python")
    runtime = files("askew.export.code").joinpath("python_runtime.py").read_text(encoding="utf-8").split(_CUT, 1)[1]
    head = f'"""A model of askew: {plan.estimator}. `predict(row)` needs nothing but this file."""\n\n'
    head += "from math import exp, isfinite, ldexp\nfrom typing import Any\n\n"
    return (
        f"{head}MODEL: dict[str, Any] = {pformat(_model(plan), width=118, compact=True, sort_dicts=False)}\n{runtime}"
    )


def _model(plan: Plan) -> JsonObject:
    columns = [(column.feature, column.category, column.is_indicator) for column in plan.columns]
    features = [
        (feature.name, None if feature.categories is None else feature.known, fill)
        for feature, fill in zip(plan.features, plan.fills, strict=True)
    ]
    return {
        "classes": plan.classes,
        "missing": plan.missing,
        "features": features,
        "columns": None if plan.columns_are_features else columns,
        "answer": plan.answer,
        "link": plan.link,
        "baseline": plan.baseline,
        "voters": plan.voters,
        "class_weights": plan.class_weights,
        "divisors": plan.divisors,
        "parts": [_part(part) for part in plan.parts],
    }


def _part(part: PlannedPart) -> JsonObject:
    if part.is_network:
        regions = [(conditions, _leaf(leaf)) for conditions, leaf in zip(part.regions, part.leaves, strict=True)]
        return {"counts": part.counts, "tests": [_test(test) for test in part.tests], "regions": regions}
    nodes = [
        _leaf(part.leaves[node.leaf])
        if node.test is None
        else {"test": _test(node.test), "first": node.children[0], "parts": node.parts}
        for node in part.nodes
    ]
    return {"counts": part.counts, "nodes": nodes}


def _test(test: PlannedTest) -> tuple[object, ...]:
    if test.kind == "categories":
        return test.kind, test.columns, test.goes_to, test.otherwise
    if test.kind == "hyperplane":
        return test.kind, test.columns, test.weights[0], test.threshold
    return test.kind, test.columns, list(zip(test.constants, test.weights, strict=True)), None


def _leaf(leaf: PlannedLeaf) -> JsonObject:
    found: JsonObject = {"value": leaf.value}
    if leaf.weights != leaf.value:
        found["smoothed"] = leaf.weights
    if leaf.model is not None:
        sums = list(zip(leaf.model.constants, leaf.model.weights, strict=True))
        found["model"] = (leaf.model.columns, sums, leaf.model.range)
    return found
