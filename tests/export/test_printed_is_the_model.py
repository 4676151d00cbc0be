"""The printed tree is the model: read back and applied to the rows of `fit`, it sends each to its leaf."""

import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from handmade import tree_of, with_tree
from printed_reader import Reader, joined
from registry import CLASSIFIERS, REGRESSORS, accepts, quick
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_regression

import askew
from askew import export_rules, export_text
from askew.data.read import read_training
from askew.model.digits.shorten import display_digits
from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.split import LINEAR_MACHINE, Hyperplane


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
        X, y = X[:200], y[:200]
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
    network = askew.OC1Classifier(pruning=askew.prune.GeneticAlgorithm(n_units=2), random_state=0).fit(X, y)
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
    for other in (askew.load(tmp_path / "m.askew"), pickle.loads(pickle.dumps(model)), deepcopy(model)):
        for decimals in (None, 1):
            assert export_text(other, decimals=decimals) == export_text(model, decimals=decimals)


@pytest.mark.parametrize("cls", ["CARTClassifier", "OC1Classifier", "LMDTClassifier"])
def test_the_share_that_is_noted_is_that_of_the_rows_that_go_elsewhere(cls):
    X, y = load_wine(return_X_y=True)
    model = small(getattr(askew, cls), pruning=None).fit(X, y)
    leaf, rows = numbered(model.tree_, model.apply(X)), reader(model, X)
    seen = []
    for decimals in range(21):
        text = export_text(model, decimals=decimals)
        share = np.mean(rows.leaves(text) != leaf)
        note = text.splitlines()[-1]
        seen.append(share)
        if share:
            assert note.startswith(f"rounded to {decimals} decimal")
            assert f": {100 * share:.1f}% of the training rows take another path" in note
        else:
            assert not note.startswith("rounded")
    assert seen[0] > 0
    assert text == export_text(model)


def test_fewer_decimals_than_needed_are_noted_in_every_export():
    X, y = load_wine(return_X_y=True)
    model = small(askew.OC1Classifier, pruning=None).fit(X, y)
    note = export_text(model, decimals=1).splitlines()[-1]
    assert note.startswith("rounded to 1 decimal: ")
    assert export_rules(model, decimals=1).splitlines()[-1] == note
    assert note in askew.export_dot(model, decimals=1)
    drawn = [text.get_text() for text in askew.plot_tree(model, decimals=1).get_children() if is_text(text)]
    assert note in " ".join(drawn)
    assert "rounded to" not in askew.export_dot(model)


def is_text(artist):
    return hasattr(artist, "get_text")


def test_without_a_record_a_rounded_tree_says_that_it_is_rounded():
    X, y = load_wine(return_X_y=True)
    tree = askew.CARTClassifier().fit(X, y).tree_
    assert export_text(tree, decimals=1).endswith("rounded to 1 decimal: rows near a plane may take another path")
    assert "rounded" not in export_text(tree)


def test_a_tree_that_is_pruned_or_refined_afterwards_is_printed_as_it_is_then():
    X, y = load_wine(return_X_y=True)
    model = askew.CARTClassifier(max_leaf_nodes=4).fit(X, y)
    refined = askew.refine(model, X, y)
    assert strays(refined, X) == 0
    assert refined.display_.printed[0].digits.max() > 0
    whole = askew.OC1Classifier(pruning=None, random_state=0).fit(X, y)
    assert strays(whole.pruned("cost_complexity", X, y), X) == 0
    assert strays(whole.pruned(askew.prune.GeneticAlgorithm(n_units=2), X, y), X) == 0


def printed_by(tree, display):
    model = with_tree(tree)
    model.display_ = display
    return model


