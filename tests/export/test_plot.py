import sys
from collections import defaultdict
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

import askew
from askew.datasets import load, make_pol, make_rcb
from askew.split import Hyperplane
from askew.tree import Tree


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


def of(ax, kind):
    return [c for c in ax.collections if type(c) is kind]


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture
def iris():
    return load("iris")


def test_the_partition_shows_every_leaf_every_node_and_every_row():
    X, y = make_rcb(n=400, random_state=0)
    tree = askew.CARTClassifier(max_depth=4).fit(X, y)
    ax = askew.plot_partition(tree, X, y)
    assert len(of(ax, PolyCollection)[0].get_paths()) == tree.get_n_leaves()
    assert len(of(ax, LineCollection)[0].get_paths()) == tree.get_n_leaves() - 1
    assert sum(len(c.get_offsets()) for c in of(ax, PathCollection)) == 400
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [str(k) for k in range(1, 9)]


def test_regions_have_the_colour_of_the_class_they_predict():
    X, y = make_pol(n=400, random_state=0)
    tree = askew.CARTClassifier(max_depth=3).fit(X, y)
    regions = of(askew.plot_partition(tree, X, y), PolyCollection)[0]
    predicted = tree.predict([path.vertices[:-1].mean(axis=0) for path in regions.get_paths()])
    blue = regions.get_facecolor()[:, 2] > regions.get_facecolor()[:, 0]  # class 1 is blue, class 2 orange
    assert np.array_equal(predicted == 1, blue)
    assert 0 < blue.sum() < blue.size


def test_two_of_many_features_are_chosen_by_name_or_number(iris):
    tree = askew.CARTClassifier().fit(iris.X, iris.y)
    by_name = askew.plot_partition(tree, iris.X, iris.y, features=["petal length (cm)", "petal width (cm)"])
    by_number = askew.plot_partition(tree, iris.X, iris.y, features=[2, 3])
    assert by_name.get_xlabel() == by_number.get_xlabel() == "petal length (cm)"
    assert by_name.get_xlim() == by_number.get_xlim()


@pytest.mark.parametrize("features", [None, [0], [0, 0], [0, 9], [0, "x"], [-1, 2]])
def test_features_that_are_not_two_are_refused(iris, features):
    tree = askew.CARTClassifier().fit(iris.X, iris.y)
    with pytest.raises(ValueError, match="features must"):
        askew.plot_partition(tree, iris.X, iris.y, features=features)


def test_a_regression_tree_is_drawn_on_one_scale():
    X = np.random.default_rng(0).uniform(size=(100, 2))
    y = X[:, 0] + X[:, 1]
    tree = askew.CARTRegressor(max_depth=3).fit(X, y)
    ax = askew.plot_partition(tree, X, y)
    assert len(of(ax, PolyCollection)[0].get_paths()) == tree.get_n_leaves()
    assert len(ax.figure.axes) == 2


def test_an_estimator_that_is_no_tree_of_hyperplanes_is_drawn_on_a_grid(iris):
    X = iris.X.iloc[:, 2:]
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, iris.y)
    ax = askew.plot_partition(forest, X, iris.y)
    assert len(ax.images) == 1
    assert not of(ax, PolyCollection)


def test_given_axes_are_used():
    X, y = make_pol(n=100, random_state=0)
    tree = askew.CARTClassifier(max_depth=2).fit(X, y)
    _, (left, right) = plt.subplots(1, 2)
    assert askew.plot_partition(tree, X, y, ax=left) is left
    assert askew.plot_tree(tree, ax=right) is right


def test_a_tree_shows_its_inequalities_and_its_leaves(iris):
    tree = askew.CARTClassifier(max_depth=2).fit(iris.X, iris.y)
    shown = texts(askew.plot_tree(tree))
    assert "petal length (cm) ≤ 2.45" in shown
    assert "setosa\nn = 50" in shown
    assert "versicolor\nn = 54, 91%" in shown


