"""Shorten the weights of a tree: from the root down, round every test and set its threshold again."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.explaining.simplify.rounding import Shortening, Unchanged
from askew.grow.criterion import Criterion
from askew.grow.rows import recounted
from askew.model.digits.rounding import near, significant, unit
from askew.model.digits.shorten import Rows
from askew.model.edit import rearranged
from askew.model.leaf_values import Constant
from askew.model.linear_leaves import fit_leaf_models
from askew.model.split import HYPERPLANE, Hyperplane, LinearMachine, Split
from askew.model.tree import Tree
from askew.prune.cost_complexity import loss_at

_RIDGE = 1e-3  # of a plane that is fitted again, in units of the spread


def shortened(tree: Tree, table: Table, criterion: Criterion, spread: NDArray[np.float64], way: Shortening) -> Tree:
    """Return the tree with weights that are shortened in a way, thresholds and leaves set on these rows.

    Thresholds are set twice: the second time they know what became of the tests below.
    """
    first = _pass(tree, table, criterion, spread, way)
    second = _pass(first, table, criterion, spread, Unchanged())
    return second if _loss(second, table) < _loss(first, table) else first


def _pass(tree: Tree, table: Table, criterion: Criterion, spread: NDArray[np.float64], way: Shortening) -> Tree:
    largest = np.maximum(*np.abs(table.extent))
    rows = {0: np.arange(table.n_rows, dtype=np.uint32)}
    splits: list[Split | None] = [None if leaf else tree.split(i) for i, leaf in enumerate(tree.is_leaf.tolist())]
    for node in range(tree.node_count):
        here, split = rows.pop(node), splits[node]
        if split is None:
            continue
        route = split.route(table.X, here)
        if np.unique(route).size > 1:
            order = np.argsort(route, kind="stable")
            at = Rows(table.X, here[order], np.bincount(route, minlength=split.n_children), spread, largest)
            splits[node] = _shorter(tree, node, split, at, table, way)
            route = splits[node].route(table.X, here)  # type: ignore[union-attr]
        for child in range(split.n_children):
            rows[int(tree.first_child[node]) + child] = here[route == child]
    counted = _reached(tree.with_splits(splits), table, criterion)
    return fit_leaf_models(counted, table) if tree.payload.varies else counted


def _shorter(tree: Tree, node: int, split: Split, at: Rows, table: Table, way: Shortening) -> Split:
    if isinstance(split, LinearMachine):
        return split if isinstance(way, Unchanged) else _machine(split, at, way)
    return _plane(tree, node, split, at, table, way) if isinstance(split, Hyperplane) else split


# --- hyperplanes


class _Cut(NamedTuple):
    """A threshold, ordered by its loss, then by the weight of the rows that it moves."""

    loss: float
    moved: float
    terms: int
    size: float
    weights: NDArray[np.float64]
    threshold: float


def _plane(tree: Tree, node: int, split: Hyperplane, at: Rows, table: Table, way: Shortening) -> Hyperplane:
    """Return the plane with short weights, at the threshold where the tests and leaves below lose least."""
    features, weights = split.features, split.weights
    if way.drops:
        kept = _needed(features, weights, at)
        features, weights = features[kept], weights[kept]
    first = int(tree.first_child[node])
    loss = [table.weight[at.rows] * _loss_below(tree, child, at.rows, table) for child in (first, first + 1)]
    side = np.repeat([0, 1], at.counts)
    if weights.size > 1:
        effect = np.abs(weights) * at.spread[features]
        candidates = way.candidates(weights, effect, lambda kept: _refitted(features, kept, at, loss, side))
    else:
        candidates = [np.sign(weights)]
    target = split.threshold / unit(weights) if weights.size > 1 else split.threshold / abs(float(weights[0]))
    cuts = [_best_cut(features, short, at, loss, side, table.weight[at.rows], target) for short in candidates]
    best = min((cut for cut in cuts if cut is not None), key=lambda cut: cut[:4], default=None)
    if best is None:  # all rows are alike under short weights
        return split
    used = best.weights != 0
    return Hyperplane(features[used], best.weights[used], best.threshold)


def _needed(features: NDArray[np.int64], weights: NDArray[np.float64], at: Rows) -> NDArray[np.bool_]:
    """Return which terms are needed: without any of the others, no row of the node goes another way.

    The least come first, by weight times spread; the threshold may move.
    """
    kept = weights != 0
    sums = at.products(features, weights[None, :])[0]
    doubt = at.doubt(features, weights)
    effect = np.abs(weights) * at.spread[features]
    for term in np.argsort(effect, kind="stable").tolist():
        if not kept[term] or kept.sum() == 1:
            continue
        without = sums - weights[term] * at.X[at.rows, features[term]]
        low, high = at.gap(without)
        if high - low > 2 * doubt:
            kept[term], sums = False, without
    return np.asarray(kept)


def _best_cut(
    features: NDArray[np.int64],
    weights: NDArray[np.float64],
    at: Rows,
    loss: list[NDArray[np.float64]],
    side: NDArray[np.int64],
    mass: NDArray[np.float64],
    target: float,
) -> _Cut | None:
    """Return the threshold with the least loss; of equals, that at which the least weight of rows changes sides."""
    sums = at.products(features, weights[None, :])[0]
    order = np.argsort(sums, kind="stable")
    ranked, doubt = sums[order], at.doubt(features, weights)
    cuts = np.flatnonzero(np.diff(ranked) > 2 * doubt)
    if not cuts.size:
        return None

    def total(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the cost of each threshold: that of the rows in the first child, and of the others in the second."""
        return np.asarray(np.cumsum(first[order])[cuts] + second.sum() - np.cumsum(second[order])[cuts])

    lost = total(loss[0], loss[1])
    lost = np.round(lost / max(float(mass.sum()), 1e-300), 12)
    moved = total(mass * (side == 1), mass * (side == 0))
    best = int(np.lexsort((moved, lost))[0])
    low, high = float(ranked[cuts[best]]) + doubt, float(ranked[cuts[best] + 1]) - doubt
    preferred = target if low <= target < high else (low + high) / 2
    found = near(preferred, low, high)
    size = float(np.abs(weights).sum())
    threshold = preferred if found is None else found[0]
    if weights.size > 1 and (weights == np.rint(weights)).all() and low <= np.rint(preferred) < high:
        threshold = float(np.rint(preferred))  # all numbers of a scoring sheet are integers, where the rows allow it
    return _Cut(float(lost[best]), float(moved[best]), int(np.count_nonzero(weights)), size, weights, threshold)


