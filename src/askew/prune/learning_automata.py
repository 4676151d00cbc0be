"""LA pruning: a team of learning automata chooses the splits that bound each region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.parameters import Rule, integer, none, real
from askew.prune.cells import Cells, pack
from askew.prune.network import NetworkPruner, Progress

_FROM_TREE = 0.9  # probability at the start of a condition that the tree has


@dataclass(frozen=True)
class LAPruner(NetworkPruner):
    """Pruning by learning automata: regions are put together anew from the splits of the tree.

    The tree is written as a three-layer network (`askew.RuleNetwork`): splits, ANDed to regions, ORed to classes.
    The splits stay as they are. For every unit (region) and condition (a side of a split) an automaton learns the
    probability with which the unit selects the condition. Each step draws all selections and a row; where the
    network classifies the row right, all probabilities move towards what was drawn (Shah & Sastry 1999, Table V).
    Conditions whose probability is then at least one half are selected; if the regions of the tree that it began with
    are right more often, these stay.
    Works on the tree of any classifier of askew, as ``pruning=LAPruner()`` or by `pruned` of a fitted one.

    Parameters
    ----------
    n_units : int, default=4
        Regions that each class may have (L of the paper, which has 2); at most the leaves of the class.
    reduce : bool, default=True
        Leave out conditions without which a region holds the same training rows.
    rate : float, default=0.003
        Step size (lambda of the paper).
    initial : float or None, default=None
        Probability of every condition at the start; 0.5 in the paper. None: start from the tree, with 0.9 for the
        conditions of its regions and one over the number of conditions elsewhere. From 0.5 nearly every unit has
        a plane and its complement and never fires; with more than a few splits nothing is then learnt.
    tolerance : float, default=0.02
        Stop when every probability is within this of 0 or 1.
    max_passes : int, default=200
        Stop after so many steps for each row.

    References
    ----------
    Shah, Sastry: New algorithms for learning and pruning oblique decision trees. IEEE Transactions on Systems, Man,
    and Cybernetics C 29 (1999), section IV-A and Table V.

    Examples
    --------
    >>> from askew import LAPruner, OC1Classifier
    >>> from askew.datasets import make_apdt2_standin
    >>> X, y = make_apdt2_standin(random_state=0)
    >>> OC1Classifier(pruning=LAPruner(), random_state=0).fit(X, y).tree_.n_splits < 15
    True
    """

    rate: float = 0.003
    initial: float | None = None
    tolerance: float = 0.02
    max_passes: int = 200

    iteration: ClassVar[str] = "pass"  # what the learning curve counts
    rules: ClassVar[Mapping[str, Rule]] = {
        **NetworkPruner.rules,
        "rate": real(0.0, 1.0, open_low=True, open_high=True),
        "initial": real(0.0, 1.0, open_low=True, open_high=True) | none,
        "tolerance": real(0.0, 0.5, open_low=True, open_high=True),
        "max_passes": integer(1),
    }

    def _learn(
        self,
        cells: Cells,
        label: int,
        start: NDArray[np.bool_],
        seed: int,
        threads: int,
        progress: Progress | None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        away = 1 / len(cells.condition)
        initial = np.where(start, _FROM_TREE, away) if self.initial is None else np.full(start.shape, self.initial)
        # A cell is up to two patterns: its rows of the class, and its other rows.
        weight = np.column_stack([cells.weight.sum(axis=1) - cells.weight[:, label], cells.weight[:, label]])
        cell, of_class = np.nonzero(weight > 0)
        probability, errors = _core.network_automata(
            pack(cells.fulfilled),
            cell.astype(np.int64),
            of_class.astype(np.uint8),
            np.cumsum(weight[cell, of_class]),
            initial,
            self.rate,
            self.tolerance,
            max(1, round(float(cells.n_samples.sum()))),
            self.max_passes,
            seed,
            progress,
        )
        return _better(cells, label, start, probability >= 0.5), errors


def _better(cells: Cells, label: int, start: NDArray[np.bool_], learnt: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return what was learnt, unless the tree's own regions answer more rows right."""
    both = pack(np.stack([learnt, start]))
    gains = _core.network_gains(pack(cells.fulfilled.T), cells.gain(label), both, 1)
    return start if gains[1] > gains[0] else learnt
