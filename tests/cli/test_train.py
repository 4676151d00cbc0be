import json
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import askew as package
from askew.cli import main
from askew.estimators.registry import METHODS

# --- faults 31 to 37


def test_31_a_missing_file_is_named_with_the_reason(fault, tmp_path):
    line = fault("train", tmp_path / "none.csv", "--target", "y", "-o", tmp_path / "m.askew")
    assert str(tmp_path / "none.csv") in line
    assert "No such file" in line


@pytest.mark.extended
def test_an_error_of_the_installed_command_is_one_line(command, fault, iris_csv, tmp_path):
    words = ["train", iris_csv, "--target", "specie", "-o", tmp_path / "m.askew"]
    end = command(*words)
    assert (end.returncode, end.stdout, end.stderr) == (2, "", fault(*words))


@pytest.mark.parametrize("text", ["", "a,b,y\n\n"], ids=["empty file", "header only"])
def test_32_a_table_without_rows_says_no_data_rows(fault, tmp_path, text):
    data = tmp_path / "data.csv"
    data.write_text(text)
    assert "no data rows" in fault("train", data, "--target", "y", "-o", tmp_path / "m.askew")


BAD_TABLES = {
    "ragged row": ('a,b,y\n1,"2\n",p\n3,4\n', [], ["line 4", "column 'y'", "'4'", "3 in the header", "--delimiter"]),
    "text among numbers": ("a,b,y\n1,2,p\n\n3,red,q\n", [], ["line 4", "column 'b'", "'red'", "--drop 'b'"]),
    "wrong delimiter": ("a,b,y\n1,2,p\n", ["--delimiter", ";"], ["'a,b,y'", "';'", "--delimiter"]),
}


