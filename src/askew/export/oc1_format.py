"""The files of the original OC1 program, read and written, so that its users can move over.

A line of its data file is a row: numbers separated by commas or white space, ``?`` for a missing one, and last the
class, an integer. There is no header. Its tree file (``.dt``) holds the inner nodes in pre-order::

    Training set: iris.data, Dimensions: 4, Categories: 3

    Root Hyperplane: Left = [50,0,0], Right = [0,50,50]
    1.000000 x[3] + -2.450000 = 0

A row goes left if the sum is below 0. Leaves are not written: a child without a line is one, and the
counts of its parent give its class.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp, ldexp
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew import _core
from askew.estimators.oc1 import OC1Classifier
from askew.export.fitted import Fitted, fitted_model
from askew.grow.criterion import as_criterion
from askew.model.fitted import FittedModel
from askew.model.split import HYPERPLANE, LEAF, Hyperplane
from askew.model.tree import Tree
from askew.parameters import ModelFileError

# --- data


def read_oc1_data(path: str | os.PathLike[str]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read a data file of the original OC1 program (what ``mktree -t`` takes).

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features; NaN where the file has ``?``.
    y : ndarray of shape (n_samples,)
        The classes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from askew.export.oc1_format import read_oc1_data, write_oc1_data
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_oc1_data(Path(folder, "two.data"), [[1.5, 2.0], [3.0, float("nan")]], [1, 2])
    ...     read_oc1_data(Path(folder, "two.data"))[1]
    array([1, 2])
    """
    rows: list[list[float]] = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        fields = line.replace(",", " ").split()
        if fields:
            rows.append(_row(fields, f"{os.fspath(path)}: line {number}", len(rows[0]) if rows else None))
    if not rows:
        raise ValueError(f"{os.fspath(path)}: no data rows")
    table = np.array(rows)
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64)


def _row(fields: list[str], line: str, width: int | None) -> list[float]:
    if width is None and len(fields) < 2:
        raise ValueError(f"{line}: expected at least one number and a class, found {fields[0]!r}")
    if width is not None and len(fields) != width:
        raise ValueError(f"{line}: expected {width} fields as in the first row, found {len(fields)}")
    try:
        numbers = [np.nan if field == "?" else float(field) for field in fields]
    except ValueError as error:
        raise ValueError(f"{line}: {error}") from None
    if not numbers[-1].is_integer():
        raise ValueError(f"{line}: expected an integer as the class, the last field, found {fields[-1]!r}")
    return numbers


def write_oc1_data(path: str | os.PathLike[str], X: ArrayLike, y: ArrayLike) -> None:
    """Write a data file for the original OC1 program; NaN becomes ``?``.

    Parameters
    ----------
    path : str or PathLike
        The file to write.
    X : array of shape (n_samples, n_features)
        Numbers.
    y : array
        The classes: integers, counted from 1.
    """
    numbers, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if labels.dtype.kind not in "iu":
        raise ValueError(f"y must hold integers for the original OC1 program, found {labels.dtype}")
    lines = [
        " ".join(["?" if np.isnan(value) else repr(value) for value in row] + [str(label)])
        for row, label in zip(numbers.tolist(), labels.tolist(), strict=True)
    ]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


# --- trees


