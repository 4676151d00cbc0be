"""A model as an ONNX graph in double precision."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from askew.data.encoder import label_text
from askew.export.code.onnx_graph import IR, OPSET, Graph
from askew.export.code.onnx_leaves import Leaves
from askew.export.code.plan import BOOSTED, LEAF, ODDS, Plan, plan_of
from askew.export.fitted import Fitted
from askew.files import beside

if TYPE_CHECKING:
    from onnx import ModelProto

_Output: TypeAlias = "tuple[str, int, list[int | None]]"  # name, type and shape of an output


def export_onnx(estimator: Fitted, path: str | PathLike[str] | None = None) -> ModelProto:
    """Return a model as an ONNX graph, for onnxruntime and others; write it to a file if `path` is not None.

    The graph takes `rows` (double, n x features; a missing value is NaN, a category its index in the list of categories
    that the metadata has under `features`, any other -1) and gives `label` and `probabilities` (n x classes), or
    `number`. Everything is computed in double precision by operators that any runtime has, sums in the order in which
    `predict` adds them (`CumSum`), so that a row that lies on a plane takes the side that it takes in `predict`;
    probabilities may differ in their last digits. Where no value may be missing, a row that lacks one has
    probabilities, or a number, of NaN.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of askew: a tree, a rule network, a vote, a forest or boosting.
    path : str, path or None, default=None
        File to write; one that exists is replaced by a complete file, or kept if writing fails.

    Returns
    -------
    model : onnx.ModelProto
        The graph.

    Raises
    ------
    ImportError
        The package `onnx` is not installed.
    ValueError
        A pipeline with steps before the tree.

    Examples
    --------
    >>> import askew
    >>> tree = askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> model = askew.export_onnx(tree, "tree.onnx")  # doctest: +SKIP
    >>> import onnxruntime  # doctest: +SKIP
    >>> session = onnxruntime.InferenceSession("tree.onnx")  # doctest: +SKIP
    >>> session.run(["label"], {"rows": [[1.8]]})  # doctest: +SKIP
    [array(['yes'], dtype=object)]
    """
    plan = plan_of(estimator, "export_onnx")
    model = _model(plan, Graph())
    if path is not None:
        with beside(Path(path)) as written:
            written.write_bytes(model.SerializeToString())
    return model


def _model(plan: Plan, graph: Graph) -> ModelProto:
    outputs = _number(plan, graph) if plan.classes is None else _classes(plan, graph)
    helper = graph.onnx.helper
    rows = helper.make_tensor_value_info("rows", graph.onnx.TensorProto.DOUBLE, [None, len(plan.features)])
    for what, (name, _, _) in outputs.items():
        graph.nodes.append(helper.make_node("Identity", [name], [what]))
    results = [helper.make_tensor_value_info(what, kind, shape) for what, (_, kind, shape) in outputs.items()]
    body = helper.make_graph(graph.nodes, "askew", [rows], results, graph.constants)
    model: ModelProto = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="askew")
    model.ir_version = IR
    features = [{"name": f.name, "categories": None if f.categories is None else f.known} for f in plan.features]
    helper.set_model_props(model, {"estimator": plan.estimator, "features": json.dumps(features)})
    graph.onnx.checker.check_model(model)
    return model


def _number(plan: Plan, graph: Graph) -> dict[str, _Output]:
    leaves = Leaves(plan, graph)
    found = leaves.find()
    if plan.has_models:
        value = graph.shaped(leaves.models(found), -1)
    elif plan.answer == BOOSTED:
        value = graph.shaped(_boosted(plan, graph, found), -1)
        if plan.link == "log":
            value = graph.add("Exp", graph.add("Min", value, graph.reals(700.0)))
    else:
        entries = graph.look_up(graph.reals([leaf.entry[0] for leaf in plan.leaves]), found)
        value = graph.last_sum(entries, 1)
        if plan.answer != LEAF:
            value = graph.add("Div", value, graph.reals(float(len(plan.parts))))
    if plan.refuses_missing:
        value = graph.add("Where", leaves.incomplete(), graph.reals(np.nan), value)
    return {"number": (value, graph.onnx.TensorProto.DOUBLE, [None])}


def _classes(plan: Plan, graph: Graph) -> dict[str, _Output]:
    leaves = Leaves(plan, graph)
    number, shares = _vote(plan, graph, leaves) if plan.voters else _answer(plan, graph, leaves)
    if plan.divisors is not None:
        shares = graph.scaled(graph.add("Div", shares, graph.reals([plan.divisors])))
    if plan.refuses_missing:
        lacking = leaves.incomplete()
        shares = graph.add("Where", graph.widened(lacking, 1), graph.reals(np.nan), shares)
        number = graph.add("Where", lacking, graph.integers(plan.n_outputs), number)
    labels, kind = _labels(plan, graph)
    label = graph.look_up(labels, number)
    double = graph.onnx.TensorProto.DOUBLE
    return {"label": (label, kind, [None]), "probabilities": (shares, double, [None, plan.n_outputs])}


def _labels(plan: Plan, graph: Graph) -> tuple[str, int]:
    """Return the labels as a constant, with one more for a row that has no answer; and their type."""
    kinds, labels = graph.onnx.TensorProto, plan.classes or []
    if all(isinstance(label, bool) for label in labels):
        return graph.constant([*labels, False], np.bool_), kinds.BOOL
    if all(type(label) is int and abs(label) < 2**63 for label in labels):
        return graph.integers([*labels, -1]), kinds.INT64
    if all(type(label) in (int, float) for label in labels):
        return graph.reals([*labels, np.nan]), kinds.DOUBLE
    return graph.constant(np.array([*map(label_text, labels), ""], dtype=object)), kinds.STRING


def _answer(plan: Plan, graph: Graph, leaves: Leaves) -> tuple[str, str]:
    """Return the number of the class and the shares of all classes."""
    if plan.answer == LEAF:
        shares = leaves.shares(0, smoothed=True)
        return leaves.label(0), shares
    found = leaves.find()
    if plan.answer == BOOSTED:
        shares = _linked(plan, graph, _boosted(plan, graph, found))
        return _first_largest(graph, shares), shares
    if plan.answer == ODDS:
        odds = graph.scaled(_odds(plan, graph, leaves, found))
        return _first_largest(graph, odds), graph.scaled(odds)
    raw = graph.last_sum(graph.look_up(graph.reals([leaf.raw for leaf in plan.leaves]), found), 1)
    if not plan.smoothed:
        return _first_largest(graph, raw), graph.scaled(raw)
    entries = graph.look_up(graph.reals([leaf.entry for leaf in plan.leaves]), found)
    return _first_largest(graph, raw), graph.scaled(graph.last_sum(entries, 1))


def _first_largest(graph: Graph, values: str, axis: int = 1) -> str:
    return graph.add("ArgMax", values, axis=axis, keepdims=0, select_last_index=0)


def _odds(plan: Plan, graph: Graph, leaves: Leaves, found: str) -> str:
    """Return the odds of each class (rows x parts)."""
    if not plan.has_models:
        values = [leaf.entry[0] if part.counts else 0.0 for part in plan.parts for leaf in part.leaves]
        return graph.look_up(graph.reals(values), found)
    pair = leaves.models(found, smoothed=True)
    one = graph.reals(1.0)
    rest, target_class = (graph.add("Add", graph.look_up(pair, graph.integers(i), axis=2), one) for i in range(2))
    odds = graph.add("Div", target_class, rest)
    return graph.add("Mul", odds, graph.reals([float(part.counts) for part in plan.parts]))


def _boosted(plan: Plan, graph: Graph, found: str) -> str:
    """Return the sums of the trees, which take turns, and the baseline (rows x outputs)."""
    entries = graph.look_up(graph.reals([leaf.entry[0] for leaf in plan.leaves]), found)
    sums = graph.last_sum(graph.shaped(entries, 0, -1, len(plan.baseline)), 1)
    return graph.add("Add", sums, graph.reals(plan.baseline))


def _linked(plan: Plan, graph: Graph, raw: str) -> str:
    """Return the probabilities that go with the sums of boosting."""
    if plan.n_outputs == 1:
        return graph.add("Exp", graph.add("Sub", raw, raw))  # 1 in every row
    if plan.link == "logit":
        one = graph.reals(1.0)
        small = graph.add("Exp", graph.add("Neg", graph.add("Abs", raw)))
        top = graph.add("Where", graph.add("GreaterOrEqual", raw, graph.reals(0.0)), one, small)
        p = graph.add("Div", top, graph.add("Add", one, small))
        return graph.add("Concat", graph.add("Sub", one, p), p, axis=1)
    most = graph.add("ReduceMax", raw, graph.integers([1]), keepdims=1)
    return graph.scaled(graph.add("Exp", graph.add("Sub", raw, most)))


def _vote(plan: Plan, graph: Graph, leaves: Leaves) -> tuple[str, str]:
    if plan.answer == ODDS:
        odds = graph.shaped(_odds(plan, graph, leaves, leaves.find()), -1, plan.parts_each)
        ballots = graph.shaped(_first_largest(graph, graph.scaled(odds)), -1, plan.voters)
    else:
        ballots = graph.add("Concat", *(graph.widened(leaves.label(t), 1) for t in range(plan.voters)), axis=1)
    classes = graph.integers(np.arange(plan.n_outputs).reshape(1, 1, -1))
    chosen = graph.cast(graph.add("Equal", graph.widened(ballots, 2), classes), np.int64)
    votes = graph.add("ReduceSum", chosen, graph.integers([1]), keepdims=0)
    order = sorted(range(plan.n_outputs), key=lambda c: (-plan.class_weights[c], c))
    best = _first_largest(graph, graph.look_up(votes, graph.integers(order), axis=1))
    shares = graph.add("Div", graph.cast(votes, np.float64), graph.reals(float(plan.voters)))
    return graph.look_up(graph.integers(order), best), shares
