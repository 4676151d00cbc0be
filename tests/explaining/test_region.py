import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree, mixed_tree, tree_of
from registry import CLASSIFIERS, accepts, quick
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import NotFittedError

import askew
from askew.model.split import Hyperplane


def leaves_of(tree):
    return np.flatnonzero(tree.is_leaf).tolist()


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_every_row_is_in_the_region_of_its_leaf_and_in_no_other(cls):
    X, y = load_wine(return_X_y=True)
    effort = {"max_candidates": 300} if accepts(cls, max_candidates=1) else {}
    model = quick(cls, random_state=0, **effort).fit(X, y)
    # Rows between and beyond those of the data, too.
    rng = np.random.default_rng(0)
    rows = np.vstack([X, rng.normal(X.mean(axis=0), 2 * X.std(axis=0), (500, X.shape[1]))])
    leaf = model.apply(rows)
    for one in leaves_of(model.tree_):
        assert (askew.region(model, one).holds(rows) == (leaf == one)).all()
        assert (askew.region(model, one, reduced=False).holds(rows) == (leaf == one)).all()


def test_linear_constraints_say_the_same():
    X, y = load_breast_cancer(return_X_y=True)
    model = askew.OC1Classifier(random_state=0, pruning=None).fit(X, y)
    leaf = model.apply(X)
    for one in leaves_of(model.tree_):
        A, b, strict = askew.region(model.tree_, one).matrix()
        sums = X @ A.T
        inside = ((sums < b) | ((sums == b) & ~strict)).all(axis=1)
        assert (inside == (leaf == one)).all()
        assert A.shape == (b.size, X.shape[1])
        assert strict.dtype == bool


def test_a_linear_machine_gives_an_inequality_for_every_other_child():
    region = askew.region(mixed_tree(), 5)
    assert [one.relation for one in region.inequalities] == ["<=", ">", ">"]
    assert [str(one) for one in region.inequalities] == ["x0 - 2 x1 <= 0.5", "-x0 - x2 > -0.5", "x0 - 1.5 x2 > -0.25"]
    first = askew.region(mixed_tree(), 3)
    assert [one.relation for one in first.inequalities] == ["<=", ">=", ">="]  # ties go to the first


def test_codes_of_categories_are_choices_and_no_linear_constraints():
    tree = mixed_tree()
    region = askew.region(tree, 7)
    assert str(region) == "x0 - 2 x1 > 0.5 and x2 is any other"
    assert (region.choices[0].codes, region.choices[0].refused, region.choices[0].others) == ((), (0, 1, 2), True)
    rows = np.array([[9.0, 0.0, code] for code in (0, 1, 2, 3, -1)])
    for leaf in (6, 7, 8):
        assert (askew.region(tree, leaf).holds(rows) == (tree.apply(rows) == leaf)).all()
    with pytest.raises(ValueError, match="categorical codes cannot be written as linear constraints: x2 is any other"):
        region.matrix()


def test_names_and_categories_are_those_of_the_data():
    X = pd.DataFrame({"size": np.arange(40.0), "colour": ["red", "blue"] * 20})
    y = np.where((X["colour"] == "red") & (X["size"] > 20), "yes", "no")
    model = askew.CARTClassifier(pruning=None).fit(X, y)
    leaf = int(model.apply(X)[30])
    region = askew.region(model, leaf)
    assert set(map(str, region.inequalities)) == {"size > 21.5", "not colour=blue"}
    assert {one.names for one in region.inequalities} == {("size",), ("colour=blue",)}
    assert region.columns == ("size", "colour=blue", "colour=red")
    assert region.holds(model.encoded(X)).tolist() == (y == "yes").tolist()


def test_what_follows_from_the_rest_is_left_out():
    # x0 <= 5, then x0 <= 3, then x0 + x1 <= 2, then x1 <= -1: of these, x0 + x1 <= 2 follows from the others.
    splits = [
        Hyperplane([0], [1.0], 5.0),
        Hyperplane([0], [1.0], 3.0),
        None,
        Hyperplane([0, 1], [1.0, 1.0], 3.0),
        None,
        Hyperplane([1], [1.0], -1.0),
        None,
        None,
        None,
    ]
    tree = tree_of(splits, [1, 3, 0, 5, 0, 7, 0, 0, 0], [[1, 1]] * 9, 2)
    assert str(askew.region(tree, 7)) == "x0 <= 3 and x1 <= -1"
    assert str(askew.region(tree, 7, reduced=False)) == "x0 <= 3 and x0 + x1 <= 3 and x1 <= -1"
    assert str(askew.region(tree, 8)) == "x0 <= 3 and x0 + x1 <= 3 and x1 > -1"
    assert str(askew.region(tree, 2)) == "x0 > 5"


def test_a_deep_chain_has_an_interval():
    tree = chain_tree(20_000)
    region = askew.region(tree, tree.node_count - 2)
    assert str(region) == "x0 > 19998 and x0 <= 19999"


def test_a_tree_of_one_leaf_is_everywhere():
    X, _ = load_iris(return_X_y=True)
    region = askew.region(askew.CARTClassifier().fit(X, np.zeros(150)), 0)
    assert str(region) == "always"
    assert region.matrix().A.shape == (0, 4)
    assert region.holds(X).all()


@pytest.mark.parametrize("leaf", [0, -1, 99, 1.0, "1", True, None])
def test_what_is_no_leaf_is_refused(leaf):
    X, y = load_iris(return_X_y=True)
    model = askew.CARTClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match=r"leaf must be the number of a leaf \(1, 3, 4\). Got "):
        askew.region(model, leaf)


def test_what_has_no_single_tree_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotFittedError):
        askew.region(askew.CARTClassifier(), 1)
    each = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="region takes a single tree: this APDTClassifier has none"):
        askew.region(each, 1)
