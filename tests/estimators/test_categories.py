"""Columns of categories, for every estimator."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import CLASSIFIERS, ESTIMATORS, grows_the_whole_tree, plain
from sklearn.base import clone
from strategies import seeds

import askew
from askew import CARTClassifier, CARTRegressor, HHCARTClassifier, ModelFileError, OC1Classifier
from askew.estimators.base import BaseTree
from askew.prune import CostComplexity
from askew.store import container as files

every = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
both_encodings = pytest.mark.parametrize("encoding", ["onehot", "crimcoord"])
BY_COLUMNS = [cls for cls in ESTIMATORS if issubclass(cls, BaseTree) and not cls._takes_categories]


def mixed(seed=0, n=40):
    """A frame with numbers, text and two kinds of categories, and classes that depend on all but one."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.permutation(4 * n)[:n] / 8,
            "colour": rng.choice(["red", "blue", "green"], n),
            "shape": pd.Categorical(rng.choice(["o", "x"], n), categories=["x", "o", "unused"]),
            "weight": rng.permutation(4 * n)[:n].astype(float),
        }
    )
    noisy = frame["size"] / n + 2.0 * (frame["colour"] == "red") + (frame["shape"] == "o") + rng.normal(size=n)
    return frame, (noisy > noisy.median()).astype(int).to_numpy()


def manual(frame):
    columns = [frame["size"], *(frame["colour"] == c for c in ("blue", "green", "red"))]
    columns += [*(frame["shape"] == s for s in ("o", "x")), frame["weight"]]
    return np.column_stack(columns).astype(float)


def small(cls, **parameters):
    return plain(cls, **{"max_depth": 2, **parameters})


# --- every estimator


@every
@both_encodings
def test_a_mixed_frame_is_learnt_from_and_predicted(cls, encoding):
    frame, y = mixed()
    model = small(cls, categorical_encoding=encoding).fit(frame, y)
    assert model.encoder_.categories == (None, ("blue", "green", "red"), ("o", "x"), None)
    assert model.n_features_in_ == 4
    assert model.predict(frame).shape == model.apply(frame).shape == (40,)
    assert model.decision_path(frame).shape[0] == 40
    assert model.feature_importances_.shape == (4,)
    if grows_the_whole_tree(cls):  # others may find nothing in so few rows
        assert model.score(frame, y) > (0.6 if cls in CLASSIFIERS else 0.1)
        assert model.feature_importances_.sum() == pytest.approx(1)


@every
def test_the_same_tree_from_pandas_polars_arrays_and_lists(cls):
    frame, y = mixed()
    expected = small(cls).fit(frame, y)
    new, _ = mixed(1)
    polars = [pl.DataFrame({name: part[name].to_list() for name in part}) for part in (frame, new)]
    typed = [part.with_columns(pl.col("colour").cast(pl.Categorical)) for part in polars]
    for rows, more in (polars, typed):
        model = small(cls).fit(rows, y)
        assert (model.tree_, model.encoder_) == (expected.tree_, expected.encoder_)
        np.testing.assert_array_equal(model.predict(more), expected.predict(new))
    for rows, more in ((frame.to_numpy(object), new.to_numpy(object)), (frame.values.tolist(), new.values.tolist())):
        model = small(cls, categorical_features=[1, 2]).fit(rows, y)
        assert (model.tree_, model.encoder_) == (expected.tree_, expected.encoder_)
        np.testing.assert_array_equal(model.predict(more), expected.predict(new))


@pytest.mark.parametrize("cls", BY_COLUMNS, ids=lambda cls: cls.__name__)
def test_one_hot_is_one_hot_by_hand(cls):
    frame, y = mixed()
    inside = small(cls, categorical_encoding="onehot").fit(frame, y)
    assert inside.tree_ == small(cls).fit(manual(frame), y).tree_
    new, _ = mixed(1)
    np.testing.assert_array_equal(inside.apply(new), small(cls).fit(manual(frame), y).apply(manual(new)))


@every
@both_encodings
def test_a_weight_of_zero_is_an_absent_row_and_its_category_with_it(cls, encoding):
    frame, y = mixed()
    frame.loc[0, "colour"] = "pink"
    weight = np.where(np.arange(40) % 7 == 0, 0.0, 1.0)
    model = small(cls, categorical_encoding=encoding)
    absent = copy.deepcopy(model).fit(frame[weight > 0], y[weight > 0])
    zeros = model.fit(frame, y, weight)
    assert (zeros.tree_, zeros.encoder_) == (absent.tree_, absent.encoder_)
    assert "pink" not in zeros.encoder_.categories[1]


