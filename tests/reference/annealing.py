"""SADT's search at one node (Heath, Kasif & Salzberg 1993; OC1-94, section 2), with the same random numbers.

Every plane is evaluated on all rows. A plane is an array: a weight for each feature, then the constant; rows with a
value above 0 are on the right.
"""

from dataclasses import dataclass
from math import exp, inf, isfinite, log

import numpy as np

from reference import line
from reference.node import Scaled, centre, evaluate
from reference.rng import Rng, derive


@dataclass
class Walk:
    """One walk."""

    table: object  # y and weights
    X: np.ndarray  # scaled
    search: object  # askew.search.annealing.Annealing: its parameters
    score: object
    min_samples_leaf: float = 1.0

    def __post_init__(self):
        self.n_evaluated = 0
        self.moving = [m for m, x in enumerate(self.X.T) if x.any()] + [self.X.shape[1]]

    def rate(self, V):
        """The score of the plane with these values; infinite if a side is too small."""
        self.n_evaluated += 1
        samples = self.table.multiplicity[V > 0].sum()
        if min(samples, self.table.multiplicity.sum() - samples) < self.min_samples_leaf:
            return inf
        return line.divide(self.table, V > 0, self.score)

    def start(self):
        """The canonical plane: it cuts every axis at 1."""
        a = np.zeros(self.X.shape[1] + 1)
        a[self.moving] = 1
        a[-1] = -1
        return a

    def draw(self, seed):
        """(how far each coefficient is moved, how the rows move, a number in [0, 1))"""
        rng, step = Rng(seed), self.search.step
        moves = np.zeros(self.X.shape[1] + 1)
        if self.search.perturb == "all":
            for m in self.moving:
                moves[m] = rng.between(-step, step)
            return moves, evaluate(self.X, moves), rng.uniform()
        m = self.moving[rng.below(len(self.moving))]
        moves[m] = rng.between(-step, step)
        along = self.X[:, m] if m < self.X.shape[1] else np.ones(len(self.X))
        return moves, moves[m] * along, rng.uniform()

    def place(self, a):
        self.a, self.accepted = a, 0
        self.V = evaluate(self.X, a)

    def accept(self, moves, moved):
        self.a = self.a + moves
        self.V = moved
        self.accepted += 1
        if self.accepted % 64 == 0:
            self.V = evaluate(self.X, self.a)

    def first_temperature(self, seed):
        """Every move is made; half of an average rise is let through."""
        if self.search.temperature is not None:
            return self.search.temperature
        self.place(self.start())
        now, rises = self.rate(self.V), []
        for i in range(100 * self.search.n_probes):
            if len(rises) == self.search.n_probes:
                break
            moves, along, _ = self.draw(derive(seed, i))
            after = self.rate(self.V + along)
            if isfinite(now) and isfinite(after):
                rises.append(abs(after - now))
            self.accept(moves, self.V + along)
            now = after
        return sum(rises) / len(rises) / log(2) if rises else 0.0

    def run(self, seed):
        temperature = self.first_temperature(derive(seed, 0))
        self.place(self.start())
        now = self.rate(self.V)
        best, lowest = (self.a, now) if isfinite(now) else (None, inf)
        unproductive, number = 0, 0
        while unproductive < self.search.max_unproductive and lowest > 0:
            moves, along, luck = self.draw(derive(derive(seed, 1), number))
            after = self.rate(self.V + along)
            number, unproductive = number + 1, unproductive + 1
            rise = after - now if isfinite(after) else inf
            if after <= now or (isfinite(after) and temperature > 0 and luck < exp(-rise / temperature)):
                self.accept(moves, self.V + along)
                now = after
                if now < lowest:
                    best, lowest, unproductive = self.a, now, 0
            temperature *= self.search.cooling
        return best


def search_node(table, search, seed, score, min_samples_leaf=1.0):
    """(weights, threshold, values of the rows, hyperplanes looked at), or None."""
    scaled = Scaled.of(table, search.normalize)
    walk = Walk(table, scaled.X, search, score, min_samples_leaf)
    best = walk.run(seed)
    if best is None:
        return None
    V = evaluate(scaled.X, best)
    if search.centre:
        best = centre(scaled.X, best)
    return *scaled.raw(best), V, walk.n_evaluated + 1  # the best plane is looked at once more
