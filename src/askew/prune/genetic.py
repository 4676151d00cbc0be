"""GA pruning: a genetic algorithm selects the splits that bound each region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.parallel import Progress
from askew.parameters import integer, none, param, real
from askew.prune.network import Cells, NetworkPruner, pack

_MUTATION = 0.03  # of the paper, whose chromosomes have about 64 bits:
_FLIPS = 2.0  # two flips in each chromosome
_CONDITIONS = 3.0  # mean number of conditions of a unit in the first generation


@dataclass(frozen=True)
class GeneticAlgorithm(NetworkPruner):
    """Pruning by a genetic algorithm: new regions are built from the splits of the tree.

    As `askew.prune.LearningAutomata`, but the conditions that the units select are the bits of a chromosome, whose
    fitness is the accuracy on the training rows; ties go to the chromosome with fewer conditions. The first
    generation has one chromosome that encodes the tree, and random ones (Shah & Sastry 1999, section IV-B).

    Parameters
    ----------
    n_units : int, default=4
        Largest number of regions of a class (L of the paper, which has 2); at most the number of its leaves.
    reduce : bool, default=True
        Drop conditions without which a region contains the same training rows.
    climb : bool, default=False
        Finally, exchange, add or drop single conditions, as long as the training accuracy rises. Not in the paper;
        useful if labels are noisy. The learning curve does not include it.
    crossover : float, default=0.7
        Probability that a child is a uniform crossover of two parents, and not a copy of one (as in the paper).
    mutation : float or None, default=None
        Probability that a bit of a child is flipped. None: 0.03 as in the paper, but at most two bits of a chromosome
        on average.
    population : int, default=100
        Number of chromosomes in a generation.
    tournament : int, default=3
        Tournament size: a parent is the fittest of this many random chromosomes.
    elite : int, default=2
        Number of the fittest chromosomes that survive unchanged.
    initial : float or None, default=None
        Share of the bits that are set in random chromosomes of the first generation. None: three conditions a unit.
    max_generations : int, default=200
        Largest number of generations.
    patience : int, default=50
        Stop when the best fitness has not risen for this many generations.

    References
    ----------
    Shah, Sastry: New algorithms for learning and pruning oblique decision trees. IEEE Transactions on Systems, Man,
    and Cybernetics C 29 (1999), section IV-B.

    Examples
    --------
    >>> from askew import OC1Classifier
    >>> from askew.prune import GeneticAlgorithm
    >>> from askew.datasets import make_apdt2_standin
    >>> X, y = make_apdt2_standin(random_state=0)
    >>> OC1Classifier(pruning=GeneticAlgorithm(), random_state=0).fit(X, y).tree_.n_splits < 15
    True
    """

    crossover: float = param(0.7, real(0.0, 1.0))
    mutation: float | None = param(None, real(0.0, 1.0) | none)
    population: int = param(100, integer(2))
    tournament: int = param(3, integer(1))
    elite: int = param(2, integer(0))
    initial: float | None = param(None, real(0.0, 1.0) | none)
    max_generations: int = param(200, integer(1))
    patience: int = param(50, integer(1))

    iteration: ClassVar[str] = "generation"  # unit of the learning curve

    def _learn(
        self,
        cells: Cells,
        label: int,
        start: NDArray[np.bool_],
        seed: int,
        threads: int,
        progress: Progress | None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        random = np.random.RandomState([seed & 0xFFFFFFFF, seed >> 32])  # the same stream in every version of NumPy
        holds, gain = pack(cells.fulfilled.T), cells.gain(label)
        least_wrong, total = float(cells.weight[:, label].sum()), float(cells.weight.sum())
        generation = self._first(start, random)
        best, errors, since = -np.inf, [], 0
        while True:
            fitness = _core.network_gains(holds, gain, pack(generation), threads)
            # Fittest first; ties go to the chromosome with fewer conditions, then to the first.
            order = np.lexsort((generation.sum(axis=(1, 2)), -fitness))
            since = 0 if fitness[order[0]] > best else since + 1
            best = float(fitness[order[0]])
            errors.append((least_wrong - best) / total)
            done = len(errors) / self.max_generations
            if progress is not None:
                progress(done)
            if done >= 1 or since >= self.patience or errors[-1] <= 0:
                return generation[order[0]], np.maximum(errors, 0.0)
            generation = self._next(generation[order], random)

    def _first(self, start: NDArray[np.bool_], random: np.random.RandomState) -> NDArray[np.bool_]:
        share = min(0.5, _CONDITIONS / start.shape[1]) if self.initial is None else self.initial
        generation = np.asarray(random.random_sample((self.population, *start.shape)) < share)
        generation[0] = start
        return generation

    def _next(self, ranked: NDArray[np.bool_], random: np.random.RandomState) -> NDArray[np.bool_]:
        """Return the children of a generation that is sorted by fitness: the lowest index wins a tournament."""
        n = self.population
        parents = random.randint(n, size=(2, n, self.tournament)).min(axis=2)
        mixed = random.random_sample((n, 1, 1)) < self.crossover
        second = mixed & (random.randint(2, size=ranked.shape) == 1)
        children: NDArray[np.bool_] = np.where(second, ranked[parents[1]], ranked[parents[0]])
        bits = children[0].size
        mutation = min(_MUTATION, _FLIPS / bits) if self.mutation is None else self.mutation
        children ^= random.random_sample(children.shape) < mutation
        kept = min(self.elite, n - 1)
        children[:kept] = ranked[:kept]
        return children
