"""`askew.save` and `askew.load`: what they say, and of which line."""

import re
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import askew
from askew import CARTClassifier, ModelFileError

X, Y = load_iris(return_X_y=True)


def said(estimator, path):
    """Save an estimator, and return the text and the kind of each warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        askew.save(estimator, path)
    return [(str(one.message), one.category) for one in caught]


def test_what_can_be_stored_is_without_a_warning(tmp_path):
    assert said(CARTClassifier(max_depth=2).fit(X, Y), tmp_path / "m.askew") == []


def test_a_warning_names_the_estimator_and_the_parameters_that_are_left_out(tmp_path):
    tree = CARTClassifier(random_state=np.random.RandomState(0), max_depth=2).fit(X, Y)
    text = "CARTClassifier: not stored, and at their defaults after load: random_state"
    assert said(tree, tmp_path / "m.askew") == [(text, UserWarning)]
    tree.criterion = lambda left, right: left
    text = "CARTClassifier: not stored, and at their defaults after load: criterion, random_state"
    assert said(tree, tmp_path / "m.askew") == [(text, UserWarning)]


def test_a_warning_names_the_steps_before_the_tree(tmp_path):
    pipeline = make_pipeline(StandardScaler(), MinMaxScaler(), CARTClassifier(max_depth=2)).fit(X, Y)
    text = (
        "the steps before the tree are not stored: standardscaler, minmaxscaler. "
        "What load returns predicts rows that have gone through them"
    )
    assert said(pipeline, tmp_path / "m.askew") == [(text, UserWarning)]
    assert askew.load(tmp_path / "m.askew").tree_ == pipeline[-1].tree_


def test_a_warning_names_the_line_that_saves(tmp_path):
    tree = CARTClassifier(random_state=np.random.RandomState(0), max_depth=2)
    with pytest.warns(UserWarning, match="not stored") as caught:
        askew.save(make_pipeline(StandardScaler(), tree).fit(X, Y), tmp_path / "m.askew")
    assert [one.filename for one in caught] == [__file__] * 2


def test_an_error_begins_with_the_path_as_text(tmp_path):
    path = tmp_path / "m.askew"
    path.write_bytes(b"\x80\x04" + bytes(200))
    expected = f"{path}: byte 0: expected an askew model file, found a pickle, which is never opened"
    for given in (path, str(path)):
        with pytest.raises(ModelFileError, match=f"^{re.escape(expected)}$") as caught:
            askew.load(given)
        assert caught.value.__cause__ is None
