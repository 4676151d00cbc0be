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
from askew.selection.candidates import EFFORTS, Candidate, CandidateGrower, Setting, subtree_of
from askew.selection.cross_validation import CrossValidation, FoldPlan, make_folds
from askew.selection.one_se_rule import RowLoss, ScorerLoss

GINI = as_criterion("gini", classification=True)
GROWER = CandidateGrower(GINI, Limits(), Limits(), 0)
CANDIDATES = [Candidate("axis", AxisParallel()), Candidate("linear", LinearPlanes())]


def new_cv(**more):
    table = make_table(*load_iris(return_X_y=True))
    return CrossValidation(table, GROWER, RowLoss(), make_folds(table, 0, 5, 5), **more)


@pytest.fixture(scope="module")
def cv():
    made = new_cv(max_leaves=8)
    made.grow(CANDIDATES)
    made.refine([Setting(CANDIDATES[1], 3)], [5.0])
    return made


def test_every_row_is_held_out_once_and_every_size_is_entered(cv):
    assert sum(fold.mask.astype(int) for fold in cv.folds).tolist() == [1] * 150
    for name in ("axis", "linear"):
        own = [entry for entry in cv.entries if entry.setting.name == name]
        assert own[0].leaves == 1
        assert [e.leaves for e in own] == sorted(e.leaves for e in own)
        assert all(e.leaves <= e.setting.max_leaves for e in own)
    assert "refined (l2 = 5)" in cv.entries[-1].setting.name


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
            new_cv().grow(CANDIDATES)
    finally:
        _core.listen_to(None)
    assert len(calls) == 1


def test_the_choice_is_the_smallest_within_the_tolerance(cv):
    results = cv.results()
    best = results.best()
    mean = [results.mean(entry.loss) for entry in cv.entries]
    assert results.mean(results.chosen(0.0).loss) == results.mean(best.loss) == min(mean)
    chosen = results.chosen(1.0)
    assert chosen.size <= best.size
    away = results.mean(chosen.loss) - results.mean(best.loss)
    assert away <= results.standard_error(chosen.loss, best.loss) + 1e-12


def test_the_choice_is_fitted_with_no_more_leaves_than_it_names(cv):
    for entry in cv.entries:
        assert entry.setting.fit(cv.table, GROWER).n_leaves <= entry.setting.max_leaves


def test_a_refined_tree_keeps_to_the_limits(cv):
    limits = Limits(min_samples_leaf=40)
    grower = CandidateGrower(GINI, Limits(), limits, 0)
    tree = Setting(CANDIDATES[1], 3, 5.0).fit(cv.table, grower)
    assert grower.allows(tree) or np.array_equal(tree.weight, Setting(CANDIDATES[1], 3).fit(cv.table, grower).weight)


def test_the_subtree_of_a_path_is_the_largest_with_so_many_leaves(cv):
    path = next(iter(cv._paths.values()))
    assert path.n_leaves.tolist() == [path.subtree(step).n_leaves for step in range(path.alphas.size)]
    for size in (1, 2, 3, 100):
        assert subtree_of(path, size).n_leaves == max(n for n in path.n_leaves.tolist() if n <= size)


def test_after_the_deadline_nothing_new_is_begun():
    late = new_cv(deadline=-np.inf)
    late.grow(CANDIDATES)
    late.refine([Setting(CANDIDATES[0], 3)], [5.0])
    assert {entry.setting.name for entry in late.entries} == {"axis"}


def test_threads_do_not_change_the_entries(cv):
    again = new_cv(max_leaves=8, threads=3)
    again.grow(CANDIDATES)
    for one, other in zip(cv.entries, again.entries, strict=False):
        np.testing.assert_array_equal(one.loss, other.loss)


def test_refinements_that_are_left_after_the_first_folds_get_every_penalty():
    many = new_cv()
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
    once = make_folds(table, 0, 5, 5)
    errors = []
    for folds in (once, [replace(fold, number=i) for i, fold in enumerate(once * 3)]):
        cv = CrossValidation(table, GROWER, ScorerLoss(score, np.arange(3)), folds)
        cv.grow(CANDIDATES[:1])
        errors.append(cv.results().standard_error(cv.entries[2].loss))
    assert errors[0] == pytest.approx(errors[1])
    assert errors[0] > 0


@pytest.mark.parametrize(
    ("n", "folds"), [(40, 10), (60, 15), (200, 25), (300, 20), (500, 10), (601, 5), (1200, 5), (2000, 3)]
)
def test_of_few_rows_each_is_held_out_as_often_as_the_others(n, folds):
    rng = np.random.default_rng(0)
    table = make_table(rng.normal(size=(n, 2)), np.arange(n) % 2)
    found = FoldPlan(EFFORTS["medium"], None, 0).first(table)
    assert len(found) == folds
    times = np.sum([fold.mask for fold in found], axis=0)
    assert set(times.tolist()) == ({folds // 5} if n <= 1200 else {0, 1})
