from collections import defaultdict
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from sklearn.datasets import make_classification

import askew
from askew.datasets import load, make_pol, make_rcb
from askew.export.formatting import shortest
from askew.export.wording import Wording
from askew.model.split import Hyperplane
from askew.model.tree import Tree
from askew.plot.palette import plain_colours


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture
def iris():
    return load("iris")


def test_a_tree_shows_its_inequalities_and_its_leaves(iris):
    tree = askew.CARTClassifier(max_depth=2).fit(iris.X, iris.y)
    shown = texts(askew.plot_tree(tree))
    assert "petal length (cm) ≤ 2.45" in shown
    assert shown[shown.index("setosa") :][:2] == ["setosa", "n = 50"]
    assert shown[shown.index("versicolor") :][:2] == ["versicolor", "n = 54, 91%"]


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
    in_boxes = [text for text in shown if not text.endswith("_of_a_class")]  # the legend has whole names
    assert max(map(len, in_boxes)) <= 45


def boxes_and_texts(ax):
    """The boxes of a picture, and its texts, as they are drawn now, in pixels."""
    ax.figure.canvas.draw()
    return [box.get_window_extent() for box in ax.patches], [text.get_window_extent() for text in ax.texts]


def holds(box, text, room=0.5):
    return box.x0 - room <= text.x0 < text.x1 <= box.x1 + room and box.y0 - room <= text.y0 < text.y1 <= box.y1 + room


def fits(ax):
    """Assert that each text is inside a box or outside of all, and inside the figure, and that none overlap."""
    boxes, written = boxes_and_texts(ax)
    assert boxes
    for i, text in enumerate(written):
        assert holds(ax.figure.bbox, text)
        assert all(holds(box, text) or not box.overlaps(text) for box in boxes), ax.texts[i].get_text()
        inner = text.padded(-0.5)
        touching = [ax.texts[j].get_text() for j in range(i) if inner.overlaps(written[j].padded(-0.5))]
        assert not touching, (ax.texts[i].get_text(), touching)
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


LONG = [f"average {what} in year {k}" for k in range(10) for what in ("number of open accounts", "delay", "balance")]


@pytest.fixture(scope="module")
def thirty():
    X, y = make_classification(1500, 30, n_informative=10, n_classes=4, random_state=0)
    names = np.array(["never paid late", "paid late", "paid very late", "did not pay"])
    return pd.DataFrame(X, columns=LONG), names[y]


def with_leaves(n, X, y):
    tree = askew.ObliqueTreeClassifier(search="linear", max_leaf_nodes=n, pruning=None, random_state=0).fit(X, y)
    assert tree.get_n_leaves() == n
    return tree


@pytest.mark.extended
@pytest.mark.parametrize("n", [5, 15, 40])
@pytest.mark.parametrize("rows", [True, False])
def test_trees_of_thirty_long_names_stay_legible(thirty, n, rows):
    tree = with_leaves(n, *thirty)
    ax = askew.plot_tree(tree, *thirty if rows else ())
    fits(ax)
    assert sum(text.startswith("n = ") for text in texts(ax)) >= n
    assert min(text.get_fontsize() for text in ax.texts) >= 4  # at the size of a poster, at most 40 inches
    assert any(text.startswith("+ ") and " more" in text for text in texts(ax)) or not rows


def test_every_text_fits_into_its_box(iris):
    X = iris.X.rename(columns=lambda name: f"the {name} of the flower")
    tree = askew.LMDTClassifier(random_state=0).fit(X, iris.y)
    fits(askew.plot_tree(tree))
    fits(askew.plot_tree(tree, X, iris.y))


@pytest.mark.extended
@pytest.mark.parametrize("size", [(3, 2), (2, 5), (12, 9)])
def test_a_tree_fits_into_given_axes_of_any_size_also_when_it_changes(iris, size):
    figure, ax = plt.subplots(figsize=size, dpi=200)
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
    root = " ".join(shown).split("the largest of ")[1]
    assert root.startswith("1: ")
    assert all(f" {k}: " in root for k in (2, 3))
    assert "petal" in root
    assert {"1", "2", "3"} <= set(shown)


def large_tree():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    return askew.CARTClassifier().fit(X, np.random.default_rng(1).integers(0, 3, 3000))


def test_of_a_tree_of_many_leaves_the_upper_part_is_drawn_with_a_note():
    tree = large_tree()
    ax = askew.plot_tree(tree)
    assert 30 < sum("n = " in text for text in texts(ax)) <= 60
    note = " ".join(texts(ax))
    assert "drawn to depth " in note
    assert f"of {tree.get_depth()}: " in note
    assert f" of {tree.get_n_leaves()} leaves; max_depth draws more" in note


def test_a_depth_that_is_asked_for_is_drawn():
    ax = askew.plot_tree(large_tree(), max_depth=9)
    assert sum("n = " in text for text in texts(ax)) > 60
    assert "draws more" not in " ".join(texts(ax))


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
    assert {"c ≤ 2.45", "$x$", "n = 50"} <= set(shown)
    with pytest.raises(ValueError, match="feature_names must have 4 names, got 2"):
        askew.plot_tree(tree, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="class_names must have 3 names, got 2"):
        askew.plot_tree(tree, class_names=["a", "b"])