@pytest.mark.parametrize("cls", [CARTClassifier, CARTRegressor], ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("pruning", [None, CostComplexity(fraction=0.3)], ids=["none", "held out"])
@both_encodings
@settings(max_examples=5)
@given(seed=seeds)
def test_a_weight_of_two_is_the_row_twice(cls, pruning, encoding, seed):
    frame, y = mixed(seed, n=24)
    weight = np.random.default_rng(seed).integers(1, 4, 24)
    twice = np.repeat(np.arange(24), weight)
    model = plain(cls, categorical_encoding=encoding, pruning=pruning)
    repeated = copy.deepcopy(model).fit(frame.iloc[twice], y[twice])
    weighted = model.fit(frame, y, weight)
    np.testing.assert_array_equal(weighted.tree_.n_samples, repeated.tree_.n_samples)
    np.testing.assert_array_equal(weighted.apply(frame), repeated.apply(frame))


@every
def test_numbers_have_no_encoder_and_are_read_as_they_are(cls):
    frame, y = mixed()
    numbers = frame[["size", "weight"]]
    model = small(cls).fit(numbers, y)
    assert model.encoder_ is None
    assert model.tree_ == small(cls, categorical_features=None).fit(numbers.to_numpy(), y).tree_


# --- names and orders


@given(seed=seeds, order=st.permutations(["red", "blue", "green"]))
def test_the_order_of_the_categories_of_a_dtype_does_not_matter(seed, order):
    frame, y = mixed(seed)
    typed = frame.assign(colour=pd.Categorical(frame["colour"], categories=order, ordered=True))
    assert plain(CARTClassifier).fit(frame, y).tree_ == plain(CARTClassifier).fit(typed, y).tree_


@given(seed=seeds, names=st.permutations(["red", "blue", "green"]))
def test_names_of_categories_do_not_matter_where_no_cuts_are_equally_good(seed, names):
    frame, _ = mixed(seed)
    y = np.random.default_rng(seed).normal(size=40)
    other = frame.assign(colour=frame["colour"].map(dict(zip(["red", "blue", "green"], names, strict=True))))
    model = plain(CARTRegressor, max_depth=3)
    np.testing.assert_array_equal(model.fit(frame, y).predict(frame), model.fit(other, y).predict(other))


# --- what is missing, and what was never seen


@every
def test_a_missing_category_is_an_error_unless_missing_values_are_allowed(cls):
    frame, y = mixed()
    missing = frame.assign(colour=frame["colour"].where(np.arange(40) > 2, None))
    with pytest.raises(ValueError, match=r"Input X contains NaN.*missing='mean'"):
        small(cls, missing="error").fit(missing, y)
    model = small(cls, missing="error").fit(frame, y)
    with pytest.raises(ValueError, match=r"Input X contains NaN.*missing='mean'"):
        model.predict(missing)


@every
@both_encodings
def test_missing_values_are_a_category_of_their_own(cls, encoding):
    frame, y = mixed()
    none = frame.assign(colour=frame["colour"].where(np.arange(40) > 9, None))
    named = frame.assign(colour=frame["colour"].where(np.arange(40) > 9, "~"))  # after the others in the alphabet
    model = small(cls, missing="mean", categorical_encoding=encoding)
    missing = copy.deepcopy(model).fit(none, y)
    assert missing.encoder_.categories[1][-1] is None
    assert missing.tree_ == model.fit(named, y).tree_
    np.testing.assert_array_equal(missing.predict(none), model.predict(named))


@every
@both_encodings
def test_an_unseen_category_and_one_that_was_never_missing_are_alike(cls, encoding):
    frame, y = mixed()
    model = small(cls, missing="mean", categorical_encoding=encoding).fit(frame, y)
    unseen, missing = frame.assign(colour="pink"), frame.assign(colour=None)
    np.testing.assert_array_equal(model.apply(unseen), model.apply(missing))


def test_an_unseen_category_is_none_of_those_that_a_node_names():
    frame = pd.DataFrame({"colour": ["red", "blue", "green", "red"]})
    model = CARTClassifier(max_depth=1).fit(frame, ["yes", "no", "no", "yes"])
    assert "if not colour=red" in askew.export_text(model)
    assert model.predict(pd.DataFrame({"colour": ["pink", "red"]})).tolist() == ["no", "yes"]


def test_an_unseen_category_is_the_mean_of_the_node_for_crimcoord():
    frame = pd.DataFrame({"colour": list("aaaabc")})
    model = CARTRegressor(max_depth=1, categorical_encoding="crimcoord").fit(frame, [0, 0, 0, 0, 4, 8])
    # The mean of y is 2: nearer to category a than to b, and so below the cut between them.
    assert model.predict(pd.DataFrame({"colour": ["pink"]})) == model.predict(pd.DataFrame({"colour": ["a"]}))


def test_numbers_are_filled_by_their_mean_beside_categories():
    frame, y = mixed()
    holed = frame.assign(size=frame["size"].where(np.arange(40) > 2, np.nan))
    model = plain(CARTClassifier, missing="mean").fit(holed, y)
    mean = holed["size"].mean()
    assert model.feature_means_.tolist() == [pytest.approx(mean), -1, -1, pytest.approx(frame["weight"].mean())]
    assert model.tree_ == plain(CARTClassifier).fit(holed.fillna({"size": model.feature_means_[0]}), y).tree_


# --- bad input


def test_infinity_and_text_beside_categories_are_refused():
    frame, y = mixed()
    with pytest.raises(ValueError, match="Input X contains infinity"):
        CARTClassifier().fit(frame.assign(size=np.inf), y)
    with pytest.raises(ValueError, match="'red' in column 'colour', row"):
        CARTClassifier(categorical_features=["shape"]).fit(frame, y)
    with pytest.raises(ValueError, match=r"'blue' in column 2, row 0"):
        CARTClassifier(categorical_features=[0]).fit([["a", 1, "blue"], ["b", 2, "3"]], [0, 1])


def test_rows_and_columns_are_counted_beside_categories():
    frame, y = mixed()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        CARTClassifier().fit(frame, y[:-1])
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        CARTClassifier().fit(frame[:0], y[:0])
    with pytest.raises(ValueError, match="Expected 2D array"):
        CARTClassifier(categorical_features=[0]).fit(["a", "b"], [0, 1])
    model = CARTClassifier().fit(frame, y)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- color"):
        model.predict(frame.rename(columns={"colour": "color"}))
    with pytest.raises(ValueError, match="3 features, but CARTClassifier is expecting 4"):
        CARTClassifier(categorical_features=[1, 2]).fit(frame.to_numpy(), y).predict(frame.to_numpy()[:, :3])


def test_a_failed_fit_leaves_the_encoder_as_it_was():
    frame, y = mixed()
    model = CARTClassifier().fit(frame, y)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(frame.assign(size=np.inf, colour="pink"), y)
    assert model.__dict__ == before


# --- importances, copies, files


def test_importances_are_of_the_features_of_the_data():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"noise": rng.normal(size=200), "colour": rng.choice(list("abcdef"), 200)})
    y = frame["colour"].isin(["a", "c", "e"])
    for encoding in ("onehot", "crimcoord"):
        model = OC1Classifier(categorical_encoding=encoding, random_state=0, pruning=None).fit(frame, y)
        assert model.feature_importances_[1] > 0.7


