"""The axis-parallel search of CART: the best cut over all features and all values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict, Unpack

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.grow.limits import Limits
from askew.model.split import Hyperplane, Split
from askew.model.tree import Tree
from askew.parallel import Progress
from askew.parameters import Strategy, integer, none, param


@dataclass(frozen=True)
class AxisCut:
    """The best axis-parallel cut of a node: a feature, a threshold, and the score of the criterion."""

    feature: int
    threshold: float
    score: float

    @property
    def split(self) -> Hyperplane:
        """The cut as a split."""
        return Hyperplane([self.feature], [1.0], self.threshold)


def best_axis_cut(node: Node, criterion: Criterion) -> AxisCut | None:
    """Return the best axis-parallel cut of a node: the search of CART, and the start of the oblique searches."""
    node.n_evaluated += node.n_features
    cut = node.statistics.axis_cut(criterion)
    return None if cut is None else AxisCut(*cut)


@dataclass(frozen=True)
class AxisParallel(Strategy):
    """Exact search over all features and all midpoints between neighbouring values.

    Ties go to the first feature, then to the lowest threshold.

    Parameters
    ----------
    max_features : int or None, default=None
        Number of features that are tried at a node: a random sample of those that vary there, drawn from the node's
        seed, as in a random forest. None: all.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), chapter 2.

    Examples
    --------
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.axis import AxisParallel
    >>> ObliqueTreeClassifier(search=AxisParallel()).fit([[1], [2]], [0, 1]).get_n_leaves()
    2
    """

    max_features: int | None = param(None, integer(1) | none)

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best axis-parallel split of a node."""
        d = node.n_features
        node.n_evaluated += d if self.max_features is None else min(d, self.max_features)
        cut = node.statistics.axis_cut(criterion, self.max_features, seed)
        return None if cut is None else AxisCut(*cut).split

    def grow(
        self,
        table: Table,
        criterion: Criterion,
        limits: Limits,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Grow the tree in one call, from features sorted once (core/axis/presorted_growth.hpp)."""
        return presorted_tree(table, criterion, limits, seed, threads, progress, max_features=self.max_features)


class CutRules(TypedDict, total=False):
    """The rules that C4.5 and ID3 add to axis-parallel growth (`CutRule`, core/axis/gain_ratio.hpp)."""

    min_cases: float
    ratio: bool
    penalty: bool
    boundaries: bool


def presorted_tree(
    table: Table,
    criterion: Criterion,
    limits: Limits,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
    *,
    max_features: int | None = None,
    **rules: Unpack[CutRules],
) -> Tree:
    """Grow a tree of axis-parallel cuts in one compiled call, from columns that are sorted once.

    Parameters
    ----------
    table, criterion, limits, seed, threads, progress
        As for `askew.grow.grow.grow`.
    max_features : int or None
        As for `AxisParallel`.
    **rules : CutRules
        The rules of C4.5 or ID3.
    """
    grown = _core.grow_axis(
        criterion.kernel,
        table.target,
        table.X,
        limits=limits.kernel,
        rule=_core.CutRule(**rules),
        max_features=max_features,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    return Tree.from_growth(grown, table.n_features)