def export_oc1(estimator: Fitted, *, name: str = "askew") -> str:
    """Return a fitted classification tree of hyperplanes as a tree file of the original OC1 program.

    Where the program goes left, askew goes to the second child: askew's first child has the rows on the plane, and
    the program's right one has. Coefficients have six decimals; where that would lose digits, the plane is
    multiplied by a power of two, which moves no row to the other side.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        A fitted classifier whose nodes all test hyperplanes.
    name : str, default="askew"
        Name of the training set, for the first line.

    Examples
    --------
    >>> import askew
    >>> from askew.export.oc1_format import export_oc1
    >>> print(export_oc1(askew.CARTClassifier().fit([[1.0], [2.0]], [1, 2]), name="two.data"))
    Training set: two.data, Dimensions: 1, Categories: 2
    <BLANKLINE>
    <BLANKLINE>
    Root Hyperplane: Left = [0,1], Right = [1,0]
    -1.000000 x[1] + 1.500000 = 0
    <BLANKLINE>
    """
    model = fitted_model(estimator)
    tree = model.tree
    _check_exportable(model)
    lines = [f"Training set: {name}, Dimensions: {tree.n_features}, Categories: {tree.n_outputs}", "", ""]
    stack = [(0, "")]
    while stack:
        node, path = stack.pop()
        if tree.kind[node] == LEAF:
            continue
        right, left = int(tree.first_child[node]), int(tree.first_child[node]) + 1
        lines += [
            f"{path or 'Root'} Hyperplane: Left = {_counts(tree, left)}, Right = {_counts(tree, right)}",
            _plane(*tree.test(node), float(tree.threshold[node])),
            "",
        ]
        stack += [(right, path + "r"), (left, path + "l")]
    return "\n".join(lines)


def _check_exportable(model: FittedModel) -> None:
    tree = model.tree
    if model.classes is None:
        raise ValueError(f"an OC1 tree file holds one classification tree, not a {model.estimator}")
    if not np.isin(tree.kind, (LEAF, HYPERPLANE)).all():
        raise ValueError(f"an OC1 tree file holds hyperplanes only; this {model.estimator} tests other things")
    if tree.payload.varies:
        raise ValueError("an OC1 tree file holds leaves that predict a class; fit with leaf_model='constant'")
    if tree.node_count == 1:
        raise ValueError("an OC1 tree file cannot hold a tree of one leaf")
    if (tree.value != np.round(tree.value)).any():
        raise ValueError("an OC1 tree file holds integer numbers of rows; fit without fractional weights")


def _counts(tree: Tree, node: int) -> str:
    return "[" + ",".join(str(int(count)) for count in tree.value[node]) + "]"


def _plane(features: NDArray[np.int64], weights: NDArray[np.float64], threshold: float) -> str:
    """Return the plane with its sides swapped: ``weights @ x <= threshold`` becomes a sum of 0 or more."""
    numbers = [*(-weights).tolist(), threshold]
    if any(float(f"{value:f}") != value for value in numbers):
        _, size = frexp(max(map(abs, numbers)))
        numbers = [ldexp(value, 31 - size) for value in numbers]  # six decimals are then sixteen digits
    terms = [f"{value:f} x[{j + 1}]" for j, value in zip(features.tolist(), numbers, strict=False) if value != 0]
    return " + ".join([*terms, f"{numbers[-1]:f}"]) + " = 0"