def test_weights_that_do_nothing_are_not_printed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = (X[:, 0] - X[:, 1] > 0).astype(int)
    tree = tree_of(
        [Hyperplane([0, 1, 2], [0.7, -0.7, 1.35e-20], 0.0), None, None], [1, 0, 0], [[2, 1], [2, 0], [0, 1]], 3
    )
    _, table = read_training(askew.CARTClassifier(), X, y, None)
    shown = export_text(printed_by(tree, display_digits(tree, table, X.std(axis=0))))
    assert shown.splitlines()[1].startswith("if x0 - x1 <= 0  ")


def test_a_plane_through_its_rows_is_printed_with_all_digits_in_its_own_order():
    X = np.array([[0.1, 0.2], [0.3, 0.7], [0.2, 0.1], [0.7, 0.3]])
    weights = np.array([0.1, 0.7])
    threshold = float(0.1 * 0.3 + 0.7 * 0.7)
    tree = tree_of([Hyperplane([0, 1], weights, threshold), None, None], [1, 0, 0], [[2, 1], [2, 0], [0, 1]], 2)
    _, table = read_training(askew.CARTClassifier(), X, [0, 1, 0, 1], None)
    printed = printed_by(tree, display_digits(tree, table, X.std(axis=0)))
    leaf = Reader({"x0": X[:, 0], "x1": X[:, 1]}).leaves(export_text(printed))
    assert (leaf + 1 == tree.apply(X)).all()


def test_terms_are_in_the_order_of_weight_times_spread_and_long_sums_are_cut_or_wrapped():
    X, y = load_breast_cancer(return_X_y=True)
    model = askew.OC1Classifier(pruning=None, max_depth=1, random_state=0).fit(X, y)
    lines = export_text(model).splitlines()
    assert max(map(len, lines[1:])) < 100
    (plane,) = [words for _, words in joined(lines[1:]) if words.startswith("if ")]
    printed = model.display_.printed[0].weight
    order = np.argsort(-np.abs(printed) * model.feature_scale_[model.tree_.test(0)[0]], kind="stable")
    named = [int(word[1:]) for word in plane.split() if word.lstrip("-").startswith("x")]
    assert named == model.tree_.test(0)[0][order[: np.count_nonzero(printed)]].tolist()
    short = export_text(model, max_terms=3).splitlines()[1]
    assert f"+ {np.count_nonzero(printed) - 3} more <= " in short
    assert short.count(" x") == 3
    ends = [line.index(" rows") for line in lines if " rows" in line]
    assert len(set(ends)) == 1


def test_terms_are_counted():
    X, y = load_iris(return_X_y=True)
    cart = askew.CARTClassifier(max_depth=3).fit(X, y)
    assert cart.n_terms_ == cart.tree_.node_count - cart.tree_.n_leaves
    oblique = askew.OC1Classifier(random_state=0).fit(X, y)
    assert oblique.n_terms_ == np.count_nonzero(oblique.tree_.coef)
    machine = askew.LMDTClassifier(random_state=0, max_depth=1).fit(X, y)
    features, weights = machine.tree_.test(0)
    assert machine.n_terms_ == np.count_nonzero(weights.reshape(-1, features.size + 1)[:, :-1])
    each = askew.APDTClassifier(multiclass="one_vs_rest", random_state=0).fit(X, y)
    assert each.n_terms_ == sum(tree.n_terms for tree in each.tree_.trees)
    vote = askew.KDTClassifier(estimator=askew.CARTClassifier(max_depth=2), n_estimators=2).fit(X, y)
    assert vote.n_terms_ == sum(tree.n_terms_ for tree in vote.estimators_)
    linear = askew.CARTClassifier(max_depth=1, leaf_model="linear").fit(X, y)
    in_leaves = [linear.tree_.payload.model(leaf) for leaf in (1, 2)]
    assert linear.n_terms_ == 1 + sum(np.count_nonzero(one.weights) for one in in_leaves if one is not None) > 1
    X, y = mixed_frame(missing=False)
    categories = askew.C45Classifier().fit(X, y)
    assert categories.n_terms_ == (~categories.tree_.is_leaf).sum()
