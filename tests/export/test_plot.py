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
    assert "0.5 x0 \N{MINUS SIGN} 1.2341 x1 ≤ \N{MINUS SIGN}2" in texts(askew.plot_tree(oblique([0.5, -1.2341], -2.0)))


def test_a_sum_begins_with_its_sign():
    assert "\N{MINUS SIGN}x0 + 2 x1 ≤ 0" in texts(askew.plot_tree(oblique([-1.0, 2.0], 0.0)))


def test_a_negative_weight_alone_turns_the_inequality():
    assert "x1 ≥ 0.25" in texts(askew.plot_tree(oblique([0.0, -2.0], -0.5)))


def test_of_many_terms_the_most_important_are_written():
    shown = texts(askew.plot_tree(oblique([5.0, 0.1, 4.0, 0.1, 3.0, 0.1], 1.0), max_terms=3))
    assert "5 x0 + 4 x2 + 3 x4 + 3 more ≤ 1" in shown


def test_no_one_term_is_hidden():
    shown = texts(askew.plot_tree(oblique([5.0, 0.1, 4.0, 0.0], 1.0), max_terms=2))
    assert "5 x0 + 0.1 x1 + 4 x2 ≤ 1" in shown


def test_long_names_of_features_and_classes_wrap(iris):
    names = [f"a very long name, of the kind that surveys have, of question number {j}" for j in range(4)]
    tree = askew.CARTClassifier(max_depth=2).fit(iris.X, iris.y)
    shown = texts(askew.plot_tree(tree, feature_names=names, class_names=[f"{name}_of_a_class" for name in names[:3]]))
    assert any("question" in text for text in shown)
    assert max(len(line) for text in shown for line in text.split("\n")) <= 45


def test_every_text_fits_into_its_box(iris):
    X = iris.X.rename(columns=lambda name: f"the {name} of the flower")
    ax = askew.plot_tree(askew.LMDTClassifier(random_state=0).fit(X, iris.y))
    fits(ax)


def fits(ax):
    """Assert that what is written in boxes is no wider than they are, as it is drawn now."""
    ax.figure.canvas.draw()
    inside = ax.transData.inverted()
    written = [text for text in ax.texts if text.get_verticalalignment() == "center"]
    assert len(written) == len(ax.patches)
    for box, text in zip(ax.patches, written, strict=True):
        (left, low), (right, high) = inside.transform(text.get_window_extent().get_points())
        assert box.get_x() <= left < right <= box.get_x() + box.get_width()
        assert box.get_y() <= low < high <= box.get_y() + box.get_height()


@pytest.mark.parametrize("size", [(3, 2), (2, 5), (12, 9)])
def test_a_tree_fits_into_given_axes_of_any_size_also_when_it_changes(iris, size):
    figure, ax = plt.subplots(figsize=size)
    askew.plot_tree(askew.CARTClassifier(max_depth=4).fit(iris.X, iris.y), ax=ax)
    fits(ax)
    figure.set_size_inches(7, 7)
    fits(ax)


def test_a_tree_in_given_axes_leaves_their_neighbours_alone(iris):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
    askew.plot_tree(askew.CARTClassifier().fit(iris.X, iris.y), ax=left)
    figure.canvas.draw()
    assert left.get_tightbbox().x1 <= right.get_window_extent().x0


def test_a_linear_machine_shows_its_functions(iris):
    tree = askew.LMDTClassifier(random_state=0).fit(iris.X, iris.y)
    shown = texts(askew.plot_tree(tree))
    root = next(text for text in shown if text.startswith("the largest of\n1: "))
    assert all(f"\n{k}: " in root for k in (1, 2, 3))
    assert "petal" in root
    assert {"1", "2", "3"} <= set(shown)


def large_tree():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    return askew.CARTClassifier().fit(X, np.random.default_rng(1).integers(0, 3, 3000))


def test_of_a_tree_of_many_leaves_the_upper_part_is_drawn_with_a_note():
    tree = large_tree()
    ax = askew.plot_tree(tree)
    assert 30 < sum("n = " in text for text in texts(ax)) <= 60
    note = texts(ax)[-1]
    assert note.startswith("drawn to depth ")
    assert f"of {tree.get_depth()}: " in note
    assert f" of {tree.get_n_leaves()} leaves; max_depth draws more" in note


def test_a_depth_that_is_asked_for_is_drawn():
    ax = askew.plot_tree(large_tree(), max_depth=9)
    assert sum("n = " in text for text in texts(ax)) > 60
    assert "draws more" not in texts(ax)[-1]


def many_classes(n=26):
    X = np.random.default_rng(0).normal(size=(400, 2))
    y = np.array([f"class {i}" for i in range(n)])[np.arange(400) % n]
    return askew.CARTClassifier(max_depth=4).fit(X, y), X, y


@pytest.mark.parametrize("n", [3, 26, 60])
def test_the_legend_of_many_classes_is_inside_the_figure(n):
    ax = askew.plot_partition(*many_classes(n))
    ax.figure.canvas.draw()
    legend, figure = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert len(ax.get_legend().get_texts()) == n
    assert figure.x0 <= legend.x0 < legend.x1 <= figure.x1
    assert figure.y0 <= legend.y0 < legend.y1 <= figure.y1


def test_the_legend_in_given_axes_is_inside_them():
    _, (left, _) = plt.subplots(1, 2, figsize=(12, 6))
    askew.plot_partition(*many_classes(20), ax=left)
    left.figure.canvas.draw()
    legend, box = left.get_legend().get_window_extent(), left.get_window_extent()
    assert box.x0 <= legend.x0 < legend.x1 <= box.x1
    assert box.y0 <= legend.y0 < legend.y1 <= box.y1


def test_names_of_axes_and_classes_wrap(iris):
    X = iris.X.iloc[:, 2:].rename(columns=lambda name: " ".join([name] * 6))
    y = np.char.add(iris.y.astype(str), " of the genus of the irises, from the east")
    ax = askew.plot_partition(askew.CARTClassifier(max_depth=2).fit(X, y), X, y)
    assert "\n" in ax.get_xlabel()
    assert "\n" in ax.get_ylabel()
    assert all("\n" in text.get_text() for text in ax.get_legend().get_texts())


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
