import copy
import json
import pickle
import warnings
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree, mixed_tree, with_tree
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError

import askew
from askew import CARTClassifier, CostComplexity, ModelFileError, ObliqueTreeClassifier, container
from askew.estimators import ESTIMATORS
from askew.prune import PRUNERS
from askew.search import SEARCHES
from askew.search.axis import AxisParallel
from askew.tree import Tree

X, Y = load_iris(return_X_y=True)


def state(estimator):
    """All that a fitted estimator holds, as bytes where it is an array."""
    held = {}
    for name, value in vars(estimator).items():
        if isinstance(value, Tree):
            value = {key: array.tobytes() for key, array in value.arrays().items()}
        elif isinstance(value, np.ndarray):
            value = (value.dtype.str, value.shape, value.tolist())
        held[name] = value
    return held


def through_file(estimator, folder):
    askew.save(estimator, folder / "m.askew")
    return askew.load(folder / "m.askew")


def fitted(kind, **parameters):
    estimator = kind(max_depth=3, random_state=0, **parameters)
    return estimator.fit(X, Y) if is_classifier(estimator) else estimator.fit(*load_diabetes(return_X_y=True))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.askew"
    names = [f"feature {i}" for i in range(4)]
    estimator = CARTClassifier(max_depth=3, missing="mean").fit(
        pd.DataFrame(X, columns=names), np.array(["a", "b", "c"])[Y]
    )
    askew.save(estimator, path)
    return path


# --- the same bits


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


# --- labels

LABELS = [
    ["no", "yes"],
    ["", "naïve \U0001f333\t\n\0x"],
    np.array(["a", "b"], dtype="<U30"),
    np.array(["a", "b"], dtype=">U2"),
    np.array(["a", "b"], dtype=object),
    np.array([False, True]),
    *[np.array([0, np.iinfo(t).max], dtype=t) for t in "bBhHiIlLqQ"],
    np.array([-(2**63), 2**63 - 1]),
    np.array([-3, 7], dtype=">i4"),
    *[np.array([-1.0, 3.0], dtype=t) for t in ("f2", "f4", "f8", ">f8")],
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda a: f"{np.asarray(a).dtype}")
def test_labels_come_back_exactly_with_their_type(labels, tmp_path):
    estimator = CARTClassifier().fit([[0.0], [1.0]], labels)
    again = through_file(estimator, tmp_path)
    assert again.classes_.dtype == estimator.classes_.dtype
    assert again.classes_.tolist() == estimator.classes_.tolist()
    assert [type(v) for v in again.classes_.tolist()] == [type(v) for v in estimator.classes_.tolist()]
    assert again.predict([[1.0], [0.0]]).tolist() == [np.asarray(labels)[1], np.asarray(labels)[0]]


def test_one_class_is_stored(tmp_path):
    assert through_file(CARTClassifier().fit([[0.0]], ["only"]), tmp_path).predict([[5.0]]).tolist() == ["only"]


def test_labels_that_cannot_be_stored_are_refused_before_anything_is_written(tmp_path):
    estimator = fitted(CARTClassifier)
    estimator.classes_ = np.array([1, 2, 3], dtype="M8[s]")
    with pytest.raises(TypeError, match=r"labels of type datetime64\[s\] cannot be stored"):
        askew.save(estimator, tmp_path / "m.askew")
    assert list(tmp_path.iterdir()) == []


# --- parameters


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": {0: 1.0, 1: 2.5, 2: 3}},
        {"class_weight": "balanced", "max_depth": None, "n_jobs": 2, "verbose": False},
        {"min_samples_leaf": 0.05, "impurity_threshold": 1e-300},
        {"search": AxisParallel(), "pruning": CostComplexity(fraction=0.3, standard_errors=1.0)},
        {"pruning": CostComplexity(folds=3)},
        {"pruning": "cost_complexity", "criterion": "twoing", "random_state": 2**31},
    ],
)
def test_parameters_come_back(parameters, tmp_path):
    estimator = ObliqueTreeClassifier(**parameters).fit(X, Y)
    again = through_file(estimator, tmp_path)
    assert again.get_params() == estimator.get_params()
    assert list(map(type, again.get_params().values())) == list(map(type, estimator.get_params().values()))


