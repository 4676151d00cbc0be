import copy
import pickle
import re

import joblib
import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree, mixed_tree, with_tree
from hypothesis import given
from hypothesis import strategies as st
from model_files import fitted, state, through_file
from sklearn.base import is_classifier
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import askew
from askew import CARTClassifier
from askew.estimators.registry import ESTIMATORS
from askew.store.estimators import pack_estimator, unpack_estimator

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=ESTIMATORS)
@pytest.mark.parametrize("missing", ["error", "mean"])
def test_a_loaded_estimator_is_the_same_to_the_bit(kind, missing, tmp_path):
    estimator = fitted(kind, missing=missing)
    again = through_file(estimator, tmp_path)
    assert type(again) is kind
    assert state(again) == state(estimator)
    askew.save(again, tmp_path / "again.askew")
    assert (tmp_path / "again.askew").read_bytes() == (tmp_path / "m.askew").read_bytes()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 4), st.sampled_from(sorted(ESTIMATORS)))
def test_predictions_after_load_are_the_same_bits(tmp_path_factory, seed, depth, d, name):
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(60, d)) * 10.0 ** rng.integers(-3, 4, d), rng.integers(0, 3, 60)
    estimator = ESTIMATORS[name](max_depth=depth).fit(rows, labels)
    again = through_file(estimator, tmp_path_factory.mktemp("bits"))
    new = rng.normal(size=(100, d))
    assert again.predict(new).tobytes() == estimator.predict(new).tobytes()
    assert again.feature_importances_.tobytes() == estimator.feature_importances_.tobytes()
    if is_classifier(estimator):
        assert again.predict_proba(new).tobytes() == estimator.predict_proba(new).tobytes()


def test_all_kinds_of_split_are_stored(tmp_path):
    estimator = with_tree(mixed_tree())
    assert through_file(estimator, tmp_path).tree_ == mixed_tree()


def test_a_chain_100_000_deep_is_saved_loaded_pickled_and_copied(tmp_path):
    estimator = with_tree(chain_tree(100_000))
    joblib.dump(estimator, tmp_path / "m.joblib")
    for again in (
        through_file(estimator, tmp_path),
        pickle.loads(pickle.dumps(estimator)),
        copy.deepcopy(estimator),
        joblib.load(tmp_path / "m.joblib"),
    ):
        assert again.tree_ == estimator.tree_
        assert again.predict([[1e9]]).tolist() == ["yes"]


@pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=ESTIMATORS)
def test_pickle_deepcopy_and_joblib_keep_every_bit(kind, tmp_path):
    estimator = fitted(kind)
    joblib.dump(estimator, tmp_path / "m.joblib")
    for again in (
        pickle.loads(pickle.dumps(estimator)),
        copy.deepcopy(estimator),
        joblib.load(tmp_path / "m.joblib"),
        joblib.load(tmp_path / "m.joblib", mmap_mode="r"),
    ):
        assert state(again) == state(estimator)


def test_means_and_names_of_features_come_back(model):
    again = askew.load(model)
    assert again.feature_names_in_.tolist() == [f"feature {i}" for i in range(4)]
    assert again.feature_names_in_.dtype == object
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(pd.DataFrame(X, columns=list("abcd")))
    hole = pd.DataFrame(X, columns=again.feature_names_in_).mask(X > 5)
    full = hole.fillna(pd.Series(again.feature_means_, index=hole.columns))
    assert again.predict(hole).tolist() == again.predict(full).tolist()


