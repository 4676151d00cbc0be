"""Forests and boosting in model files: what is refused, and what is said of it."""

import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.store import estimators
from askew.store.estimators import pack_estimator, unpack_estimator

X, Y = load_iris(return_X_y=True)
NUMBERS, QUANTITY = load_diabetes(return_X_y=True)
MODELS = {
    "forest": askew.ObliqueForestClassifier(n_estimators=2, max_depth=2, random_state=0).fit(X, Y),
    "boosting": askew.ObliqueBoostingClassifier(max_iter=2, max_depth=2, random_state=0).fit(X, Y),
    "two": askew.ObliqueBoostingClassifier(max_iter=2, max_depth=2, random_state=0).fit(X, Y > 0),
    "amounts": askew.ObliqueForestRegressor(n_estimators=2, max_depth=2, random_state=0).fit(NUMBERS, QUANTITY),
    "numbers": askew.ObliqueBoostingRegressor(max_iter=3, max_depth=2, random_state=0).fit(NUMBERS, QUANTITY),
}
FEW = MODELS["forest"].trees_[0].node_count  # nodes of the first tree


def forged(model, change):
    """Pack a model, change its arrays and its description, and unpack what came of it."""
    document, arrays, _ = pack_estimator(MODELS[model])
    document, arrays = json.loads(json.dumps(document)), {name: array.copy() for name, array in arrays.items()}
    change(arrays, document)
    return unpack_estimator(arrays, document)


def put(name, where, value):
    return lambda arrays, document: arrays[name].__setitem__(where, value)


def remake(name, make):
    return lambda arrays, document: arrays.__setitem__(name, make(arrays.get(name)))


def drop(name):
    return lambda arrays, document: arrays.__delitem__(name)


def tell(key, value):
    return lambda arrays, document: document.__setitem__(key, value)


@pytest.mark.parametrize("model", MODELS)
def test_what_is_not_changed_comes_back(model):
    again, before = forged(model, lambda arrays, document: None), MODELS[model]
    rows = NUMBERS if model in ("numbers", "amounts") else X
    assert again.trees_ == before.trees_
    assert again.seed_ == before.seed_
    assert again.predict(rows).tobytes() == before.predict(rows).tobytes()
    for name in ("baseline_", "train_score_", "validation_score_") if model not in ("forest", "amounts") else ():
        np.testing.assert_array_equal(getattr(again, name), getattr(before, name))


