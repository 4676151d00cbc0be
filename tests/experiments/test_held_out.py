from typing import ClassVar

import numpy as np
import pytest
from experiments import baselines
from experiments.experiment import Cell, Figure
from experiments.held_out import Folds, Split

N = 60
X = np.column_stack([np.arange(N, dtype=float), np.arange(N) % 2])
Y = np.where(np.arange(N) < 40, "few", "many")
CELL = Cell("Made", "spy", {}, "made", "spy")


class Spy:
    """Remembers what it was given."""

    seen: ClassVar[list] = []

    def __init__(self, random_state):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes = np.unique(y).size
        Spy.seen.append((self.random_state, X.copy(), y.copy()))

    def predict(self, X):
        Spy.seen[-1] += (X.copy(),)
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X):
        return np.full((len(X), self.classes), 1 / self.classes)


@pytest.fixture(autouse=True)
def spy(monkeypatch):
    monkeypatch.setitem(baselines.BASELINES, "spy", Spy)
    monkeypatch.setattr(Spy, "seen", [])
    return Spy


def test_each_row_is_tested_once_a_repetition_and_never_learnt_from():
    trials = Folds(folds=5, repeats=2)
    assert trials.n_parts() == 10
    for number in range(10):
        trials.run(CELL, number, X, Y)
    for repetition in range(2):
        parts = Spy.seen[5 * repetition :][:5]
        assert sorted(np.concatenate([test[:, 0] for *_, test in parts])) == list(range(N))
        for _, train, label, test in parts:
            assert not set(train[:, 0]) & set(test[:, 0])
            assert np.bincount(label).tolist() == [32, 16]  # as many of each class as in all
    assert sorted(Spy.seen[0][3][:, 0]) != sorted(Spy.seen[5][3][:, 0])
    assert [seed for seed, *_ in Spy.seen] == list(range(10))


def test_a_quick_runs_parts_are_the_first_of_the_full_run():
    assert Folds(repeats=3).quick() == Folds(repeats=1)
    assert Folds(repeats=1).identity(2) == Folds(repeats=3).identity(2)
    assert Split(10, 20, repeats=3).quick() == Split(10, 20)


def test_official_rows_are_the_first_ones():
    Split(45, 10, drawn=False).run(CELL, 0, X, Y)
    (_, train, _, test) = Spy.seen[0]
    assert train[:, 0].tolist() == list(range(45))
    assert test[:, 0].tolist() == list(range(45, 55))


def test_a_drawn_split_has_so_many_rows_and_others_in_another_repetition():
    for number in (0, 1):
        Split(30, 1000).run(CELL, number, X, Y)
    (_, first, _, rest), (_, second, _, _) = Spy.seen
    assert (len(first), len(rest)) == (30, 30)
    assert set(first[:, 0]) != set(second[:, 0])


def test_what_is_missing_is_the_median_of_the_training_rows():
    incomplete = X.copy()
    incomplete[[3, 50], 0] = np.nan
    Split(40, 20, drawn=False).run(CELL, 0, incomplete, Y)
    (_, train, _, test) = Spy.seen[0]
    median = np.median(np.delete(np.arange(40), 3))
    assert train[3, 0] == test[10, 0] == median


def test_a_class_without_training_rows_is_an_error_not_a_crash():
    part = Split(40, 20, drawn=False).run(CELL, 0, X, Y)
    assert part["accuracy"] == 0
    assert part["log loss"] > 30


def test_numbers_are_scored_by_r2():
    part = Folds(classification=False).run(CELL, 0, X, X[:, 0].astype(int))
    assert part["R2"] < 0
    assert Spy.seen[0][2].dtype == np.float64


def test_the_mean_is_over_all_folds_and_the_deviation_over_repetitions():
    parts = [{"accuracy": value} for value in (1.0, 3.0, 5.0, 7.0)]
    figures, remark = Folds(folds=2, repeats=2).combine(parts, {})
    assert (figures["accuracy"], remark) == (Figure(4.0, pytest.approx(np.sqrt(8)), 3), "")
    assert Split(10, 10).combine(parts[:1], {})[0]["accuracy"] == Figure(1.0, None, 3)
