"""The validator: whether arrays that came from a file, a pickle or a copy are a tree or a rule network.

It runs before any walk; the kernels themselves check nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from askew.model.split import CATEGORY_TABLE, HYPERPLANE, LEAF, LINEAR_MACHINE

if TYPE_CHECKING:
    from askew.model.rule_network import RuleNetwork
    from askew.model.split_arrays import SplitArrays
    from askew.model.tree import Tree

_MOST_FEATURES = 2**31 - 1  # the walker holds the number of a feature in 32 bits


def check_tree(tree: Tree) -> None:
    """Raise ValueError unless the arrays are a tree."""
    n = tree.kind.size
    _require(n >= 1, "a tree must have a node")
    _check_splits(tree, n_splits=n, n_nodes=n)
    for name in ("first_child", "impurity"):
        _check_shape(name, getattr(tree, name), n)
    # Squares of large numbers overflow: an infinite impurity is allowed, since prediction does not use it.
    _require(not np.isnan(tree.impurity).any(), "'impurity' holds NaN")
    _require(bool((tree.impurity >= 0).all()), "'impurity' holds a negative number")
    _require(bool(((tree.kind >= LEAF) & (tree.kind <= CATEGORY_TABLE)).all()), "'kind' must be 0, 1, 2 or 3")
    _check_children(tree)
    _check_mass(tree)
    _check_tests(tree)


def _check_mass(tree: Tree) -> None:
    """Raise ValueError unless the root, and the children of each inner node together, have a positive finite mass.

    Coverage is divided by the mass of the root, and rows with missing values by the mass of the children.
    """
    first = np.sort(tree.first_child[~tree.is_leaf])
    _require(tree.mass[0] > 0, "the root must have mass")
    with np.errstate(over="ignore"):
        # Siblings are contiguous, and together they are all nodes after the root.
        below = np.add.reduceat(tree.mass, first)
    _require(_is_amount(below), "the children of an inner node must have mass, and a finite sum of it")


def _is_amount(total: NDArray[np.float64]) -> bool:
    return bool((np.isfinite(total) & (total > 0)).all())


def _check_children(tree: Tree) -> None:
    """Each node but the root has one parent, with a lower number: no cycle, nothing out of range."""
    n = tree.kind.size
    leaf = tree.is_leaf
    _require(bool((tree.n_children[leaf] == 0).all()), "a leaf must have no children")
    _require(bool((tree.first_child[leaf] == 0).all()), "'first_child' of a leaf must be 0")
    inner = np.flatnonzero(~leaf)
    first, count = tree.first_child[inner], tree.n_children[inner]
    _require(bool((count >= 2).all()) and bool((count <= n).all()), "an inner node must have two children or more")
    _require(bool((first > inner).all()) and bool((first < n).all()), "'first_child' is out of range")
    order = np.argsort(first)
    begin, end = first[order], (first + count)[order]
    expected = np.concatenate(([1], end))
    _require(
        bool((begin == expected[:-1]).all()) and expected[-1] == n,
        "every node but the root must have exactly one parent",
    )


def check_network(network: RuleNetwork) -> None:
    """Raise ValueError unless the arrays are a network."""
    n_splits, n_regions = network.kind.size, network.region_start.size - 1
    _require(n_regions >= 1, "a network must have a region")
    _check_splits(network, n_splits, n_regions)
    _check_starts("region_start", network.region_start, n_regions, network.split.size)
    for name in ("split", "side"):
        _check_shape(name, getattr(network, name), network.split.size)
    _check_shape("curve", network.curve, network.curve.size)
    _check_finite("curve", network.curve)
    _check_starts("curve_start", network.curve_start, network.curve_start.size - 1, network.curve.size)
    _require(bool(((network.kind >= HYPERPLANE) & (network.kind <= CATEGORY_TABLE)).all()), "'kind' must be 1, 2 or 3")
    _require(bool((network.n_children >= 2).all()), "a split must have two sides or more")
    _check_tests(network)
    _require(bool(((network.split >= 0) & (network.split < n_splits)).all()), f"'split' must be below {n_splits}")
    with np.errstate(over="ignore"):
        _require(_is_amount(network.mass.sum()), "the regions of a network must have mass, and a finite sum of it")
    right = (network.side >= 0) & (network.side < network.n_children[network.split])
    _require(bool(right.all()), "'side' names a side that its split does not have")


# --- common to trees and networks


def _check_splits(arrays: SplitArrays, n_splits: int, n_nodes: int) -> None:
    """Raise ValueError unless the arrays common to both have the right sizes and valid numbers; tests come later."""
    _check_number("n_features", arrays.n_features, 1, _MOST_FEATURES)
    _check_number("n_hyperplanes", arrays.n_hyperplanes, 0, np.iinfo(np.int64).max)
    for names, n in ((("kind", "n_children", "threshold"), n_splits), (("n_samples", "mass"), n_nodes)):
        for name in names:
            _check_shape(name, getattr(arrays, name), n)
    arrays.payload.check(n_nodes, arrays.n_features)
    for name in ("weight", "threshold", "mass"):
        _check_finite(name, getattr(arrays, name))
    for name in ("n_samples", "mass"):
        _require(bool((getattr(arrays, name) >= 0).all()), f"'{name}' holds a negative number")
    for name in ("feature", "weight"):
        array = getattr(arrays, name)
        _check_shape(name, array, array.size)
        _check_starts(f"{name}_start", getattr(arrays, f"{name}_start"), n_splits, array.size)
    in_range = (arrays.feature >= 0) & (arrays.feature < arrays.n_features)
    _require(bool(in_range.all()), f"'feature' must be below {arrays.n_features}")


def _check_shape(name: str, array: NDArray[np.generic], n: int) -> None:
    _require(array.shape == (n,), f"'{name}' must have {n} entries, found shape {array.shape}")


def _check_finite(name: str, array: NDArray[np.float64]) -> None:
    _require(bool(np.isfinite(array).all()), f"'{name}' holds a number that is not finite")


def _check_number(name: str, number: object, low: int, high: int) -> None:
    """Raise ValueError unless this is an integer in the range."""
    is_integer = isinstance(number, int | np.integer) and not isinstance(number, bool)
    _require(
        is_integer and low <= int(number) <= high,  # type: ignore[call-overload]
        f"'{name}' must be an int from {low} to {high}, found {number!r}",
    )


def _check_starts(name: str, start: NDArray[np.int64], n: int, length: int) -> None:
    """Raise ValueError unless these are the starts of `n` runs in an array of this length."""
    n = max(n, 0)
    _require(start.shape == (n + 1,), f"'{name}' must have {n + 1} entries, found shape {start.shape}")
    _require(start[0] == 0 and start[-1] == length, f"'{name}' must run from 0 to {length}")
    _require(bool((start[1:] >= start[:-1]).all()), f"'{name}' must not fall")


def _check_tests(arrays: SplitArrays) -> None:
    """Raise ValueError unless every test has the features and weights that its kind needs."""
    n_tested, n_weights = np.diff(arrays.feature_start), np.diff(arrays.weight_start)
    leaf, plane = arrays.is_leaf, arrays.kind == HYPERPLANE
    machine, table = arrays.kind == LINEAR_MACHINE, arrays.kind == CATEGORY_TABLE
    _require(bool((n_tested[leaf] == 0).all() and (n_weights[leaf] == 0).all()), "a leaf must test nothing")
    _require(bool((n_tested[~leaf] >= 1).all()), "an inner node must test a feature")
    _require(bool((arrays.n_children[plane] == 2).all()), "a hyperplane must have two children")
    _require(bool((n_weights[plane] == n_tested[plane]).all()), "a hyperplane must have a weight for each feature")
    n_children = np.minimum(arrays.n_children[machine], arrays.weight.size + 1)  # so that no product wraps
    _require(
        bool((n_weights[machine] == n_children * (n_tested[machine] + 1)).all()),
        "a linear machine must have children x (features + 1) weights",
    )
    _require(bool((n_tested[table] == 1).all()), "a category table must test one feature")
    # Exports list the children: a number that nothing in the file bounds would keep them busy without end.
    _require(
        bool((arrays.n_children[table] <= n_weights[table] + 1).all()),
        "a category table must have at most one child more than it has categories",
    )
    in_table = np.repeat(table, n_weights)
    node = np.append(np.repeat(np.arange(table.size), n_weights)[in_table], np.flatnonzero(table))
    child = np.append(arrays.weight[in_table], arrays.threshold[table])
    wrong = (child < 0) | (child >= arrays.n_children[node]) | (child != np.floor(child))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"the category table of node {node[first]} names child {child[first]:g}, which does not exist")


def _require(condition: bool, message: str) -> None:
    """Raise ValueError with a message unless a condition holds."""
    if not condition:
        raise ValueError(message)
