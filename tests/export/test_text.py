from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree, mixed_tree, tree_of, with_tree
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError

import askew
from askew import CARTClassifier, CARTRegressor, InvalidParameterError, export_text
from askew.export.text import DEEPEST_INDENT
from askew.model.split import Hyperplane
from askew.model.tree import Tree


def plane(features, weights, threshold):
    """The test of a tree of one hyperplane, as text."""
    tree = tree_of([Hyperplane(features, weights, threshold), None, None], [1, 0, 0], [[2, 1], [2, 0], [0, 1]], 3)
    return export_text(tree).splitlines()[1].split("  ")[0]


def test_all_kinds_of_split_are_printed():
    assert export_text(mixed_tree(), feature_names=["a", "b", "kind"], class_names=["no", "yes"]).splitlines() == [
        "7 leaves, depth 3; class weights are [no yes]",
        "if a - 2 b <= 0.5            30 rows  100.0%  [13 17]",
        "|  by the largest of 3 sums  19 rows   63.3%  [5 14]",
        "|  where a is largest",
        "|  |  => no                   4 rows   13.3%  [4 0]",
        "|  where -a + 0.5 kind + 0.25 is largest",
        "|  |  if kind <= 1            9 rows   30.0%  [1 8]",
        "|  |  |  => no                2 rows    6.7%  [1 1]",
        "|  |  else",
        "|  |  |  => yes               7 rows   23.3%  [0 7]",
        "|  where -kind + 0.5 is largest",
        "|  |  => yes                  6 rows   20.0%  [0 6]",
        "else",
        "|  by kind                   11 rows   36.7%  [8 3]",
        "|  where kind is 0 or 2",
        "|  |  => no                   4 rows   13.3%  [3 1]",
        "|  where kind is any other",
        "|  |  => yes                  2 rows    6.7%  [0 2]",
        "|  where kind is 1",
        "|  |  => no                   5 rows   16.7%  [5 0]",
    ]


def test_a_regression_tree_prints_its_values():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [1.5, 1.5, 7.25, 7.25]
    assert export_text(CARTRegressor().fit(X, y)).splitlines() == [
        "2 leaves, depth 1",
        "if x0 <= 2.5  4 rows  100.0%  value 4.375",
        "|  => 1.5     2 rows   50.0%  value 1.5",
        "else",
        "|  => 7.25    2 rows   50.0%  value 7.25",
    ]


def test_a_tree_of_one_leaf_is_one_line():
    assert export_text(CARTClassifier().fit([[1.0]], ["only"])).splitlines() == [
        "1 leaf, depth 0; class weights are [only]",
        "=> only  1 row   100.0%  [1]",
    ]


def test_names_come_from_the_data_unless_they_are_given():
    frame = pd.DataFrame({"height (m)": [1.0, 2.0]})
    tree = CARTClassifier().fit(frame, [True, False])
    assert "if height (m) <= 1.5" in export_text(tree)
    assert "=> True" in export_text(tree)
    text = export_text(tree, feature_names=["h"], class_names=["tall", "short"])
    assert "if h <= 1.5" in text
    assert "=> short" in text


def test_a_bare_tree_has_numbered_names():
    text = export_text(CARTClassifier().fit([[1.0, 1.0], [1.0, 2.0]], ["a", "b"]).tree_)
    assert "if x1 <= 1.5" in text
    assert "=> class 1" in text
    assert "=> 2\n" not in text


def test_coverage_is_the_share_of_the_weight():
    tree = CARTClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[1.5, 0.5])
    lines = export_text(tree).splitlines()
    assert lines[2].split() == ["|", "=>", "a", "1", "row", "75.0%", "[1.5", "0]"]
    assert lines[4].split() == ["|", "=>", "b", "1", "row", "25.0%", "[0", "0.5]"]


@pytest.mark.parametrize(
    ("features", "weights", "threshold", "text"),
    [
        ([0, 1], [0.52, 1.3], 4.1, "if 0.52 x0 + 1.3 x1 <= 4.1"),
        ([0, 2], [-1.0, -0.25], -4.0, "if -x0 - 0.25 x2 <= -4"),
        ([0, 1], [1e-7, 123456.789], 1e-12, "if 1e-07 x0 + 123456.789 x1 <= 1e-12"),
        ([0, 1], [1.23456e-5, 9.87654321e12], 0.0, "if 1.23456e-05 x0 + 9876543210000 x1 <= 0"),
        ([1], [1.0], 1234567.25, "if x1 <= 1234567.25"),
        ([1], [2.0], 5.0, "if x1 <= 2.5"),
        ([1], [-1.0], 3.0, "if x1 >= -3"),
        ([0, 1], [0.0, -2.0], 3.0, "if x1 >= -1.5"),
        ([1], [1e-300], 1e300, "if 1e-300 x1 <= 1e+300"),
        ([0, 1], [0.0, 0.0], 1.0, "if 0 <= 1"),
        ([0], [1.0], 0.0095, "if x0 <= 0.0095"),
        ([0], [1.0], -0.0, "if x0 <= 0"),
    ],
)
def test_an_inequality_without_a_record_of_digits_has_all_of_them(features, weights, threshold, text):
    assert plane(features, weights, threshold) == text


def test_decimals_are_at_most_as_many_as_asked():
    tree = CARTRegressor().fit([[1.0], [1.246912]], [1.0, 1234.56789])
    assert "x0 <= 1 " in export_text(tree, decimals=0)
    assert "x0 <= 1.1 " in export_text(tree, decimals=1)
    assert "x0 <= 1.12 " in export_text(tree, decimals=6)
    assert "=> 1234.6 " in export_text(tree, decimals=1)


