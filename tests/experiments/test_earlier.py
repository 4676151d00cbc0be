from dataclasses import replace

import pytest
from experiments import extend, report, run
from experiments.earlier import ADDED
from experiments.experiment import ACCURACY, LEAVES, Cell, Measure

from askew.parameters import InvalidParameterError


@pytest.fixture
def timed(experiment):
    """The small table with times, in units of the stump's."""
    measures = (ACCURACY, LEAVES, Measure("milliseconds", 0, timed=True))
    return replace(experiment, measures=measures, cells=experiment.cells[:2], unit="stump")


@pytest.fixture
def clock(timed, monkeypatch):
    """Parts of made figures, in which every method takes `clock` milliseconds times its number of leaves."""
    made = {"milliseconds": 1.0, "runs": []}

    def figures(self, cell, number, X, y):
        made["runs"].append(cell.method)
        leaves = {"stump": 2.0, "CART": 5.0, "OC1": 3.0}[cell.method]
        return {"accuracy": 90.0 + number, "leaves": leaves, "milliseconds": made["milliseconds"] * leaves}

    monkeypatch.setattr(type(timed.trials), "run", figures)
    return made


def more(experiment):
    return replace(experiment, cells=(*experiment.cells, Cell("Iris", "OC1", {}, "iris", "OC1Classifier")))


def test_only_what_the_earlier_run_lacks_is_run_and_the_unit_beside_it(timed, clock, tmp_path):
    report.write(run(timed, cache=tmp_path / "first"), tmp_path)
    clock["runs"].clear()
    results = extend(more(timed), tmp_path / "small.csv", cache=tmp_path / "second")
    assert set(clock["runs"]) == {"stump", "OC1"}
    assert [result.cell.method for result in results.cells] == ["stump", "CART", "OC1"]


def test_figures_of_the_earlier_run_are_kept_with_all_digits(timed, clock, tmp_path):
    first = run(timed, cache=tmp_path / "first")
    report.write(first, tmp_path)
    clock["milliseconds"] = 10.0
    results = extend(more(timed), tmp_path / "small.csv", cache=tmp_path / "second")
    for before, now in zip(first.cells, results.cells[:2], strict=True):
        for name, figure in before.ours.items():
            assert (now.ours[name].mean, now.ours[name].sd) == (figure.mean, figure.sd)
        assert now.remark == ""


def test_times_of_what_is_added_are_scaled_by_the_unit_of_both_runs(timed, clock, tmp_path):
    report.write(run(timed, cache=tmp_path / "first"), tmp_path)
    clock["milliseconds"] = 10.0  # a machine ten times as slow
    *_, added = extend(more(timed), tmp_path / "small.csv", cache=tmp_path / "second").cells
    assert added.ours["milliseconds"].mean == pytest.approx(3.0)
    assert added.ours["leaves"].mean == 3.0
    assert added.remark == ADDED


def test_what_was_added_can_be_read_again_and_the_page_names_the_file(timed, clock, tmp_path):
    report.write(run(timed, cache=tmp_path / "first"), tmp_path)
    results = extend(more(timed), tmp_path / "small.csv", cache=tmp_path / "second")
    report.write(results, tmp_path)
    clock["runs"].clear()
    again = extend(more(timed), tmp_path / "small.csv", cache=tmp_path / "third")
    assert clock["runs"] == []
    assert report.as_csv(again) == report.as_csv(results)
    assert report.command(results) == "python -m experiments small --earlier small.csv"


def test_cells_that_cannot_be_run_say_why_as_ever(experiment, tmp_path):
    iris = replace(experiment, cells=experiment.cells[:1])
    report.write(run(iris), tmp_path)
    stump, _, stars, mine = extend(experiment, tmp_path / "small.csv").cells
    assert stump.ours["leaves"].mean == 2.0
    assert (stars.ours, stars.remark) == ({}, "lost")
    assert mine.remark == "needs mine.csv: give --data"


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "experiment,data,method,measure,ours_mean\nother,Iris,CART,leaves,3\n"]
)
def test_a_file_that_holds_no_earlier_run_of_the_experiment_is_refused(experiment, tmp_path, text):
    (tmp_path / "some.csv").write_text(text)
    with pytest.raises(InvalidParameterError, match="does not hold an earlier run of small"):
        extend(experiment, tmp_path / "some.csv")
