"""Pictures compared with stored ones: `python tests/export/test_images.py` draws these anew, to be looked at.

Text is left out: versions of FreeType draw it differently, and other tests read it. All else is drawn by Agg alone.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.model.split import Hyperplane
from askew.model.tree import Tree

BASELINE = Path(__file__).parent / "baseline"
TOLERANCE = 2.0  # of 255, root mean square; a threshold that is a bin off is above it
DPI = 50


def planted(estimator, X, y, splits, first_child):
    """A fitted estimator with a tree made by hand: pictures do not change with how trees are grown."""
    estimator.fit(X, y)
    columns, codes = X.to_numpy(), np.unique(y, return_inverse=True)[1]
    reach = np.zeros((len(splits), len(X)), dtype=bool)
    reach[0] = True
    for node, split in enumerate(splits):
        if split is not None:
            side = split.route(columns)
            for k in (0, 1):
                reach[first_child[node] + k] = reach[node] & (side == k)
    n = reach.sum(axis=1).astype(float)
    if hasattr(estimator, "classes_"):
        value = np.array([np.bincount(codes[rows], minlength=codes.max() + 1) for rows in reach], dtype=float)
    else:
        value = np.array([[np.asarray(y)[rows].mean()] for rows in reach])
    estimator.tree_ = Tree.from_nodes(splits, first_child, value, n, n, np.zeros(len(n)), X.shape[1], 0)
    return estimator, X, y


def irises(threshold=4.0):
    data = load_iris(as_frame=True)
    splits = [Hyperplane([2], [1.0], 2.45), None, Hyperplane([0, 2, 3], [-0.5, 1.0, 1.0], threshold - 0.85), None, None]
    return planted(
        askew.CARTClassifier(max_depth=1), data.data, data.target_names[data.target], splits, [1, 0, 3, 0, 0]
    )


def diabetes():
    data = load_diabetes(as_frame=True, scaled=False)
    splits = [Hyperplane([2, 3, 8], [1.0, 0.1, 10.0], 84.0), Hyperplane([2], [-1.0], -23.0), None, None, None]
    return planted(askew.CARTRegressor(max_depth=1), data.data, data.target, splits, [1, 3, 0, 0, 0])


def partition(**which):
    figure, ax = plt.subplots(figsize=(5, 4))
    askew.plot_partition(*irises(), ax=ax, **which)
    ax.get_legend().remove()  # its size depends on text
    return figure


def node(model, number):
    estimator, X, y = model
    figure = askew.plot_node(estimator, number, X, y, figure=plt.figure(figsize=(6, 5)))
    for ax in figure.axes:
        if ax.get_legend() is not None:
            ax.get_legend().remove()
    return figure


PICTURES = {
    "tree_of_classes": lambda: askew.plot_tree(*irises()).figure,
    "tree_without_rows": lambda: askew.plot_tree(irises()[0]).figure,
    "tree_of_numbers": lambda: askew.plot_tree(*diabetes()).figure,
    "node_of_classes": lambda: node(irises(), 2),
    "node_of_numbers": lambda: node(diabetes(), 0),
    "partition_of_directions": partition,
    "partition_of_features": lambda: partition(features=[2, 3]),
}


def draw(name, path):
    mpl.use("Agg")
    with mpl.rc_context(mpl.rcParamsDefault | {"backend": "agg"}):
        figure = PICTURES[name]()
        for text in figure.findobj(Text):
            text.set_alpha(0.0)
        figure.savefig(path, dpi=DPI, metadata={"Software": None})
        plt.close("all")


@pytest.mark.extended
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_stored_one(name, tmp_path):
    draw(name, tmp_path / "drawn.png")
    assert compare_images(str(BASELINE / f"{name}.png"), str(tmp_path / "drawn.png"), TOLERANCE) is None


def test_another_threshold_is_another_picture(tmp_path, monkeypatch):
    monkeypatch.setitem(PICTURES, "other", lambda: askew.plot_tree(*irises(4.5)).figure)
    draw("other", tmp_path / "drawn.png")
    assert compare_images(str(BASELINE / "tree_of_classes.png"), str(tmp_path / "drawn.png"), TOLERANCE) is not None


def test_the_stored_pictures_are_few_and_small():
    stored = list(BASELINE.glob("*.png"))
    assert {path.stem for path in stored} == set(PICTURES)
    assert sum(path.stat().st_size for path in stored) < 300_000


if __name__ == "__main__":
    BASELINE.mkdir(exist_ok=True)
    for each in sys.argv[1:] or PICTURES:
        draw(each, BASELINE / f"{each}.png")
