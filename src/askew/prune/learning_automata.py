"""LA pruning: a team of learning automata selects the splits that bound each region."""

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
from askew.prune.network import Cells, NetworkPruner, pack

_FROM_TREE = 0.9  # initial probability of a condition that the tree has
_AROUND_ROW = 4  # mean number of conditions that a unit around a row selects initially
_TRIAL, _GO_ON = 5, 1  # all teams learn for a fifth of the passes, the best of them for the rest


@dataclass(frozen=True)
class _Team:
    """The probabilities of a team of automata (units x conditions), and its error rate in each pass."""

    probability: NDArray[np.float64]
    errors: NDArray[np.float64]

    @property
    def selected(self) -> NDArray[np.bool_]:
        """The conditions that its units select."""
        return self.probability >= 0.5

    def then(self, later: _Team) -> _Team:
        """Return the team after more passes."""
        return _Team(later.probability, np.concatenate([self.errors, later.errors]))


@dataclass(frozen=True)
class LearningAutomata(NetworkPruner):
    """Pruning by learning automata: new regions are built from the splits of the tree.

    The tree is written as a three-layer network (`askew.RuleNetwork`): splits, ANDed to regions, ORed to classes.
    The splits do not change. For every unit (region) and condition (a side of a split) an automaton learns the
    probability with which the unit selects the condition. Each step samples all selections and a row; if the network
    classifies the row correctly, all probabilities move towards the sampled selections (Shah & Sastry 1999, Table V).
    Finally, conditions with a probability of at least one half are selected. The best of several teams is kept; if the
    regions of the tree are more accurate than all teams, they are kept.
    Works on the tree of any classifier of askew, as ``pruning=LearningAutomata()`` or by `pruned` of a fitted one.

    Parameters
    ----------
    n_units : int, default=4
        Largest number of regions of a class (L of the paper, which has 2); at most the number of its leaves.
    reduce : bool, default=True
        Drop conditions without which a region contains the same training rows.
    climb : bool, default=False
        Finally, exchange, add or drop single conditions, as long as the training accuracy rises. Not in the paper;
        useful if labels are noisy. The learning curve does not include it.
    rate : float, default=0.003
        Learning rate (lambda of the paper).
    n_starts : int, default=10
        Number of teams; the paper has one. All learn for a fifth of the passes, then only the best continues.
    initial : float or None, default=None
        Initial probability of every condition; 0.5 in the paper. None: the first team starts from the tree, with 0.9
        for the conditions of its regions and one over the number of conditions elsewhere. In the other teams, each unit
        starts around a random row of the class: 0.5 for the sides of that row (less if there are more than eight
        splits), 0 for the other sides. With 0.5 everywhere nearly every unit selects a hyperplane and its complement
        and never fires, and with more than a few splits the team learns nothing.
    tolerance : float, default=0.02
        Stop when every probability is within this distance of 0 or 1.
    max_passes : int, default=200
        Largest number of passes, each with as many steps as rows.

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

    iteration: ClassVar[str] = "pass"  # unit of the learning curve

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
        """Train a team for some passes, or until it has converged."""
        if passes == 0:
            return _Team(probability, np.empty(0))
        # A cell has up to two patterns: its rows of the class, and its other rows.
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
        """Yield the initial probabilities of each team (units x conditions)."""
        if self.initial is not None:
            yield from (np.full(start.shape, self.initial) for _ in range(self.n_starts))
            return
        yield np.where(start, _FROM_TREE, 1 / len(cells.condition))
        n_splits, mass = 1 + int(cells.condition[:, 0].max()), cells.weight[:, label]
        if not mass.any():  # a class of the tree without rows in the pruning set
            return
        random = np.random.default_rng(seed)
        for _ in range(self.n_starts - 1):
            rows = random.choice(mass.size, size=len(start), p=mass / mass.sum())
            yield np.where(cells.fulfilled[rows], min(0.5, _AROUND_ROW / n_splits), 0.0)


def _gains(cells: Cells, label: int, teams: list[_Team]) -> NDArray[np.float64]:
    """Return the gain of each team: the weight of its true positives minus that of its false positives."""
    networks = pack(np.stack([team.selected for team in teams]))
    return _core.network_gains(pack(cells.fulfilled.T), cells.gain(label), networks, 1)