def _refitted(
    features: NDArray[np.int64],
    kept: NDArray[np.bool_],
    at: Rows,
    loss: list[NDArray[np.float64]],
    side: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return weights of some terms, fitted by least squares to the side on which each row loses less.

    Rows with equal losses on both sides do not count. If all others lose less on the same side, the present sides are
    fitted instead.
    """
    columns = at.X[at.rows[:, None], features[kept]]
    scale = at.spread[features[kept]]
    matters = np.abs(loss[1] - loss[0])
    better = np.where(loss[0] < loss[1], -1.0, 1.0)
    if np.unique(better[matters > 0]).size < 2:
        better, matters = 2.0 * side - 1.0, np.ones(side.size)
    mean = np.average(columns, axis=0, weights=matters)
    standard = (columns - mean) / np.where(scale > 0, scale, 1.0)
    aim = better - np.average(better, weights=matters)
    gram = (standard * matters[:, None]).T @ standard + _RIDGE * matters.sum() * np.eye(standard.shape[1])
    found = np.zeros(kept.size)
    found[kept] = np.linalg.solve(gram, (standard * matters[:, None]).T @ aim) / np.where(scale > 0, scale, 1.0)
    return found


# --- linear machines


def _machine(split: LinearMachine, at: Rows, way: Shortening) -> LinearMachine:
    """Return the machine with short weights, without features that change no row's child.

    Only differences of its sums matter: they are tried as they are, and each less the mean of all.
    """
    machine = split.weights.reshape(split.n_children, -1)
    child = np.repeat(np.arange(at.counts.size), at.counts)
    machines = [
        _rounded_machine(split.features, sums, child, at, way) for sums in (machine, machine - machine.mean(axis=0))
    ]
    return min(machines, key=lambda machine: int((machine.route(at.X, at.rows.astype(np.uint32)) != child).sum()))


def _rounded_machine(
    features: NDArray[np.int64], machine: NDArray[np.float64], child: NDArray[np.int64], at: Rows, way: Shortening
) -> LinearMachine:
    """Return the machine with short weights; its constants compensate the change of the mean."""
    machine = machine / unit(machine[:, :-1].ravel())
    kept = np.ones(features.size, dtype=bool)
    effect = np.ptp(machine[:, :-1], axis=0) * at.spread[features]
    for term in np.argsort(effect, kind="stable").tolist() if way.drops else ():
        kept[term] = False
        sums = at.products(features, machine[:, :-1] * kept) + machine[:, -1:]
        kept[term] = not kept.any() or bool((sums.argmax(axis=0) != child).any())
    features, weights = features[kept], machine[:, :-1][:, kept]
    short = np.array([[significant(w, way.digits) for w in line] for line in weights.tolist()])
    constant = machine[:, -1] + (weights - short) @ at.means(features)
    return LinearMachine(
        features, np.column_stack([short, [significant(c, way.digits + 2) for c in constant.tolist()]])
    )


# --- what is below, and what is reached


def _loss_below(tree: Tree, node: int, rows: NDArray[np.integer], table: Table) -> NDArray[np.float64]:
    """Return the loss of each row, if it is sent on from a node."""
    leaf = np.empty(rows.size, dtype=np.int64)
    stack = [(node, np.arange(rows.size))]
    while stack:
        at, which = stack.pop()
        if tree.is_leaf[at] or not which.size:
            leaf[which] = at
            continue
        route = tree.split(at).route(table.X, rows[which].astype(np.uint32))
        first = int(tree.first_child[at])
        stack += [(first + child, which[route == child]) for child in range(int(tree.n_children[at]))]
    return loss_at(tree, leaf, table.take(rows))


def _reached(tree: Tree, table: Table, criterion: Criterion) -> Tree:
    """Return the tree, counted again, without branches that no row reaches."""
    reached = tree.accumulate(np.bincount(tree.apply(table.X), minlength=tree.node_count))
    now = np.where(tree.is_leaf, -1, np.arange(tree.node_count))
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        children = np.arange(int(tree.n_children[node])) + int(tree.first_child[node])
        alive = children[reached[children] > 0]
        if alive.size < 2:
            now[node] = now[alive[0]] if alive.size else -1
    counted = recounted(rearranged(tree, now), table, criterion)
    # One of several children may still be empty: it predicts what its parent does.
    value = counted.value.copy()
    for node in np.flatnonzero(counted.mass == 0).tolist():
        value[node] = value[counted.parent[node]]
    return replace(counted, payload=Constant(value))


def _loss(tree: Tree, table: Table) -> float:
    return float(table.weight @ loss_at(tree, tree.apply(table.X), table))


def upright(tree: Tree, spread: NDArray[np.float64], rows: NDArray[np.float64]) -> Tree:
    """Flip hyperplanes so that most of each sum, by weight times spread, is positive.

    ``-2 a - b <= -7`` becomes ``2 a + b <= 7``, and the children are swapped. A row that lies exactly on the plane
    goes to the first child, which was the second: a plane that one of these rows lies on stays as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from askew import region
    >>> from askew.explaining.simplify.shorten import upright
    >>> from askew.model.split import Hyperplane
    >>> from askew.model.tree import Tree
    >>> tree = Tree.from_nodes([Hyperplane([0, 1], [-2.0, -1.0], -7.0), None, None], [1, 0, 0],
    ...                        np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 2.0]]), np.ones(3), np.ones(3), np.ones(3), 2, 1)
    >>> print(region(upright(tree, np.ones(2), np.zeros((1, 2))), 2))
    2 x0 + x1 > 7
    """
    splits: list[Split | None] = [None if leaf else tree.split(node) for node, leaf in enumerate(tree.is_leaf.tolist())]
    order = np.arange(tree.node_count)
    for node in np.flatnonzero(tree.kind == HYPERPLANE).tolist():
        features, weights = tree.test(node)
        if float((weights * spread[features]).sum()) >= 0:
            continue
        turned = Hyperplane(features, -weights, 0.0 - float(tree.threshold[node]))
        if (turned.route(rows) != tree.split(node).route(rows)).all():
            splits[node] = turned
            first = int(tree.first_child[node])
            order[[first, first + 1]] = order[[first + 1, first]]
    found = Tree.from_nodes(
        [splits[node] for node in order.tolist()],
        tree.first_child[order].tolist(),
        tree.value[order],
        tree.n_samples[order].astype(np.float64),
        tree.mass[order],
        tree.impurity[order],
        tree.n_features,
        tree.n_hyperplanes,
    )
    return replace(found, payload=tree.payload.take(order))
