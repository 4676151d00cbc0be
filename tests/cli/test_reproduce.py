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
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["small-quick.csv", "small-quick.md"]
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
