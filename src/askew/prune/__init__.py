"""The pruners: each makes a grown tree smaller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree
from askew.parameters import InvalidParameterError
from askew.prune.cost_complexity import CostComplexity
from askew.prune.error_based import ErrorBased
from askew.prune.genetic import GAPruner
from askew.prune.learning_automata import LAPruner


class Regrow(Protocol):
    """Grows another tree in the same way, on other rows; knows the criterion."""

    @property
    def criterion(self) -> Criterion:
        """The criterion that impurities are measured by."""
        ...

    @property
    def threads(self) -> int:
        """How many threads there are to use."""
        ...

    @property
    def progress(self) -> Callable[[float], None] | None:
        """Called with the share of the work that is done; None if no progress is shown."""
        ...

    def part(self, i: int, n: int) -> Regrow:
        """Return the same, for the i-th of n trees: its progress is that part of the whole."""
        ...

    def __call__(self, table: Table, /) -> Tree:
        """Grow a tree on these rows."""
        ...


@runtime_checkable
class Pruner(Protocol):
    """What makes a grown tree smaller.

    A pruner that grows other trees may say how many in an attribute `n_regrown`, for the progress.
    """

    def hold_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        """Divide the rows into those to grow on and those to prune with (None: all are grown on)."""
        ...

    def prune(
        self, tree: Tree, grown_on: Table, held_out: Table | None, regrow: Regrow, seed: int
    ) -> Tree | RuleNetwork:
        """Return the pruned tree, or what replaces it; `regrow` grows another one on other rows."""
        ...


PRUNERS: dict[str, type[Pruner]] = {
    "cost_complexity": CostComplexity,
    "error_based": ErrorBased,
    "learning_automata": LAPruner,
    "genetic": GAPruner,
}


def as_pruner(pruning: object) -> Pruner | None:
    """Turn what a user gave as ``pruning=`` (None, a name, or a pruner) into a pruner."""
    if pruning is None:
        return None
    if isinstance(pruning, str) and pruning in PRUNERS:
        return PRUNERS[pruning]()
    if not isinstance(pruning, type) and isinstance(pruning, Pruner):
        return pruning
    raise InvalidParameterError(
        f"The 'pruning' parameter must be None, a str among {sorted(PRUNERS)} or a pruner with methods "
        f"'hold_out' and 'prune'. Got {pruning!r} instead."
    )


FOLDS = 5
"""In how many folds the command line and `askew.compare` choose the subtree."""

MANY_ROWS = 10_000
"""Above so many rows a tenth of them chooses as well, and at a sixth of the cost."""


def usual_pruning(n_rows: int) -> CostComplexity:
    """Return the pruning of the command line and of `askew.compare`, the same for every method."""
    return CostComplexity(folds=FOLDS if n_rows <= MANY_ROWS else None)
