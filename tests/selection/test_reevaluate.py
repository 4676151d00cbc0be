import numpy as np
import pytest
from sklearn.datasets import load_iris
from strategies import make_table

from askew.grow.criterion import as_criterion
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel
from askew.search.linear import LinearPlanes
from askew.selection.candidates import EFFORTS, Candidate, CandidateGrower
from askew.selection.cross_validation import SHORTLIST_SIZE, CrossValidation, FoldPlan, make_folds, shortlist
from askew.selection.one_se_rule import RowLoss, ScorerLoss

GROWER = CandidateGrower(as_criterion("gini", classification=True), Limits(), Limits(), 0)
CANDIDATES = [Candidate("axis", AxisParallel()), Candidate("linear", LinearPlanes())]
X, y = load_iris(return_X_y=True)
X = X + np.random.default_rng(0).normal(scale=0.5, size=X.shape)  # errors, so that entries differ
TABLE = make_table(X, y)
FOLDS = make_folds(TABLE, 0, 5, 15)


def accuracy(estimator, X, y):
    return float((estimator.predict(X) == y).mean())


def grown(folds, loss=None, **more):
    cv = CrossValidation(TABLE, GROWER, loss or RowLoss(), folds, max_leaves=8, **more)
    cv.grow(CANDIDATES)
    return cv


def key(entry):
    return entry.setting.name, entry.setting.max_leaves


@pytest.mark.parametrize("loss", [RowLoss(), ScorerLoss(accuracy, np.arange(3))], ids=["rows", "scorer"])
def test_the_shortlist_has_the_mean_over_all_folds_and_the_others_stay_behind(loss):
    cv = grown(FOLDS[:5], loss)
    before = {key(entry): entry for entry in cv.entries}
    first = cv.results()
    listed = {key(entry) for entry in shortlist(first, 0.25)}
    cv.reevaluate(FOLDS[5:], 0.25)
    whole = grown(FOLDS, loss)
    in_all = {key(entry): whole.results().mean(entry.loss) for entry in whole.entries}
    now, lost = cv.results(), []
    for entry in cv.entries:
        if key(entry) in listed:
            assert now.mean(entry.loss) == pytest.approx(in_all[key(entry)])
            lost.append(now.mean(entry.loss) - first.mean(before[key(entry)].loss))
    assert any(lost)
    outcomes = {before[one].outcome for one in listed}
    for entry in cv.entries:
        if before[key(entry)].outcome not in outcomes:
            back = now.mean(entry.loss) - first.mean(before[key(entry)].loss)
            assert back == pytest.approx(max(*lost, 0.0))
    assert key(now.best()) in listed


def test_entries_of_the_shortlist_differ_and_include_what_would_be_chosen():
    results = grown(FOLDS[:5]).results()
    assert len(shortlist(results, 0.0)) == SHORTLIST_SIZE
    for tolerance in (0.0, 1.0, 100.0):
        found = shortlist(results, tolerance)
        assert len({entry.outcome for entry in found}) == len(found)
        assert results.chosen(tolerance).outcome in {entry.outcome for entry in found}
        mean = [results.mean(entry.loss) for entry in found[:SHORTLIST_SIZE]]
        assert mean == sorted(mean)


def test_threads_do_not_change_the_losses():
    one, other = grown(FOLDS[:5]), grown(FOLDS[:5], threads=3)
    for cv in (one, other):
        cv.reevaluate(FOLDS[5:], 0.25)
    for a, b in zip(one.entries, other.entries, strict=True):
        np.testing.assert_array_equal(a.loss, b.loss)


def test_when_the_time_is_up_the_entries_stay_as_they_are():
    cv = grown(FOLDS[:5])
    before = list(cv.entries)
    cv.deadline = -np.inf
    cv.reevaluate(FOLDS[5:], 0.25)
    assert cv.entries == before


@pytest.mark.parametrize(
    ("n", "columns", "folds"), [(200, 2, 0), (500, 2, 15), (800, 24, 5), (999, 30, 0), (2000, 2, 0)]
)
def test_the_fewer_the_rows_and_columns_the_more_often_the_best_are_evaluate(n, columns, folds):
    rng = np.random.default_rng(0)
    table, plan = make_table(rng.normal(size=(n, columns)), np.arange(n) % 2), FoldPlan(EFFORTS["medium"], None, 0)
    first = plan.first(table)
    more = plan.more(table, len(first))
    assert len(more) == folds
    assert [fold.number for fold in more] == list(range(len(first), len(first) + folds))


def test_folds_that_are_given_are_not_repeated():
    plan = FoldPlan(EFFORTS["medium"], tuple(fold.mask for fold in FOLDS[:5]), 0)
    assert len(plan.first(TABLE)) == 5
    assert plan.more(TABLE, 5) == []
