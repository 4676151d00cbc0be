"""The simplest tree that loses no more than is allowed on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.explaining.simplify.rounding import Shortening, Significant, Unchanged, Whole
from askew.explaining.simplify.shorten import shortened
from askew.grow.criterion import Criterion
from askew.model.split import HYPERPLANE
from askew.model.tree import Tree
from askew.prune.cost_complexity import loss_at
from askew.refinement.soft import SoftRefiner

FOLDS = 5
SHARES = (0.5, 0.25, 0.1, 0.05, 0.02, 0.0)  # of the largest effect: terms are kept from here on
PENALTIES = (0.1, 0.03, 0.01, 0.003, 0.001)  # on absolute weights, beside the mean loss
WHOLE: tuple[Shortening, ...] = tuple(
    Whole(share, digits, drops) for share in SHARES for digits in (1, 2) for drops in (True, False)
)
SHORT: tuple[Shortening, ...] = tuple(Significant(digits, drops) for digits in (1, 2, 3) for drops in (True, False))
AFTER_FIT: tuple[Shortening, ...] = tuple(Whole(share, digits) for share in (0.25, 0.1, 0.02) for digits in (1, 2))


@dataclass(frozen=True)
class Way:
    """A way to simplify a tree: how weights are shortened, and whether all planes are fitted together before that.

    Attributes
    ----------
    shortening : Shortening
        How weights are shortened.
    penalty : float or None
        L1 penalty on the weights in the joint fit; None: hyperplanes stay as they are.
    """

    shortening: Shortening
    penalty: float | None = None

    def __str__(self) -> str:
        return str(self.shortening) + ("" if self.penalty is None else ", planes refitted jointly")


class Simplifier:
    """Simplifies a tree in many ways, on the rows of a table."""

    def __init__(
        self, tree: Tree, table: Table, criterion: Criterion, spread: NDArray[np.float64], threads: int = 1
    ) -> None:
        self.tree, self.table, self.criterion, self.spread, self.threads = tree, table, criterion, spread, threads
        self._fitted: dict[float, Tree] = {}

    def simplified(self, way: Way) -> Tree:
        """Return the tree, simplified."""
        tree = self.tree if way.penalty is None or not self.fits else self._fitted_with(way.penalty)
        return shortened(tree, self.table, self.criterion, self.spread, way.shortening)

    @property
    def fits(self) -> bool:
        """Whether planes can be fitted together: hyperplanes alone, above leaves that predict a constant."""
        inner = ~self.tree.is_leaf
        planes = bool(inner.any()) and bool((self.tree.kind[inner] == HYPERPLANE).all())
        return planes and not self.tree.payload.varies and self.tree.n_terms > int(inner.sum())

    def _fitted_with(self, penalty: float) -> Tree:
        """Return the tree whose planes are fitted together, with a penalty, then without one.

        The second fit keeps the zeros that the first has made: the rest is not shrunk.
        """
        if penalty not in self._fitted:
            tree = self.tree
            for l1 in (penalty, 0.0):
                refiner = SoftRefiner(l1=l1, guarded=False, keep_zeros=True)
                tree = refiner.refine(tree, self.table, self.criterion, 0, self.threads)
            self._fitted[penalty] = tree
        return self._fitted[penalty]


class LossIncrease(NamedTuple):
    """The increase of the loss on held-out rows, and its standard error."""

    mean: float
    error: float


class Folds:
    """Trees grown on four fifths of the rows, in turn, and the held-out loss of each row."""

    def __init__(self, simplifier: Simplifier, grow: Callable[[Table], Tree], seed: int) -> None:
        table = simplifier.table
        fold = table.folds(seed, FOLDS)
        self.before = np.zeros(table.n_rows)
        self.parts = []
        for k in range(FOLDS):
            grown, held_out = fold != k, fold == k
            if not grown.any() or not held_out.any():
                continue
            rows, others = table.take(grown), table.take(held_out)
            tree = grow(rows)
            part = Simplifier(tree, rows, simplifier.criterion, simplifier.spread, simplifier.threads)
            self.before[held_out] = _losses(tree, others)
            self.parts.append((part, held_out, others))

    def lost(self, way: Way) -> NDArray[np.float64]:
        """Return the increase of the held-out loss of each row when trees are simplified in a way."""
        after = np.zeros(self.before.size)
        for part, held_out, others in self.parts:
            after[held_out] = _losses(part.simplified(way), others)
        return after - self.before


def simplest_within(
    simplifier: Simplifier, grow: Callable[[Table], Tree], max_loss: float, weights: str
) -> tuple[Way, LossIncrease]:
    """Return the way that leaves the fewest terms and loses at most `max_loss`, and its loss.

    A tree is grown on four fifths of the rows, simplified in every way by the same rows, and measured on the last
    fifth, in turn: rows that neither growth nor simplification has seen. A way that passes is measured a second time,
    in other fifths, and the mean of both counts, since the first of many estimates to pass is biased. The training
    loss of the simplified tree must not exceed the held-out loss of these trees.

    Parameters
    ----------
    simplifier : Simplifier
        Simplifier of the tree, with all rows.
    grow : callable
        Function that grows such a tree on other rows.
    max_loss : float
        Maximum loss of accuracy, or of R2.
    weights : str
        "whole": integers where they lose no more than that; "short": the fewest terms.
    """
    table = simplifier.table
    mass, total = table.weight, float(table.weight.sum())
    unit = 1.0 if table.classification else _variance(table)  # of accuracy, or of R2
    allowed = max_loss * unit
    folds = [Folds(simplifier, grow, 0)]
    most = float(mass @ folds[0].before) / total + allowed
    for ways in _ways(simplifier, weights):
        trees = {way: simplifier.simplified(way) for way in ways}
        good = [way for way, tree in trees.items() if float(mass @ _losses(tree, table)) / total <= most]
        for way in sorted(good, key=lambda way: _size(trees[way])):
            each = folds[0].lost(way)
            if float(mass @ each) / total > allowed:
                continue
            if len(folds) == 1:
                folds.append(Folds(simplifier, grow, 1))
            each = (each + folds[1].lost(way)) / 2
            mean = float(mass @ each) / total
            if mean <= allowed:
                error = float(np.sqrt((mass**2) @ (each - mean) ** 2)) / total
                return way, LossIncrease(mean / unit, error / unit)
    return Way(Unchanged()), LossIncrease(0.0, 0.0)


def _losses(tree: Tree, table: Table) -> NDArray[np.float64]:
    return np.asarray(loss_at(tree, tree.apply(table.X), table), dtype=np.float64)


def _ways(simplifier: Simplifier, weights: str) -> list[list[Way]]:
    """Return the ways to try; the second list is tried only if no way of the first passes."""
    tree = simplifier.tree
    # Linear machines stay with fractions.
    whole = [Way(one) for one in WHOLE] if (tree.kind == HYPERPLANE).any() else []
    if simplifier.fits:
        whole += [Way(one, penalty) for penalty in PENALTIES for one in AFTER_FIT]
    short = [Way(one) for one in SHORT]
    return [whole, short] if weights == "whole" else [whole + short]


def _size(tree: Tree) -> tuple[int, float]:
    """Return the complexity of a tree: the number of terms, then the digits of their weights."""
    used = np.abs(tree.weight[tree.weight != 0])
    return tree.n_terms, sum(len(f"{weight:.15g}".strip("0.")) + abs(log10(weight)) for weight in used.tolist())


def _variance(table: Table) -> float:
    mean = np.average(table.y, weights=table.weight)
    return float(np.average((table.y - mean) ** 2, weights=table.weight)) or 1.0