@pytest.mark.parametrize("kind", [*SEARCHES.values(), *PRUNERS.values()])
def test_every_registered_search_and_pruner_can_be_stored(kind, tmp_path):
    place = "search" if kind in SEARCHES.values() else "pruning"
    estimator = ObliqueTreeClassifier().fit(X, Y).set_params(**{place: kind()})
    assert getattr(through_file(estimator, tmp_path), place) == kind()


def test_parameters_of_numpy_come_back_as_python_numbers(tmp_path):
    estimator = CARTClassifier(max_depth=np.int64(3), min_impurity_decrease=np.float64(0.01)).fit(X, Y)
    again = through_file(estimator, tmp_path)
    assert (again.max_depth, again.min_impurity_decrease) == (3, 0.01)
    assert type(again.max_depth) is int


def test_nested_parameters_come_back(tmp_path):
    value = [(1, "a"), {"inf": float("inf"), 2: [-float("inf"), None, True]}, {}, []]
    estimator = fitted(CARTClassifier)
    estimator.random_state = value
    assert through_file(estimator, tmp_path).random_state == value


@dataclass(frozen=True)
class MySearch(AxisParallel):
    """A user's own."""


def my_criterion(left, right):
    def gini(counts):
        n = counts.sum(axis=1)
        return n - (counts**2).sum(axis=1) / n

    return gini(left) + gini(right)


def test_what_is_the_users_own_is_left_out_with_a_warning(tmp_path):
    estimator = ObliqueTreeClassifier(
        search=MySearch(), criterion=my_criterion, random_state=np.random.RandomState(0), max_depth=3
    ).fit(X, Y)
    with pytest.warns(UserWarning, match="not stored.*: criterion, random_state, search") as caught:
        askew.save(estimator, tmp_path / "m.askew")
    assert caught[0].filename == __file__
    again = askew.load(tmp_path / "m.askew")
    assert (again.search, again.criterion, again.random_state, again.max_depth) == ("axis", "gini", None, 3)
    assert again.predict(X).tolist() == estimator.predict(X).tolist()


def test_a_parameter_that_holds_itself_is_left_out(tmp_path):
    estimator = fitted(CARTClassifier)
    estimator.random_state = []
    estimator.random_state.append(estimator.random_state)
    with pytest.warns(UserWarning, match="random_state"):
        assert through_file(estimator, tmp_path).random_state is None


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


# --- damaged files


@given(st.data())
def test_any_changed_byte_is_found(model, tmp_path_factory, data):
    content = bytearray(model.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("flip") / "m.askew"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"m\.askew: "):
        askew.load(path)


def test_a_changed_bit_of_length_digest_or_format_is_found(model, tmp_path):
    content = model.read_bytes()
    path = tmp_path / "m.askew"
    for place in range(content.index(b"askew_model")):
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
        with pytest.raises(ModelFileError):
            askew.load(path)


@given(st.data())
def test_a_file_cut_short_is_refused(model, tmp_path_factory, data):
    content = model.read_bytes()
    path = tmp_path_factory.mktemp("cut") / "m.askew"
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(ModelFileError, match=r"m\.askew: byte \d+: expected .*, found"):
        askew.load(path)


class Trap:
    def __reduce__(self):
        return pytest.fail, ("the pickle was opened",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_with_our_suffix_is_never_opened(protocol, tmp_path):
    path = tmp_path / "m.askew"
    path.write_bytes(pickle.dumps([Trap(), "x" * 200], protocol))
    found = "found a pickle, which is never opened" if protocol >= 2 else "expected a header"
    with pytest.raises(ModelFileError, match=f"m.askew: byte 0: .*{found}"):
        askew.load(path)


@pytest.mark.parametrize("content", [b"", b"PK\3\4" + b"\0" * 500, b"a,b\n1,2\n" * 100, b"\x93NUMPY" * 50])
def test_a_file_of_another_kind_is_refused(content, tmp_path):
    (tmp_path / "m.askew").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"m\.askew: byte 0: expected .*, found"):
        askew.load(tmp_path / "m.askew")


def test_a_safetensors_file_of_another_program_is_refused(tmp_path):
    from safetensors.numpy import save_file

    save_file({"weight": np.zeros(100)}, tmp_path / "m.askew", {"format": "pt", "more": "x" * 100})
    with pytest.raises(ModelFileError, match="byte 8: expected the header of an askew model file"):
        askew.load(tmp_path / "m.askew")