@pytest.mark.parametrize(("text", "options", "said"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_33_a_bad_table_is_refused_with_line_column_value_and_hint(fault, tmp_path, text, options, said):
    data = tmp_path / "data.csv"
    data.write_text(text)
    line = fault("train", data, "--target", "y", "-o", tmp_path / "m.askew", *options)
    assert [words for words in said if words not in line] == []


def test_34_a_missing_target_column_comes_with_the_nearest_names(fault, iris_csv, tmp_path):
    line = fault("train", iris_csv, "--target", "specie", "-o", tmp_path / "m.askew")
    assert "'specie'" in line
    assert "did you mean 'species'?" in line


def test_36_an_unknown_method_comes_with_the_list(fault, iris_csv, tmp_path):
    line = fault("train", iris_csv, "--target", "species", "--method", "forrest", "-o", tmp_path / "m.askew")
    assert "'forrest'" in line
    assert ", ".join(repr(name) for name in METHODS) in line


def test_37_an_output_that_exists_is_left_alone_without_force(fault, iris_csv, tmp_path):
    output = tmp_path / "m.askew"
    output.write_text("precious")
    assert "--force" in fault("train", iris_csv, "--target", "species", "-o", output)


def test_a_parameter_that_the_method_refuses_is_one_line(fault, iris_csv, tmp_path):
    line = fault("train", iris_csv, "--target", "species", "--set", "max_depth=-1", "-o", tmp_path / "m.askew")
    assert "'max_depth'" in line
    assert "Got -1" in line


@pytest.mark.extended
def test_without_typer_the_command_names_the_extra():
    program = "import sys; sys.modules['typer'] = None; from askew.cli import main; main()"
    end = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert end.returncode == 2
    assert end.stderr == "askew: the command line needs more packages: pip install 'askew[cli]'\n"


# --- what it does


@pytest.mark.extended
def test_train_show_predict_end_to_end(command, iris_csv, tmp_path):
    model, out = tmp_path / "m.askew", tmp_path / "out.csv"
    words = ["train", iris_csv, "--target", "species", "--method", "cart", "--own-pruning", "-o", model]
    trained = command(*words)
    assert (trained.returncode, trained.stderr) == (0, "")
    assert "training accuracy  1.0" in trained.stdout
    assert re.search(r"^accuracy +0\.9\d+ ± 0\.0\d+ \(5-fold cross-validation\)$", trained.stdout, re.MULTILINE)
    shown = command("show", model)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "petal" in shown.stdout
    assert command("predict", model, iris_csv, "-o", out).returncode == 0
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0][-2:] == ["species", "prediction"]
    assert len(rows) == 151
    assert all(row[-1] == row[-2] for row in rows[1:])


def test_the_summary_tells_rows_features_classes_leaves_depth_and_file(askew, iris_csv, tmp_path):
    path = tmp_path / "m.askew"
    told = dict(
        line.split(maxsplit=1)
        for line in askew(
            "train", iris_csv, "-t", "species", "-m", "cart", "--set", "max_depth=2", "-o", path
        ).splitlines()
        if not line.startswith(("training", "accuracy", "written"))
    )
    assert told == {
        "rows": "150",
        "model": "CARTClassifier(max_depth=2, pruning=CostComplexity(cv=5), random_state=0)",
        "features": "4",
        "classes": "3 (setosa, versicolor, virginica)",
        "leaves": "3",
        "depth": "2",
    }


def test_progress_goes_to_standard_error_when_it_is_a_terminal(iris_csv, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = ["train", str(iris_csv), "-t", "species", "-m", "cart", "-o", str(tmp_path / "m.askew")]
    with pytest.raises(SystemExit):
        main(line)
    out, err = capsys.readouterr()
    assert "100%" in err
    assert "100%" not in out
    with pytest.raises(SystemExit):
        main([*line, "--force", "--quiet"])
    assert capsys.readouterr().err == ""


@pytest.mark.extended
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_method_trains_shows_and_predicts(askew, tmp_path, method, task):
    data, model = tmp_path / "d.csv", tmp_path / "m.askew"
    data.write_text("a,b,y\n" + "".join(f"{i},{i * i % 7},{int(i > 9)}\n" for i in range(20)))
    kind = METHODS[method].classes[task == "regression"]
    if kind is None:
        with pytest.raises(SystemExit) as end:
            main(["train", str(data), "-t", "y", "-m", method, "--task", task, "-o", str(model)])
        assert end.value.code == 2
        return
    words = ["-t", "y", "-m", method, "--task", task, "--own-pruning", "--cv", "0"]
    assert kind.__name__ in askew("train", data, *words, "-o", model)
    assert kind.__name__ in askew("show", model)
    answers = askew("predict", model, data).splitlines()[1:]
    found = [float(line.split(",")[-1]) for line in answers]
    if method in ("forest", "boosting", "auto"):  # means of many trees, or lines
        found = [float(round(number)) for number in found]
    assert found == [float(i > 9) for i in range(20)]


def test_a_target_of_many_numbers_is_regression(askew, tmp_path):
    path, model = tmp_path / "diabetes.csv", tmp_path / "m.askew"
    load_diabetes(as_frame=True).frame.to_csv(path, index=False)
    assert "training R2" in askew("train", path, "-t", "target", "-m", "cart", "-o", model)
    assert isinstance(package.load(model), package.CARTRegressor)


def test_whole_numbers_are_classes_unless_the_task_is_regression(askew, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.askew"
    data.write_text("a,y\n1,0\n2,0\n3,1\n4,1\n")
    askew("train", data, "-t", "y", "-m", "cart", "-o", model)
    assert package.load(model).classes_.tolist() == [0, 1]
    askew("train", data, "-t", "y", "-m", "cart", "-o", model, "--task", "regression", "--force")
    assert isinstance(package.load(model), package.CARTRegressor)


def test_labels_that_only_look_like_numbers_stay_text(askew, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.askew"
    data.write_text("a,y\n1,01\n2,01\n3,2\n4,NA\n")
    askew("train", data, "-t", "y", "-m", "cart", "-o", model)
    assert package.load(model).classes_.tolist() == ["01", "2", "NA"]


def test_dropped_columns_weights_and_missing_fields_reach_the_estimator(askew, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.askew"
    data.write_text("name,a,b,w,y\nann,1,,1,p\nbob,2,5,3,p\ncat,,6,1,q\ndan,4,8,0,q\n")
    askew(
        "train",
        data,
        "-t",
        "y",
        "-m",
        "cart",
        "--drop",
        "name",
        "--weights",
        "w",
        "--missing",
        "mean",
        "--own-pruning",
        "-o",
        model,
    )
    direct = package.CARTClassifier(missing="mean").fit(
        [[1, np.nan], [2, 5], [np.nan, 6], [4, 8]], ["p", "p", "q", "q"], [1, 3, 1, 0]
    )
    loaded = package.load(model)
    assert loaded.feature_names_in_.tolist() == ["a", "b"]
    assert loaded.feature_means_.tolist() == direct.feature_means_.tolist()
    assert loaded.tree_.n_samples.tolist() == direct.tree_.n_samples.tolist()


def test_empty_fields_are_treated_as_the_method_can(askew, fault, told, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("a,b,y\n" + "".join(f"{'' if i % 5 == 0 else i},{i % 3},{int(i > 9)}\n" for i in range(20)))
    words = ["train", data, "-t", "y", "-o", tmp_path / "m.askew", "--force", "-m"]
    assert "line 2, column 'a': the value is missing" in fault(*words, "oc1", "--missing", "error")
    assert "--missing mean" in fault(*words, "k_dt", "--missing", "error")
    assert "Got 'below'" in fault(*words, "oc1", "--missing", "below")
    for method, how in (("c45", "fractional"), ("cart_elc", "below"), ("k_dt", "mean")):
        askew(*words, method, "--missing", how, "--cv", "0")
        assert f"{how!r}" in repr(package.load(tmp_path / "m.askew").get_params())
    assert "4 missing in column 'a': the mean of the column" in told(*words, "cart", "--cv", "0")[0]
    assert package.load(tmp_path / "m.askew").missing == "mean"
    assert "parts of the row" in told(*words, "c45", "--cv", "0")[0]  # its own way
    assert package.load(tmp_path / "m.askew").missing == "fractional"


def test_a_vote_takes_the_parameters_of_its_trees(askew, fault, iris_csv, tmp_path):
    words = ["train", iris_csv, "-t", "species", "-m", "k_dt", "-o", tmp_path / "m.askew"]
    askew(*words, "--set", "n_estimators=2", "--set", "max_depth=1", "--seed", "3", "--set", "pruning.cv=2")
    vote = package.load(tmp_path / "m.askew")
    assert (vote.n_estimators, vote.random_state, vote.estimator.max_depth) == (2, 3, 1)
    assert vote.estimator.pruning == package.prune.CostComplexity(cv=2)
    assert "did you mean 'max_depth'" in fault(*words, "--force", "--set", "max_dept=1")


# --- how it is pruned, and what is said of its accuracy


def test_the_subtree_is_chosen_by_cross_validation_unless_asked(askew, iris_csv, tmp_path):
    model = tmp_path / "m.askew"
    words = ["train", iris_csv, "-t", "species", "-m", "cart", "--cv", "0", "--force", "-o", model]
    for more, pruning in {
        (): package.prune.CostComplexity(cv=5),
        ("--set", "pruning.cv=3", "--set", "pruning.tolerance=1"): package.prune.CostComplexity(cv=3, tolerance=1),
        ("--set", "pruning=None"): None,
        ("--own-pruning",): None,
        ("--set", "pruning=error_based", "--set", "pruning.confidence=0.1"): package.prune.ErrorBased(confidence=0.1),
    }.items():
        askew(*words, *more)
        assert package.load(model).pruning == pruning


def test_a_large_table_is_pruned_by_a_tenth_and_judged_by_a_fifth(askew, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.askew"
    data.write_text("a,b,y\n" + "".join(f"{i % 97},{i % 89},{int(i % 97 > 48)}\n" for i in range(10_001)))
    found = json.loads(askew("train", data, "-t", "y", "-m", "cart", "--json", "-o", model))
    assert package.load(model).pruning == package.prune.CostComplexity()
    assert found["accuracy"] == {"mean": 1.0, "standard_error": 0.0, "rows": 2001, "how": "held-out 2001 rows"}


def test_options_in_a_file_may_be_of_the_pruner(askew, iris_csv, tmp_path):
    (tmp_path / "run.toml").write_text("[set]\nmax_depth = 2\npruning = {cv = 3}\n")
    model = tmp_path / "m.askew"
    askew("train", iris_csv, "-t", "species", "-m", "cart", "--cv", "0", "--config", tmp_path / "run.toml", "-o", model)
    assert package.load(model).pruning == package.prune.CostComplexity(cv=3)
