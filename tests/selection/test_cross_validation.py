from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from strategies import make_table

from askew import _core
from askew.grow.criterion import as_criterion
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel
from askew.search.linear import LinearPlanes
from askew.selection.candidates import EFFORTS, Candidate, Growth, Setting, subtree_of
from askew.selection.cross_validation import Race, folds_of
from askew.selection.one_se_rule import RowLoss, ScorerLoss
from askew.selection.select import BestTree

GINI = as_criterion("gini", classification=True)
GROWTH = Growth(GINI, Limits(), Limits(), 0)
CANDIDATES = [Candidate("axis", AxisParallel()), Candidate("linear", LinearPlanes())]


def new_race(**more):
    table = make_table(*load_iris(return_X_y=True))
    return Race(table, GROWTH, RowLoss(), folds_of(table, 0, 5, 5), **more)


@pytest.fixture(scope="module")
def race():
    made = new_race(max_leaves=8)
    made.grow(CANDIDATES)
    made.refine([Setting(CANDIDATES[1], 3)], [5.0])
    return made


def test_every_row_is_held_out_once_and_every_size_is_entered(race):
    assert sum(part.out.astype(int) for part in race.parts).tolist() == [1] * 150
    for name in ("axis", "linear"):
        own = [entry for entry in race.entries if entry.setting.name == name]
        assert own[0].leaves == 1
        assert [e.leaves for e in own] == sorted(e.leaves for e in own)
        assert all(e.leaves <= e.setting.max_leaves for e in own)
    assert "refined (l2 = 5)" in race.entries[-1].setting.name


def test_25_ctrl_c_is_heard_between_two_sizes_of_a_tree(monkeypatch):
    flag, finished, calls = _core.StopFlag(), Setting.finished, []

    def interrupted(*args):
        calls.append(args)
        flag.set()
        return finished(*args)

    monkeypatch.setattr(Setting, "finished", interrupted)
    _core.listen_to(flag)
    try:
        with pytest.raises(KeyboardInterrupt):
            new_race().grow(CANDIDATES)
    finally:
        _core.listen_to(None)
    assert len(calls) == 1


def test_the_choice_is_the_smallest_within_the_tolerance(race):
    standings = race.standings()
    best = standings.best()
    mean = [standings.mean(entry.loss) for entry in race.entries]
    assert standings.mean(standings.chosen(0.0).loss) == standings.mean(best.loss) == min(mean)
    chosen = standings.chosen(1.0)
    assert chosen.size <= best.size
    away = standings.mean(chosen.loss) - standings.mean(best.loss)
    assert away <= standings.standard_error(chosen.loss, best.loss) + 1e-12


def test_the_choice_is_fitted_with_no_more_leaves_than_it_names(race):
    for entry in race.entries:
        assert entry.setting.fit(race.table, GROWTH).n_leaves <= entry.setting.max_leaves


def test_a_refined_tree_keeps_to_the_limits(race):
    limits = Limits(min_samples_leaf=40)
    growth = Growth(GINI, Limits(), limits, 0)
    tree = Setting(CANDIDATES[1], 3, 5.0).fit(race.table, growth)
    assert growth.allows(tree) or np.array_equal(tree.weight, Setting(CANDIDATES[1], 3).fit(race.table, growth).weight)


def test_the_subtree_of_a_path_is_the_largest_with_so_many_leaves(race):
    path = next(iter(race._paths.values()))
    assert path.n_leaves.tolist() == [path.subtree(step).n_leaves for step in range(path.alphas.size)]
    for size in (1, 2, 3, 100):
        assert subtree_of(path, size).n_leaves == max(n for n in path.n_leaves.tolist() if n <= size)


def test_after_the_deadline_nothing_new_is_begun():
    late = new_race(deadline=-np.inf)
    late.grow(CANDIDATES)
    late.refine([Setting(CANDIDATES[0], 3)], [5.0])
    assert {entry.setting.name for entry in late.entries} == {"axis"}


def test_threads_do_not_change_the_entries(race):
    again = new_race(max_leaves=8, threads=3)
    again.grow(CANDIDATES)
    for one, other in zip(race.entries, again.entries, strict=False):
        np.testing.assert_array_equal(one.loss, other.loss)


def test_refinements_that_are_left_after_the_first_folds_get_every_penalty():
    many = new_race()
    many.grow(CANDIDATES[1:])
    n_grown = len(many.entries)
    many.refine([Setting(CANDIDATES[1], size) for size in (2, 3, 4)], [1.0, 5.0, 25.0])
    left = [entry.setting for entry in many.entries[n_grown:]]
    assert len(left) == 4  # of nine
    assert len({setting.penalty for setting in left}) > 1
    assert all(entry.loss.shape == (150,) for entry in many.entries)


def test_the_standard_error_of_scores_does_not_take_repeated_folds_for_new_rows():
    def score(estimator, X, y):
        return float((estimator.predict(X) == y).mean())

    table = make_table(*load_iris(return_X_y=True))
    once = folds_of(table, 0, 5, 5)
    errors = []
    for parts in (once, [replace(part, number=i) for i, part in enumerate(once * 3)]):
        judged = Race(table, GROWTH, ScorerLoss(score, np.arange(3)), parts)
        judged.grow(CANDIDATES[:1])
        errors.append(judged.standings().standard_error(judged.entries[2].loss))
    assert errors[0] == pytest.approx(errors[1])
    assert errors[0] > 0


@pytest.mark.parametrize(
    ("n", "parts"), [(40, 10), (60, 15), (200, 25), (300, 20), (500, 10), (601, 5), (1200, 5), (2000, 3)]
)
def test_of_few_rows_each_is_held_out_as_often_as_the_others(n, parts):
    rng = np.random.default_rng(0)
    table = make_table(rng.normal(size=(n, 2)), np.arange(n) % 2)
    found = BestTree(tuple(CANDIDATES), EFFORTS["medium"])._parts(table, 0)
    assert len(found) == parts
    times = np.sum([part.out for part in found], axis=0)
    assert set(times.tolist()) == ({parts // 5} if n <= 1200 else {0, 1})
