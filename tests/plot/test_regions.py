import numpy as np
import pytest

from askew.model.split import Hyperplane, LinearMachine
from askew.model.tree import Tree
from askew.plot.partition_view import Section
from askew.plot.regions import halve, partition

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def area(polygon):
    x, y = polygon.T
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def full_tree(depth, n_features, seed):
    """A tree of this depth with a random hyperplane at each inner node."""
    random = np.random.default_rng(seed)
    n_inner = 2**depth - 1
    n = 2 * n_inner + 1
    splits = [Hyperplane.dense(w, random.normal() / 4) for w in random.normal(size=(n_inner, n_features))]
    first = [2 * i + 1 if i < n_inner else 0 for i in range(n)]
    ones = np.ones(n)
    return Tree.from_nodes(splits + [None] * (n - n_inner), first, np.ones((n, 2)), ones, ones, ones, n_features, 0)


def test_both_halves_and_the_line_are_exact():
    below, above, line = halve(SQUARE, np.array([1.0, 1.0]), 0.5)
    assert area(below) == pytest.approx(0.125)
    assert area(above) == pytest.approx(0.875)
    assert sorted(line.tolist()) == [[0.0, 0.5], [0.5, 0.0]]


def test_a_line_through_corners_belongs_to_both_halves():
    below, above, line = halve(SQUARE, np.array([1.0, -1.0]), 0.0)
    assert area(below) == area(above) == 0.5
    assert sorted(line.tolist()) == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize(("offset", "which"), [(2.0, 0), (1.0, 0), (0.0, 1), (-1.0, 1)])
def test_a_line_that_misses_leaves_the_polygon_whole(offset, which):
    halves = halve(SQUARE, np.array([1.0, 0.0]), offset)
    assert halves[which] is SQUARE
    assert len(halves[1 - which]) == len(halves[2]) == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_regions_are_those_of_the_tree(seed):
    tree = full_tree(5, 2, seed)
    box = np.array([[-1.0, -1.0], [1.0, 1.0]])
    leaves, lines = partition(tree, Section.of_features((0, 1), np.zeros(2)), box)
    assert sum(map(area, leaves.values())) == pytest.approx(4.0)
    centres = np.array([polygon.mean(axis=0) for polygon in leaves.values()])
    assert tree.apply(centres).tolist() == list(leaves)
    for node, line in lines.items():
        features, weights = tree.test(node)
        assert line[:, features] @ weights == pytest.approx(tree.threshold[node])
    points = np.random.default_rng(seed).uniform(-1, 1, size=(2000, 2))
    assert set(tree.apply(points).tolist()) <= set(leaves)


def test_other_features_are_held_where_they_are_told():
    tree = full_tree(4, 5, 7)
    at = np.array([9.0, 0.1, -0.2, 9.0, 0.3])
    leaves, _ = partition(tree, Section.of_features((3, 0), at), np.array([[-1.0, -1.0], [1.0, 1.0]]))
    rows = np.tile(at, (len(leaves), 1))
    rows[:, [3, 0]] = [polygon.mean(axis=0) for polygon in leaves.values()]
    assert tree.apply(rows).tolist() == list(leaves)


def test_a_node_that_is_no_hyperplane_is_refused():
    ones = np.ones(3)
    machine = LinearMachine([0, 1], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    tree = Tree.from_nodes([machine, None, None], [1, 0, 0], np.ones((3, 2)), ones, ones, ones, 2, 0)
    with pytest.raises(ValueError, match="node 0 is not a hyperplane"):
        partition(tree, Section.of_features((0, 1), np.zeros(2)), np.array([[0.0, 0.0], [1.0, 1.0]]))
