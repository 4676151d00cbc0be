"""`Plan`: a fitted model as the exports to other languages see it.

    row of data  ->  columns  ->  a leaf in every part  ->  combination of the leaf values  ->  answer
    features         columns      nodes or regions          answer, votes

Everything that does not depend on a row is precomputed, as `predict` computes it: the class of a leaf, its
shares, its odds, the part of a row that each child gets where a value is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew.export.fitted import Fitted, fitted_model, steps_before
from askew.export.json import Label, classes_of, data_of
from askew.export.names import Columns
from askew.model.fitted import Combination, FittedModel, Part
from askew.model.leaf_values import LinearModel, class_shares
from askew.model.rule_network import RuleNetwork
from askew.model.split import CATEGORY_TABLE, HYPERPLANE
from askew.model.tree import Tree

# How the leaves of a row become an answer.
LEAF, ODDS, SHARES, BOOSTED = "leaf", "odds", "shares", "boosted"


@dataclass(frozen=True)
class Feature:
    """A feature of the data: its name, its categories in order (None for numbers), and the number imputed for NaN."""

    name: str
    categories: list[Label] | None
    mean: float | None

    @property
    def known(self) -> list[Label]:
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
    is_indicator: bool


@dataclass(frozen=True)
class PlannedTest:
    """A test: `weights` and `constants` have an entry for each sum; `goes_to` has the child of each code."""

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
class PlannedModel:
    """A linear model of a leaf: a sum for each output, and the range of a number."""

    columns: list[int]
    weights: list[list[float]]
    constants: list[float]
    range: tuple[float, float] | None


@dataclass(frozen=True)
class PlannedLeaf:
    """A leaf of a tree, or a region of a rule network.

    Attributes
    ----------
    value : list of float
        Weight of each class, or a number.
    weights : list of float
        The same with smoothed class shares.
    label : int
        The heaviest class, of equals the first.
    entry : list of float
        Contribution to the answer: the shares of the classes, a number, or odds.
    raw : list of float
        The shares without smoothing.
    model : PlannedModel or None
        Its linear model; None if it has none.
    """

    value: list[float]
    weights: list[float]
    label: int
    entry: list[float]
    raw: list[float]
    model: PlannedModel | None


@dataclass(frozen=True)
class PlannedNode:
    """A node of a tree: a test and the indices of its children, or a leaf.

    `parts` has the part of a row that each child gets if a value that the test needs is missing.
    """

    test: PlannedTest | None
    children: list[int]
    parts: list[float]
    leaf: int


@dataclass(frozen=True)
class PlannedPart:
    """A tree (`nodes`) or a rule network (`tests` and `regions`, lists of test and side), and its leaves."""

    nodes: list[PlannedNode]
    tests: list[PlannedTest]
    regions: list[list[tuple[int, int]]]
    leaves: list[PlannedLeaf]
    counts: bool  # whether its class had any training row (one against the rest)

    @property
    def is_network(self) -> bool:
        """Whether it has regions instead of nodes."""
        return bool(self.regions)

    def all_tests(self) -> Iterator[PlannedTest]:
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
    """A fitted model, ready to be written as code.

    Attributes
    ----------
    estimator : str
        Name of the estimator.
    classes : list of Label or None
        Labels of the classes; None where a number is predicted.
    missing : str
        Strategy for missing values.
    features : list of Feature
        Features of the data.
    columns : list of Column
        The columns that tests use.
    answer : str
        How the values of leaves become an answer: LEAF, ODDS, SHARES (added over trees) or BOOSTED.
    parts : list of PlannedPart
        The trees; with votes, those of the first voter, then those of the second, and so on.
    voters : int
        Number of voters; 0 if nothing is voted on.
    class_weights : list of float
        Weights that order classes with equal votes.
    divisors : list of float or None
        Divisors of the class probabilities, applied before they are scaled to a sum of 1; None without any. The values
        of leaves are divided already.
    link : str
        Link function of boosting.
    baseline : list of float
        Initial prediction of boosting.
    """

    estimator: str
    classes: list[Label] | None
    missing: str
    features: list[Feature]
    columns: list[Column]
    answer: str
    parts: list[PlannedPart]
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
        """Whether any leaf has a linear model."""
        return any(leaf.model is not None for leaf in self.leaves)

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
        """Whether the probabilities of leaves differ from the shares of their values."""
        return any(leaf.weights != leaf.value for leaf in self.leaves)

    @property
    def leaves(self) -> list[PlannedLeaf]:
        """The leaves of all parts, one after the other."""
        return [leaf for part in self.parts for leaf in part.leaves]

    @property
    def fills(self) -> list[float | None]:
        """The value imputed for a missing value of each feature, a code for categories; None: no imputation."""
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


_ANSWERS = {
    Combination.SINGLE: LEAF,
    Combination.ONE_VS_REST: ODDS,
    Combination.MEAN: SHARES,
    Combination.SUM: BOOSTED,
}


def plan_of(estimator: Fitted, to: str) -> Plan:
    """Return the plan of a fitted estimator; raise ValueError for what cannot be written as code.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of askew.
    to : str
        Name of the function that exports, for messages.
    """
    steps = steps_before(estimator)
    if steps:
        raise ValueError(
            f"{to} writes the tree of a pipeline, not the steps before it ({', '.join(steps)}): pass the last step, "
            "estimator[-1], and give its code the columns that these steps make"
        )
    return planned(fitted_model(estimator))


def planned(model: FittedModel) -> Plan:
    """Return the plan of a fitted model."""
    if model.combination is Combination.VOTE:
        return _vote(model)
    answer, divisors = _ANSWERS[model.combination], _divisors(model)
    networks = {isinstance(part, RuleNetwork) for part in model.parts}
    if len(networks) > 1:
        raise ValueError("the parts of a model must be all trees, or all rule networks")
    if model.schema.missing == "fractional" and (answer != LEAF or networks == {True}):
        raise ValueError("only a single tree sends rows with missing values down in parts")
    at_leaves = divisors is not None and _divides_at_leaves(model, answer)
    classes = model.classes is not None and answer != BOOSTED
    parts = [_part(part, answer, classes, divisors if at_leaves else None) for part in model.parts]
    data = data_of(model, Columns.of(model))
    return Plan(
        estimator=model.estimator,
        classes=classes_of(model),
        missing=model.schema.missing,
        features=[Feature(**feature) for feature in data["features"]],
        columns=[Column(c["feature"], c["category"], c.get("missing", False)) for c in data["columns"]],
        answer=answer,
        parts=parts,
        voters=0,
        class_weights=[],
        divisors=None if at_leaves or divisors is None else divisors.tolist(),
        link=model.link,
        baseline=list(model.baseline),
    )


def _vote(model: FittedModel) -> Plan:
    voters = [planned(member) for member in model.members]
    first, divisors = voters[0], _divisors(model)
    for other in voters:
        alike = (first.missing, first.features, first.columns) == (other.missing, other.features, other.columns)
        if not alike or (other.answer, len(other.parts)) != (first.answer, len(first.parts)):
            raise ValueError("the trees of a vote must read the data in the same way, and be of one kind")
    return replace(
        first,
        estimator=model.estimator,
        classes=classes_of(model),
        parts=[part for voter in voters for part in voter.parts],
        voters=len(voters),
        class_weights=model.class_mass.tolist(),
        divisors=None if divisors is None else divisors.tolist(),
    )


def _divisors(model: FittedModel) -> NDArray[np.float64] | None:
    """Return the divisors of the class probabilities in `askew.model.leaf_values.as_they_occur`."""
    found = model.schema.class_weight
    return None if found is None else np.where(found > 0, found, 1.0)


def _divides_at_leaves(model: FittedModel, answer: str) -> bool:
    """Whether divisors apply to each leaf: in forests, and in a tree whose leaves have constant probabilities."""
    if answer != LEAF:
        return answer == SHARES
    part = model.part
    return model.schema.missing != "fractional" and all(part.payload.model(i) is None for i in _ends(part))


def _ends(part: Part) -> list[int]:
    """Return the numbers of the leaves or regions."""
    return np.flatnonzero(part.is_leaf).tolist() if isinstance(part, Tree) else list(range(part.n_leaves))


def _part(part: Part, answer: str, classes: bool, divisors: NDArray[np.float64] | None) -> PlannedPart:
    leaves, counts = _planned_leaves(part, answer, classes, divisors), bool(part.class_mass[-1] > 0)
    if isinstance(part, RuleNetwork):
        tests = [_test(part, split) for split in range(part.n_splits)]
        regions = [part.conditions(region) for region in range(part.n_leaves)]
        return PlannedPart(nodes=[], tests=tests, regions=regions, leaves=leaves, counts=counts)
    number = {leaf: i for i, leaf in enumerate(_ends(part))}
    nodes = []
    for node in range(part.node_count):
        first, n = int(part.first_child[node]), int(part.n_children[node])
        test = None if part.is_leaf[node] else _test(part, node)
        children, below = list(range(first, first + n)), part.mass[first : first + n].tolist()
        nodes.append(PlannedNode(test, children if n else [], _parts(below), number.get(node, -1)))
    return PlannedPart(nodes=nodes, tests=[], regions=[], leaves=leaves, counts=counts)


def _parts(weights: list[float]) -> list[float]:
    """Return the part of a row that each child gets: added up from the last to the first, as the compiled walk does."""
    total = 0.0
    for weight in reversed(weights):
        total += weight
    return [weight / total if total > 0 else 0.0 for weight in weights]


def _planned_leaves(part: Part, answer: str, classes: bool, divisors: NDArray[np.float64] | None) -> list[PlannedLeaf]:
    ends, payload = _ends(part), part.payload
    value, weights = payload.value[ends], payload.weights[ends]
    if divisors is not None:
        weights = class_shares(weights) / divisors
    raw = entry = value
    if answer == ODDS:
        entry = (weights[:, 1:] + 1) / (weights[:, :1] + 1)
    elif classes:
        with np.errstate(invalid="ignore"):  # a leaf without any weight has no shares
            raw, entry = class_shares(value), class_shares(weights)
    label, models = value.argmax(axis=1).tolist(), [_model(payload.model(end)) for end in ends]
    arrays = [array.tolist() for array in (value, weights, entry, raw)]
    return [PlannedLeaf(v, w, k, e, r, m) for v, w, e, r, k, m in zip(*arrays, label, models, strict=True)]


def _model(model: LinearModel | None) -> PlannedModel | None:
    if model is None:
        return None
    return PlannedModel(model.columns.tolist(), model.weights.T.tolist(), model.constants.tolist(), model.limits)


def _test(part: Part, split: int) -> PlannedTest:
    tested, weights = part.test(split)
    columns, threshold = tested.tolist(), float(part.threshold[split])
    if part.kind[split] == CATEGORY_TABLE:
        return PlannedTest("categories", columns, [], [], 0.0, weights.astype(np.int64).tolist(), int(threshold))
    if part.kind[split] == HYPERPLANE:
        return PlannedTest("hyperplane", columns, [weights.tolist()], [0.0], threshold, [], 0)
    sums = weights.reshape(-1, tested.size + 1)
    return PlannedTest("linear machine", columns, sums[:, :-1].tolist(), sums[:, -1].tolist(), 0.0, [], 0)
