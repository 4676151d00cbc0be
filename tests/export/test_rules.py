import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree, mixed_tree
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError

from askew import C45Classifier, CARTClassifier, CARTRegressor, OC1Classifier, export_rules
from askew.model.tree import Tree


def test_every_kind_of_test_is_a_condition():
    lines = export_rules(mixed_tree(), feature_names=["a", "b", "c"], class_names=["no", "yes"]).splitlines()
    assert lines[:5] == [
        "7 rules",
        "if a - 2 b <= 0.5 and a is the largest of 3 sums",
        "  then no (4 rows, 100.0% right)",
        "if a - 2 b <= 0.5 and -a + 0.5 c + 0.25 is the largest of 3 sums and c <= 1",
        "  then no (2 rows, 50.0% right)",
    ]
    assert lines[9] == "if a - 2 b > 0.5 and c is 0 or 2"
    assert lines[11] == "if a - 2 b > 0.5 and c is any other"


@pytest.mark.parametrize("cls", [C45Classifier, CARTClassifier])
def test_exactly_one_rule_holds_for_each_row_and_says_what_is_predicted(cls):
    X, y = load_iris(return_X_y=True)
    model = cls().fit(X, y)
    lines = export_rules(model, feature_names=["a", "b", "c", "d"], decimals=9).splitlines()[1:]
    holds = np.zeros(len(X), dtype=int)
    for condition, conclusion in zip(lines[::2], lines[1::2], strict=True):
        names = dict(zip("abcd", X.T, strict=True))
        here = np.logical_and.reduce([chained(part, names) for part in condition.removeprefix("if ").split(" and ")])
        holds += here
        said = int(conclusion.split()[1])
        assert (model.predict(X)[here] == said).all()
        assert f"({here.sum()} row" in conclusion
        assert f"{100 * (y[here] == said).mean():.1f}% right" in conclusion
    assert (holds == 1).all()


def chained(text, names):
    """``1.9 < a <= 4.9`` on arrays."""
    parts = text.split()
    values = [names[part] if part in names else float(part) for part in parts[::2]]
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater}
    return np.logical_and.reduce([compare[sign](*values[i : i + 2]) for i, sign in enumerate(parts[1::2])])


def test_categories_are_named():
    X = pd.DataFrame({"colour": ["red", "blue", "red", "green"] * 5})
    model = C45Classifier().fit(X, ["stop", "go", "stop", "go"] * 5)
    assert "if colour is red or any other\n  then stop (10 rows, 100.0% right)" in export_rules(model)
    onehot = export_rules(CARTClassifier().fit(X, ["stop", "go", "stop", "go"] * 5))
    assert onehot.splitlines()[1::2] == ["if not colour=red", "if not (not colour=red)"]


def test_a_regression_rule_says_a_number():
    X, y = load_diabetes(return_X_y=True)
    lines = export_rules(CARTRegressor(max_depth=1).fit(X, y)).splitlines()
    assert lines[0] == "2 rules"
    assert lines[2] == f"  then {y[X[:, 8] <= -0.00376].mean():.3f} (218 rows)"


def test_a_single_leaf_is_a_rule_without_conditions():
    assert (
        export_rules(CARTClassifier().fit([[1.0], [2.0]], ["a", "a"]))
        == "1 rule\nalways\n  then a (2 rows, 100.0% right)"
    )


def test_sums_are_written_as_in_the_tree():
    X, y = load_iris(return_X_y=True)
    assert export_rules(OC1Classifier(random_state=0).fit(X, y)).count("then") >= 3


def test_what_is_not_fitted_has_no_rules():
    with pytest.raises(NotFittedError):
        export_rules(C45Classifier())


@pytest.mark.parametrize("wrong", [-1, 1.5])
def test_wrong_decimals_are_refused(wrong):
    with pytest.raises(ValueError, match="'decimals' parameter must be an int"):
        export_rules(CARTClassifier().fit([[1.0], [2.0]], [0, 1]), decimals=wrong)


def test_each_test_is_looked_at_a_few_times_however_deep_the_tree(monkeypatch):
    looked_at = []
    test = Tree.test
    monkeypatch.setattr(Tree, "test", lambda tree, node: looked_at.append(node) or test(tree, node))
    for depth in (50, 200):
        looked_at.clear()
        assert export_rules(chain_tree(depth)).startswith(f"{depth + 1} rules\n")
        assert len(looked_at) <= 4 * depth


@pytest.mark.extended
def test_a_chain_100_000_deep_has_rules():
    lines = export_rules(chain_tree(100_000)).splitlines()
    assert lines[1] == "if x0 <= 0"
    assert lines[-2] == "if x0 > 99999"
