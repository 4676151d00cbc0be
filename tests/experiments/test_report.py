import csv
import errno
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from experiments import report
from experiments.experiment import ACCURACY, HYPERPLANES, Figure, Measure
from experiments.runner import CellResult, Results

import askew
from askew.plot.palette import pyplot


@pytest.fixture
def results(experiment):
    stump, cart, stars, mine = experiment.cells
    good = {"accuracy": Figure(66.666, 1.26, 2), "leaves": Figure(2.0, 0.0, 2), "hyperplanes": Figure(101.2, 2.0, 2)}
    bad = {"accuracy": Figure(94.0, 1.0, 2), "leaves": Figure(5.0, 0.3, 2), "hyperplanes": Figure(300.0, 2.0, 2)}
    cells = (
        CellResult(stump, good, "", 1.24),
        CellResult(cart, bad, "a | b", 2.0),
        CellResult(stars, {}, "lost"),
        CellResult(mine, {}, "needs mine.csv: give --data"),
    )
    return Results(experiment, cells, quick=True, from_folder=True)


def test_each_row_has_paper_ours_difference_and_verdict(results):
    headings, rows = report.table(results)
    assert headings[:5] == ["data", "method", "accuracy, paper", "ours", "difference"]
    assert rows[0][:8] == [
        *("Iris", "stump"),
        *("60.0 ± 5.0", "66.7 ± 1.3", "+1.3 sd, met"),
        *("2.0 ± 0.1", "2.0 ± 0.0", "+0.0 sd, met"),
    ]
    assert rows[1][4] == "-59.0 sd, NOT met"
    assert rows[2][2:5] == ["98.9 ± 0.2", "", ""]
    assert rows[2][-1] == "lost"


def test_a_measure_that_the_paper_does_not_print_has_one_column(results):
    own = Measure("nested accuracy", 0, decimals=2)
    results = replace(results, experiment=replace(results.experiment, measures=(ACCURACY, own)))
    with_it = replace(results.cells[0], ours={**results.cells[0].ours, own.name: Figure(64.321, 2.0, 2)})
    headings, rows = report.table(replace(results, cells=(with_it, *results.cells[1:])))
    assert headings[2:7] == ["accuracy, paper", "ours", "difference", "nested accuracy", "seconds"]
    assert rows[0][5] == "64.32 ± 2.00"
    assert rows[1][5] == ""


def test_what_is_not_judged_is_not_scored(results):
    shown = replace(results, experiment=replace(results.experiment, measures=(HYPERPLANES,)))
    assert "is met" not in report.markdown(shown)
    assert report.score(replace(shown, cells=shown.cells[:2])) == ""
    bare = [replace(cell, cell=replace(cell.cell, paper={})) for cell in results.cells if cell.ours]
    assert "is met" not in report.markdown(replace(results, cells=tuple(bare)))


def test_a_stricter_measure_is_named(results):
    strict = replace(results.experiment, measures=(ACCURACY, Measure("leaves", -1, slack=0.0)))
    assert "deviation (leaves: as good as the printed one), or better" in report.markdown(
        replace(results, experiment=strict)
    )


def drawn(outcome):
    figure = pyplot().figure(figsize=(1, 1))
    figure.text(0, 0, str(len(outcome)))
    return {"all": figure}


def test_pictures_stand_beside_the_page_and_on_it(results, tmp_path):
    results = replace(results, experiment=replace(results.experiment, draw=drawn))
    page, _, picture = report.write(results, tmp_path)
    assert picture.name == "small-quick-all.png"
    assert picture.read_bytes()[1:4] == b"PNG"
    assert "![small-quick-all.png](small-quick-all.png)" in page.read_text()


def test_without_matplotlib_the_page_has_no_pictures(results, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "find_spec", lambda name: None)
    results = replace(results, experiment=replace(results.experiment, draw=drawn))
    assert [path.suffix for path in report.write(results, tmp_path)] == [".md", ".csv"]


def test_the_score_counts_judged_figures_and_cells_left_out(results):
    assert report.score(results) == "2 of 4 compared figures are met; 2 of 4 cells could not be run."


def test_the_page_says_how_it_was_made(results):
    page = report.markdown(results)
    for part in (
        "# A small table",
        "Nobody, Nowhere (1900).",
        "3 repetitions of 5-fold cross-validation",
        "- A note.",
        "    python -m experiments small --quick --data DIR",
        f"askew {askew.__version__}, Python",
        "in 3 seconds of processor time",
        "| a \\| b |",
    ):
        assert part in page


def test_the_csv_file_has_a_line_for_each_figure(results, tmp_path):
    markdown, table = report.write(results, tmp_path / "new" / "folder")
    assert (markdown.name, table.name) == ("small-quick.md", "small-quick.csv")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 10
    first = rows[0]
    assert (first["measure"], first["paper_mean"], first["ours_mean"], first["met"]) == (
        *("accuracy", "60.0"),
        *("66.666", "yes"),
    )
    assert [row["met"] for row in rows[:6]] == ["yes", "yes", "", "no", "no", ""]
    assert rows[-1]["remark"] == "needs mine.csv: give --data"
    assert rows[-1]["ours_mean"] == rows[-1]["seconds"] == ""


def test_the_table_is_printed_with_and_without_rich(results, capsys, monkeypatch):
    report.show(results)
    with_rich = capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "rich.table", None)
    report.show(results)
    without = capsys.readouterr().out
    assert without != with_rich
    for shown in (with_rich, without):
        assert "66.7 ± 1.3" in shown
        assert "-59.0 sd, NOT met" in shown
        assert "2 of 4 compared figures are met" in shown
        assert "\nStars, CART: lost\n" in shown


def test_results_go_to_the_docs_inside_a_checkout(tmp_path, monkeypatch):
    inside = tmp_path / "checkout" / "src"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert report.default_output() == inside / "results"
    (tmp_path / "checkout" / "pyproject.toml").write_text('[project]\nname = "askew"\n')
    assert report.default_output() == tmp_path / "checkout" / "docs" / "results"


def test_a_full_disk_leaves_the_pages_as_they_were(results, tmp_path, monkeypatch):
    report.write(results, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(path, text, **options):
        path.write_bytes(text.encode()[:7])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        report.write(results, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_row_with_another_target_is_shown_but_not_counted(results):
    other = replace(results.cells[0], cell=replace(results.cells[0].cell, data="Iris, petal width", target=3))
    more = replace(results, cells=(*results.cells, other))
    assert report.table(more)[1][-1][4] == "+1.3 sd, met"
    assert report.score(more).partition(";")[0] == report.score(results).partition(";")[0]
    lines = [row for row in csv.DictReader(report.as_csv(more).splitlines()) if row["data"] == "Iris, petal width"]
    assert {row["met"] for row in lines} == {""}
    assert lines[0]["difference_sd"]
