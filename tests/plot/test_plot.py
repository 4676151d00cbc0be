import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

import askew
from askew.datasets import load, make_pol, make_rcb
from askew.plot.partition_view import Section, root_directions


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
    assert by_name.get_xlabel() == by_number.get_xlabel() == "petal length (cm)\n(2 other features at the median)"
    assert by_name.get_xlim() == by_number.get_xlim()


@pytest.mark.parametrize("features", [[0], [0, 0], [0, 9], [0, "x"], [-1, 2]])
def test_features_that_are_not_two_are_refused(iris, features):
    tree = askew.CARTClassifier().fit(iris.X, iris.y)
    with pytest.raises(ValueError, match="features must"):
        askew.plot_partition(tree, iris.X, iris.y, features=features)


@pytest.mark.parametrize("cls", [askew.CARTClassifier, askew.OC1Classifier, askew.CARTRegressor])
def test_the_root_divides_the_rows_over_its_own_direction_as_in_the_tree(cls):
    X, y = load_wine(return_X_y=True, as_frame=True)
    tree = cls(random_state=0).fit(X, y)
    ax = askew.plot_partition(tree, X, y)
    assert ax.get_xlabel().startswith("what the root tests:\n")
    assert ax.get_ylabel().startswith("best of the rest:\n")
    root = max(of(ax, LineCollection)[0].get_paths(), key=lambda path: np.ptp(path.vertices[:, 1])).vertices
    assert root[0, 0] == pytest.approx(root[1, 0])
    points = np.concatenate([c.get_offsets() for c in of(ax, PathCollection)])
    goes_left = tree.decision_path(X).toarray()[:, 1] == 1
    assert (points[:, 0] <= root[0, 0]).sum() == goes_left.sum()


def test_the_directions_are_uncorrelated_and_their_plane_keeps_them():
    X, y = load_wine(return_X_y=True)
    tree = askew.OC1Classifier(random_state=0).fit(X, y).tree_
    directions, rooted = root_directions(tree, X, y, True)
    assert rooted
    shown = X @ directions.T
    assert np.corrcoef(shown.T)[0, 1] == pytest.approx(0, abs=1e-6)
    plane = Section.of_directions(directions, X)
    assert plane.rows(shown) @ directions.T == pytest.approx(shown)


def test_without_a_root_the_directions_are_linear_discriminants(iris):
    X = iris.X.to_numpy()
    directions, rooted = root_directions(None, X, np.asarray(iris.y), True)
    assert not rooted
    found = LinearDiscriminantAnalysis(solver="eigen").fit(X, iris.y).scalings_[:, :2].T
    for mine, theirs in zip(directions, found, strict=True):
        assert abs(np.corrcoef(X @ mine, X @ theirs)[0, 1]) == pytest.approx(1, abs=1e-4)


def test_categories_are_part_of_directions_but_codes_are_not():
    X = pd.DataFrame({"size": np.arange(12.0), "colour": ["red", "blue", "green"] * 4, "w": np.arange(12) % 5 + 0.5})
    y = np.where(X["size"] > 5, "a", "b")
    ax = askew.plot_partition(askew.CARTClassifier().fit(X, y), X, y)
    assert ax.get_xlabel() == "what the root tests:\nsize"
    with pytest.raises(ValueError, match="features must name the two of 3 features"):
        askew.plot_partition(askew.C45Classifier().fit(X, y), X, y)


def test_an_ensemble_is_drawn_over_directions_on_a_grid(iris):
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(iris.X, iris.y)
    ax = askew.plot_partition(forest, iris.X, iris.y)
    assert len(ax.images) == 1
    assert ax.get_xlabel().startswith("best direction:\n")


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


def test_a_single_leaf_is_drawn():
    tree = askew.CARTClassifier().fit([[0.0, 0.0], [1.0, 1.0]], [1, 1])
    assert texts(askew.plot_tree(tree)) == ["1", "n = 2"]
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
