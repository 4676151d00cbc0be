from dataclasses import dataclass

import pytest

from askew import experiments
from askew.cli import main
from askew.experiments.experiment import ACCURACY, Cell, Experiment, Figure
from askew.experiments.protocols import RepeatedCV

SMALL = Experiment(
    name="small",
    title="A small table",
    source="Nobody, Nowhere (1900)",
    measures=(ACCURACY,),
    cells=(
        Cell("Iris", "CART", {"accuracy": Figure.read("90.0±5.0")}, "iris", "CARTClassifier"),
        Cell("Mine", "CART", {"accuracy": Figure.read("90.0±5.0")}, "mine", "CARTClassifier"),
    ),
    trials=RepeatedCV(),
)


@dataclass
class Shown:
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def askew(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("ASKEW_DATA", raising=False)
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(experiments.EXPERIMENTS, "small", SMALL)

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(["reproduce", *words])
        return Shown(end.value.code, *capsys.readouterr())

    return run


def test_without_a_name_all_experiments_are_listed(askew):
    shown = askew()
    assert shown.exit_code == 0
    assert {"oc1-1994-table1", "oc1-1994-table2", "oc1-1993-table1"} <= set(shown.stdout.split())


def test_the_table_is_printed_and_written(askew, tmp_path):
    shown = askew("small", "--quick", "-o", "out")
    assert shown.exit_code == 0
    assert "90.0 ± 5.0" in shown.stdout
    assert "needs mine.csv: give --data" in shown.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "index-quick.md",
        "small-quick.csv",
        "small-quick.md",
    ]
    assert "wrote" in shown.stderr
    assert "wrote" not in shown.stdout


def test_an_unknown_name_is_one_line_with_the_nearest(askew, tmp_path):
    shown = askew("smal")
    assert shown.exit_code == 2
    assert shown.stderr == "askew: there is no experiment 'smal'; did you mean 'small'?\n"
    assert not (tmp_path / "results").exists()


def test_a_folder_that_is_not_there_is_one_line(askew, tmp_path):
    shown = askew("small", "--quick", "--data", "nowhere")
    assert shown.exit_code == 2
    assert shown.stderr == "askew: nowhere: not a folder (from data=)\n"
    assert not (tmp_path / "results").exists()


def test_all_runs_every_experiment_and_ends_with_the_index(askew, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"small": SMALL})
    shown = askew("all", "-o", "out")
    assert shown.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["index.md", "small.csv", "small.md"]
    index = (tmp_path / "out" / "index.md").read_text()
    assert "| Iris | CART | accuracy | 90 ± 5 |" in index
    assert "not run: needs mine.csv" in index


def test_the_list_tells_the_state_of_every_table(askew, tmp_path):
    shown = askew("-o", str(tmp_path / "nothing"))
    assert "not run yet" in shown.stdout
    assert "explains an idea" in shown.stdout
    askew("small", "-o", "out")
    assert "1 of 1 figures met" in askew("-o", "out").stdout


def test_the_index_is_the_same_after_an_interruption(askew, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"small": SMALL})
    askew("all", "-o", "whole")
    for part in list((tmp_path / "cache" / "small").iterdir())[::2]:
        part.unlink()  # as if the run had stopped before these
    askew("all", "-o", "resumed")
    assert (tmp_path / "whole" / "index.md").read_text() == (tmp_path / "resumed" / "index.md").read_text()


def test_pages_can_be_made_of_what_is_finished(askew, tmp_path):
    shown = askew("small", "--quick", "--finished", "-o", "out")
    assert shown.exit_code == 0
    assert "0 of 2 parts are finished" in shown.stdout


def test_an_earlier_run_is_kept_and_what_it_lacks_is_run(askew, tmp_path):
    askew("small", "-o", "out")
    (tmp_path / "data").mkdir()
    rows = [f"{i % 7},{'yes' if i % 7 > 3 else 'no'}" for i in range(40)]
    (tmp_path / "data" / "mine.csv").write_text("\n".join(["a,class", *rows]) + "\n")
    (tmp_path / "out" / "small.csv").write_text(
        (tmp_path / "out" / "small.csv")
        .read_text()
        .replace("small,Iris,CART,accuracy,90.0,5.0,9", "small,Iris,CART,accuracy,90.0,5.0,8")
    )
    shown = askew("small", "--earlier", "out/small.csv", "--data", "data", "-o", "out")
    assert shown.exit_code == 0
    iris, mine = (tmp_path / "out" / "small.csv").read_text().splitlines()[1:]
    assert iris.startswith("small,Iris,CART,accuracy,90.0,5.0,8")
    assert "added to an earlier run" in mine
    assert "--earlier small.csv" in (tmp_path / "out" / "small.md").read_text()


def test_an_earlier_run_does_not_go_with_a_quick_one(askew):
    shown = askew("small", "--earlier", "small.csv", "--quick")
    assert shown.exit_code == 2
    assert "--earlier is for one table, and not for a quick run" in shown.stderr


def test_an_earlier_run_that_is_not_there_is_one_line(askew):
    shown = askew("small", "--earlier", "nothing.csv")
    assert shown.exit_code == 2
    assert "nothing.csv" in shown.stderr
