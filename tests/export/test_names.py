import json

import numpy as np
import pandas as pd
import pytest
from handmade import with_tree
from matplotlib import pyplot as plt

import askew
from askew.data.encoder import Encoder
from askew.export.names import Columns, distinct
from askew.model.split import CategoryTable, Hyperplane
from askew.model.tree import Tree
from askew.plot.palette import colours, tint

ENCODER = Encoder((None, ("blue", "green", "red", None), ("no\n", "yes")))
COLUMNS = Columns(["size", "colour", "ok"], ENCODER)
FRAME = pd.DataFrame(
    {
        "size": [1.0, 2, 3, 4, 5, 6],
        "colour": ["red", "blue", "green", "red", "blue", "green"],
        "w": [3.0, 1, 2, 6, 5, 4],
    }
)
Y = np.array(["a", "b", "a", "a", "b", "b"])


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def stump(split, n_features):
    return Tree.from_nodes(
        [split, *[None] * split.n_children],
        [1, *[0] * split.n_children],
        value=np.ones((split.n_children + 1, 2)),
        n_samples=np.ones(split.n_children + 1),
        mass=np.ones(split.n_children + 1),
        impurity=np.zeros(split.n_children + 1),
        n_features=n_features,
        n_hyperplanes=1,
    )


def part(features, weights):
    return np.array(features), weights


def test_columns_are_named_by_feature_and_category():
    assert COLUMNS.names == [
        "size",
        "colour=blue",
        "colour=green",
        "colour=red",
        "colour=(missing)",
        "ok=no\\n",
        "ok=yes",
    ]


@pytest.mark.parametrize(
    ("features", "weights", "threshold", "said"),
    [
        ([3], [1.0], 0.5, "not colour=red"),
        ([3], [-1.0], -0.5, "colour=red"),
        ([3], [-2.0], -1.0, "colour=red"),
        ([1, 2, 3], [-1.0, 0.5, 1.5], 0.7, "not colour=red"),
        ([1, 2, 3], [-1.0, 0.5, 1.5], 0.2, "colour not in {green, red}"),
        ([1, 2, 3], [-1.0, -0.5, 1.5], -0.2, "colour in {blue, green}"),
        ([4], [1.0], 0.5, "not colour=(missing)"),
        ([3], [1.0], 1.0, None),
        ([0], [1.0], 0.5, None),
        ([3, 6], [1.0, 1.0], 0.5, None),
    ],
)
def test_a_test_of_one_feature_tells_which_categories_go_left(features, weights, threshold, said):
    assert COLUMNS.choice(*part(features, weights), threshold) == said


def test_the_categories_of_a_feature_are_one_term_of_a_sum():
    features, weights = part([0, 1, 2, 3, 6], [0.5, -1.25, 0.0, 2.0, 3.0])
    terms = COLUMNS.terms(features, weights)
    assert [(term.name, term.weight, term.indices) for term in terms] == [
        ("size", 0.5, [0]),
        ("colour{blue: -1.25, red: 2}", 1.0, [1, 3]),
        ("ok=yes", 3.0, [4]),
    ]


@pytest.mark.parametrize("n", [2, 4])
def test_names_are_those_of_the_data_and_are_counted(n):
    tree = askew.CARTClassifier().fit(FRAME, Y)
    with pytest.raises(ValueError, match=f"feature_names must have 3 names, got {n}"):
        askew.export_text(tree, feature_names=list("abcd")[:n])
    assert "if not hue=blue" in askew.export_text(tree, feature_names=["a", "hue", "c"])


def test_text_speaks_of_categories():
    model = askew.ObliqueTreeClassifier(max_depth=1).fit(FRAME, Y)
    model.tree_ = stump(Hyperplane([0, 1, 3], [0.5, 1.0, -2.0], 0.25), 5)
    assert "if 0.5 size + colour{blue: 1, red: -2} <= 0.25" in askew.export_text(model)
    model.tree_ = stump(Hyperplane([0, 3], [0.5, -2.0], 0.25), 5)
    assert "if 0.5 size - 2 colour=red <= 0.25" in askew.export_text(model)


def words(ax):
    """The texts of a picture, however their lines are broken."""
    return [" ".join(text.get_text().split()) for text in ax.texts]


