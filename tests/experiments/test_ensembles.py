from dataclasses import replace

import pytest
from experiments.ensembles import EXPERIMENT, GROUPS, METHODS
from experiments.ensembles_page import page
from experiments.experiment import Cell, Figure
from experiments.runner import CellResult, Results

SCORES = {"oblique forest": 90.0, "random forest": 88.0, "extra trees": 89.0}


def _results(pending=(), without=()):
    cells = []
    for shift, data in enumerate(("A", "B", "C")):
        for method, score in SCORES.items():
            cell = Cell(data, method, {}, data.lower(), "tree")
            figures = {"accuracy": Figure(score + shift), "milliseconds": Figure(2.0 if "oblique" in method else 4.0)}
            if (data, method) in pending:
                cells.append(CellResult(cell, {}, "1 of 5 parts are finished"))
            elif method in without:
                cells.append(CellResult(cell, {}, "treeple cannot be imported: too old"))
            else:
                cells.append(CellResult(cell, figures))
    return Results(EXPERIMENT, tuple(cells), False, True)


GROUP = {"Classes": (["A", "B", "C"], "accuracy")}


def test_the_page_has_means_ranks_times_and_tests_of_each_group():
    lines = page(_results(), GROUP)
    assert lines[0] == "## Classes"
    ours, theirs = (
        "| **oblique forest** | 91.00 | 91.00 | 1.00 |  | 0.5x |",
        "| extra trees | 90.00 | 90.00 | 2.00 | 3-0-0 (+1.00) | 1x |",
    )
    assert lines.index(theirs) > lines.index(ours)
    assert any(line.startswith("Friedman's test") and "against: random forest" in line for line in lines)
    assert "| B | 91.0 | 89.0 | 90.0 |" in lines
    assert "## Not run" not in lines


def test_sets_made_for_planes_are_marked_and_the_means_are_also_given_without_them():
    made = _results()
    renamed = {"A": "LS10"}
    cells = tuple(replace(r, cell=replace(r.cell, data=renamed.get(r.cell.data, r.cell.data))) for r in made.cells)
    text = "\n".join(page(replace(made, cells=cells), {"Classes": (["LS10", "B", "C"], "accuracy")}))
    assert "| LS10 † | 90.0 | 88.0 | 89.0 |" in text
    whole, _, rest = text.partition("### Without the sets made for planes")
    assert "| **oblique forest** | 91.00 |" in whole
    assert "| **oblique forest** | 91.50 |" in rest
    assert "made for planes" not in "\n".join(page(made, GROUP))


def test_a_lead_of_the_forest_that_hangs_on_one_set_is_said():
    made = _results()
    fails = {("B", "random forest"): 70.0, ("A", "random forest"): 91.0, ("C", "random forest"): 93.0}
    cells = tuple(
        replace(r, ours={**r.ours, "accuracy": Figure(fails[key])})
        if (key := (r.cell.data, r.cell.method)) in fails
        else r
        for r in made.cells
    )
    text = "\n".join(page(replace(made, cells=cells), GROUP))
    assert (
        "above that of random forest because of one data set: without B (91.0 against 70.0) the difference is -1.00."
        in text
    )


def test_data_sets_that_are_not_finished_do_not_count():
    lines = page(_results(pending=[("C", "extra trees")]), GROUP)
    assert any(line.startswith("Means over 2 data sets.") for line in lines)
    assert lines.count("- C: not finished.") == 1


def test_what_is_not_installed_is_named_once_and_the_others_are_compared():
    lines = page(_results(without=["extra trees"]), GROUP)
    assert any(line.startswith("Means over 3 data sets.") for line in lines)
    assert lines.count("- extra trees: treeple cannot be imported: too old.") == 1
    assert not any(line.startswith("Friedman") for line in lines)  # two methods are too few


def test_every_data_set_stands_once_and_has_a_protocol_for_its_kind():
    data = {cell.data for cell in EXPERIMENT.cells}
    assert len(EXPERIMENT.cells) == len(data) * len(METHODS)
    assert set(EXPERIMENT.other_trials) == data
    for cell in EXPERIMENT.cells:
        numbers = cell.estimator.endswith(("Regressor", "numbers"))
        assert EXPERIMENT.trials_of(cell).classification is not numbers


@pytest.mark.parametrize("kind", ["accuracy", "R2"])
def test_sets_that_were_tuned_on_stand_apart(kind):
    titles = [title for title, (_, score) in GROUPS.items() if score == kind]
    assert sorted("not tuned" in title for title in titles) == [False, True]
