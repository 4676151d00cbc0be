import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import network as reference
from strategies import make_table, seeds, tables

from askew import OC1Classifier
from askew.datasets import make_apdt2_standin
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.prune import GeneticAlgorithm, LearningAutomata, network
from askew.prune.network import Cells, climbed
from askew.search.axis import AxisParallel


def cells_of(table):
    return Cells.of(grow(table, AxisParallel(), as_criterion("gini", classification=True), Limits(), 0), table)


def changed(units):
    """Every network that differs in one condition: left out, added, or exchanged within its unit."""
    for u, unit in enumerate(units):
        for out in [None, *np.flatnonzero(unit)]:
            for into in [None, *range(unit.size)]:
                other = units.copy()
                if out is not None:
                    other[u, out] = False
                if into is not None:
                    other[u, into] = True
                yield other


@given(table=tables(max_rows=14), seed=seeds, n_units=st.integers(1, 3))
def test_no_change_of_a_single_condition_makes_the_units_better(table, seed, n_units):
    cells = cells_of(table)
    n_conditions = len(cells.condition)
    assume(n_conditions > 0)
    start = np.random.default_rng(seed).random((n_units, n_conditions)) < 2 / n_conditions
    before = start.copy()
    for label in range(table.n_classes):
        gain = cells.gain(label)
        units = climbed(cells, label, start)
        reached = reference.gain(cells.fulfilled, gain, units)
        assert reached >= reference.gain(cells.fulfilled, gain, start)
        assert all(reference.gain(cells.fulfilled, gain, other) <= reached for other in changed(units))
    np.testing.assert_array_equal(start, before)


def test_conditions_are_tried_in_parts_where_they_are_many(monkeypatch):
    X, y = make_apdt2_standin(n=200, noise=0.15, random_state=0)
    cells = cells_of(make_table(X, y, n_classes=2))
    start = np.random.default_rng(0).random((2, len(cells.condition))) < 0.05
    whole = climbed(cells, 1, start)
    assert (whole != start).any()
    monkeypatch.setattr(network, "_BATCH", 7)
    np.testing.assert_array_equal(climbed(cells, 1, start), whole)


@pytest.mark.extended
@pytest.mark.parametrize("pruner", [GeneticAlgorithm, LearningAutomata])
def test_climbing_makes_two_regions_of_a_noisy_tree_better(pruner):
    X, y = make_apdt2_standin(noise=0.15, random_state=2)
    clean, truth = make_apdt2_standin(n=2000, random_state=3)
    tree = OC1Classifier(pruning=None, random_state=1).fit(X, y)
    alone, both = (tree.pruned(pruner(n_units=2, climb=on), X, y) for on in (False, True))
    assert both.score(X, y) > alone.score(X, y)
    assert both.score(clean, truth) > alone.score(clean, truth)
