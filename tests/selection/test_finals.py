import numpy as np
import pytest
from sklearn.datasets import load_iris
from strategies import make_table

from askew.grow.criterion import as_criterion
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel
from askew.search.linear import LinearPlanes
from askew.selection.candidates import EFFORTS, Candidate, Growth
from askew.selection.cross_validation import FINALISTS, Finals, Race, finalists_of, folds_of
from askew.selection.one_se_rule import RowLoss, ScorerLoss
from askew.selection.select import BestTree

GROWTH = Growth(as_criterion("gini", classification=True), Limits(), Limits(), 0)
CANDIDATES = [Candidate("axis", AxisParallel()), Candidate("linear", LinearPlanes())]
X, y = load_iris(return_X_y=True)
X = X + np.random.default_rng(0).normal(scale=0.5, size=X.shape)  # errors, so that entries differ
TABLE = make_table(X, y)
PARTS = folds_of(TABLE, 0, 5, 15)


def accuracy(estimator, X, y):
    return float((estimator.predict(X) == y).mean())


def grown(parts, judge=None, **more):
    race = Race(TABLE, GROWTH, judge or RowLoss(), parts, max_leaves=8, **more)
    race.grow(CANDIDATES)
    return race


def key(entry):
    return entry.setting.name, entry.setting.max_leaves


@pytest.mark.parametrize("judge", [RowLoss(), ScorerLoss(accuracy, np.arange(3))], ids=["rows", "scorer"])
def test_finalists_have_the_mean_over_all_parts_and_the_others_stay_behind(judge):
    race = grown(PARTS[:5], judge)
    before = {key(entry): entry for entry in race.entries}
    first = race.standings()
    finalists = {key(entry) for entry in finalists_of(first, 0.25)}
    Finals(race, PARTS[5:]).run(0.25)
    whole = grown(PARTS, judge)
    in_all = {key(entry): whole.standings().mean(entry.loss) for entry in whole.entries}
    now, lost = race.standings(), []
    for entry in race.entries:
        if key(entry) in finalists:
            assert now.mean(entry.loss) == pytest.approx(in_all[key(entry)])
            lost.append(now.mean(entry.loss) - first.mean(before[key(entry)].loss))
    assert any(lost)
    results = {before[one].result for one in finalists}
    for entry in race.entries:
        if before[key(entry)].result not in results:
            back = now.mean(entry.loss) - first.mean(before[key(entry)].loss)
            assert back == pytest.approx(max(*lost, 0.0))
    assert key(now.best()) in finalists


def test_finalists_differ_and_what_would_be_chosen_is_one_of_them():
    standings = grown(PARTS[:5]).standings()
    assert len(finalists_of(standings, 0.0)) == FINALISTS
    for tolerance in (0.0, 1.0, 100.0):
        found = finalists_of(standings, tolerance)
        assert len({entry.result for entry in found}) == len(found)
        assert standings.chosen(tolerance).result in {entry.result for entry in found}
        mean = [standings.mean(entry.loss) for entry in found[:FINALISTS]]
        assert mean == sorted(mean)


def test_threads_do_not_change_the_finals():
    one, other = grown(PARTS[:5]), grown(PARTS[:5], threads=3)
    for race in (one, other):
        Finals(race, PARTS[5:]).run(0.25)
    for a, b in zip(one.entries, other.entries, strict=True):
        np.testing.assert_array_equal(a.loss, b.loss)


def test_when_the_time_is_up_the_entries_stay_as_they_are():
    race = grown(PARTS[:5])
    before = list(race.entries)
    race.deadline = -np.inf
    Finals(race, PARTS[5:]).run(0.25)
    assert race.entries == before


@pytest.mark.parametrize(
    ("n", "columns", "parts"), [(200, 2, 0), (500, 2, 15), (800, 24, 5), (999, 30, 0), (2000, 2, 0)]
)
def test_the_fewer_the_rows_and_columns_the_more_often_the_best_are_judged(n, columns, parts):
    rng = np.random.default_rng(0)
    race = Race(make_table(rng.normal(size=(n, columns)), np.arange(n) % 2), GROWTH, RowLoss(), [])
    search = BestTree(tuple(CANDIDATES), EFFORTS["medium"])
    race.parts = search._parts(race.table, 0)
    more = search._more_parts(race, 0)
    assert len(more) == parts
    assert [part.number for part in more] == list(range(len(race.parts), len(race.parts) + parts))


def test_folds_that_are_given_are_not_repeated():
    masks = tuple(part.out for part in PARTS[:5])
    search = BestTree(tuple(CANDIDATES), EFFORTS["medium"], folds=masks)
    race = Race(TABLE, GROWTH, RowLoss(), search._parts(TABLE, 0))
    assert search._more_parts(race, 0) == []
