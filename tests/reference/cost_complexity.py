"""Weakest-link pruning and the k-SE rule by their definitions, in exact fractions."""

from fractions import Fraction
from math import sqrt


class Pruned:
    """A tree of which some inner nodes have become leaves."""

    def __init__(self, tree, risk, collapsed=()):
        self.tree, self.risk, self.collapsed = tree, risk, set(collapsed)

    def children(self, node):
        if node in self.collapsed or self.tree.kind[node] == 0:
            return []
        first = int(self.tree.first_child[node])
        return list(range(first, first + int(self.tree.n_children[node])))

    def leaves(self, node=0):
        children = self.children(node)
        return [leaf for child in children for leaf in self.leaves(child)] if children else [node]

    def inner(self, node=0):
        children = self.children(node)
        return [node, *(below for child in children for below in self.inner(child))] if children else []

    def strength(self, node):
        leaves = self.leaves(node)
        return (self.risk[node] - sum(self.risk[leaf] for leaf in leaves)) / (len(leaves) - 1)

    def total_risk(self):
        return sum(self.risk[leaf] for leaf in self.leaves())

    def leaf_of(self, path):
        """Where a row ends that would pass these nodes in the whole tree."""
        return next(node for node in path if not self.children(node))


def classification_risk(tree):
    """Weight of the errors of each node as a leaf, as a share of all weight."""
    n = Fraction(float(tree.mass[0]))
    return [(sum(counts) - max(counts)) / n for counts in (list(map(Fraction, row)) for row in tree.value.tolist())]


def path(tree, risk):
    """The nested subtrees: a list of (alpha, subtree), from alpha 0 to the root alone."""
    current, steps = Pruned(tree, risk), []
    steps.append((Fraction(0), current))
    while current.inner():
        strengths = {node: current.strength(node) for node in current.inner()}
        alpha = min(strengths.values())
        weakest = [node for node, strength in strengths.items() if strength == alpha]
        current = Pruned(tree, risk, current.collapsed.union(weakest))
        if alpha == steps[-1][0]:
            steps[-1] = (alpha, current)
        else:
            steps.append((alpha, current))
    return steps


def choose(errors, n, k):
    """The last (smallest) tree whose error is within k standard errors of the least; and how near the call was."""
    least = min(errors)
    bound = float(least) + k * sqrt(least * (1 - least) / n)
    within = [error == least or float(error) <= bound for error in errors]
    closest = min((abs(float(error) - bound) for error in errors if error != least), default=1.0)
    return max(i for i, holds in enumerate(within) if holds), closest
