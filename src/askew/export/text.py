"""A tree as text: every node a readable inequality, with class counts and coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.estimators.ensemble import Ensemble
from askew.estimators.vote import KDTClassifier
from askew.export.columns import Columns
from askew.export.fitted import fitted
from askew.export.network import NetworkWriter
from askew.export.pipeline import final_step
from askew.export.wording import scale_of
from askew.export.writer import Writer, class_labels, writer
from askew.network import RuleNetwork
from askew.one_vs_rest import OneVsRest


def export_text(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
    max_terms: int | None = None,
    shares: bool = False,
) -> str:
    """Return a tree, or the regions of a rule network, as text.

    Each node stands on a line: what it tests (or, after ``=>``, what a leaf predicts), in the units of the
    data; then the samples in it, its share of the training weight, and the weight of every class (of more than
    ten classes, only the three largest). The linear model of a leaf is an equation: the number and the range that it is
    clipped to; of two classes the log odds of the second, which is predicted where they are above 0; of more, a sum for
    each, the largest of which wins. Twenty levels are indented; deeper lines begin with their depth in
    brackets, and an ``else`` belongs to the last ``if`` of the same depth. Where each class has a tree of its own, and
    in a vote of trees, they follow one another.

    What is printed is the model: every row that it was fitted to takes the same path by the printed numbers. `fit`
    finds out how many digits each node needs for that, at least three. All weights of a node have a common factor,
    so that the largest is 1 or all are whole numbers, and those that are too small to matter are left out. Terms stand
    in the order of weight times spread, the largest first; long lines continue on the next, further in.

    A `RuleNetwork` is written as the regions of each class, every region with its conditions, all of which its rows
    fulfil. A row belongs to the first region (by number) that holds it.

    Parameters
    ----------
    estimator : a fitted tree estimator, a fitted Pipeline that ends in one, or its ``tree_``
    feature_names : a name for each feature of the data; the names seen in `fit`, or x0, x1, ... Categories are
        written after it, as in ``colour=red``
    class_names : a name for each class; the labels seen in `fit`, or class 0, class 1, ...
    decimals : digits after the point, at most; of numbers below 1, significant digits. None: as many as are needed. If
        there are fewer, a line beneath says how many of the rows then take another path
    max_depth : nodes below this depth, or conditions beyond so many, are summed up in a line
    max_terms : terms of a sum to write, those that matter most; None: all
    shares : whether each term of a sum says, in brackets, its share of the node's decision: weight times spread, in per
        cent of all terms

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = askew.CARTClassifier(max_depth=2).fit(iris.data, iris.target_names[iris.target])
    >>> print(askew.export_text(tree))
    3 leaves, depth 2; class weights are [setosa versicolor virginica]
    if petal length (cm) <= 2.45    150 rows  100.0%  [50 50 50]
    |  => setosa                     50 rows   33.3%  [50 0 0]
    else
    |  if petal width (cm) <= 1.75  100 rows   66.7%  [0 50 50]
    |  |  => versicolor              54 rows   36.0%  [0 49 5]
    |  else
    |  |  => virginica               46 rows   30.7%  [0 1 45]
    """
    estimator = final_step(estimator)
    if isinstance(estimator, KDTClassifier | Ensemble):
        check_is_fitted(estimator)
        text = []
        trees = estimator.estimators_
        for i, one in enumerate(trees, 1):
            text += [f"tree {i} of {len(trees)}"]
            names = class_names if is_classifier(one) else None  # the trees of boosting hold numbers
            text += [export_text(one, feature_names, names, decimals, max_depth, max_terms, shares)]
        return "\n".join(text)
    found = fitted(estimator)
    if not isinstance(found, OneVsRest):
        kind = NetworkWriter if isinstance(found, RuleNetwork) else Writer
        words = writer(estimator, feature_names, class_names, decimals, max_depth, max_terms, kind)
        return "\n".join(replace(words, wording=replace(words.wording, shares=shares)).lines())
    columns = Columns.of(estimator, feature_names)
    classes = class_labels(estimator.classes_ if class_names is None else class_names, len(found.trees))
    text = []
    for name, tree in zip(classes, found.trees, strict=True):
        words = writer(tree, None, ["rest", name], decimals, max_depth, max_terms)
        words = replace(words, wording=replace(words.wording, names=columns, scale=scale_of(estimator), shares=shares))
        text += [f"{name} against the rest", *words.lines()]
    return "\n".join(text)