# --- with rows


def bars(ax):
    """The bars of all histograms and shares: their left and right ends, heights and colours."""
    collection = max(of(ax, PolyCollection), key=lambda c: c.get_zorder() == 3)
    shapes = [path.vertices[:4] for path in collection.get_paths()]
    return [
        (v[:, 0].min(), v[:, 0].max(), np.ptp(v[:, 1]), tuple(colour))
        for v, colour in zip(shapes, collection.get_facecolor(), strict=True)
    ]


def of(ax, kind):
    return [c for c in ax.collections if type(c) is kind]


def test_a_node_shows_how_its_rows_are_distributed(iris):
    tree = askew.CARTClassifier(max_depth=1).fit(iris.X, iris.y)
    ax = askew.plot_tree(tree, iris.X, iris.y)
    assert {"petal length (cm) ≤ 2.45", "≤ 2.45", "n = 150", "n = 50", "n = 100, 50%"} <= set(texts(ax))
    line = of(ax, PolyCollection)[-1].get_paths()  # of lines: the histogram's axis and its threshold
    threshold = line[1].vertices[:4, 0].mean()
    blue = tuple(to_rgba(plain_colours(3)[0]))
    setosa = [bar for bar in bars(ax) if bar[3] == blue and bar[2] != 8]
    histogram = [bar for bar in setosa if bar[1] - bar[0] < 12]
    assert histogram
    assert all(right < threshold for _, right, _, _ in histogram)  # all of its rows go to the left


def test_counts_are_those_of_the_rows_that_are_given(iris):
    tree = askew.CARTClassifier(max_depth=1).fit(iris.X, iris.y)
    shown = texts(askew.plot_tree(tree, iris.X[::10], iris.y[::10]))
    assert {"n = 15", "n = 5", "n = 10, 50%"} <= set(shown)
    empty = texts(askew.plot_tree(tree, iris.X[:20], iris.y[:20]))
    assert {"n = 20", "n = 0"} <= set(empty)


def test_weights_are_shown_in_the_units_of_the_data_and_as_shares(iris):
    tree = with_leaves(3, iris.X, iris.y)
    shown = texts(askew.plot_tree(tree, iris.X, iris.y))
    node = int(np.diff(tree.tree_.weight_start).argmax())
    kept, _ = Wording.of(tree.fitted_model()).parts(node)
    assert len(kept) > 1
    assert sum(part.share for part in kept) == pytest.approx(1)
    for part in kept:
        assert part.term.name in shown
        assert f"{100 * part.share:.0f}%" in shown
        assert shortest(part.term.weight, "\N{MINUS SIGN}") in shown


def test_wider_ribbons_carry_more_rows(iris):
    tree = askew.CARTClassifier(max_depth=1).fit(iris.X, iris.y)
    ribbons = min(of(askew.plot_tree(tree, iris.X, iris.y), PolyCollection), key=lambda c: c.get_zorder())
    left, right = (np.ptp(path.vertices[[0, -2], 0]) for path in ribbons.get_paths())
    assert right == pytest.approx(2 * left)  # 100 rows, and 50


def test_leaves_of_numbers_show_their_distribution():
    X = np.random.default_rng(0).uniform(size=(200, 2))
    y = np.where(X[:, 0] > 0.5, 10, 1) * X[:, 1]
    tree = askew.CARTRegressor(max_depth=2).fit(X, y)
    plain, drawn = askew.plot_tree(tree), askew.plot_tree(tree, X, y)
    assert len(bars(drawn)) > len(bars(plain)) + 4 * tree.get_n_leaves()
    fits(drawn)


def test_categories_and_missing_values_are_drawn():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=90), "colour": np.array(["red", "blue", "green"])[np.arange(90) % 3]})
    y = np.where(X["colour"] == "red", "a", np.where(X["size"] > 0, "b", "c"))
    X.loc[::9, "size"] = np.nan
    for cls in (askew.C45Classifier, askew.CARTClassifier):
        ax = askew.plot_tree(cls(missing="fractional" if cls is askew.C45Classifier else "mean").fit(X, y), X, y)
        fits(ax)
        assert any("colour" in text for text in texts(ax))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0, 0.0]], None, "X and y are needed together"),
        ([[0.0, 0.0]], [0, 1], "inconsistent numbers of samples"),
        ([[0.0, 0.0]], [7], "classes that the tree does not know: 7"),
        ([[0.0]], [1], "features"),
    ],
)
def test_rows_that_do_not_belong_to_the_tree_are_refused(X, y, message):
    tree = askew.CARTClassifier().fit(*make_pol(n=50, random_state=0))
    with pytest.raises(ValueError, match=message):
        askew.plot_tree(tree, X, y)


def test_huge_values_are_drawn():
    X = np.array([[-1.7e308], [1.7e308], [0.0], [1e300]])
    tree = askew.CARTClassifier().fit(X, [0, 1, 0, 1])
    fits(askew.plot_tree(tree, X, [0, 1, 0, 1]))
