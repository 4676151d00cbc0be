"""AND/OR networks and LA pruning (Shah & Sastry 1999, section IV) as they are defined, one row at a time."""

from itertools import product

import numpy as np

from reference.rng import Rng, derive

AHEAD = 64  # patterns are drawn this many at a time


def leaf_paths(tree):
    """The (node, child) pairs from the root to every leaf."""
    paths, waiting = {}, [(0, [])]
    while waiting:
        node, path = waiting.pop()
        if tree.is_leaf[node]:
            paths[node] = path
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        waiting += [(first + child, [*path, (node, child)]) for child in range(n)]
    return paths


def output(fulfilled, units):
    """Y of the network for each row: some unit has all conditions that it selects fulfilled (equations 7 and 8)."""
    return [any(all(row[i] for i in np.flatnonzero(unit)) for unit in units) for row in fulfilled]


def gain(fulfilled, gains, units):
    """What the rows gain on which the network answers 1."""
    return sum(g for g, fires in zip(gains, output(fulfilled, units), strict=True) if fires)


def best_gain(fulfilled, gains, n_units):
    """The best gain of all networks whose units take, of every split, one side, the other or neither."""
    n_splits = fulfilled.shape[1] // 2
    kinds = {}
    for sides in product((None, 0, 1), repeat=n_splits):
        unit = np.zeros(2 * n_splits, dtype=bool)
        unit[[2 * s + side for s, side in enumerate(sides) if side is not None]] = True
        kinds[tuple(output(fulfilled, [unit]))] = None
    never = tuple([False] * len(fulfilled))
    answers = {never}
    for _ in range(n_units):
        answers = {
            tuple(a or b for a, b in zip(one, other, strict=True)) for one in answers for other in (*kinds, never)
        }
    return max(sum(g for g, fires in zip(gains, answer, strict=True) if fires) for answer in answers)


def automata(fulfilled, cell, of_class, cumulative, initial, rate, tolerance, steps, passes, seed):
    """Table V: the probabilities, and the share of wrong answers in each pass."""
    q = initial.copy()
    selections, lots = Rng(derive(seed, 0)), Rng(derive(seed, 1))
    errors, waiting = [], []
    while len(errors) < passes and not ((q <= tolerance) | (q >= 1 - tolerance)).all():
        wrong = 0
        for _ in range(steps):
            if not waiting:
                waiting = [
                    int(np.searchsorted(cumulative, lots.uniform() * cumulative[-1], side="right"))
                    for _ in range(AHEAD)
                ]
            pattern = min(waiting.pop(0), len(cell) - 1)
            v = draws(selections, q.size).reshape(q.shape) < q
            right = output([fulfilled[cell[pattern]]], v)[0] == bool(of_class[pattern])
            if right:
                q = np.where(v, q * (1 - rate) + rate, q * (1 - rate))
            wrong += not right
        errors.append(wrong / steps)
    return q, np.array(errors)


def draws(random, n):
    """Two numbers in [0, 1) from each random number: its halves, as signed numbers over 2^32, plus one half."""
    found = []
    for _ in range(-(-n // 2)):
        bits = random.next()
        found += [bits & 0xFFFFFFFF, bits >> 32]
    signed = [half - (1 << 32) if half >= 1 << 31 else half for half in found[:n]]
    return np.array([half * 2.0**-32 + 0.5 for half in signed])
