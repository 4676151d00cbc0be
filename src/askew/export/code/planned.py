"""From a fitted estimator to its `askew.export.code.plan.Plan`, by the JSON document: it carries what JSON does."""

from __future__ import annotations

from typing import Any

import numpy as np

from askew.export.code.plan import (
    BOOSTED,
    LEAF,
    ODDS,
    SHARES,
    Column,
    Feature,
    LeafModel,
    Node,
    Part,
    Place,
    Plan,
    Test,
)
from askew.export.json import document
from askew.export.pipeline import steps_before
from askew.payload import class_shares


def plan_of(estimator: Any, to: str) -> Plan:
    """Return the plan of a fitted estimator; raise ValueError for what cannot be written as code.

    Parameters
    ----------
    estimator : fitted estimator of askew
    to : name of the function that exports, for messages
    """
    steps = steps_before(estimator)
    if steps:
        raise ValueError(
            f"{to} writes the tree of a pipeline, not the steps before it ({', '.join(steps)}): pass the last step, "
            "estimator[-1], and give its code the columns that these steps make"
        )
    return planned(document(estimator))


def planned(model: dict[str, Any]) -> Plan:
    """Return the plan of a JSON document (`askew.export_json`)."""
    if model["kind"] == "vote":
        return _vote(model)
    answers = {"one-vs-rest": ODDS, "forest": SHARES, "boosting": BOOSTED}
    answer = answers.get(model["kind"], LEAF)
    place = {column["name"]: j for j, column in enumerate(model["columns"])}
    trees = model.get("trees", [model])
    classes, weighted = model["classes"] is not None, _divisors(model)
    at_leaves = weighted is not None and _divides_at_leaves(model, answer)
    parts = [_part(tree, place, answer, classes, weighted if at_leaves else None) for tree in trees]
    if len({part.is_network for part in parts}) > 1:
        raise ValueError("the parts of a model must be all trees, or all rule networks")
    if model["missing"] == "fractional" and (answer != LEAF or any(part.is_network for part in parts)):
        raise ValueError("only a single tree sends rows with missing values down in parts")
    return Plan(
        estimator=model["estimator"],
        classes=model["classes"],
        missing=model["missing"],
        features=[Feature(**feature) for feature in model["features"]],
        columns=[Column(c["feature"], c["category"], c.get("missing", False)) for c in model["columns"]],
        answer=answer,
        parts=parts,
        voters=0,
        class_weights=[],
        divisors=None if at_leaves else weighted,
        link=model.get("link", "identity"),
        baseline=model.get("baseline", []),
    )


def _divisors(model: dict[str, Any]) -> list[float] | None:
    """Return what `askew.payload.as_they_occur` divides the probabilities of the classes by."""
    found = model.get("class_weight")
    return None if found is None else [weight if weight > 0 else 1.0 for weight in found]


def _divides_at_leaves(model: dict[str, Any], answer: str) -> bool:
    """Whether each leaf has probabilities of its own: forests add these up, a tree without models has no others."""
    places = [*model.get("nodes", ()), *model.get("regions", ())]
    plain = answer == LEAF and model["missing"] != "fractional" and not any("model" in place for place in places)
    return plain or answer == SHARES


def _vote(model: dict[str, Any]) -> Plan:
    voters = [planned(member) for member in model["members"]]
    first = voters[0]
    for other in voters:
        alike = (first.missing, first.features, first.columns) == (other.missing, other.features, other.columns)
        if not alike or (other.answer, len(other.parts)) != (first.answer, len(first.parts)):
            raise ValueError("the trees of a vote must read the data alike, and be of one kind")
    return Plan(
        estimator=model["estimator"],
        classes=model["classes"],
        missing=first.missing,
        features=first.features,
        columns=first.columns,
        answer=first.answer,
        parts=[part for voter in voters for part in voter.parts],
        voters=len(voters),
        class_weights=model["class_weights"],
        divisors=_divisors(model),
        link="identity",
        baseline=[],
    )


def _part(
    tree: dict[str, Any], column: dict[str, int], answer: str, classes: bool, divisors: list[float] | None
) -> Part:
    if "regions" in tree:
        value = np.sum([region["value"] for region in tree["regions"]], axis=0)
        return Part(
            nodes=[],
            tests=[_test(test, column) for test in tree["tests"]],
            regions=[[(test, side) for test, side in region["conditions"]] for region in tree["regions"]],
            places=[_place(region, column, answer, classes, divisors) for region in tree["regions"]],
            counts=bool(value[-1] > 0),
        )
    leaves = [node for node in tree["nodes"] if "test" not in node]
    number = {id(leaf): i for i, leaf in enumerate(leaves)}
    nodes = []
    for node in tree["nodes"]:
        test = _test(node["test"], column) if "test" in node else None
        below = [tree["nodes"][child]["weight"] for child in node["children"]]
        nodes.append(Node(test, node["children"], _parts(below), number.get(id(node), -1)))
    return Part(
        nodes=nodes,
        tests=[],
        regions=[],
        places=[_place(leaf, column, answer, classes, divisors) for leaf in leaves],
        counts=tree["nodes"][0]["value"][-1] > 0,
    )


def _parts(weights: list[float]) -> list[float]:
    """Return the part of a row that each child gets: added up from the last to the first, as the compiled walk does."""
    total = 0.0
    for weight in reversed(weights):
        total += weight
    return [weight / total if total > 0 else 0.0 for weight in weights]


def _place(
    place: dict[str, Any], column: dict[str, int], answer: str, classes: bool, divisors: list[float] | None
) -> Place:
    value = np.array([place["value"]])
    share = np.array([place["shares"]]) if "shares" in place else None
    weights = value if share is None else share * value.sum(axis=1, keepdims=True)
    if divisors is not None:
        weights = class_shares(weights) / np.array(divisors)
    raw = entry = place["value"]
    if answer == ODDS:
        entry = [float((weights[0, 1] + 1) / (weights[0, 0] + 1))]
    elif classes and answer != BOOSTED:
        with np.errstate(invalid="ignore"):  # a place without any weight has no shares
            raw, entry = (class_shares(each)[0].tolist() for each in (value, weights))
    model = None
    if "model" in place:
        told = place["model"]
        model = LeafModel(
            columns=[column[name] for name in told["columns"]],
            weights=[one["weights"] for one in told["sums"]],
            constants=[one["constant"] for one in told["sums"]],
            range=None if told["range"] is None else (told["range"][0], told["range"][1]),
        )
    return Place(place["value"], weights[0].tolist(), int(value[0].argmax()), entry, raw, model)


def _test(test: dict[str, Any], column: dict[str, int]) -> Test:
    if test["kind"] == "categories":
        return Test(test["kind"], [column[test["column"]]], [], [], 0.0, test["goes_to"], test["otherwise"])
    columns = [column[name] for name in test["columns"]]
    if test["kind"] == "hyperplane":
        return Test(test["kind"], columns, [test["weights"]], [0.0], test["threshold"], [], 0)
    weights = [one["weights"] for one in test["sums"]]
    return Test(test["kind"], columns, weights, [one["constant"] for one in test["sums"]], 0.0, [], 0)