def test_a_newer_format_asks_for_an_upgrade(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "FORMAT", 3)
    askew.save(fitted(CARTClassifier), tmp_path / "m.askew")
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match=r"m\.askew: header: format 3 is newer than 1: upgrade askew"):
        askew.load(tmp_path / "m.askew")


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        askew.load(tmp_path / "nothing.askew")


# --- hostile files: the digest fits, the content does not


def forge(model: Path, folder: Path, change):
    """Change the arrays and the document of a model file, and sign it again."""
    with open(model, "rb") as file:
        arrays, document = container.read(file)
    arrays = {name: array.copy() for name, array in arrays.items()}
    changed = change(arrays, document)
    content = container.to_bytes(arrays, document if changed is None else changed)
    (folder / "m.askew").write_bytes(content)
    return folder / "m.askew"


def put(array, where, value):
    return lambda arrays, document: arrays[array].__setitem__(where, value)


def drop(array):
    return lambda arrays, document: arrays.__delitem__(array)


def tell(key, value):
    return lambda arrays, document: document.__setitem__(key, value)


def parameter(key, value):
    return lambda arrays, document: document["parameters"].__setitem__(key, value)


def labels(dtype, values):
    return tell("classes", {"dtype": dtype, "values": values})


HOSTILE = {
    "child out of range": (put("tree.first_child", 0, 10**6), "tree: 'first_child' is out of range"),
    "cycle": (put("tree.first_child", 2, 1), "tree: 'first_child' is out of range"),
    "NaN weight": (put("tree.weight", 0, np.nan), "tree: 'weight' holds"),
    "NaN mean": (put("feature_means", 0, np.nan), "'feature_means': expected finite numbers, found nan"),
    "negative class weight": (put("tree.value", (0, 0), -1.0), "tree: expected weights of the classes"),
    "node without weight": (put("tree.value", 1, 0.0), "tree: expected weights of the classes"),
    "weights that overflow": (put("tree.value", 1, 1e308), "tree: expected weights of the classes"),
    "missing array": (drop("tree.mass"), "tree: array 'mass' is missing"),
    "missing scale": (drop("feature_scale"), "'feature_scale': expected 4 float64 numbers, found none"),
    "short scale": (lambda a, d: a.update(feature_scale=np.ones(3)), "expected 4 float64 numbers, found float64 of"),
    "single means": (lambda a, d: a.update(feature_means=np.ones(4, "f4")), "found float32 of shape"),
    "strange array": (lambda a, d: a.update(more=np.ones(3)), "arrays: expected .*, found 'more'"),
    "features": (tell("n_features", 5), "expected 5 float64 numbers"),
    "huge features": (tell("n_features", 10**30), "'n_features' must be an int"),
    "text for features": (tell("n_features", "4"), "'n_features' must be an int"),
    "hyperplanes": (tell("n_hyperplanes", None), "'n_hyperplanes' must be an int"),
    "names": (tell("feature_names", ["a"]), r"feature_names: expected 4 names, found \['a'\]"),
    "names of numbers": (tell("feature_names", [1, 2, 3, 4]), "feature_names: expected 4 names"),
    "names in a dict": (tell("feature_names", {}), "feature_names: expected 4 names"),
    "unknown estimator": (tell("estimator", "os.system"), "estimator: expected one of .*, found 'os.system'"),
    "estimator in a list": (tell("estimator", ["CARTClassifier"]), "estimator: expected one of"),
    "classifier as regressor": (tell("estimator", "CARTRegressor"), "parameters: expected some of"),
    "no document": (lambda a, d: [d], "description: expected the keys"),
    "more keys": (tell("more", 1), "description: expected the keys"),
    "no classes": (tell("classes", None), "classes: expected a dtype and values, found None"),
    "too few classes": (labels("<U1", ["a", "b"]), "tree: expected 2 columns in 'value', found 3"),
    "no labels": (labels("<U1", []), "classes: expected labels of at most"),
    "doubled labels": (labels("<U1", ["a", "b", "a"]), "classes: expected different labels"),
    "labels in lists": (labels("|O", [["a"], "b", "c"]), "classes: expected different labels"),
    "None as label": (labels("|O", ["a", "b", None]), "classes: expected different labels"),
    "labels too wide": (labels("<U500000000", ["a", "b", "c"]), "classes: expected labels of at most"),
    "labels cut off": (labels("<U1", ["a", "b", "cc"]), "classes: expected labels of type <U1"),
    "labels out of range": (labels("|i1", [1, 2, 300]), "classes: expected labels of type .i1"),
    "floats as ints": (labels("<i8", [1, 2, 3.5]), "classes: expected labels of type <i8"),
    "text as ints": (labels("<i8", [1, 2, "3"]), "classes: expected labels of type <i8"),
    "ints as booleans": (labels("|b1", [0, 1, 2]), "classes: expected labels of type .b1"),
    "unknown dtype": (labels("nonsense", ["a", "b", "c"]), "classes: expected a dtype of text or numbers"),
    "record dtype": (labels("i4,(1", ["a", "b", "c"]), "classes: expected a dtype of text or numbers"),
    "time dtype": (labels("<M8[s]", [1, 2, 3]), "classes: expected a dtype of text or numbers"),
    "no dtype": (labels(7, [1, 2, 3]), "classes: expected a dtype of text or numbers, found 7"),
    "long values": (labels("<U1", "x" * 10**6), r"classes: expected a dtype and values, found .{1,150}$"),
    "unknown parameter": (parameter("more", 1), "parameters: expected some of"),
    "parameter out of range": (parameter("max_depth", -1), "parameters: The 'max_depth' parameter"),
    "parameters in a list": (tell("parameters", []), "parameters: expected some of"),
    "unknown object": (parameter("pruning", {"object": ["Popen", {}]}), "parameters: expected a value"),
    "unknown field": (parameter("pruning", {"object": ["CostComplexity", {"x": 1}]}), "parameters: .*'x'"),
    "field out of range": (parameter("pruning", {"object": ["CostComplexity", {"folds": 1}]}), "'folds' parameter"),
    "object and more": (parameter("pruning", {"object": ["CostComplexity", {}], "x": 1}), "expected a value"),
    "list as a key": (parameter("random_state", {"dict": [[[], 1]]}), "parameters: .*unhashable"),
    "pair of three": (parameter("random_state", {"dict": [[1, 2, 3]]}), "parameters: expected a value"),
    "unknown tag": (parameter("random_state", {"eval": "1"}), "parameters: expected a value, found {'eval': '1'}"),
    "float that is text": (parameter("random_state", {"float": "1_0"}), "parameters: expected a value"),
}


