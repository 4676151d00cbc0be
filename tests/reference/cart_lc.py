"""CART-LC's search at one node (Breiman et al. 1984, section 5.2; OC1-94, figure 4), every move by brute force."""

from dataclasses import dataclass, field

import numpy as np

from reference import line
from reference.node import Scaled, evaluate, in_the_data

GAMMAS = (-0.25, 0.0, 0.25)


@dataclass
class Cycles:
    """From the best univariate split to the plane that the cycles end at."""

    table: object
    X: np.ndarray  # scaled
    search: object  # askew.search.cart_lc.CARTLC: its parameters
    score: object
    impurity: object
    leaf: line.Leaf
    n_evaluated: int = field(default=0, init=False)

    def run(self, start):
        self.a, self.active = start.copy(), [True] * self.X.shape[1]
        self.cycle_until_still()
        if self.search.beta is not None and self.delete_weak():
            self.cycle_until_still()
        return self.a, self.now

    def refresh(self):
        self.V = evaluate(self.X, self.a)
        self.now = line.divide(self.table, self.V > 0, self.score, self.leaf)

    def cycle_until_still(self):
        self.refresh()
        best, lowest = self.a.copy(), self.now
        for _ in range(self.search.max_cycles):
            before = self.now
            for m in range(self.X.shape[1]):
                if self.active[m]:
                    self.turn(m)
            move = self.look(self.V, np.ones(len(self.X)))
            if move is not None:
                self.a[-1] += move.t
            self.refresh()
            if self.now < lowest:
                best, lowest = self.a.copy(), self.now
            if abs(self.now - before) <= self.search.epsilon or self.now <= 0:
                break
        if self.search.keep_best:
            self.a = best
            self.refresh()

    def turn(self, m):
        """The best multiple of x + gamma is added, even if the split gets worse."""
        moves = [(gamma, self.look(self.V, self.X[:, m] + gamma)) for gamma in GAMMAS]
        moves = [(gamma, move) for gamma, move in moves if move is not None]
        if not moves:
            return
        gamma, move = min(moves, key=lambda pair: pair[1].score)
        self.a[m] += move.t
        self.a[-1] += move.t * gamma
        self.V = self.V + move.t * (self.X[:, m] + gamma)

    def look(self, V, s):
        self.n_evaluated += 1
        return line.best(self.table, V, s, self.leaf, self.score)

    def delete_weak(self):
        """The feature that is missed least goes if that costs less than beta of what the most needed one costs.

        Of 200 features or more, a hundredth goes before the costs of all are found anew.
        """
        any_deleted = False
        while True:
            self.refresh()
            self.active = [on and a != 0 for on, a in zip(self.active, self.a[:-1], strict=True)]
            without = {m: self.without(m) for m in np.flatnonzero(self.active)}
            if len(without) < 2:
                return any_deleted
            most = max(impurity for impurity, _ in without.values())
            weakest_first = sorted(without, key=lambda m: without[m][0])
            for i, m in enumerate(weakest_first[: max(1, len(without) // 100)]):
                impurity, t = without[m] if i == 0 else self.without(m)
                now = self.impurity(self.V > 0)
                if not impurity - now < self.search.beta * (most - now):
                    if i == 0:
                        return any_deleted
                    break
                self.V = self.V + (t - self.a[m] * self.X[:, m])
                self.a[m] = 0.0
                self.a[-1] += t
                self.active[m] = False
                any_deleted = True

    def without(self, m):
        """The impurity without a feature, and how far the constant moves for it."""
        V = self.V - self.a[m] * self.X[:, m]
        move = self.look(V, np.ones(len(V)))
        t = 0.0 if move is None else move.t
        return self.impurity(V + t > 0), t


def search_node(table, search, axis, score, impurity, leaf):
    """(weights, threshold, rows on the right, score, hyperplanes looked at) of the plane that the cycles end at."""
    scaled = Scaled.of(table, "robust" if search.normalize else None)
    weights = np.zeros(table.n_features)
    weights[axis.feature] = 1.0
    cycles = Cycles(table, scaled.X, search, score, impurity, leaf)
    a, now = cycles.run(scaled.plane(weights, -axis.threshold))
    return *in_the_data(table, scaled, a, now, leaf, score), cycles.n_evaluated