def import_oc1(path: str | os.PathLike[str]) -> OC1Classifier:
    """Read a tree file of the original OC1 program as a fitted `askew.OC1Classifier`.

    The file does not name the classes: they are 1, 2, ..., in the order of the counts.

    Raises
    ------
    ModelFileError
        Names the file, the line, what was expected and what was found.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        return _estimator(*_parse(text))
    except (ValueError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None


@dataclass(frozen=True)
class _FileNode:
    """An inner node as the file has it."""

    line: int
    left: list[int]
    right: list[int]
    coefficients: dict[int, float]
    constant: float


_HEAD = re.compile(r"Training set: .*, Dimensions: (\d+), Categories: (\d+)\s*")
_NODE = re.compile(r"(Root|[lr]+) Hyperplane: Left = \[([\d\s,]*)\], Right = \[([\d\s,]*)\]\s*")
_NUMBER = r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TERM = re.compile(rf"(?:\+\s*)?({_NUMBER})\s*x\[(\d+)\]\s*")
_REST = re.compile(rf"(?:\+\s*)?({_NUMBER})?\s*=\s*0(?:\.0*)?\s*")


def _parse(text: str) -> tuple[int, int, dict[str, _FileNode]]:
    """Return the number of features, of classes, and the inner nodes by their path."""
    lines = ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())
    number, line = next(lines, (1, ""))
    head = _HEAD.fullmatch(line)
    if head is None:
        raise ValueError(f"line {number}: expected 'Training set: NAME, Dimensions: d, Categories: c', found {line!r}")
    d, k = int(head[1]), int(head[2])
    nodes: dict[str, _FileNode] = {}
    for number, line in lines:
        path, written = _node(number, line, lines, d, k)
        if path in nodes:
            raise ValueError(f"line {number}: expected each node once, found {path or 'Root'!r} again")
        nodes[path] = written
    for path, written in nodes.items():
        if path and path[:-1] not in nodes:
            raise ValueError(f"line {written.line}: expected the parent of {path!r} before it, found none")
    if "" not in nodes:
        raise ValueError("expected a node 'Root', found none")
    return d, k, nodes


def _node(number: int, line: str, lines: Iterator[tuple[int, str]], d: int, k: int) -> tuple[str, _FileNode]:
    match = _NODE.fullmatch(line)
    if match is None:
        raise ValueError(f"line {number}: expected 'LABEL Hyperplane: Left = [...], Right = [...]', found {line!r}")
    left, right = ([int(count) for count in counts.replace(",", " ").split()] for counts in match.group(2, 3))
    if len(left) != k or len(right) != k or not sum(left) or not sum(right):
        raise ValueError(f"line {number}: expected {k} counts on each side, some above 0, found {line!r}")
    where, plane = next(lines, (number + 1, ""))
    coefficients: dict[int, float] = {}
    position = len(plane) - len(plane.lstrip())
    while term := _TERM.match(plane, position):
        feature = int(term[2]) - 1
        if not 0 <= feature < d or feature in coefficients:
            raise ValueError(f"line {where}: expected each of x[1] to x[{d}] at most once, found x[{term[2]}]")
        coefficients[feature] = float(term[1].replace(" ", ""))
        position = term.end()
    rest = _REST.fullmatch(plane, position)
    if rest is None or not any(coefficients.values()):
        raise ValueError(f"line {where}: expected 'a1 x[1] + ... + c = 0', found {plane!r}")
    constant = float((rest[1] or "0").replace(" ", ""))
    if not np.isfinite([constant, *coefficients.values()]).all():
        raise ValueError(f"line {where}: expected finite numbers, found {plane!r}")
    return "" if match[1] == "Root" else match[1], _FileNode(number, left, right, coefficients, constant)


def _estimator(d: int, k: int, nodes: dict[str, _FileNode]) -> OC1Classifier:
    root = [a + b for a, b in zip(nodes[""].left, nodes[""].right, strict=True)]
    paths, counts, first_child = [""], [root], []
    for path in paths:  # appended to while iterating (breadth-first)
        written = nodes.get(path)
        first_child.append(0 if written is None else len(paths))
        if written is not None:
            paths += [path + "r", path + "l"]
            counts += [written.right, written.left]
    value = np.array(counts, dtype=np.float64)
    mass = value.sum(axis=1)
    tree = Tree.from_nodes(
        [_split(nodes[path]) if path in nodes else None for path in paths],
        first_child,
        value,
        mass,
        mass,
        np.array([_impurity(row) for row in value]),
        n_features=d,
        n_hyperplanes=0,
    )
    estimator = OC1Classifier(pruning=None, missing="error")  # the file holds no means
    estimator.tree_ = Tree.from_arrays(tree.arrays(), d)
    estimator.n_features_in_ = d
    estimator.classes_ = np.arange(1, k + 1)
    estimator.encoder_ = None
    estimator.feature_means_, estimator.missing_ = None, "error"
    estimator.feature_scale_ = np.ones(d)
    return estimator


def _impurity(counts: NDArray[np.float64]) -> float:
    classes = np.arange(counts.size)
    target = _core.Target(label=classes.astype(np.int32), y=None, weight=counts, multiplicity=None, k=counts.size)
    criterion = as_criterion(OC1Classifier.criterion, classification=True)
    return _core.summary(criterion.kernel, target, classes.astype(np.uint32))[3]


def _split(written: _FileNode) -> Hyperplane:
    features = [j for j, weight in written.coefficients.items() if weight != 0]
    return Hyperplane(features, [-written.coefficients[j] for j in features], written.constant)
