import numpy as np
import pytest
from sklearn.datasets import load_iris
from strategies import make_table

from askew.choose import Candidate, Race, subtree_of
from askew.criterion import as_criterion
from askew.limits import Limits
from askew.prune.cost_complexity import PruningPath
from askew.refinement.soft import SoftRefiner
from askew.search.axis import AxisParallel
from askew.search.linear import LinearPlanes

GINI = as_criterion("gini", classification=True)
CANDIDATES = [Candidate("axis", AxisParallel(), GINI), Candidate("linear", LinearPlanes(), GINI)]


@pytest.fixture(scope="module")
def race():
    made = Race(make_table(*load_iris(return_X_y=True)), Limits(), 0, max_leaves=8)
    made.run(CANDIDATES)
    made.refine([made.best()], [SoftRefiner(l2=0.01)])
    return made


def test_every_row_is_held_out_once_and_every_size_is_entered(race):
    assert sum(out.astype(int) for _, _, out in race.parts()).tolist() == [1] * 150
    for name in ("axis", "linear"):
        own = [entry for entry in race.entries if entry.name == name]
        assert own[0].leaves == 1
        assert [e.leaves for e in own] == sorted(e.leaves for e in own)
        assert all(e.leaves <= e.max_leaves for e in own)
    assert "refined (l2 = 0.01)" in race.entries[-1].name


def test_the_choice_is_the_smallest_within_the_tolerance(race):
    best = race.best()
    assert race.mean(race.chosen(0.0)) == race.mean(best) == min(race.mean(e) for e in race.entries)
    chosen = race.chosen(1.0)
    assert chosen.size <= best.size
    assert race.mean(chosen) - race.mean(best) <= race.standard_error(chosen, best) + 1e-12


def test_the_choice_is_fitted_with_no_more_leaves_than_it_names(race):
    for entry in (race.best(), race.chosen(1.0), race.entries[-1]):
        assert entry.fit(race.table, Limits(), 0, 1).n_leaves <= entry.max_leaves


def test_the_leaves_of_a_path_are_those_of_its_subtrees(race):
    path = next(iter(race._paths.values()))
    assert path.n_leaves.tolist() == [path.subtree(step).n_leaves for step in range(path.alphas.size)]
    assert isinstance(path, PruningPath)
    assert subtree_of(path, 3).n_leaves <= 3


def test_after_the_deadline_nothing_new_is_begun():
    late = Race(make_table(*load_iris(return_X_y=True)), Limits(), 0, deadline=-np.inf)
    late.run(CANDIDATES)
    assert {entry.candidate.name for entry in late.entries} == {"axis"}
