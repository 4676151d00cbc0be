"""The pruners: each makes a grown tree smaller."""

from __future__ import annotations

from askew.grow.recipe import Pruner
from askew.parameters import InvalidParameterError
from askew.prune.cost_complexity import CostComplexity
from askew.prune.error_based import ErrorBased
from askew.prune.genetic import GeneticAlgorithm
from askew.prune.learning_automata import LearningAutomata

PRUNERS: dict[str, type[Pruner]] = {
    "cost_complexity": CostComplexity,
    "error_based": ErrorBased,
    "learning_automata": LearningAutomata,
    "genetic": GeneticAlgorithm,
}


def as_pruner(pruning: object) -> Pruner | None:
    """Return the pruner that the parameter ``pruning=`` means: None, a name, or a pruner."""
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
"""Folds in which the command line and `askew.compare` choose the subtree."""

MANY_ROWS = 10_000
"""With more rows than this, a held-out tenth of them chooses as well, at a sixth of the cost."""


def usual_pruning(n_rows: int) -> CostComplexity:
    """Return the default pruning of the command line and of `askew.compare`, the same for every method."""
    return CostComplexity(cv=FOLDS if n_rows <= MANY_ROWS else None)