@pytest.mark.parametrize(
    "kind",
    [
        askew.CARTClassifier(max_depth=2),
        askew.APDTClassifier(multiclass="one_vs_rest", max_depth=2, random_state=0),
        askew.ObliqueForestClassifier(n_estimators=2, max_depth=2, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_rows_may_weigh_little(kind, tmp_path):
    estimator = kind.fit(X, Y, np.full(Y.size, 1e-6))
    np.testing.assert_array_equal(through_file(estimator, tmp_path).predict_proba(X), estimator.predict_proba(X))


def forged(estimator, change):
    """Pack an estimator, change its description and its arrays, and unpack what came of it."""
    document, arrays, _ = pack_estimator(estimator)
    change(document, arrays)
    return unpack_estimator(arrays, document)


def test_a_network_comes_back_with_its_number_of_hyperplanes():
    estimator = with_tree(mixed_tree())
    estimator.tree_ = askew.RuleNetwork.of(mixed_tree())
    again = forged(estimator, lambda document, arrays: None)
    assert again.tree_ == estimator.tree_
    assert again.tree_.n_hyperplanes == 7


BOOSTED = askew.ObliqueBoostingRegressor(max_iter=2, max_depth=2, random_state=0).fit(X, Y)
EACH = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=2, random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    ("estimator", "change", "message"),
    [
        (
            with_tree(mixed_tree()),
            lambda document, arrays: document.update(n_hyperplanes=[1, 2, 3]),
            "tree: expected one tree, found 3",
        ),
        (
            EACH,
            lambda document, arrays: arrays.update({"tree.9.kind": np.zeros(1)}),
            r"tree: expected trees of three classes or more, found \['9.kind'\]",
        ),
        (
            EACH,
            lambda document, arrays: (
                document.update(n_hyperplanes=[1, 2]),
                [arrays.pop(name) for name in list(arrays) if name.startswith("tree.2.")],
            ),
            r"tree: expected trees of three classes or more, found \[1, 2\]",
        ),
        (
            EACH,
            lambda document, arrays: document["classes"].update(values=[0, 1, 2, 3]),
            "tree: expected 4 trees, found 3",
        ),
        (
            with_tree(mixed_tree()),
            lambda document, arrays: document.update(choice=5),
            "choice: expected it for AutoTree alone, found 5",
        ),
        (
            with_tree(mixed_tree()),
            lambda document, arrays: document.update(missing="below"),
            r"missing: expected one of \['mean', 'indicator'\], found 'below'",
        ),
        (
            BOOSTED,
            lambda document, arrays: document.update(link="logit"),
            r"link: expected one of \['identity', 'log'\], found 'logit'",
        ),
        (
            BOOSTED,
            lambda document, arrays: document.update(link=["log"]),
            r"link: expected one of \['identity', 'log'\], found \['log'\]",
        ),
        (
            with_tree(mixed_tree()),
            lambda document, arrays: arrays.update(more=np.zeros(1)),
            r"arrays: expected \['class_weight', 'feature_means', 'feature_scale', 'tree.feature', .*\], found 'more'",
        ),
    ],
)
def test_29_a_description_of_something_else_is_refused_with_the_place(estimator, change, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        forged(estimator, change)


# --- what cannot be saved


def test_an_estimator_that_is_not_fitted_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        askew.save(CARTClassifier(), tmp_path / "m.askew")


class Mine(CARTClassifier):
    pass


class Imposter:
    pass


Imposter.__name__ = "CARTClassifier"


@pytest.mark.parametrize("thing", [Mine(), Imposter(), "text", None, mixed_tree()])
def test_what_is_no_estimator_of_askew_is_refused(thing, tmp_path):
    with pytest.raises(TypeError, match="save takes an estimator among"):
        askew.save(thing, tmp_path / "m.askew")


def test_what_could_not_be_loaded_is_not_saved_and_the_old_file_stays(tmp_path):
    estimator = fitted(CARTClassifier)
    askew.save(estimator, tmp_path / "m.askew")
    before = (tmp_path / "m.askew").read_bytes()
    estimator.feature_scale_ = np.array([1.0, np.nan, 1.0, 1.0])
    with pytest.raises(ValueError, match="array 'feature_scale': expected finite numbers, found nan"):
        askew.save(estimator, tmp_path / "m.askew")
    assert (tmp_path / "m.askew").read_bytes() == before


def test_a_parameter_out_of_range_is_not_saved(tmp_path):
    with pytest.raises(askew.InvalidParameterError, match="'n_jobs' parameter"):
        askew.save(fitted(CARTClassifier).set_params(n_jobs=0), tmp_path / "m.askew")


def test_a_write_that_fails_leaves_the_old_model_readable(tmp_path, monkeypatch):
    path = tmp_path / "m.askew"
    askew.save(fitted(CARTClassifier), path)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        askew.save(CARTClassifier(max_depth=1).fit(X, Y), path)
    assert askew.load(path).get_depth() == 3
    assert [p.name for p in tmp_path.iterdir()] == ["m.askew"]


def test_how_the_training_table_was_written_is_stored(tmp_path):
    estimator = fitted(askew.CARTClassifier)
    estimator.written_ = {"price": [",", "."], "sold": ["%d/%m/%Y"]}
    assert through_file(estimator, tmp_path).written_ == estimator.written_
    for wrong, found in ((5, 5), ({"a": ["."], "b": 5}, 5), ({"a": []}, "[]"), ({"a": [1, 2]}, "[1, 2]")):
        estimator.written_ = wrong
        message = f"written: expected ways of writing by the name of a column, found {found}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            askew.save(estimator, tmp_path / "m.askew")
    estimator.written_ = {"a": [".", ",", " "]}
    with pytest.raises(ValueError, match="written: expected ways of writing"):
        askew.save(estimator, tmp_path / "m.askew")
