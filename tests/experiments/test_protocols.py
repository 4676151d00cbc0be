import numpy as np
import pytest
from experiments.experiment import Cell
from experiments.protocols import BestOfSearch, FoldedCV, RepeatedCV, cross_validation
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

import askew


class Recorder(BaseEstimator):
    """Answers 0, and keeps what it was given; its tree has as many leaves as it was given rows."""

    seen: list = []  # noqa: RUF012
    n_hyperplanes_ = 7

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.rows = len(X)
        self.seen.append((self.random_state, sorted(X[:, 0])))
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

    def get_n_leaves(self):
        return self.rows


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.setattr(askew, "Recorder", Recorder, raising=False)
    monkeypatch.setattr(Recorder, "seen", [])
    return Recorder


def test_correct_answers_are_pooled_over_folds_of_different_size(recorder):
    X = np.arange(11.0)[:, None]
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
    part = cross_validation("Recorder", {}, X, y, 5, seed=0)
    assert part["accuracy"] == 100 * 4 / 11
    assert part["leaves"] == (8 + 9 + 9 + 9 + 9) / 5
    assert part["hyperplanes"] == 7


def test_folds_depend_on_the_seed_alone_and_trees_have_seeds_of_their_own(recorder):
    X, y = np.arange(20.0)[:, None], np.zeros(20)
    for seed in (1, 1, 2):
        cross_validation("Recorder", {}, X, y, 5, seed)
    seeds, rows = zip(*recorder.seen, strict=True)
    assert rows[:5] == rows[5:10] != rows[10:]
    assert len(set(seeds)) == 10


def test_repetitions_give_mean_and_standard_deviation():
    figures, remark = RepeatedCV().combine([{"accuracy": 90.0}, {"accuracy": 94.0}], {})
    assert (figures["accuracy"].mean, figures["accuracy"].sd) == (92.0, 8**0.5)
    assert remark == ""


def test_the_parts_of_a_quick_run_are_parts_of_the_full_run():
    full = RepeatedCV(repeats=10)
    quick = full.quick()
    assert quick.n_parts() == 2
    assert [quick.identity(i) for i in range(2)] == [full.identity(i) for i in range(2)]


def test_the_search_reports_its_most_accurate_setting_and_then_the_smallest():
    search = BestOfSearch(({"max_depth": 1}, {"max_depth": 2}, {"max_depth": 3}), quick_variants=1)
    parts = [{"accuracy": 90.0, "leaves": 2.0}, {"accuracy": 95.0, "leaves": 4.0}, {"accuracy": 95.0, "leaves": 3.5}]
    figures, remark = search.combine(parts, {})
    assert (figures["accuracy"].mean, figures["leaves"].mean) == (95.0, 3.5)
    assert remark == "max_depth=3"
    assert search.quick().n_parts() == 1
    figures, _ = search.combine([{"accuracy": 90.0}, {"accuracy": 95.0}, {"accuracy": 95.0}], {})
    assert set(figures) == {"accuracy"}  # of what is no tree


def test_the_search_runs_its_settings_over_those_of_the_cell():
    X, y = load_iris(return_X_y=True)
    cell = Cell("Iris", "CART", {}, "iris", "CARTClassifier", {"max_depth": 1})
    search = BestOfSearch(({}, {"max_depth": 2}), quick_variants=1)
    assert [search.run(cell, i, X, y)["leaves"] for i in range(2)] == [2.0, 3.0]


def test_folds_measure_leaves_of_trees_and_accuracy_of_anything():
    X, y = load_iris(return_X_y=True)
    tree = FoldedCV().run(Cell("Iris", "CART", {}, "iris", "CARTClassifier", {"max_depth": 1}), 0, X, y)
    assert tree["leaves"] == 2.0
    machine = FoldedCV().run(Cell("Iris", "SVM", {}, "iris", "sklearn.svm.SVC", {}), 0, X, y)
    assert set(machine) == {"accuracy", "milliseconds"}
    assert machine["accuracy"] > tree["accuracy"]


def test_a_network_that_its_defaults_stop_early_counts_as_it_is():
    X, y = load_iris(return_X_y=True)
    network = Cell("Iris", "NN", {}, "iris", "sklearn.neural_network.MLPClassifier", {"max_iter": 2})
    assert 0 <= FoldedCV().run(network, 0, X, y)["accuracy"] <= 100
