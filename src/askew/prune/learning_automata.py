"""LA pruning: a team of learning automata chooses the splits that bound each region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.grow import child_seed
from askew.parallel import Progress, part
from askew.parameters import integer, none, param, real
from askew.prune.cells import Cells, pack
from askew.prune.network import NetworkPruner

_FROM_TREE = 0.9  # probability at the start of a condition that the tree has
_AROUND_ROW = 4  # conditions that a unit around a row selects at the start, in the mean
_TRIAL, _GO_ON = 5, 1  # all teams learn for a fifth of the passes, the best of them for the rest


@dataclass(frozen=True)
class _Team:
    """What a team of automata has learnt (units x conditions), and its share of wrong answers in each pass."""

    probability: NDArray[np.float64]
    errors: NDArray[np.float64]

    @property
    def selected(self) -> NDArray[np.bool_]:
        """The conditions that its units select."""
        return self.probability >= 0.5

    def then(self, later: _Team) -> _Team:
        """Return the team after it has gone on."""
        return _Team(later.probability, np.concatenate([self.errors, later.errors]))


@dataclass(frozen=True)
class LearningAutomata(NetworkPruner):
    """Pruning by learning automata: regions are recombined from the splits of the tree.

    The tree is written as a three-layer network (`askew.RuleNetwork`): splits, ANDed to regions, ORed to classes.
    The splits stay as they are. For every unit (region) and condition (a side of a split) an automaton learns the
    probability with which the unit selects the condition. Each step draws all selections and a row; where the
    network classifies the row right, all probabilities move towards what was drawn (Shah & Sastry 1999, Table V).
    Conditions whose probability is then at least one half are selected. Of several teams the best is kept; if the
    regions of the tree are right more often than all of them, these stay.
    Works on the tree of any classifier of askew, as ``pruning=LearningAutomata()`` or by `pruned` of a fitted one.

    Parameters
    ----------
    n_units : int, default=4
        Regions that each class may have (L of the paper, which has 2); at most the leaves of the class.
    reduce : bool, default=True
        Leave out conditions without which a region holds the same training rows.
    climb : bool, default=False
        In the end, exchange, add or leave out single conditions, as long as more training rows are right. Not in the
        paper; of use where labels are noisy. The learning curve is that of the search before.
    rate : float, default=0.003
        Step size (lambda of the paper).
    n_starts : int, default=10
        Teams that learn, one after the other; the paper has one. After a fifth of the passes the best goes on alone.
    initial : float or None, default=None
        Probability of every condition at the start; 0.5 in the paper. None: the first team starts from the tree, with
        0.9 for the conditions of its regions and one over the number of conditions elsewhere. In the others every
        unit starts around a row of the class, drawn at random: 0.5 for the side that the row takes of each split, less
        if there are more than eight splits, and 0 for the other sides. From 0.5 everywhere nearly every unit has
        a plane and its complement and never fires; with more than a few splits nothing is then learnt.
    tolerance : float, default=0.02
        Stop when every probability is within this of 0 or 1.
    max_passes : int, default=200
        Number of steps for each row, at most.

    References
    ----------
    Shah, Sastry: New algorithms for learning and pruning oblique decision trees. IEEE Transactions on Systems, Man,
    and Cybernetics C 29 (1999), section IV-A and Table V.

    Examples
    --------
    >>> from askew import OC1Classifier
    >>> from askew.prune import LearningAutomata
    >>> from askew.datasets import make_apdt2_standin
    >>> X, y = make_apdt2_standin(random_state=0)
    >>> OC1Classifier(pruning=LearningAutomata(), random_state=0).fit(X, y).tree_.n_splits < 15
    True
    """

    rate: float = param(0.003, real(0.0, 1.0, open_low=True, open_high=True))
    n_starts: int = param(10, integer(1))
    initial: float | None = param(None, real(0.0, 1.0, open_low=True, open_high=True) | none)
    tolerance: float = param(0.02, real(0.0, 0.5, open_low=True, open_high=True))
    max_passes: int = param(200, integer(1))

    iteration: ClassVar[str] = "pass"  # what the learning curve counts

    def _learn(
        self,
        cells: Cells,
        label: int,
        start: NDArray[np.bool_],
        seed: int,
        threads: int,
        progress: Progress | None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        starts = list(self._starts(cells, label, start, seed))
        trial = self.max_passes if len(starts) <= _GO_ON else -(-self.max_passes // _TRIAL)
        teams = []
        for i, probability in enumerate(starts):
            report = None if progress is None else part(progress, i, len(starts) + _GO_ON)
            teams.append(self._teach(cells, label, probability, trial, child_seed(seed, i), report))
        for i, k in enumerate(np.argsort(-_gains(cells, label, teams), kind="stable")[:_GO_ON].tolist()):
            report = None if progress is None else part(progress, len(starts) + i, len(starts) + _GO_ON)
            passes = self.max_passes - trial
            teams[k] = teams[k].then(
                self._teach(cells, label, teams[k].probability, passes, child_seed(seed, ~k), report)
            )
        gains = _gains(cells, label, [*teams, _Team(start.astype(np.float64), np.empty(0))])
        best = teams[int(gains[:-1].argmax())]
        return start if gains[-1] > gains[:-1].max() else best.selected, best.errors

    def _teach(
        self,
        cells: Cells,
        label: int,
        probability: NDArray[np.float64],
        passes: int,
        seed: int,
        progress: Progress | None,
    ) -> _Team:
        """Let one team learn for some passes, or until it has converged."""
        if passes == 0:
            return _Team(probability, np.empty(0))
        # A cell is up to two patterns: its rows of the class, and its other rows.
        weight = np.column_stack([cells.weight.sum(axis=1) - cells.weight[:, label], cells.weight[:, label]])
        cell, of_class = np.nonzero(weight > 0)
        rules = _core.AutomataRules(
            rate=self.rate,
            tolerance=self.tolerance,
            steps=max(1, round(float(cells.n_samples.sum()))),
            passes=passes,
        )
        learnt, errors = _core.network_automata(
            pack(cells.fulfilled),
            cell.astype(np.int64),
            of_class.astype(np.uint8),
            np.cumsum(weight[cell, of_class]),
            rules,
            initial=probability,
            seed=seed,
            progress=progress,
        )
        return _Team(learnt, errors)

    def _starts(self, cells: Cells, label: int, start: NDArray[np.bool_], seed: int) -> Iterator[NDArray[np.float64]]:
        """Yield the probabilities from which each team starts (units x conditions)."""
        if self.initial is not None:
            yield from (np.full(start.shape, self.initial) for _ in range(self.n_starts))
            return
        yield np.where(start, _FROM_TREE, 1 / len(cells.condition))
        n_splits, own = 1 + int(cells.condition[:, 0].max()), cells.weight[:, label]
        if not own.any():  # a class of the tree without rows in the pruning set
            return
        draws = np.random.default_rng(seed)
        for _ in range(self.n_starts - 1):
            rows = draws.choice(own.size, size=len(start), p=own / own.sum())
            yield np.where(cells.fulfilled[rows], min(0.5, _AROUND_ROW / n_splits), 0.0)


def _gains(cells: Cells, label: int, teams: list[_Team]) -> NDArray[np.float64]:
    """Return how much more weight each team answers right than wrong where it says yes."""
    networks = pack(np.stack([team.selected for team in teams]))
    return _core.network_gains(pack(cells.fulfilled.T), cells.gain(label), networks, 1)
