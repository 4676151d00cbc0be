import io
import json

import pytest

import askew as library


def test_a_file_sets_any_option_and_the_command_line_overrides_it(askew, iris_csv, tmp_path):
    config = tmp_path / "run.toml"
    model = tmp_path / "m.askew"
    config.write_text(
        f'data = "{iris_csv}"\ntarget = "species"\noutput = "{model}"\nmethod = "cart"\n'
        'drop = "sepal width (cm)"\n[set]\nmax_depth = 2\ncriterion = "entropy"\n'
    )
    askew("train", "--config", config)
    tree = library.load(model)
    assert (tree.max_depth, tree.criterion, tree.n_features_in_) == (2, "entropy", 3)
    askew("train", "--config", config, "--set", "max_depth=1", "--force")
    tree = library.load(model)
    assert (tree.max_depth, tree.criterion) == (1, "entropy")


def test_an_unknown_option_in_a_file_comes_with_the_nearest(fault, iris_csv, tmp_path):
    (tmp_path / "run.toml").write_text('tarjet = "species"\n')
    assert "did you mean 'target'" in fault("train", iris_csv, "--config", tmp_path / "run.toml")


def test_a_file_that_is_no_toml_is_named(fault, iris_csv, tmp_path):
    (tmp_path / "run.toml").write_text("target: species\n")
    assert "run.toml: " in fault("train", iris_csv, "--config", tmp_path / "run.toml")


@pytest.mark.extended
def test_a_table_can_come_through_a_pipe(command, iris_csv, model):
    end = command("predict", model, "-", input=iris_csv.read_text())
    assert (end.returncode, end.stderr) == (0, "")
    assert len(end.stdout.splitlines()) == 151


def test_an_error_in_a_piped_table_names_its_line(fault, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,c\n1,x\nb,y\n3,y\n")))
    line = fault("train", "-", "-t", "c", "-o", tmp_path / "m.askew")
    assert line.startswith("askew: standard input: line 3, column 'a': 'b' is not a number")


def test_a_data_file_of_the_oc1_program_is_a_table(askew, tmp_path):
    askew("datasets", "iris", "-o", tmp_path / "iris.data")
    askew("train", tmp_path / "iris.data", "-t", "class", "-m", "cart", "-o", tmp_path / "m.askew")
    assert library.load(tmp_path / "m.askew").classes_.tolist() == [1, 2, 3]


def test_quiet_says_nothing(askew, iris_csv, tmp_path):
    assert askew("train", iris_csv, "-t", "species", "-m", "cart", "-o", tmp_path / "m.askew", "--quiet") == ""


def test_a_file_names_methods_in_a_list_and_their_parameters_in_tables(askew, iris_csv, tmp_path):
    (tmp_path / "run.toml").write_text(
        'target = "species"\nmethods = ["cart", "hhcart"]\ncv = 2\njson = true\n'
        "[set]\nmax_depth = 2\n[set.cart]\nmax_depth = 1\n"
    )
    found = json.loads(askew("compare", iris_csv, "--config", tmp_path / "run.toml"))
    assert {row["method"]: row["depth"] for row in found["ranking"]} == {"cart": 1, "hhcart": 2}


def test_a_list_where_one_value_belongs_is_one_line(fault, iris_csv, tmp_path):
    (tmp_path / "run.toml").write_text('target = ["species"]\n')
    line = fault("train", iris_csv, "--config", tmp_path / "run.toml", "-o", tmp_path / "m.askew")
    assert "run.toml: target: expected one value, found ['species']" in line
