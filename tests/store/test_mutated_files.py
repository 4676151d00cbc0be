"""Mutated model files: each is refused as a whole, or does everything that a model does.

``make fuzz`` tries many more, with new seeds.
"""

import json
import pickle
import random
import signal
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from model_files import examples
from mutations import mutated
from sklearn.base import is_classifier

import askew
from askew import ModelFileError
from askew.cli.show import describe
from askew.model.tree import Tree
from askew.store import container

COUNT = 50  # mutations of each form
HANGS = 120  # seconds; a model file of a few kilobytes takes milliseconds
EXAMPLES = examples()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mutated")


@pytest.mark.parametrize("form", EXAMPLES)
def test_29_a_mutated_model_file_is_refused_or_does_all_that_a_model_does(form, folder):
    askew.save(EXAMPLES[form], folder / "whole.askew")
    with open(folder / "whole.askew", "rb") as file:
        arrays, document = container.read(file)
    loaded = 0
    for seed in range(COUNT):
        try:
            with watched():
                loaded += check(arrays, document, seed, folder / "m.askew")
        except Exception as error:
            error.add_note(f"form {form!r}, seed {seed}")
            raise
    assert 0.02 * COUNT < loaded < 0.9 * COUNT  # otherwise the mutations are too coarse, or too fine


def check(arrays, document, seed, path):
    """Mutate, write, load and use a model; return whether it was accepted."""
    rng = random.Random(seed)
    path.write_bytes(container.to_bytes(*mutated(rng, arrays, document)))
    try:
        model = askew.load(path)
    except ModelFileError:
        return False
    use(model, rng, path)
    return True


def use(model, rng, path):
    """Predict with a model, print, save, load and pickle it: all must go, and the answers stay the same."""
    X = rows_for(model, rng)
    found = predictions(model, X)
    describe(model)
    for text in written(model):
        assert all(line.isprintable() for line in text.split("\n"))
    askew.save(model, path)
    for again in (askew.load(path), pickle.loads(pickle.dumps(model))):
        assert all(np.array_equal(a, b) for a, b in zip(found, predictions(again, X), strict=True))


def predictions(model, X):
    found = model.predict(X)
    if not is_classifier(model):
        assert np.isfinite(found).all()
        return [found]
    assert np.isin(found, model.classes_).all()
    proba = model.predict_proba(X)
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-9)
    return [found, proba]


def written(model):
    """Return the model in every form of text that it has."""
    yield askew.export_text(model)
    if isinstance(getattr(model, "tree_", None), Tree):
        yield askew.export_dot(model)
        yield askew.export_rules(model)
    text = askew.export_json(model)
    json.loads(text, parse_constant=pytest.fail)
    yield text


def rows_for(model, rng):
    """Return rows for a model: odd numbers, its categories and others, missing values where it takes them."""
    trees = getattr(model, "estimators_", [model])
    may_miss = all(tree.missing != "error" and not hasattr(tree.tree_, "region_start") for tree in trees)
    numbers = [0.0, -1.0, 1.5, 3.0, 1e-300, 1e6, -1e300, 1e300] + [np.nan] * may_miss
    encoder = model.encoder_
    columns = []
    for j in range(model.n_features_in_):
        labels = None if encoder is None else encoder.categories[j]
        values = numbers if labels is None else [*labels, "unseen", None] if may_miss else [*labels, "unseen"]
        columns.append([rng.choice([v for v in values if v is not None or may_miss]) for _ in range(9)])
    if not hasattr(model, "feature_names_in_"):
        return np.array(columns, dtype=float if encoder is None else object).T
    labels = [None] * len(columns) if encoder is None else encoder.categories
    series = [pd.Series(c, dtype=float if known is None else object) for c, known in zip(columns, labels, strict=True)]
    return pd.concat(series, axis=1).set_axis(pd.Index(list(model.feature_names_in_), dtype=object), axis=1)


@contextmanager
def watched():
    """Raise TimeoutError in what never ends."""

    def stop(*_):
        raise TimeoutError("hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
