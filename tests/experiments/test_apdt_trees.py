import numpy as np
import pytest
from experiments import EXPERIMENTS, Figure
from experiments.apdt_trees import NODES, TEST, conclude, divided

from askew.datasets import load

CELLS = EXPERIMENTS["apdt"].cells


def cell(data, method):
    (found,) = [c for c in CELLS if (c.data, c.method) == (data, method)]
    return found


@pytest.mark.parametrize(("data", "train", "test", "own"), [("Iris", 120, 30, (40, 10)), ("Wine", 103, 75, (34, 25))])
def test_rows_are_divided_as_printed(data, train, test, own):
    found = load(data.lower())
    X, y = np.asarray(found.X), np.asarray(found.y)
    for name in (data, f"{data}, random split"):
        parts = divided(cell(name, "APDT"), 0, X, y)
        assert [len(part) for part in parts] == [train, train, test, test]
        assert len(np.unique(np.concatenate([parts[0], parts[2]]), axis=0)) == len(np.unique(X, axis=0))
    y_train, y_test = divided(cell(data, "APDT"), 0, X, y)[1::2]
    assert (y_train.sum(), y_test.sum()) == own


def test_stand_ins_are_tested_on_other_points():
    found = load("apdt2_standin")
    X_train, _, X_test, y_test = divided(cell("Stand-in 2", "APDT"), 3, found.X, found.y)
    assert (len(X_train), len(X_test), set(y_test)) == (1000, 500, {0, 1})
    assert not set(map(tuple, X_train)) & set(map(tuple, X_test))


def test_figures_on_stand_ins_are_not_judged_and_those_of_table_4_are():
    for one in CELLS:
        stands_in = one.data.startswith("Stand-in") or one.data.endswith("random split")
        assert ({"test", "nodes"} <= set(one.paper)) is not stands_in
    assert str(cell("Wine", "APDT").paper["test"]) == "97.58"
    assert str(cell("Iris", "CART-LC").paper["nodes"]) == "2.0"


def test_a_figure_is_met_within_the_spread_of_our_own_runs():
    assert TEST.met(Figure.read("97.58"), Figure(96.6, 1.0))
    assert not TEST.met(Figure.read("97.58"), Figure(96.5, 1.0))
    assert NODES.met(Figure.read("3.4"), Figure(3.8, 0.5))
    assert not NODES.met(Figure.read("3.4"), Figure(3.5, 0.0))


def test_the_conclusion_tells_whether_the_order_holds_in_the_paper_and_here():
    def figures(test, nodes):
        return {"test": Figure(test, 0.1), "nodes": Figure(nodes, 0.0)}

    def verdicts(outcome):
        (line,) = [line for line in conclude(outcome) if "%" in line]
        return line.split(" | ", 6)[-1].removesuffix(" |").split(" | ")

    outcome = {("Stand-in 2", "APDT"): figures(99.0, 9), ("Stand-in 2", "OC1"): figures(99.05, 9)}
    assert "99.84%, 5.0" in "".join(conclude(outcome))
    assert verdicts(outcome) == ["yes", "NO", "yes", "yes"]
    outcome["Stand-in 2", "OC1"] = figures(99.2, 10)
    assert verdicts(outcome) == ["yes", "yes", "yes", "NO"]
    outcome = {("Stand-in 3", "APDT"): figures(99.0, 9), ("Stand-in 3", "CART-LC unpruned"): figures(98.0, 9)}
    assert verdicts(outcome) == ["yes", "NO", "NO", "yes"]  # the paper: 98.52% against 99.00%


def test_trees_that_are_not_pruned_have_a_table_of_their_own():
    one = {"test": Figure(99.0, 0.1), "nodes": Figure(9.0, 0.0)}
    names = ("APDT", "OC1", "OC1 unpruned")
    lines = conclude({("Stand-in 1", name): one for name in names})
    at = [number for number, line in enumerate(lines) if line.startswith("| 1: APDT")]
    assert ["| OC1 unpruned |" in lines[number] for number in at] == [True, False]
    assert lines[at[0] + 1 : at[0] + 3] == ["", "The other trees are pruned, as in the paper."]
