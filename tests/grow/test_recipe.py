import numpy as np
import pytest
from sklearn.datasets import load_wine
from strategies import make_table

from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.grow.recipe import Recipe
from askew.prune import CostComplexity, GeneticAlgorithm
from askew.refinement.soft import SoftRefiner
from askew.search.axis import AxisParallel

CRITERION = as_criterion("gini", classification=True)


def wine():
    X, y = load_wine(return_X_y=True)
    return make_table(X, y)


def test_without_a_pruner_all_rows_are_grown_on():
    table = wine()
    tree = Recipe(AxisParallel(), CRITERION, Limits(), None).fit(table, 3)
    assert tree == grow(table, AxisParallel(), CRITERION, Limits(), 3)


def test_a_pruner_is_given_the_grown_tree_and_the_rows_held_out():
    table, seen = wine(), {}

    class Spy:
        def hold_out(self, table, seed):
            return table.take(np.arange(100)), table.take(np.arange(100, table.n_rows))

        def prune(self, tree, grown_on, held_out, regrow, seed):
            seen.update(tree=tree, rows=(grown_on.n_rows, held_out.n_rows), again=regrow(grown_on))
            return tree.collapse(np.array([0]))

    tree = Recipe(AxisParallel(), CRITERION, Limits(), Spy()).fit(table, 3)
    assert tree.node_count == 1
    assert seen["rows"] == (100, table.n_rows - 100)
    assert seen["tree"] == seen["again"] == grow(table.take(np.arange(100)), AxisParallel(), CRITERION, Limits(), 3)


def test_the_same_seed_gives_the_same_tree_and_another_holds_out_others():
    table = wine()
    recipe = Recipe(AxisParallel(), CRITERION, Limits(), CostComplexity())
    trees = [recipe.fit(table, seed) for seed in range(6)]
    assert [recipe.fit(table, seed) for seed in range(6)] == trees
    assert any(tree != trees[0] for tree in trees)


def test_a_refiner_stands_between_growth_and_pruning_also_where_a_pruner_grows_anew():
    table, seen = wine(), {}

    class Halve:
        def refine(self, tree, table, criterion, seed, threads=1, progress=None):
            return tree.collapse(np.flatnonzero(tree.node_depth == 1))

    class Spy:
        def hold_out(self, table, seed):
            return table, None

        def prune(self, tree, grown_on, held_out, regrow, seed):
            seen.update(tree=tree, again=regrow(grown_on))
            return tree

    grown = grow(table, AxisParallel(), CRITERION, Limits(), 3)
    assert grown.depth > 1
    for pruner in (None, Spy()):
        assert Recipe(AxisParallel(), CRITERION, Limits(), pruner, Halve()).fit(table, 3).depth == 1
    assert seen["tree"].depth == seen["again"].depth == 1


@pytest.mark.parametrize(
    ("stages", "at_least"),
    [
        ({}, 1),
        ({"pruner": CostComplexity(cv=3)}, 1),
        ({"refiner": SoftRefiner()}, 0.5),
        ({"pruner": GeneticAlgorithm()}, 0.5),
    ],
    ids=["grown", "folds", "refined", "network"],
)
def test_progress_goes_from_nothing_to_all_once(stages, at_least):
    told = []
    Recipe(FindOnly(), CRITERION, Limits(), **stages).fit(wine(), 3, progress=told.append)
    assert told == sorted(told)
    assert at_least - 1e-9 <= told[-1] <= 1  # what a kernel tells depends on the time that it takes


class FindOnly:
    """Grows node by node, which tells its progress whatever the time."""

    def find(self, node, criterion, seed):
        return AxisParallel().find(node, criterion, seed)
