"""`Plan`: a fitted model as the exports to other languages see it, made of the JSON document.

    row of data  ->  columns  ->  a place in every part  ->  what the places say, put together  ->  answer
    features         columns      nodes or regions            answer, votes

What can be computed before any row is known is in it already, as `predict` computes it: the class of a leaf, its
shares, its odds, the part of a row that each child gets where a value is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from askew.export.fitted import steps_before
from askew.export.json import document
from askew.model.leaf_values import class_shares

# How the places of a row become an answer.
LEAF, ODDS, SHARES, BOOSTED = "leaf", "odds", "shares", "boosted"


@dataclass(frozen=True)
class Feature:
    """A feature of the data: its name, its categories in order (None for numbers), and what stands in for NaN."""

    name: str
    categories: list[Any] | None
    mean: float | None

    @property
    def known(self) -> list[Any]:
        """The categories, without that of missing values, which is the last."""
        return [label for label in self.categories or [] if label is not None]

    @property
    def missing_is_a_category(self) -> bool:
        """Whether missing values are a category."""
        return self.categories is not None and None in self.categories


@dataclass(frozen=True)
class Column:
    """A column that tests name: a feature, one of its categories as 0 and 1, or whether its value is missing."""

    feature: int
    category: int | None
    tells_missing: bool


@dataclass(frozen=True)
class Test:
    """A test: `sums` are lists of weights, one for each column, and constants; `goes_to` has a child for each code."""

    kind: str
    columns: list[int]
    weights: list[list[float]]
    constants: list[float]
    threshold: float
    goes_to: list[int]
    otherwise: int

    @property
    def n_children(self) -> int:
        """Number of children."""
        if self.kind == "hyperplane":
            return 2
        return len(self.weights) or max([*self.goes_to, self.otherwise]) + 1


@dataclass(frozen=True)
class LeafModel:
    """A linear model of a place: a sum for each output, and the range of a number."""

    columns: list[int]
    weights: list[list[float]]
    constants: list[float]
    range: tuple[float, float] | None


@dataclass(frozen=True)
class Place:
    """Where a row can end: a leaf or a region.

    Attributes
    ----------
    value : weight of each class, or a number
    weights : the same with smoothed shares
    label : the heaviest class, of equals the first
    entry : what it adds to the answer: the shares of the classes, a number, or odds
    raw : the shares without smoothing
    model : its linear model; None if it has none
    """

    value: list[float]
    weights: list[float]
    label: int
    entry: list[float]
    raw: list[float]
    model: LeafModel | None


@dataclass(frozen=True)
class Node:
    """A node of a tree: a test and the numbers of its children, or a place.

    `parts` has the part of a row that each child gets if a value that the test needs is missing.
    """

    test: Test | None
    children: list[int]
    parts: list[float]
    place: int


@dataclass(frozen=True)
class Part:
    """A tree (`nodes`) or a rule network (`tests` and `regions`, lists of test and side), and its places."""

    nodes: list[Node]
    tests: list[Test]
    regions: list[list[tuple[int, int]]]
    places: list[Place]
    counts: bool  # whether its class had any training row (one against the rest)

    @property
    def is_network(self) -> bool:
        """Whether it has regions in place of nodes."""
        return bool(self.regions)

    def all_tests(self) -> Iterator[Test]:
        """Yield all tests."""
        yield from self.tests
        yield from (node.test for node in self.nodes if node.test is not None)

    @cached_property
    def depth(self) -> int:
        """Number of tests to the deepest leaf of a tree."""
        depth = [0] * len(self.nodes)
        for number, node in enumerate(self.nodes):
            for child in node.children:
                depth[child] = depth[number] + 1
        return max(depth, default=0)

    @property
    def leaves_in_order(self) -> list[int]:
        """The leaves of a tree from left to right, which is how their shares are added."""
        found, waiting = [], [0]
        while waiting:
            i = waiting.pop()
            if self.nodes[i].test is None:
                found.append(i)
            waiting += reversed(self.nodes[i].children)
        return found


@dataclass(frozen=True)
class Plan:
    """A model.

    Attributes
    ----------
    estimator : name of the estimator
    classes : labels of the classes; None where a number is predicted
    missing : what a missing value does
    features, columns : the data, and what tests see of them
    answer : how places become an answer: LEAF, ODDS, SHARES (added over trees) or BOOSTED
    parts : the trees; with votes, those of the first voter, then those of the second, and so on
    voters : number of voters; 0 if nothing is voted on
    class_weights : of a vote: which of two classes with equal votes is first
    divisors : what the probabilities of the classes are divided by before they are scaled to a sum of 1; None if they
        are not. What leaves have is divided already
    link, baseline : of boosting
    """

    estimator: str
    classes: list[Any] | None
    missing: str
    features: list[Feature]
    columns: list[Column]
    answer: str
    parts: list[Part]
    voters: int
    class_weights: list[float]
    divisors: list[float] | None
    link: str
    baseline: list[float]

    @property
    def n_outputs(self) -> int:
        """Length of the answer: one number a class, or one."""
        return 1 if self.classes is None else len(self.classes)

    @property
    def parts_each(self) -> int:
        """Parts of a voter."""
        return len(self.parts) // max(self.voters, 1)

    @property
    def in_parts(self) -> bool:
        """Whether rows with missing values go down in parts."""
        return self.missing == "fractional"

    @property
    def has_models(self) -> bool:
        """Whether any place has a linear model."""
        return any(place.model is not None for place in self.places)

    @property
    def columns_are_features(self) -> bool:
        """Whether tests see the features as they are, categories as codes."""
        return self.columns == [Column(j, None, False) for j in range(len(self.features))]

    @property
    def refuses_missing(self) -> bool:
        """Whether a row that lacks a value has no answer."""
        return self.missing == "error"

    @property
    def smoothed(self) -> bool:
        """Whether the probabilities of places are others than the shares of their values."""
        return any(place.weights != place.value for place in self.places)

    @property
    def places(self) -> list[Place]:
        """The places of all parts, one after the other."""
        return [place for part in self.parts for place in part.places]

    @property
    def fills(self) -> list[float | None]:
        """What stands in for a missing value of each feature, a code for categories; None: nothing does."""
        found: list[float | None] = []
        for feature in self.features:
            if feature.categories is not None and feature.missing_is_a_category:
                found.append(float(feature.categories.index(None)))
            elif self.missing in ("mean", "indicator"):
                found.append(-1.0 if feature.categories is not None else feature.mean)
            else:
                found.append(None)
        return found

    def kinds(self) -> set[str]:
        """Return the kinds of tests that there are."""
        return {test.kind for part in self.parts for test in part.all_tests()}


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
    """Return what `askew.model.leaf_values.as_they_occur` divides the probabilities of the classes by."""
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
