"""Closed streams, names of files that are no text, and labels that would steer a terminal."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import askew as package
from askew.cli import main

ESCAPE = "\x1b]0;owned\x07\x1b[31m"


@pytest.fixture
def hostile(tmp_path):
    """A model whose classes and features have names that would steer a terminal."""
    import pandas

    path = tmp_path / "hostile.askew"
    X = pandas.DataFrame({f"a{ESCAPE}": [1.0, 2.0, 3.0, 4.0]})
    package.save(package.CARTClassifier().fit(X, np.array([f"no{ESCAPE}", "yes\nno"])[[0, 0, 1, 1]]), path)
    return path


def run(shell, *arguments):
    """Run the real command behind a shell's redirection; names may be bytes that are no UTF-8."""
    line = ["sh", "-c", f'exec "$@" {shell}', "sh", sys.executable, "-m", "askew", *arguments]
    return subprocess.run([os.fsencode(part) for part in line], capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("command", ["show", "export"])
def test_38_a_closed_output_is_a_quiet_end_and_no_success(model, command):
    end = run(">&-", command, model)
    assert (end.returncode, end.stderr) == (1, b"")


def test_a_model_is_whole_although_the_summary_finds_a_closed_output(iris_csv, tmp_path):
    end = run(">&- 2>&-", "train", iris_csv, "-t", "species", "-m", "cart", "-o", tmp_path / "m.askew")
    assert end.returncode == 1
    assert package.load(tmp_path / "m.askew").get_n_leaves() >= 3


def test_a_quiet_command_succeeds_with_all_streams_closed(iris_csv, tmp_path):
    words = ["train", iris_csv, "-t", "species", "-m", "cart", "-q", "-o", tmp_path / "m.askew"]
    assert run("<&- >&- 2>&-", *words).returncode == 0
    assert package.load(tmp_path / "m.askew").get_n_leaves() >= 3


def test_a_closed_input_has_no_rows(tmp_path):
    end = run("<&-", "train", "-", "-t", "y", "-o", tmp_path / "m.askew")
    assert end.returncode == 2
    assert end.stderr == b"askew: standard input: the file is empty: no data rows\n"


def test_names_of_files_need_not_be_utf8(iris_csv, tmp_path):
    odd = os.fsencode(tmp_path) + b"/\xff"
    data, model, out = odd + b".csv", odd + b".askew", odd + b".parquet"
    os.symlink(os.fsencode(iris_csv), data)
    end = run("", "train", data, "-t", "species", "-m", "cart", "-o", model)
    assert (end.returncode, end.stderr) == (0, b"")
    assert rb"/\udcff.askew" in end.stdout
    for words in (["predict", model, data, "-o", out], ["predict", model, out, "--column", "again"]):
        end = run("", *words)
        assert (end.returncode, end.stderr) == (0, b"")


def test_an_output_file_may_have_a_name_that_is_not_utf8(askew, model, tmp_path):
    for form in ("txt", "svg", "json"):
        path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff." + form.encode())
        askew("export", model, "-o", path)
        assert os.path.getsize(path) > 100
    for form in (".csv", ".parquet", ".csv.gz"):
        askew("datasets", "iris", "-o", f"{tmp_path}/\udcff{form}")


def test_a_fault_names_a_file_whose_name_is_not_utf8(model, tmp_path, capsys):
    odd = f"{tmp_path}/\udcff.csv"
    for words in (["show", odd], ["predict", str(model), odd]):
        with pytest.raises(SystemExit) as end:
            main(words)
        said = capsys.readouterr().err
        assert end.value.code == 2
        assert r"/\udcff.csv" in said
        assert said.count("\n") == 1


def test_an_unwritable_character_is_one_line(model, iris_csv, capsys):
    with pytest.raises(SystemExit) as end:
        main(["predict", str(model), str(iris_csv), "--column", "\udcff"])
    assert end.value.code == 2
    assert capsys.readouterr().err == "askew: '\\udcff' cannot be written as utf-8\n"


def test_names_in_a_model_do_not_steer_the_terminal(askew, hostile, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text(f'"a{ESCAPE}",y\n1,no{ESCAPE}\n4,"yes\nno"\n', encoding="utf-8")
    for words in (["show", hostile], ["evaluate", hostile, data, "-t", "y"], ["export", hostile]):
        shown = askew(*words)
        assert "no\\x1b]0;owned\\x07\\x1b[31m" in shown
        assert all(line.isprintable() for line in shown.split("\n"))
    exact = json.loads(askew("evaluate", hostile, data, "-t", "y", "--json"))
    assert exact["accuracy"] == 1
    assert list(exact["confusion_matrix"]) == [f"no{ESCAPE}", "yes\nno"]


@pytest.mark.filterwarnings("default")
def test_warnings_and_faults_do_not_steer_the_terminal(hostile, tmp_path, capsys):
    data = tmp_path / "d.csv"
    data.write_text(f'"a{ESCAPE}",y\n1,other{ESCAPE}\n', encoding="utf-8")
    for words in (["evaluate", hostile, data, "-t", "y"], ["show", tmp_path / f"none{ESCAPE}"]):
        with pytest.raises(SystemExit):
            main([str(word) for word in words])
        said = capsys.readouterr().err
        assert "\\x1b[31m" in said
        assert said.strip("\n").isprintable()
