import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import askew


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_all_that_was_tried_is_drawn_and_the_choice_is_named():
    tree = askew.AutoTreeClassifier(effort="low", random_state=0).fit(*load_iris(return_X_y=True))
    ax = askew.plot_front(tree)
    dots, records = ax.collections[0].get_offsets(), tree.selection_.records
    assert dots[:, 0].tolist() == [record.leaves for record in records]
    assert dots[:, 1].tolist() == [record.mean for record in records]
    named = [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]
    assert named[0].startswith(tree.selection_.chosen.recipe)
    assert len(set(named)) > 1
    assert [text.get_text() for text in ax.texts] == [str(k + 1) for k in range(len(named))]
    front = ax.lines[0].get_xydata()
    assert (np.diff(front, axis=0) > 0).all()  # larger trees on it are better
    assert "accuracy" in ax.get_ylabel()


def test_numbers_have_r_squared_and_the_axes_are_those_given():
    X, y = load_diabetes(return_X_y=True)
    tree = askew.AutoTreeRegressor(effort="low", candidates=["axis"], max_leaves=4, random_state=0).fit(X, y)
    _, ax = plt.subplots()
    assert askew.plot_front(tree, ax=ax) is ax
    assert "R²" in ax.get_ylabel()


def test_a_tree_without_a_choice_is_refused():
    with pytest.raises(ValueError, match="AutoTreeClassifier"):
        askew.plot_front(askew.CARTClassifier().fit([[1.0], [2.0]], [0, 1]))