@pytest.mark.parametrize(("change", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused(change, message, model, tmp_path):
    path = forge(model, tmp_path, change)
    with pytest.raises(ModelFileError, match=message) as caught:
        askew.load(path)
    assert str(caught.value).startswith(str(path))


def test_classes_of_a_regressor_are_refused(tmp_path):
    askew.save(fitted(askew.CARTRegressor), tmp_path / "r.askew")
    path = forge(tmp_path / "r.askew", tmp_path, labels("<i8", [1]))
    with pytest.raises(ModelFileError, match="classes: expected none"):
        askew.load(path)


def test_a_forgery_that_changes_nothing_is_the_same_file(model, tmp_path):
    assert forge(model, tmp_path, lambda arrays, document: None).read_bytes() == model.read_bytes()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_any_document_loads_or_is_a_model_file_error(model, tmp_path_factory, data):
    def change(arrays, document):
        places = [(document, key) for key in document]
        places += [(document["parameters"], key) for key in document["parameters"]]
        places += [(document["classes"], key) for key in document["classes"]]
        where, key = data.draw(st.sampled_from(places))
        where[key] = data.draw(json_values)

    path = forge(model, tmp_path_factory.mktemp("any"), change)
    try:
        again = askew.load(path)
    except ModelFileError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # names are not given here
        assert again.predict(X).shape == (150,)


def test_a_document_nested_without_end_is_refused(model, tmp_path, monkeypatch):
    deep = "[" * 100_000 + "]" * 100_000
    dumps = json.dumps
    monkeypatch.setattr(json, "dumps", lambda thing, **k: deep if "estimator" in thing else dumps(thing, **k))
    path = forge(model, tmp_path, lambda arrays, document: None)
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match="description: expected JSON"):
        askew.load(path)


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
