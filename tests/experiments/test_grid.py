from dataclasses import replace

import numpy as np
import pytest
from experiments.experiment import Cell, Figure
from experiments.grid import GridCV, balanced, depth_grid
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold

import askew

X, Y = load_wine(return_X_y=True)
X = X[:, :4]
PAPER = {"accuracy": Figure.read("90.0±1.0"), "leaves": Figure.read("4.0±0.0")}
CELL = Cell("Wine", "CART-ELC", PAPER, "wine", "CARTELCClassifier", {}, variants=({"r": 1}, {"r": 2}), seed=5)
HALVES = np.arange(0, len(Y), 2), np.arange(1, len(Y), 2)


@pytest.mark.parametrize(
    ("estimator", "parameters"), [("CARTELCClassifier", {"r": 2}), ("HHCARTClassifier", {"variant": "D"})]
)
def test_a_tree_that_is_cut_is_the_tree_of_that_depth(estimator, parameters):
    train, test = HALVES
    for depth, (accuracy, leaves) in enumerate(depth_grid(estimator, parameters, 4, X, Y, HALVES), start=1):
        tree = getattr(askew, estimator)(**parameters, max_depth=depth, random_state=0).fit(X[train], Y[train])
        assert leaves == tree.get_n_leaves()
        assert accuracy == 100 * tree.score(X[test], Y[test])


def test_the_smallest_trees_within_a_standard_error_of_the_best_are_balanced():
    accuracies = np.array([[80.0, 90.0, 91.0, 90.0], [80.0, 90.0, 89.0, 90.0]])
    assert balanced(accuracies, np.array([2.0, 5.0, 9.0, 4.0])) == 3
    assert balanced(accuracies + np.array([12.0, 0, 0, 0]), np.array([2.0, 5.0, 9.0, 4.0])) == 0
    assert balanced(accuracies[:1], np.array([2.0, 5.0, 9.0, 4.0])) == 2  # one repetition has no standard error


@pytest.fixture(scope="module")
def part():
    return GridCV(folds=3, deepest=2, inner=2).run(CELL, 1, X, Y)


def test_a_repetition_averages_every_setting_over_the_folds(part):
    folds = KFold(3, shuffle=True, random_state=CELL.seed + 1).split(X)
    expected = np.mean([depth_grid("CARTELCClassifier", {"r": 2}, 2, X, Y, split) for split in folds], axis=0)
    assert [part["r=2, depth 1, accuracy"], part["r=2, depth 1, leaves"]] == pytest.approx(expected[0])
    assert [part["r=2, depth 2, accuracy"], part["r=2, depth 2, leaves"]] == pytest.approx(expected[1])
    assert set(part) == {f"r={r}, depth {k}, {m}" for r in (1, 2) for k in (1, 2) for m in ("accuracy", "leaves")} | {
        "nested accuracy",
        "nested leaves",
    }


def test_the_nested_choice_sees_the_training_rows_of_a_fold_alone(monkeypatch):
    trials = GridCV(folds=3, deepest=2, inner=2)
    seen = []
    real = GridCV._grid
    monkeypatch.setattr(
        GridCV, "_grid", lambda self, cell, X, y, split: (seen.append(split), real(self, cell, X, y, split))[1]
    )
    trials.run(CELL, 0, X, Y)
    assert len(seen) == 9
    for outer in range(0, 9, 3):
        rows = set(seen[outer][0].tolist())
        for train, test in seen[outer + 1 : outer + 3]:
            assert set(train.tolist()) | set(test.tolist()) == rows
            assert not set(train.tolist()) & set(test.tolist())


def test_the_most_accurate_setting_no_larger_than_the_printed_trees_is_compared():
    parts = [
        {
            "depth 1, accuracy": 80.0 + i,
            "depth 1, leaves": 2.0,
            "depth 2, accuracy": 88.0 + i,
            "depth 2, leaves": 4.04,  # 4.0 at the printed decimals
            "depth 3, accuracy": 95.0 + i,
            "depth 3, leaves": 8.0,
            "nested accuracy": 85.0,
            "nested leaves": 5.0,
        }
        for i in range(2)
    ]
    figures, remark = GridCV().combine(parts, PAPER)
    assert remark == "depth 2"
    assert (figures["accuracy"].mean, figures["leaves"].mean) == (88.5, pytest.approx(4.04))
    assert figures["accuracy"].sd == 0.5**0.5
    assert figures["depth 3, accuracy"].mean == 95.5
    assert figures["nested accuracy"].mean == 85.0
    tiny = {**PAPER, "leaves": Figure.read("1.0±0.0")}
    assert GridCV().combine(parts, tiny)[1] == "depth 1"


def test_reversed_rows_and_features_let_the_last_of_equal_splits_win():
    rows = np.repeat([[0.0, 0.0], [1.0, 1.0]], 8, axis=0)  # either feature parts the classes
    labels = np.repeat([0, 1], 8)
    odd = rows.copy()
    odd[::4, 1] = 1 - odd[::4, 1]  # what the second feature says of the test rows
    split = np.flatnonzero(np.arange(16) % 4), np.arange(0, 16, 4)
    cell = replace(CELL, variants=({"r": 1},))
    first = GridCV(deepest=1)._grid(cell, odd, labels, split)
    last = GridCV(deepest=1)._grid(replace(cell, reverse=True), np.ascontiguousarray(odd[:, ::-1]), labels, split)
    assert (first[0, 0], last[0, 0]) == (100.0, 0.0)


def test_the_parts_of_a_quick_run_are_parts_of_the_full_run():
    full = GridCV()
    assert full.quick().n_parts() == 2
    assert [full.quick().identity(i) for i in range(2)] == [full.identity(i) for i in range(2)]
