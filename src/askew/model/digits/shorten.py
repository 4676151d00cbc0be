"""Display digits of all tests of a tree, a rule network or a tree for each class, from the rows at each test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import copysign, inf, isfinite, nextafter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.model.digits.rounding import (
    LEAST_DIGITS,
    MOST_DECIMALS,
    Printed,
    all_near,
    all_rounded,
    cut,
    exponents,
    least_digits,
    near,
    significant,
    unit,
)
from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.split import HYPERPLANE, LINEAR_MACHINE
from askew.model.split_arrays import SplitArrays
from askew.model.tree import WALKED, Tree

_LONGEST = 15  # digits of a weight; sums of weights with more are no more exact than those of the model itself
_LONGER = 2  # a threshold may have this many digits more than the weights, before these get another
_EPS = float(np.finfo(np.float64).eps)
_CHUNK = 1 << 20  # numbers that are copied at a time


class Form(NamedTuple):
    """Weights and threshold as they are printed, and the digits of the weights; 0: all of them."""

    weights: NDArray[np.float64]
    threshold: float
    digits: int


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows at a node, those of the first child first.

    Attributes
    ----------
    X : ndarray
        All rows.
    rows : ndarray
        Numbers of those at the node.
    counts : ndarray
        Number of rows that go to each child.
    spread : ndarray
        The standard deviation of each column, in all rows.
    largest : ndarray
        The largest absolute value of each column, in all rows.
    """

    X: NDArray[np.float64]
    rows: NDArray[np.integer]
    counts: NDArray[np.int64]
    spread: NDArray[np.float64]
    largest: NDArray[np.float64]

    def products(self, features: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of each row of weights (rows of weights x rows)."""
        out = np.empty((weights.shape[0], self.rows.size))
        step = max(_CHUNK // features.size, 1)
        for start in range(0, self.rows.size, step):
            part = self.X[self.rows[start : start + step, None], features]
            # Without BLAS, whose sums differ between machines and whose threads take time to start.
            np.einsum("ij,kj->ki", part, weights, out=out[:, start : start + step])
        return out

    def means(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the mean of the columns."""
        total = np.zeros(features.size)
        step = max(_CHUNK // features.size, 1)
        for start in range(0, self.rows.size, step):
            total += self.X[self.rows[start : start + step, None], features].sum(axis=0)
        return total / max(self.rows.size, 1)

    def gap(self, sums: NDArray[np.float64]) -> tuple[float, float]:
        """Return the largest sum of the first child, and the least of the second; a sum of NaN does not count."""
        first = int(self.counts[0])
        low = np.fmax.reduce(sums[:first], initial=-inf)
        return float(low), float(np.fmin.reduce(sums[first:], initial=inf))

    def doubt(self, features: NDArray[np.int64], weights: NDArray[np.float64]) -> float:
        """Return how far two sums of the same numbers, added in any order, can be apart."""
        return 4 * (features.size + 2) * _EPS * float(np.abs(weights) @ self.largest[features])


def plane(features: NDArray[np.int64], weights: NDArray[np.float64], threshold: float, at: Rows) -> Form:
    """Return the form of a hyperplane of several columns.

    Weights get digits until there is a threshold, not much longer than they are, that leaves all rows of either child
    on their side, whatever the order in which a reader adds the terms. It divides the gap between the
    two sides in the same proportion as the threshold of the model.
    """
    all_digits = Form(weights, threshold, 0)
    used = np.flatnonzero(weights)
    if used.size < 2:
        return _single(features, weights, threshold, at) if used.size else all_digits
    scale = unit(weights)
    rescaled, level = weights / scale, threshold / scale
    if not (np.isfinite(rescaled).all() and isfinite(level)):
        return all_digits
    low, high = at.gap(at.products(features, rescaled[None, :])[0])
    share = (level - low) / (high - low) if isfinite(high - low) and low < high else None
    longer = None
    for digits in range(LEAST_DIGITS, _LONGEST + 1):
        short = _shortened(rescaled, features, at, digits)
        low, high = at.gap(at.products(features, short[None, :])[0])
        doubt = at.doubt(features, short)
        target = level if share is None else low + share * (high - low)
        found = near(target, low + doubt, nextafter(high - doubt, -inf))
        if found is None:
            continue
        form = Form(short, found[0], digits)
        if found[1] <= max(digits, least_digits(target)) + _LONGER:
            return form
        longer = longer or form
    return longer or all_digits


def _single(features: NDArray[np.int64], weights: NDArray[np.float64], threshold: float, at: Rows) -> Form:
    """Return the form of a test of one column: ``x <= threshold`` or ``-x <= threshold``, exactly."""
    only = int(np.flatnonzero(weights)[0])
    weight = float(weights[only])
    limit = cut(abs(weight), threshold)
    if not isfinite(limit):
        return Form(weights, threshold, 0)
    short = np.zeros(weights.size)
    short[only] = copysign(1.0, weight)
    found = near(limit, *at.gap(short[only] * at.X[at.rows, features[only]]))
    return Form(short, limit, 0) if found is None else Form(short, *found)


def machine(features: NDArray[np.int64], weights: NDArray[np.float64], at: Rows) -> Form:
    """Return the form of a linear machine: weights get digits until the same sum is the largest for each row.

    The constants compensate for the change of the sums that rounded weights cause at the mean of the rows.
    """
    rescaled = weights.reshape(-1, features.size + 1)
    all_digits = Form(weights, 0.0, 0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        rescaled = rescaled / unit(rescaled[:, :-1].ravel())
    if not np.isfinite(rescaled).all():
        return all_digits
    mean = at.means(features)
    child = np.repeat(np.arange(at.counts.size), at.counts)
    row = np.arange(child.size)
    for digits in range(LEAST_DIGITS, _LONGEST + 1):
        short = np.array([_shortened(line, features, at, digits) for line in rescaled[:, :-1]])
        with np.errstate(invalid="ignore", over="ignore"):
            constant = rescaled[:, -1] + (rescaled[:, :-1] - short) @ mean
        if not np.isfinite(constant).all():
            return all_digits
        constant = np.array([significant(value, digits) for value in constant.tolist()])
        sums = at.products(features, short) + constant[:, None]
        winner = sums[child, row].copy()
        sums[child, row] = -inf
        doubt = max(at.doubt(features, line) for line in short) + 4 * _EPS * float(np.abs(constant).max())
        if (winner - sums.max(axis=0) > doubt).all():
            return Form(np.column_stack([short, constant]).ravel(), 0.0, digits)
    return all_digits


def _shortened(weights: NDArray[np.float64], features: NDArray[np.int64], at: Rows, digits: int) -> NDArray[np.float64]:
    """Return weights of this many digits; 0 for those that matter less than the last digit of the most important one.

    The effect of a weight is its size times the spread of the column.
    """
    effect = np.abs(weights) * at.spread[features]
    kept = effect > 0.5 * 10.0**-digits * effect.max(initial=0.0)
    if not kept.any():
        kept = weights != 0
    return np.array([significant(w, digits) if w else 0.0 for w in np.where(kept, weights, 0.0).tolist()])


class RowsAtNodes:
    """The rows at the nodes of a tree, sorted by their leaves from left to right: those of every node stand together.

    A row that goes down in parts, because values are missing, is in each of its leaves.

    Attributes
    ----------
    order : ndarray
        Row numbers.
    begin, n : ndarray
        Position in `order` of each node's first row, and the number of its rows.
    """

    def __init__(self, tree: Tree, table: Table, threads: int) -> None:
        if table.incomplete:
            row, leaf, _ = tree.spread(table.X)
        else:
            row, leaf = None, tree.apply(table.X, threads)
        order, self.begin, self.n = tree.rows_by_node(leaf)
        self.tree, self.order = tree, order if row is None else row[order]

    def at(self, split: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Return the rows at a node, those of its first child first, and how many go to each child."""
        first = int(self.tree.first_child[split])
        counts = self.n[first : first + int(self.tree.n_children[split])]
        return self.order[self.begin[split] : self.begin[split] + self.n[split]], counts


class AllRows:
    """All rows take a side of each split of a network."""

    def __init__(self, network: RuleNetwork, table: Table) -> None:
        self.network, self.taken = network, network.sides(table.X)

    def at(self, split: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Return all rows, those of the first side first, and how many take each side."""
        side = self.taken[:, split]
        return np.argsort(side, kind="stable"), np.bincount(side, minlength=int(self.network.n_children[split]))


_MEASURED = 5_000  # rows, at most, by which the share of those that go elsewhere is measured
_SHORT = 6  # digits of a weight that was shortened


@dataclass(frozen=True)
class Display:
    """The printed numbers of a fitted tree.

    Attributes
    ----------
    tree : Tree, RuleNetwork or OneVsRest
        The tree that the numbers belong to. They are not used for another, such as one that was set by hand.
    printed : tuple of Printed
        The numbers to print, for each tree, if there is one for each class.
    """

    tree: Tree | RuleNetwork | OneVsRest
    printed: tuple[Printed, ...]


def display_digits(
    found: Tree | RuleNetwork | OneVsRest, table: Table, spread: NDArray[np.float64], threads: int = 1
) -> Display:
    """Return the tests of a tree as they are to be printed: so that each row of the table takes the same path.

    Parameters
    ----------
    found : Tree, RuleNetwork or OneVsRest
        The fitted tree.
    table : Table
        The rows that it was fitted to.
    spread : ndarray
        The standard deviation of each column.
    threads : int
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from askew import CARTClassifier
    >>> X = np.array([[1.234375], [1.23828125]])
    >>> model = CARTClassifier().fit(X, [0, 1])
    >>> float(model.tree_.threshold[0]), float(model.display_.printed[0].threshold[0])
    (1.236328125, 1.236)
    """
    parts = found.trees if isinstance(found, OneVsRest) else (found,)
    printed = []
    with np.errstate(over="ignore", invalid="ignore"):
        for part in parts:
            shown = _shortest(part, table, spread, threads)
            printed.append(replace(shown, misrouted=_misrouted(part, shown, table, threads)))
    return Display(found, tuple(printed))


def own_digits(tree: Tree, table: Table, threads: int = 1) -> Display:
    """Return the tests of a tree with all digits: of a tree of `askew.simplify`, which has rounded its numbers."""
    tests = as_it_is(tree)
    short = np.array([significant(weight, _SHORT) == weight for weight in tests.weight.tolist()])
    n_long = np.add.reduceat(np.append(~short, False), tree.weight_start[:-1]) if short.size else np.zeros(1)
    sums = (tree.kind == HYPERPLANE) | (tree.kind == LINEAR_MACHINE)
    tests = replace(tests, digits=np.where(sums & (n_long == 0), _SHORT, 0).astype(np.int8))
    return Display(tree, (replace(tests, misrouted=_misrouted(tree, tests, table, threads)),))


def as_it_is(arrays: SplitArrays) -> Printed:
    """Return the tests with all digits; those of one feature have the weight 1 or -1."""
    weight, threshold = arrays.weight.copy(), arrays.threshold.copy()
    for split in _other_planes(arrays).tolist():
        used = arrays.weight_start[split] + np.flatnonzero(arrays.test(split)[1])
        if used.size == 1:
            limit = cut(abs(float(weight[used[0]])), float(threshold[split]))
            if isfinite(limit):
                weight[used[0]], threshold[split] = copysign(1.0, weight[used[0]]), limit
    return Printed(weight, threshold, np.zeros(threshold.size, dtype=np.int8), np.empty(0))


def scaled(arrays: SplitArrays) -> Printed:
    """Return the tests with all digits, weights on the scale of `askew.model.digits.rounding.unit`."""
    exact = as_it_is(arrays)
    weight, threshold = exact.weight.copy(), exact.threshold.copy()
    several = np.diff(arrays.weight_start) > 1
    machine = arrays.kind == LINEAR_MACHINE
    for split in np.flatnonzero(several & (machine | (arrays.kind == HYPERPLANE))).tolist():
        part = slice(arrays.weight_start[split], arrays.weight_start[split + 1])
        rescaled = weight[part].reshape(int(arrays.n_children[split]) if machine[split] else 1, -1)
        scale = unit((rescaled[:, :-1] if machine[split] else rescaled).ravel())
        with np.errstate(over="ignore"):
            rescaled, level = rescaled / scale, float(threshold[split] / np.float64(scale))
        if np.isfinite(rescaled).all() and isfinite(level):
            weight[part], threshold[split] = rescaled.ravel(), level
    return replace(exact, weight=weight, threshold=threshold)


def rounded_to(arrays: SplitArrays, printed: Printed | None, decimals: int) -> Printed:
    """Return the tests with at most this many decimals; `printed` are those with as many as are needed."""
    numbers = _Decimals(scaled(arrays) if printed is None else printed, arrays)
    return numbers.put(all_rounded(numbers.values, decimals))


class _Decimals:
    """The numbers of a tree whose decimals are rounded: thresholds, and weights that are not integers."""

    def __init__(self, tests: Printed, arrays: SplitArrays) -> None:
        sums = (arrays.kind == HYPERPLANE) | (arrays.kind == LINEAR_MACHINE)
        broken = np.repeat(sums, np.diff(arrays.weight_start)) & (tests.weight != np.rint(tests.weight))
        self.tests, self.weights, self.thresholds = tests, np.flatnonzero(broken), np.flatnonzero(sums)
        self.values = np.concatenate([tests.weight[self.weights], tests.threshold[self.thresholds]])

    def put(self, values: NDArray[np.float64]) -> Printed:
        """Return the tests with other numbers."""
        weight, threshold = self.tests.weight.copy(), self.tests.threshold.copy()
        weight[self.weights], threshold[self.thresholds] = np.split(values, [self.weights.size])
        return replace(self.tests, weight=weight, threshold=threshold)


def _other_planes(arrays: SplitArrays) -> NDArray[np.int64]:
    """Return the numbers of the hyperplanes that are not plainly ``x <= threshold``."""
    planes = np.flatnonzero(arrays.kind == HYPERPLANE)
    one = np.diff(arrays.weight_start)[planes] == 1
    plain = one & (arrays.weight[np.where(one, arrays.weight_start[planes], 0)] == 1) if arrays.weight.size else one
    return np.asarray(planes[~plain])


def _shortest(found: Tree | RuleNetwork, table: Table, spread: NDArray[np.float64], threads: int) -> Printed:
    """Return the shortest form of each test that leaves all rows on their side."""
    weight, threshold = found.weight.copy(), found.threshold.copy()
    digits = np.zeros(found.kind.size, dtype=np.int8)
    others = np.flatnonzero((found.kind == HYPERPLANE) | (found.kind == LINEAR_MACHINE))
    if isinstance(found, Tree):
        others = np.append(_other_planes(found), np.flatnonzero(found.kind == LINEAR_MACHINE))
        low, above = _core.axis_gaps(found.kernel, table.X)
        # With rows on one side only, any threshold beyond them would do.
        between = np.flatnonzero(np.isfinite(low) & np.isfinite(above))
        threshold[between], digits[between] = all_near(threshold[between], low[between], above[between])
    if not others.size:
        return Printed(weight, threshold, digits, np.empty(0))
    rows_at = RowsAtNodes(found, table, threads) if isinstance(found, Tree) else AllRows(found, table)
    largest = np.maximum(np.abs(np.fmin.reduce(table.X, axis=0)), np.abs(np.fmax.reduce(table.X, axis=0)))
    for split in others.tolist():
        here = Rows(table.X, *rows_at.at(split), spread, largest)
        features, weights = found.test(split)
        if found.kind[split] == LINEAR_MACHINE:
            form = machine(features, weights, here)
        else:
            form = plane(features, weights, float(found.threshold[split]), here)
        part = slice(found.weight_start[split], found.weight_start[split + 1])
        weight[part], threshold[split], digits[split] = form
    return Printed(weight, threshold, digits, np.empty(0))


def _misrouted(found: Tree | RuleNetwork, shown: Printed, table: Table, threads: int) -> NDArray[np.float64]:
    """Return the share of the rows' weight that ends elsewhere with 0, 1, 2, ... decimals, fewer than are printed."""
    step = -(-table.n_rows // _MEASURED)
    X, weight = table.X[::step], table.weight[::step]
    leaf = found.apply(X, threads, table.incomplete)
    shares: list[float] = []
    numbers = _Decimals(shown, found)
    exponent = exponents(numbers.values)
    for decimals in range(MOST_DECIMALS):
        values = all_rounded(numbers.values, decimals, exponent)
        if (values == numbers.values).all():
            break
        elsewhere = _ends(found, numbers.put(values), X, threads, table.incomplete) != leaf
        shares.append(float(weight[elsewhere].sum() / weight.sum()))
    return np.array(shares)


def _ends(
    found: Tree | RuleNetwork, tests: Printed, X: NDArray[np.float64], threads: int, incomplete: bool
) -> NDArray[np.int64]:
    """Return where rows end by other tests."""
    if isinstance(found, Tree) and not incomplete:  # as `apply`, without making a tree of it
        walked = {name: getattr(found, name) for name in WALKED}
        return _core.apply(_core.Tree(**{**walked, "weight": tests.weight, "threshold": tests.threshold}), X, threads)
    other = replace(found, weight=tests.weight, threshold=tests.threshold)
    return other.apply(X, threads, incomplete)