def test_the_printed_inequalities_send_every_row_to_its_leaf():
    X, y = load_diabetes(return_X_y=True)
    tree = CARTRegressor(max_depth=4).fit(X, y)
    lines = export_text(tree, decimals=17).splitlines()[1:]
    for x, value in zip(X, tree.predict(X), strict=True):
        at = 0
        while (words := lines[at].replace("|", "").split())[0] == "if":
            column, limit = int(words[1].removeprefix("x")), float(words[3])
            depth = lines[at].index("if")
            at += 1
            if x[column] > limit:
                at = lines.index(lines[at - 1][:depth] + "else", at) + 1
        assert float(words[1]) == value


def test_of_many_classes_the_largest_are_named():
    y = np.repeat([f"c{i:02}" for i in range(12)], [9, 8, 7, *[1] * 9])
    text = export_text(CARTClassifier(max_depth=1).fit(np.arange(33.0).reshape(-1, 1), y))
    lines = text.splitlines()
    assert lines[0] == "2 leaves, depth 1"
    assert lines[1].endswith("33 rows  100.0%  [c00 9, c01 8, c02 7, others 9]")
    assert lines[2].endswith("[c00 9]")
    assert lines[4].endswith("[c01 8, c02 7, c03 1, others 8]")


def test_nodes_below_max_depth_are_summed_up():
    X, y = load_iris(return_X_y=True)
    tree = CARTClassifier().fit(X, y)
    lines = export_text(tree, max_depth=1).splitlines()
    assert len(lines) == 5
    assert lines[4].startswith("|  => 1, and 8 leaves below  100 rows")
    assert export_text(tree, max_depth=0).splitlines()[1].startswith("=> 0, and 9 leaves below")
    assert export_text(tree, max_depth=tree.get_depth()) == export_text(tree)


@pytest.mark.extended
def test_a_chain_100_000_deep_is_printed_in_space_that_grows_with_the_nodes():
    depth = 100_000
    text = export_text(chain_tree(depth))
    lines = text.splitlines()
    assert len(lines) == 1 + 3 * depth + 1
    assert max(map(len, lines)) < 200
    last = "|  " * DEEPEST_INDENT + f"[{depth}] => class 1"
    assert lines[-1].startswith(last)
    assert lines[-2] == "|  " * DEEPEST_INDENT + f"[{depth - 1}] else"


def test_the_deepest_indented_level_and_the_first_with_a_number():
    lines = export_text(chain_tree(DEEPEST_INDENT + 1)).splitlines()
    assert lines[-3].startswith("|  " * DEEPEST_INDENT + "[21] => class")
    assert lines[-2] == "|  " * DEEPEST_INDENT + "else"


def test_names_cannot_break_a_line_or_steer_a_terminal():
    text = export_text(with_tree(mixed_tree(), y=["a\nb", "\x1b[31m"]), feature_names=["x\ry", "b", "c"])
    assert "\\x1b[31m" in text
    assert "a\\nb" in text
    assert "x\\ry" in text
    assert not {"\x1b", "\r"} & set(text)


def test_names_of_another_number_are_refused():
    with pytest.raises(ValueError, match="feature_names must have 3 names, got 1"):
        export_text(mixed_tree(), feature_names=["a"])
    with pytest.raises(ValueError, match="class_names must have 2 names, got 3"):
        export_text(mixed_tree(), class_names=["a", "b", "c"])


@pytest.mark.parametrize("wrong", [{"decimals": -1}, {"decimals": 1.5}, {"max_depth": -1}, {"max_depth": "2"}])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidParameterError, match=f"The '{next(iter(wrong))}' parameter must be"):
        export_text(mixed_tree(), **wrong)


def test_a_tree_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        export_text(CARTClassifier())


def test_a_loaded_model_prints_the_same_text(tmp_path):
    tree = CARTClassifier(max_depth=3).fit(*load_iris(return_X_y=True))
    askew.save(tree, tmp_path / "m.askew")
    assert export_text(askew.load(tmp_path / "m.askew")) == export_text(tree)


def test_each_term_says_its_share_of_the_decision():
    X = np.random.default_rng(0).normal(size=(100, 3)) * [1.0, 10.0, 1.0]
    tree = askew.CARTClassifier(max_depth=1).fit(X, np.arange(100) % 2)
    old = tree.tree_
    nodes = [Hyperplane([0, 1, 2], [6.0, 0.3, -1.0], 0.5), None, None]
    tree.tree_ = Tree.from_nodes(nodes, [1, 0, 0], old.value, old.n_samples, old.mass, old.impurity, 3, 0)
    tree.feature_scale_ = np.array([1.0, 10.0, 1.0])
    assert "if 6 x0 [60%] + 0.3 x1 [30%] - x2 [10%] <= 0.5" in export_text(tree, shares=True)
    assert "if 6 x0 + 0.3 x1 - x2 <= 0.5" in export_text(tree)
    tree.tree_ = replace(tree.tree_, weight=np.array([6.0, 0.3, -0.4]))
    assert "if 6 x0 [64%] + 2 more [36%] <= 0.5" in export_text(tree, shares=True, max_terms=1)


def test_a_test_of_one_feature_has_no_share():
    tree = askew.CARTClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1])
    assert "%]" not in export_text(tree, shares=True)
