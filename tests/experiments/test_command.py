import experiments
import pytest
from commands import Ended
from experiments.__main__ import main
from experiments.experiment import ACCURACY, Cell, Experiment, Figure
from experiments.protocols import RepeatedCV

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


@pytest.fixture
def reproduce(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("ASKEW_DATA", raising=False)
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(experiments.EXPERIMENTS, "small", SMALL)

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        return Ended(end.value.code, *capsys.readouterr())

    return run


def test_without_a_name_all_experiments_are_listed(reproduce):
    shown = reproduce()
    assert shown.code == 0
    assert {"oc1-1994-table1", "oc1-1994-table2", "oc1-1993-table1"} <= set(shown.out.split())


def test_the_table_is_printed_and_written(reproduce, tmp_path):
    shown = reproduce("small", "--quick", "-o", "out")
    assert shown.code == 0
    assert "90.0 ± 5.0" in shown.out
    assert "needs mine.csv: give --data" in shown.out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "index-quick.md",
        "small-quick.csv",
        "small-quick.md",
    ]
    assert "wrote" in shown.err
    assert "wrote" not in shown.out


def test_an_unknown_name_is_one_line_with_the_nearest(reproduce, tmp_path):
    shown = reproduce("smal")
    assert shown.code == 2
    assert shown.err == "askew: there is no experiment 'smal'; did you mean 'small'?\n"
    assert not (tmp_path / "results").exists()


def test_a_folder_that_is_not_there_is_one_line(reproduce, tmp_path):
    shown = reproduce("small", "--quick", "--data", "nowhere")
    assert shown.code == 2
    assert shown.err == "askew: nowhere: not a folder (from data=)\n"
    assert not (tmp_path / "results").exists()


def test_all_runs_every_experiment_and_ends_with_the_index(reproduce, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"small": SMALL})
    shown = reproduce("all", "-o", "out")
    assert shown.code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["index.md", "small.csv", "small.md"]
    index = (tmp_path / "out" / "index.md").read_text()
    assert "| Iris | CART | accuracy | 90 ± 5 |" in index
    assert "not run: needs mine.csv" in index


def test_the_list_tells_the_state_of_every_table(reproduce, tmp_path):
    shown = reproduce("-o", str(tmp_path / "nothing"))
    assert "not run yet" in shown.out
    assert "explains an idea" in shown.out
    reproduce("small", "-o", "out")
    assert "1 of 1 figures met" in reproduce("-o", "out").out


def test_the_index_is_the_same_after_an_interruption(reproduce, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"small": SMALL})
    reproduce("all", "-o", "whole")
    for part in list((tmp_path / "cache" / "small").iterdir())[::2]:
        part.unlink()  # as if the run had stopped before these
    reproduce("all", "-o", "resumed")
    assert (tmp_path / "whole" / "index.md").read_text() == (tmp_path / "resumed" / "index.md").read_text()


def test_pages_can_be_made_of_what_is_finished(reproduce, tmp_path):
    shown = reproduce("small", "--quick", "--finished", "-o", "out")
    assert shown.code == 0
    assert "0 of 2 parts are finished" in shown.out


def test_an_earlier_run_is_kept_and_what_it_lacks_is_run(reproduce, tmp_path):
    reproduce("small", "-o", "out")
    (tmp_path / "data").mkdir()
    rows = [f"{i % 7},{'yes' if i % 7 > 3 else 'no'}" for i in range(40)]
    (tmp_path / "data" / "mine.csv").write_text("\n".join(["a,class", *rows]) + "\n")
    (tmp_path / "out" / "small.csv").write_text(
        (tmp_path / "out" / "small.csv")
        .read_text()
        .replace("small,Iris,CART,accuracy,90.0,5.0,9", "small,Iris,CART,accuracy,90.0,5.0,8")
    )
    shown = reproduce("small", "--earlier", "out/small.csv", "--data", "data", "-o", "out")
    assert shown.code == 0
    iris, mine = (tmp_path / "out" / "small.csv").read_text().splitlines()[1:]
    assert iris.startswith("small,Iris,CART,accuracy,90.0,5.0,8")
    assert "added to an earlier run" in mine
    assert "--earlier small.csv" in (tmp_path / "out" / "small.md").read_text()


def test_an_earlier_run_does_not_go_with_a_quick_one(reproduce):
    shown = reproduce("small", "--earlier", "small.csv", "--quick")
    assert shown.code == 2
    assert "--earlier is for one table, and not for a quick run" in shown.err


def test_an_earlier_run_that_is_not_there_is_one_line(reproduce):
    shown = reproduce("small", "--earlier", "nothing.csv")
    assert shown.code == 2
    assert "nothing.csv" in shown.err
