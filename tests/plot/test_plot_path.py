"""`askew.plot_path`: what is drawn is what `askew.explain` says."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree, mixed_tree, tree_of, with_tree
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.model.split import Hyperplane

mpl.use("agg")
IRIS = load_iris(as_frame=True)
SPECIES = IRIS.target_names[IRIS.target]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def drawn(ax):
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in ax.texts]


def long_tree():
    names = [f"a very long name of a measurement, the one with the number {j}" for j in range(30)]
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 30)), columns=names)
    plane = tree_of([Hyperplane.dense(np.arange(1.0, 31), 0.0), None, None], [1, 0, 0], [[1, 1], [1, 0], [0, 1]], 30)
    return with_tree(plane, X, [0, 1] * 40), X


def test_the_bars_add_up_to_where_the_row_is():
    tree = askew.CARTLCClassifier(max_depth=2).fit(IRIS.data, SPECIES)
    found = askew.explain(tree, IRIS.data.iloc[100], background=IRIS.data)
    ax = askew.plot_path(tree, IRIS.data.iloc[100], background=IRIS.data)
    dashed = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    ends = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "D"]
    assert len(dashed) == len(ends) == len(found.steps)
    for step, threshold, end in zip(found.steps, dashed, ends, strict=True):
        assert (end > threshold) == (step.margin > 0)
    assert sum(one.feature in texts(ax) for one in found.steps[-1].contributions) == len(found.steps[-1].contributions)


def test_no_text_overlaps_another_or_leaves_the_figure_with_30_long_names():
    tree, X = long_tree()
    ax = askew.plot_path(tree, X.iloc[0])
    boxes = drawn(ax)
    edge = ax.figure.bbox
    assert all(edge.x0 - 1 <= box.x0 and box.x1 <= edge.x1 + 1 for box in boxes)
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            assert not (one.x0 < other.x1 and other.x0 < one.x1 and one.y0 + 2 < other.y1 and other.y0 + 2 < one.y1)
    assert "24 others" in texts(ax)
    assert any("sum of 30 features" in text for text in texts(ax))


def test_colours_tell_what_pushes_the_row_on_and_what_back():
    tree = with_tree(tree_of([Hyperplane([0, 1], [1.0, 1.0], 0.0), None, None], [1, 0, 0], [[1, 1], [1, 0], [0, 1]], 2))
    forwards, backwards = ([p.get_facecolor() for p in askew.plot_path(tree, x).patches] for x in ([3, 1], [-3, 1]))
    assert forwards[2] == forwards[3]  # after the shares of two classes at the node
    assert backwards[2] == forwards[2] != backwards[3]


def test_numbers_linear_leaves_and_given_axes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    tree = askew.CARTRegressor(max_leaf_nodes=3, leaf_model="linear").fit(X, y)
    figure = mpl.figure.Figure(figsize=(4, 3))
    ax = figure.add_subplot(2, 1, 1)
    assert askew.plot_path(tree, X.iloc[0], ax=ax) is ax
    figure.canvas.draw()
    assert "predicts 210.597" in texts(ax)
    assert "prediction" in texts(ax)


def test_every_kind_of_split_missing_values_and_deep_trees_are_drawn():
    tree = with_tree(mixed_tree())
    assert "x2 is 1" in texts(askew.plot_path(tree, [5.0, 0.0, 1.0]))
    askew.plot_path(tree, [0.0, 0.0, 5.0])
    deep = askew.plot_path(with_tree(chain_tree(100)), [99.5])
    assert "… 84 more nodes" in texts(deep)
    X = IRIS.data.to_numpy().copy()
    X[::5, 2:] = np.nan
    parts = askew.C45Classifier().fit(X, SPECIES)
    ax = askew.plot_path(parts, X[0], path=1)
    assert any("% of the row" in text for text in texts(ax))
    with pytest.raises(ValueError, match="path must be from 0 to"):
        askew.plot_path(parts, X[0], path=99)