COUNTS = "trees: expected integers above 0 in 'node_count'"
LISTS = "trees: expected a list of numbers in each array, and rows of them in 'value'"
HOSTILE = {
    "missing array": (
        "forest",
        drop("trees.mass"),
        r"trees: expected the arrays \['feature', .*\], found \['feature'.*",
    ),
    "strange array": ("forest", remake("trees.more", lambda _: np.ones(3)), "trees: expected the arrays .*, found .*"),
    "smoothed trees": ("forest", remake("trees.share", lambda _: np.ones(3)), "trees: expected the arrays .*"),
    "no counts": ("forest", drop("trees.node_count"), r"trees: expected the arrays .*'node_count'.*, found .*"),
    "counts of another type": ("forest", remake("trees.node_count", lambda a: a.astype(np.int32)), COUNTS),
    "counts in two dimensions": ("forest", remake("trees.node_count", lambda a: a[None]), COUNTS),
    "no tree": ("forest", remake("trees.node_count", lambda a: a[:0]), COUNTS),
    "a tree without nodes": ("forest", put("trees.node_count", 1, 0), COUNTS),
    "a negative count": ("forest", put("trees.node_count", 1, -1), COUNTS),
    "one number of hyperplanes": (
        "forest",
        tell("n_hyperplanes", 7),
        "n_hyperplanes: expected a number for each of 2 trees, found 7",
    ),
    "too few numbers of hyperplanes": (
        "forest",
        tell("n_hyperplanes", [7]),
        r"n_hyperplanes: expected a number for each of 2 trees, found \[7\]",
    ),
    "flat values": ("forest", remake("trees.value", lambda a: a.ravel()), LISTS),
    "masses in two dimensions": ("forest", remake("trees.mass", lambda a: a[None]), LISTS),
    "a tree of more nodes than there are": (
        "forest",
        put("trees.node_count", 0, 10**6),
        r"trees: expected \d+ nodes in all, found a tree of 1000000",
    ),
    "a node too many": ("forest", put("trees.node_count", 1, 8), "tree 1: expected 8 nodes, found the end of an array"),
    "features of a negative number": (
        "forest",
        put("trees.feature_start", FEW, -1),
        f"tree 0: expected {FEW} nodes, found the end of an array",
    ),
    "more weights than there are": (
        "forest",
        put("trees.weight_start", FEW, 10**6),
        f"tree 0: expected {FEW} nodes, found the end of an array",
    ),
    "starts of one tree alone": (
        "forest",
        remake("trees.feature_start", lambda a: a[: FEW + 1]),
        r"tree 1: expected \d nodes, found the end of an array",
    ),
    "starts that are no whole numbers": (
        "forest",
        remake("trees.weight_start", lambda a: a.astype(float)),
        "tree 0: array 'weight_start' has type float64, expected int64",
    ),
    "more masses than nodes": (
        "forest",
        remake("trees.mass", lambda a: np.append(a, 1.0)),
        "trees: expected the end of 'mass' after the last tree, found more",
    ),
    "a broken tree": ("forest", put("trees.threshold", -1, np.nan), "tree 1: 'threshold' holds a number that .*"),
    "hyperplanes that are no number": (
        "forest",
        tell("n_hyperplanes", [7, "7"]),
        "tree 1: 'n_hyperplanes' must be an int from 0 to .*, found '7'",
    ),
    "a negative seed": ("forest", tell("seed", -1), "seed: expected an integer, found -1"),
    "a huge seed": ("forest", tell("seed", 2**63), "seed: expected an integer, found 9223372036854775808"),
    "a seed that is no number": ("forest", tell("seed", True), "seed: expected an integer, found True"),
    "more keys": ("forest", tell("more", 1), "description: expected the keys .*, found {'estimator': .*"),
    "a choice": ("forest", tell("choice", 1), "description: expected the keys .*, found {'estimator': .*"),
    "scores of a forest": (
        "forest",
        remake("baseline", lambda _: np.zeros(3)),
        r"arrays: expected \['class_weight', 'feature_means', 'feature_scale'\], found 'baseline'",
    ),
    "another array": (
        "boosting",
        remake("more", lambda _: np.zeros(3)),
        r"arrays: expected \['baseline', 'class_weight', .*\], found 'more'",
    ),
    "too few classes": (
        "forest",
        tell("classes", {"dtype": "<i8", "values": [0, 1]}),
        "tree 0: expected 2 columns in 'value', found 3",
    ),
    "a negative weight": (
        "forest",
        put("trees.value", (0, 0), -1.0),
        "tree: expected weights of the classes in 'value', found a negative or none at a node",
    ),
    "a node without weight": (
        "forest",
        put("trees.value", -1, 0.0),
        "tree: expected weights of the classes in 'value', found a negative or none at a node",
    ),
    "weights whose sum overflows": (
        "forest",
        put("trees.value", ([0, FEW], 0), 1e308),
        "trees: expected values with a finite sum over the trees, found an infinite one",
    ),
    "steps whose sum overflows": (
        "numbers",
        put("trees.value", (slice(None), 0), -1e308),
        "trees: expected values with a finite sum over the trees, found an infinite one",
    ),
    "classes of numbers": (
        "numbers",
        tell("classes", {"dtype": "<i8", "values": [0, 1]}),
        "classes: expected none, found {'dtype': '<i8', 'values': .*}",
    ),
    "amounts of two columns": (
        "amounts",
        remake("trees.value", lambda a: np.hstack([a, a])),
        "tree 0: expected 1 columns in 'value', found 2",
    ),
    "no baseline": ("boosting", drop("baseline"), "array 'baseline': expected finite numbers, found None"),
    "a NaN among the scores": (
        "boosting",
        put("train_score", 0, np.nan),
        "array 'train_score': expected finite numbers, found array.*",
    ),
    "scores in single precision": (
        "boosting",
        remake("validation_score", lambda a: a.astype(np.float32)),
        "array 'validation_score': expected finite numbers, found .*",
    ),
    "a baseline in two dimensions": (
        "boosting",
        remake("baseline", lambda a: a[None]),
        "array 'baseline': expected finite numbers, found .*",
    ),
    "a baseline of one class": (
        "boosting",
        remake("baseline", lambda a: a[:1]),
        "trees: expected 3 for each stage, and in 'baseline', found 6",
    ),
    "a baseline of two": (
        "two",
        remake("baseline", lambda a: np.zeros(2)),
        "trees: expected 1 for each stage, and in 'baseline', found 2",
    ),
    "a stage that is not whole": (
        "boosting",
        tell("classes", {"dtype": "<i8", "values": [0, 1, 2, 3]}),
        "trees: expected 4 for each stage, and in 'baseline', found 6",
    ),
    "trees of two columns": (
        "numbers",
        remake("trees.value", lambda a: np.hstack([a, a])),
        "tree 0: expected 1 column in 'value', found 2",
    ),
}


@pytest.mark.parametrize(("model", "change", "message"), HOSTILE.values(), ids=HOSTILE)
def test_29_an_ensemble_that_is_none_is_refused_with_the_place(model, change, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        forged(model, change)


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_seeds_reach_to_their_bounds(seed):
    assert forged("forest", tell("seed", seed)).seed_ == seed


def test_how_the_training_table_of_an_ensemble_was_written_comes_back():
    written = {"price": [",", "."]}
    assert forged("forest", tell("written", written)).written_ == written


def test_an_ensemble_may_have_one_tree():
    one = askew.ObliqueForestClassifier(n_estimators=1, max_depth=2, random_state=0).fit(X, Y)
    document, arrays, _ = pack_estimator(one)
    assert unpack_estimator(arrays, document).trees_ == one.trees_


def test_trees_that_look_at_nothing_may_be_of_one_node():
    one = askew.ObliqueForestClassifier(n_estimators=2, random_state=0).fit(X[:5], Y[:5])
    document, arrays, left_out = pack_estimator(one)
    assert arrays["trees.node_count"].tolist() == [1, 1]
    assert left_out == []
    assert unpack_estimator(arrays, document).trees_ == one.trees_


def test_the_arrays_of_all_trees_stand_one_after_the_other():
    forest = MODELS["forest"]
    arrays = estimators.pack_joined(forest.fitted_model())
    first, second = forest.trees_
    assert arrays["trees.node_count"].tolist() == [first.node_count, second.node_count]
    for name, array in first.arrays().items():
        np.testing.assert_array_equal(arrays[f"trees.{name}"], np.concatenate([array, second.arrays()[name]]))


def test_a_message_about_much_stays_short():
    with pytest.raises(ValueError, match=re.escape("...")) as caught:
        forged("forest", tell("n_hyperplanes", list(range(1000))))
    assert len(str(caught.value)) < 200