@every
@both_encodings
def test_a_model_file_keeps_every_bit(cls, encoding, tmp_path):
    frame, y = mixed()
    frame = frame.assign(size=frame["size"].where(np.arange(40) > 2, None), colour=frame["colour"].replace("red", None))
    model = small(cls, missing="mean", categorical_encoding=encoding).fit(frame, y)
    askew.save(model, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    assert (again.tree_, again.encoder_, again.n_features_in_) == (model.tree_, model.encoder_, 4)
    new, _ = mixed(1)
    assert again.predict(new).tobytes() == model.predict(new).tobytes()
    assert again.feature_importances_.tobytes() == model.feature_importances_.tobytes()
    assert askew.export_text(again) == askew.export_text(model)
    for copied in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert copied.predict(new).tobytes() == model.predict(new).tobytes()
    assert not hasattr(clone(model), "encoder_")


@pytest.mark.parametrize(
    "mask", [[False, True, True, False], np.array([False, True, True, False])], ids=["list", "array"]
)
def test_a_mask_is_stored(mask, tmp_path):
    frame, y = mixed()
    askew.save(CARTClassifier(categorical_features=mask).fit(frame, y), tmp_path / "m.askew")
    assert askew.load(tmp_path / "m.askew").categorical_features == [False, True, True, False]


@pytest.mark.parametrize(
    "encoder",
    [
        7,
        [None, ["blue", "red"], ["o", "x"], None],
        [None, ["blue", "blue", "red"], ["o", "x"], None],
        [["blue", "green", "red"], ["o", "x"], None],
        [None, ["blue", "green", {"$": 1}], ["o", "x"], None],
    ],
    ids=["no list", "too few", "twice", "too few features", "no label"],
)
def test_a_forged_encoder_is_refused(encoder, tmp_path):
    frame, y = mixed()
    path = tmp_path / "m.askew"
    askew.save(HHCARTClassifier(max_depth=2).fit(frame, y), path)
    with path.open("rb") as file:
        arrays, document = files.read(file)
    document["encoder"] = encoder
    path.write_bytes(files.to_bytes(arrays, document))
    with pytest.raises(ModelFileError, match=r"m\.askew: encoder: .*expected .*found"):
        askew.load(path)
