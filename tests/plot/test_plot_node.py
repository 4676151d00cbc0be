import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import askew
from askew.datasets import load


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def iris():
    data = load("iris")
    return data.X, data.y


def linear(X, y):
    return askew.ObliqueTreeClassifier(search="linear", pruning=None, random_state=0).fit(X, y)


def heights(ax):
    return sum(bar.get_height() for container in ax.containers for bar in container)


def test_the_histogram_holds_all_rows_of_the_node_each_on_its_side(iris):
    X, y = iris
    tree = linear(X, y)
    node = 2
    above, units, shares = askew.plot_node(tree, node, X, y).axes
    reach = tree.decision_path(X).toarray()
    assert heights(above) == reach[:, node].sum()
    threshold = above.lines[0].get_xdata()[0]
    first = int(tree.tree_.first_child[node])
    bars = [bar for container in above.containers for bar in container]
    left = sum(bar.get_height() for bar in bars if bar.get_x() + bar.get_width() <= threshold)
    assert left == reach[:, first].sum()
    assert above.get_title("left").endswith(f": {int(left)} to node {first}")
    assert next(label.get_text() for label in units.get_yticklabels()).startswith("petal")
    lengths = [abs(bar.get_width()) for bar in shares.containers[0]]
    assert sum(lengths) == pytest.approx(100)
    assert lengths == sorted(lengths, reverse=True)


def test_of_many_weights_the_rest_is_counted(iris):
    X, y = iris
    _, units, shares = askew.plot_node(linear(X, y), 2, X, y, max_terms=1).axes
    assert [label.get_text() for label in units.get_yticklabels()][-1] == "+ 3 more"
    assert len(shares.containers[0]) == 1


def test_a_test_of_one_feature_has_its_name_on_the_axis(iris):
    X, y = iris
    (ax,) = askew.plot_node(askew.CARTClassifier(max_depth=1).fit(X, y), 0, X, y).axes
    assert ax.get_xlabel() == "petal length (cm)"
    assert ax.get_title("left") == "≤ 2.45: 50 to node 1"
    assert ax.get_title("right") == "> 2.45: 100 to node 2"


def test_a_leaf_shows_its_classes(iris):
    X, y = iris
    (ax,) = askew.plot_node(askew.CARTClassifier(max_depth=1).fit(X, y), 2, X, y).axes
    assert [bar.get_height() for bar in ax.containers[0]] == [0, 50, 50]


def test_numbers_are_drawn_for_nodes_and_leaves():
    X = np.random.default_rng(0).uniform(size=(100, 2))
    y = X.sum(axis=1)
    tree = askew.CARTRegressor(max_depth=1).fit(X, y)
    root, leaf = askew.plot_node(tree, 0, X, y), askew.plot_node(tree, 1, X, y)
    assert heights(root.axes[0]) == 100
    assert heights(leaf.axes[0]) == (tree.apply(X) == 1).sum()


def test_children_of_categories_and_of_machines_are_drawn(iris):
    X = pd.DataFrame({"size": np.arange(12.0), "colour": ["red", "blue", "green"] * 4})
    y = np.where(X["colour"] == "red", "a", "b")
    (ax,) = askew.plot_node(askew.C45Classifier().fit(X, y), 0, X, y).axes
    assert {label.get_text() for label in ax.get_xticklabels()} >= {"red"}
    machine = askew.plot_node(askew.LMDTClassifier(random_state=0).fit(*iris), 0, *iris).axes[0]
    assert [label.get_text() for label in machine.get_xticklabels()] == ["1", "2", "3"]
    assert heights(machine) == 150


def test_a_pipeline_shows_its_last_step(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier(max_depth=1)).fit(X, y)
    assert askew.plot_node(pipeline, 0, X, y).axes[0].get_xlabel() == "petal length (cm)"


def test_a_given_figure_is_used(iris):
    figure = plt.figure()
    assert askew.plot_node(linear(*iris), 0, *iris, figure=figure) is figure


@pytest.mark.parametrize("node", [-1, 99, 1.0, "root"])
def test_a_node_that_is_not_there_is_refused(iris, node):
    with pytest.raises(ValueError, match="node must be a number from 0 to"):
        askew.plot_node(linear(*iris), node, *iris)
