"""OC1's search at one node as OC1-94 describes it (section 3, figures 5 and 8), with the same random numbers.

Every candidate of every move is counted anew (`reference.line`). A plane is an array: a weight for each feature, then
the constant; rows with a value above 0 are on the right.
"""

from dataclasses import dataclass
from math import exp

import numpy as np

from reference import line
from reference.node import Scaled, centre, evaluate, in_the_data
from reference.rng import Rng, derive


@dataclass
class Climb:
    """One restart: from a starting plane to a local minimum that no jump leaves."""

    table: object  # y and weights
    X: np.ndarray  # scaled
    search: object  # askew.search.oc1.OC1: its parameters
    score: object
    leaf: line.Leaf

    def run(self, start, seed):
        self.rng, self.n_evaluated = Rng(seed), 1
        self.a, self.stagnant, self.accepted = start.copy(), 0, 0
        d = self.X.shape[1]
        self.all = range(d + 1)
        self.changes = [0] * (d + 1)  # how often each coefficient has changed
        self.tried = [None] * (d + 1)  # how often the others had, when each was last put right
        self.refresh()
        while True:
            self.descend()
            if self.now <= 0 or not self.jump():
                self.refresh()
                return self.a, self.now

    def refresh(self):
        self.V = evaluate(self.X, self.a)
        self.now = line.divide(self.table, self.V > 0, self.score, self.leaf)

    def direction(self, m):
        return self.X[:, m] if m < self.X.shape[1] else np.ones(len(self.X))

    def look(self, s):
        self.n_evaluated += 1
        return line.best(self.table, self.V, s, self.leaf, self.score)

    def descend(self):
        {"sequential": self.sequential, "best": self.best_first, "random": self.random}[self.search.order]()

    def moving(self):
        return self.all if self.search.perturb_bias else self.all[:-1]

    def sequential(self):
        changed = True
        while changed and self.now > 0:
            changed = False
            for m in self.moving():
                if self.now > 0 and self.perturb(m):
                    changed = True

    def best_first(self):
        while self.now > 0:
            moves = [(self.look(self.direction(m)), m) for m in self.moving()]
            moves = [(move.score, m) for move, m in moves if move is not None and move.score <= self.now]
            if not moves or not self.perturb(min(moves)[1]):
                return

    def random(self):
        for _ in range(self.search.n_random_moves):
            if self.now > 0:
                self.perturb(self.rng.below(len(self.all)))

    def perturb(self, m):
        """Figure 8: true if the coefficient has changed."""
        others = self.changes[:m] + self.changes[m + 1 :]
        if self.tried[m] == others:
            return False  # where a coefficient is best does not depend on itself
        self.tried[m] = others
        s = self.direction(m)
        move = self.look(s)
        if move is None or move.score > self.now or move.t == 0:
            return False
        level = move.score == self.now
        if level and not self.stagnates():
            return False
        moved = self.V + move.t * s
        after = line.divide(self.table, moved > 0, self.score, self.leaf)
        if after < self.now:
            self.stagnant = 0
        elif after == self.now and (level or self.stagnates()):
            self.stagnant += 1
        else:
            return False
        self.a[m] += move.t
        self.changes[m] += 1
        self.accept(moved, after)
        return True

    def stagnates(self):
        if self.search.stagnation == "exponential":
            return self.rng.uniform() < exp(-self.stagnant)
        return self.stagnant < self.search.max_stagnant

    def jump(self):
        """Section 3.2: up to `n_jumps` random directions; true as soon as one improves the plane."""
        for _ in range(self.search.n_jumps):
            r = np.array([self.rng.between(-1, 1) for _ in self.all])
            along = evaluate(self.X, r)
            move = self.look(along)
            if move is None or not move.score < self.now:
                continue
            moved = self.V + move.t * along
            after = line.divide(self.table, moved > 0, self.score, self.leaf)
            if not after < self.now:
                continue
            self.a = self.a + move.t * r
            self.accept(moved, after)
            self.stagnant, self.tried = 0, [None] * len(self.all)
            return True
        return False

    def accept(self, moved, after):
        self.V, self.now = moved, after
        self.accepted += 1
        if self.accepted % 64 == 0:
            self.refresh()


def search_node(table, search, axis, seed, score, leaf):
    """All restarts of a node: (weights, threshold, rows on the right, score, hyperplanes looked at)."""
    scaled = Scaled.of(table, search.normalize)
    weights = np.zeros(table.n_features)
    weights[axis.feature] = 1.0
    climb = Climb(table, scaled.X, search, score, leaf)
    best, lowest, n_evaluated = None, None, 0
    for r in range(search.n_restarts):
        start = scaled.plane(weights, -axis.threshold)
        if r > 0:
            rng = Rng(derive(seed, 2 * r))
            start = np.array([rng.between(-1, 1) for _ in start])
        a, now = climb.run(start, derive(seed, 2 * r + 1))
        n_evaluated += climb.n_evaluated
        if best is None or now < lowest:
            best, lowest = a, now
        if now <= 0:
            break  # a perfect plane makes those behind it needless
    if search.centre:
        best = centre(scaled.X, best)
    return *in_the_data(table, scaled, best, lowest, leaf, score), n_evaluated
