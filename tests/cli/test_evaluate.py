import json

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import askew as library


def test_the_report_tells_accuracy_each_class_and_the_confusion_matrix(askew, model, iris_csv):
    shown = askew("evaluate", model, iris_csv, "--target", "species")
    assert "accuracy" in shown
    assert "true \\ predicted  setosa  versicolor  virginica" in shown


def test_the_figures_are_those_of_scikit_learn(askew, model, iris_csv):
    import pandas as pd

    frame = pd.read_csv(iris_csv)
    tree = library.load(model)
    truth, found = frame["species"], tree.predict(frame.drop(columns="species"))
    facts = json.loads(askew("evaluate", model, iris_csv, "--target", "species", "--json"))
    assert facts["accuracy"] == round((truth == found).mean(), 4)
    matrix = [list(row.values()) for row in facts["confusion_matrix"].values()]
    assert np.array_equal(matrix, confusion_matrix(truth, found))


@pytest.mark.filterwarnings("default")
def test_35_a_class_that_training_never_saw_is_an_error_with_a_warning(ran, model, iris_csv, tmp_path):
    text = iris_csv.read_text().splitlines()
    changed = tmp_path / "new.csv"
    changed.write_text("\n".join([text[0], *(line.replace("setosa", "robusta") for line in text[1:51])]) + "\n")
    end = ran("evaluate", model, changed, "--target", "species", "--json")
    assert end.code == 0
    assert "warning: 50 of 50 rows have a class that is not in the training data (robusta)" in end.err
    assert end.err.count("\n") == 1
    assert json.loads(end.out)["accuracy"] == 0


def test_classes_that_are_numbers_are_compared_as_numbers(askew, tmp_path):
    (tmp_path / "a.csv").write_text("a,c\n1,0\n2,0\n3,1\n4,1\n")
    tree = library.CARTClassifier().fit([[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 1.0, 1.0])
    library.save(tree, tmp_path / "m.askew")
    (tmp_path / "b.csv").write_text("a\n1\n")
    askew("train", tmp_path / "a.csv", "-t", "c", "-m", "cart", "-o", tmp_path / "n.askew")
    assert json.loads(askew("evaluate", tmp_path / "n.askew", tmp_path / "a.csv", "-t", "c", "--json"))["accuracy"] == 1


def test_regression_tells_three_errors(askew, tmp_path):
    rows = "\n".join(f"{i * 7 % 41},{i * 7 % 41 + 0.5}" for i in range(40))
    (tmp_path / "a.csv").write_text(f"a,b\n{rows}\n")
    askew("train", tmp_path / "a.csv", "-t", "b", "-m", "cart", "-o", tmp_path / "m.askew")
    facts = json.loads(askew("evaluate", tmp_path / "m.askew", tmp_path / "a.csv", "-t", "b", "--json"))
    assert facts["R2"] == 1
    assert facts["mean_absolute_error"] == facts["root_mean_squared_error"] == 0


def test_weights_count(askew, tmp_path):
    (tmp_path / "a.csv").write_text("a,w,c\n1,1,x\n2,1,y\n3,8,x\n")
    tree = library.CARTClassifier(max_depth=1).fit([[1.0], [2.0]], ["x", "y"])
    tree.feature_names_in_ = np.array(["a"], dtype=object)
    library.save(tree, tmp_path / "m.askew")
    facts = askew("evaluate", tmp_path / "m.askew", tmp_path / "a.csv", "-t", "c", "--weights", "w", "--json")
    assert json.loads(facts)["accuracy"] == pytest.approx(0.2)


def test_a_missing_target_column_comes_with_the_nearest_names(fault, model, iris_csv):
    assert "did you mean 'species'" in fault("evaluate", model, iris_csv, "--target", "specie")


def test_weights_that_are_no_column_or_no_numbers_are_one_line(fault, model, iris_csv):
    words = ["evaluate", model, iris_csv, "--target", "species", "--weights"]
    assert "there is no column 'weight'" in fault(*words, "weight")
    line = fault(*words, "species")
    assert "line 2, column 'species': 'setosa' is not a number; the target of a regression and weights" in line
    assert "--categorical" not in line