def oblique(weights, threshold):
    X, y = make_pol(n=100, random_state=0)
    X = np.hstack([X] * (len(weights) // 2))
    tree = askew.CARTClassifier(max_depth=1).fit(X, y)
    old = tree.tree_
    splits = [Hyperplane.dense(weights, threshold), None, None]
    tree.tree_ = Tree.from_nodes(splits, [1, 0, 0], old.value, old.n_samples, old.mass, old.impurity, len(weights), 0)
    return tree


def test_an_oblique_node_is_written_as_a_sum():
    assert "0.5 x0 \N{MINUS SIGN} 1.234 x1 ≤ \N{MINUS SIGN}2" in texts(askew.plot_tree(oblique([0.5, -1.2341], -2.0)))


def test_a_sum_begins_with_its_sign():
    assert "\N{MINUS SIGN}x0 + 2 x1 ≤ 0" in texts(askew.plot_tree(oblique([-1.0, 2.0], 0.0)))


def test_a_negative_weight_alone_turns_the_inequality():
    assert "x1 ≥ 0.25" in texts(askew.plot_tree(oblique([0.0, -2.0], -0.5)))


def test_of_many_terms_the_most_important_are_written():
    shown = texts(askew.plot_tree(oblique([5.0, 0.1, 4.0, 0.1, 3.0, 0.1], 1.0), max_terms=3))
    assert "5 x0 + 4 x2\n+ 3 x4 + 3 more ≤ 1" in shown


def test_a_depth_limit_counts_what_it_leaves_out(iris):
    tree = askew.CARTClassifier().fit(iris.X, iris.y)
    shown = texts(askew.plot_tree(tree, max_depth=1))
    assert sum("≤" in text for text in shown) == 1
    assert any(text.endswith(f"… {tree.get_n_leaves() - 1} leaves") for text in shown)


def test_boxes_do_not_overlap():
    X, y = make_rcb(n=500, random_state=0)
    ax = askew.plot_tree(askew.CARTClassifier(max_depth=6).fit(X, y))
    rows = defaultdict(list)
    for box in ax.patches:
        rows[round(box.get_y() + box.get_height(), 3)].append((box.get_x(), box.get_x() + box.get_width()))
    assert len(rows) == 7
    for row in rows.values():
        assert all(left[1] <= right[0] for left, right in pairwise(sorted(row)))


def test_names_may_be_given_and_are_counted(iris):
    tree = askew.CARTClassifier(max_depth=1).fit(iris.X, iris.y)
    shown = texts(askew.plot_tree(tree, feature_names=list("abcd"), class_names=["$x$", "y", "z"]))
    assert {"c ≤ 2.45", "$x$\nn = 50"} <= set(shown)
    with pytest.raises(ValueError, match="feature_names must have 4 names, got 2"):
        askew.plot_tree(tree, feature_names=["a", "b"])
    with pytest.raises(ValueError, match=r"3 class_names are needed. Got 2"):
        askew.plot_tree(tree, class_names=["a", "b"])


def test_a_single_leaf_is_drawn():
    tree = askew.CARTClassifier().fit([[0.0, 0.0], [1.0, 1.0]], [1, 1])
    assert texts(askew.plot_tree(tree)) == ["1\nn = 2"]
    ax = askew.plot_partition(tree, np.array([[0.0, 0.0], [1.0, 1.0]]), [1, 1])
    assert len(of(ax, PolyCollection)[0].get_paths()) == 1


def test_a_tree_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        askew.plot_tree(askew.CARTClassifier())
    with pytest.raises(NotFittedError):
        askew.plot_partition(askew.CARTClassifier(), np.zeros((2, 2)), [0, 1])


def test_without_matplotlib_the_extra_is_named(monkeypatch, iris):
    tree = askew.CARTClassifier().fit(iris.X, iris.y)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"askew\[plot\]"):
        askew.plot_partition(tree, iris.X, iris.y, features=[0, 1])
    with pytest.raises(ImportError, match=r"askew\[plot\]"):
        askew.plot_tree(tree)
