"""The printed tree is the model: read back and applied to the rows of `fit`, it sends each to its leaf."""

import numpy as np
import pandas as pd
import pytest
from printed_reader import Reader
from registry import CLASSIFIERS, REGRESSORS, accepts, quick
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_regression

import askew
from askew import export_rules, export_text
from askew.network import RuleNetwork
from askew.one_vs_rest import OneVsRest
from askew.split import LINEAR_MACHINE

SLOW = {"CARTELCClassifier", "CARTELCRegressor", "APDTClassifier", "LMDTClassifier", "HHCARTClassifier"}


def reader(model, X):
    """The rows as the tree sees them, by name."""
    columns = model.encoded(X)
    encoder = model.encoder_
    names = [f"x{j}" for j in range(model.n_features_in_)]
    names = list(getattr(model, "feature_names_in_", names))
    features = {}
    if encoder is not None:
        for j, labels in enumerate(encoder.categories):
            if labels is not None:
                given = X.iloc[:, j].astype(object)
                features[names[j]] = np.array(["(missing)" if v is None or v != v else str(v) for v in given])
        names = encoder.names(names)
    return Reader(dict(zip(names, columns.T, strict=True)), features)


def strays(model, X):
    """How many rows the text and the rules send elsewhere."""
    rows, wrong = reader(model, X), 0
    text = export_text(model)
    tree = model.tree_
    if isinstance(tree, OneVsRest):
        parts = text.split(" against the rest\n")[1:]
        for one, part in zip(tree.trees, parts, strict=True):
            part = part.rsplit("\n", 1)[0] if part is not parts[-1] else part
            wrong += int((numbered(one, one.apply(model.encoded(X))) != rows.leaves(part)).sum())
        return wrong
    if isinstance(tree, RuleNetwork):
        return int((rows.regions(text) != model.apply(X)).sum())
    leaf = numbered(tree, model.apply(X))
    wrong += int((rows.leaves(text) != leaf).sum())
    if not (tree.kind == LINEAR_MACHINE).any() and not rows.features:
        held = rows.rules(export_rules(model))
        assert (held.sum(axis=0) == 1).all()
        wrong += int((held.argmax(axis=0) != leaf).sum())
    return wrong


def numbered(tree, leaf):
    """The number of each leaf among those that are printed, from left to right."""
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        if tree.is_leaf[node]:
            order.append(node)
        first = int(tree.first_child[node])
        stack += reversed(range(first, first + int(tree.n_children[node])))
    place = np.empty(tree.node_count, dtype=int)
    place[order] = np.arange(len(order))
    return place[leaf]


def small(cls, **parameters):
    """An estimator that is quick on some hundred rows."""
    if accepts(cls, max_candidates=1):
        parameters["max_candidates"] = 500
    return quick(cls, random_state=0, **parameters)


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits], ids=lambda f: f.__name__)
def test_no_row_of_a_classification_goes_elsewhere(cls, load):
    X, y = load(return_X_y=True)
    if load is load_digits:
        X, y = X[:400], y[:400]
    assert strays(small(cls, max_depth=4).fit(X, y), X) == 0


@pytest.mark.parametrize("cls", REGRESSORS, ids=lambda cls: cls.__name__)
def test_no_row_of_a_regression_goes_elsewhere(cls):
    X, y = make_regression(200, 6, noise=5.0, random_state=1)
    assert strays(small(cls, max_depth=5).fit(1000 + X, y), 1000 + X) == 0


def mixed_frame(missing):
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 200))
    colour, size = rng.choice(["red", "green", "blue"], 200), rng.choice(["s", "m", "l", "xl"], 200)
    y = np.array(["no", "perhaps", "yes"])[(a > 0).astype(int) + ((colour == "red") | (b > 0.5))]
    frame = pd.DataFrame({"a": a, "b": b, "colour": colour, "size": size})
    return (frame.mask(rng.random(frame.shape) < 0.1) if missing else frame), y


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("cls", [c for c in CLASSIFIERS if "C45" not in c.__name__ and "ID3" not in c.__name__])
def test_no_row_of_categories_goes_elsewhere(cls, missing):
    X, y = mixed_frame(missing)
    model = small(cls, max_depth=4, missing="mean").fit(X, y)
    assert strays(model, X) == 0


@pytest.mark.parametrize("encoding", ["onehot", "crimcoord"])
def test_no_row_goes_elsewhere_with_either_encoding(encoding):
    X, y = mixed_frame(missing=False)
    model = askew.OC1Classifier(categorical_encoding=encoding, pruning=None, random_state=0).fit(X, y)
    assert strays(model, X) == 0


def test_no_complete_row_goes_elsewhere_in_a_tree_of_parts_of_rows():
    X, y = mixed_frame(missing=True)
    model = askew.C45Classifier(pruning=None).fit(X, y)
    whole = X.notna().all(axis=1).to_numpy()
    assert strays(model, X[whole]) == 0
    for column in ("a", "b"):  # what is missing elsewhere does not matter where it is not tested
        only = X.notna()[["a", "b"]].all(axis=1)
        numbers = askew.C45Classifier(pruning=None).fit(X[["a", "b"]], y)
        assert strays(numbers, X[["a", "b"]][only]) == 0, column


def test_no_row_goes_elsewhere_in_a_network_and_in_trees_of_each_class():
    X, y = load_iris(return_X_y=True)
    network = askew.OC1Classifier(pruning=askew.GAPruner(n_units=2), random_state=0).fit(X, y)
    assert isinstance(network.tree_, RuleNetwork)
    assert strays(network, X) == 0
    each = askew.APDTClassifier(multiclass="one_vs_rest", random_state=0).fit(X, y)
    assert strays(each, X) == 0


NASTY = {
    "collinear": lambda a, b: np.column_stack([a, 2 * a + 1e-9 * b, a + b]),
    "huge and tiny": lambda a, b: np.column_stack([1e12 * a, 1e-9 * b, 1e5 + a]),
    "far from zero": lambda a, b: np.column_stack([1e6 + a, 2e6 + b, a - b]),
    "few values": lambda a, b: np.column_stack([np.rint(a), np.rint(b), np.rint(a + b)]),
    "close together": lambda a, b: np.column_stack([1 + 1e-12 * a, 1 + 1e-13 * b, a * 1e-14]),
}


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("cls", ["CARTClassifier", "OC1Classifier", "CEDTClassifier", "LMDTClassifier"])
def test_no_row_of_awkward_data_goes_elsewhere(name, cls):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 150))
    X, y = NASTY[name](a, b), (a + 0.5 * b + 0.2 * rng.normal(size=150) > 0).astype(int) + (b > 1)
    assert strays(small(getattr(askew, cls), pruning=None, max_depth=6).fit(X, y), X) == 0


@pytest.mark.parametrize("cls", ["OC1Regressor", "CARTRegressor"])
def test_a_printed_tree_is_the_same_after_a_file_a_pickle_and_a_copy(cls, tmp_path):
    X, y = make_regression(150, 4, noise=20.0, random_state=2)
    model = getattr(askew, cls)(random_state=0, max_depth=4, pruning=None).fit(X, y)
    askew.save(model, tmp_path / "m.askew")
    assert export_text(askew.load(tmp_path / "m.askew")) == export_text(model)
    assert is_classifier(model) is False