def test_category_tables_name_their_categories():
    model = with_tree(stump(CategoryTable(1, [0, 1, 0], default=1), 2))
    model.encoder_ = Encoder((None, ("blue", "green", "red")), onehot=False)
    model.feature_names_in_ = np.array(["size", "colour"], dtype=object)
    text = askew.export_text(model)
    assert "where colour is blue or red" in text
    assert "where colour is green or any other" in text
    drawn = words(askew.plot_tree(model))
    assert {"colour = ?", "blue or red", "green or any other"} <= set(drawn)


def test_drawn_trees_speak_of_categories():
    drawn = words(askew.plot_tree(askew.CARTClassifier().fit(FRAME, Y)))
    assert "not colour=blue" in drawn
    model = askew.ObliqueTreeClassifier(max_depth=1).fit(FRAME, Y)
    model.tree_ = stump(Hyperplane([0, 1, 3], [0.5, 1.0, -2.0], 0.25), 5)
    assert "0.5 size + colour{blue: 1, red: -2} ≤ 0.25" in " ".join(words(askew.plot_tree(model)))


@pytest.mark.parametrize("cls", [askew.CARTClassifier, askew.HHCARTClassifier], ids=lambda cls: cls.__name__)
def test_a_partition_holds_other_features_at_their_most_frequent_category(cls):
    frame = pd.concat([FRAME, FRAME[FRAME["colour"] == "red"]])
    y = np.append(Y, ["a", "a"])
    model = cls().fit(frame, y)
    drawn = askew.plot_partition(model, frame, y, features=["size", "w"]).collections[0]
    assert drawn.get_paths()
    for path, colour in zip(drawn.get_paths(), drawn.get_facecolor(), strict=True):
        size, w = path.vertices[:-1].mean(axis=0)  # regions are convex
        at = pd.DataFrame({"size": [size], "colour": ["red"], "w": [w]})
        assert tuple(colour[:3]) == pytest.approx(shade(model.predict(at)[0]))


def test_a_drawn_categorical_feature_has_its_categories_on_the_axis():
    model = askew.CARTClassifier().fit(FRAME, Y)
    ax = askew.plot_partition(model, FRAME, Y, features=["size", "colour"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["blue", "green", "red"]
    assert ax.get_ylim() == (-0.5, 2.5)
    picture = ax.images[0].get_array()
    left, right, low, high = ax.images[0].get_extent()
    at = FRAME.assign(w=FRAME["w"].mean())
    for size, colour, label in zip(at["size"], at["colour"], model.predict(at), strict=True):
        row = int((["blue", "green", "red"].index(colour) - low) / (high - low) * picture.shape[0])
        column = int((size - left) / (right - left) * picture.shape[1])
        assert tuple(picture[row, column]) == pytest.approx(shade(label))


def shade(label):
    return tint(colours(2)[["a", "b"].index(label)], 0.3)


def test_columns_that_would_be_written_alike_are_told_apart():
    columns = Columns(["colour=red", "colour"], Encoder((None, ("blue", "red"))))
    assert columns.names == ["colour=red", "colour=blue", "colour=red (2)"]
    codes = Columns(["a"], Encoder(((1, "1", "(missing)", None),), onehot=False))
    assert codes.codes(0, 4) == ["1", "1 (2)", "(missing)", "(missing) (2)"]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["a", "a (2)", "a", "a"], ["a", "a (2)", "a (3)", "a (4)"]),
        (["a", "a", "a (2)"], ["a", "a (2)", "a (2) (2)"]),
        (["\n", "\\n"], ["\\n", "\\n (2)"]),
    ],
)
def test_equal_names_are_numbered(names, found):
    assert distinct(names) == found


def test_a_weight_is_not_lost_where_two_columns_have_one_name():
    X = pd.DataFrame({"colour=red": [0.0, 1.0, 2.0, 3.0] * 3, "colour": ["red", "blue", "red", "blue"] * 3})
    model = with_tree(stump(Hyperplane([0, 2], [1.5, 2.5], 0.5), 3), X, ["no", "yes"] * 6)
    test = json.loads(askew.export_json(model))["nodes"][0]["test"]
    assert test["columns"] == ["colour=red", "colour=red (2)"]
    assert test["weights"] == [1.5, 2.5]
