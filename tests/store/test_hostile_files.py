"""Files whose digest fits and whose content does not."""

import json
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import examples, fitted
from sklearn.datasets import load_iris

import askew
from askew import ModelFileError
from askew.store import container

EXAMPLES = examples()


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


CLASS_WEIGHTS = ": tree: expected weights of the classes in 'value', found a negative or none at a node$"
HOSTILE = {
    "child out of range": (put("tree.first_child", 0, 10**6), "tree: 'first_child' is out of range"),
    "cycle": (put("tree.first_child", 2, 1), "tree: 'first_child' is out of range"),
    "NaN weight": (put("tree.weight", 0, np.nan), "tree: 'weight' holds"),
    "NaN mean": (put("feature_means", 0, np.nan), "'feature_means': expected finite numbers, found nan"),
    "negative class weight": (put("tree.value", (0, 0), -1.0), CLASS_WEIGHTS),
    "node without weight": (put("tree.value", 1, 0.0), CLASS_WEIGHTS),
    "weights that overflow": (put("tree.value", 1, 1e308), CLASS_WEIGHTS),
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
    "old name of a dtype": (labels("a", ["a", "b", "c"]), "classes: expected a dtype of text or numbers"),
    "time dtype": (labels("<M8[s]", [1, 2, 3]), "classes: expected a dtype of text or numbers"),
    "no dtype": (labels(7, [1, 2, 3]), "classes: expected a dtype of text or numbers, found 7"),
    "long values": (labels("<U1", "x" * 10**6), r"classes: expected a dtype and values, found .{1,150}$"),
    "unknown parameter": (parameter("more", 1), "parameters: expected some of"),
    "parameter out of range": (parameter("max_depth", -1), "parameters: The 'max_depth' parameter"),
    "parameters in a list": (tell("parameters", []), "parameters: expected some of"),
    "unknown object": (parameter("pruning", {"object": ["Popen", {}]}), "parameters: expected a value"),
    "unknown field": (parameter("pruning", {"object": ["CostComplexity", {"x": 1}]}), "parameters: .*'x'"),
    "field out of range": (parameter("pruning", {"object": ["CostComplexity", {"cv": 1}]}), "'cv' parameter"),
    "object and more": (parameter("pruning", {"object": ["CostComplexity", {}], "x": 1}), "expected a value"),
    "list as a key": (parameter("random_state", {"dict": [[[], 1]]}), "parameters: .*unhashable"),
    "pair of three": (parameter("random_state", {"dict": [[1, 2, 3]]}), "parameters: expected a value"),
    "unknown tag": (parameter("random_state", {"eval": "1"}), "parameters: expected a value, found {'eval': '1'}"),
    "float that is text": (parameter("random_state", {"float": "1_0"}), "parameters: expected a value"),
}


@pytest.mark.parametrize(("change", "message"), HOSTILE.values(), ids=HOSTILE)
def test_29_a_hostile_file_is_refused(change, message, model, tmp_path):
    path = forge(model, tmp_path, change)
    with pytest.raises(ModelFileError, match=message) as caught:
        askew.load(path)
    assert str(caught.value).startswith(str(path))


def means(arrays, document):
    arrays["feature_means"][2] = 7.0


ODD = {
    "fewer categories than tested": (
        "categories",
        lambda a, d: d["encoder"][2].pop(),
        "encoder: expected 3 categories or more of feature 2, which the tree tests, found 2",
    ),
    "numbers where categories are tested": (
        "categories",
        lambda a, d: d["encoder"].__setitem__(2, None),
        "encoder: expected 3 categories or more of feature 2, which the tree tests, found numbers",
    ),
    "categories of a network": (
        "network",
        lambda a, d: d["encoder"][2].pop(),
        "encoder: expected .* categories",
    ),
    "fewer categories than columns": (
        "one-hot",
        lambda a, d: d["encoder"][2].pop(),
        "encoder: expected 11 columns, found 10$",
    ),
    "mean of categories": ("one-hot", means, "array 'feature_means': expected -1 for the categories of feature 2"),
    "model of no feature": (
        "linear leaves",
        put("tree.model_feature", 0, 4),
        "tree: 'model_feature' must be numbers of",
    ),
    "model that ends early": (
        "linear leaves",
        put("tree.model_start", -1, 1),
        "tree: 'model_start' must have .* entries",
    ),
    "models in disorder": ("linear leaves", put("tree.model_start", 1, 2**62), "tree: 'model_start' must have"),
    "NaN in a model": ("linear numbers", put("tree.model_weight", 0, np.nan), "tree: 'model_weight' holds a number"),
    "infinite constant": ("linear numbers", put("tree.model_constant", 0, np.inf), "tree: 'model_constant' holds a"),
    "empty range": ("linear numbers", put("tree.model_low", 0, 1e300), "tree: 'model_low' must not be above"),
    "negative loss": ("linear numbers", put("tree.model_loss", 0, -1.0), "tree: 'model_loss' holds a negative"),
    "half a model": ("linear numbers", drop("tree.model_weight"), "tree: array 'model_weight' is missing"),
    "model without a column": (
        "linear leaves",
        lambda a, d: a.update({"tree.model_weight": a["tree.model_weight"][:, :2].copy()}),
        "tree: 'model_weight' must have the shape",
    ),
    "shares above 1": ("linear leaves", put("tree.share", (0, 0), 2.0), "tree: 'share' must hold shares"),
    "NaN as share": ("linear leaves", put("tree.share", (0, 0), np.nan), "tree: 'share' must hold shares"),
    "indicator of categories": (
        "indicator",
        lambda a, d: d["encoder"]["indicators"].append(2),
        "encoder: expected indicators of features of numbers",
    ),
    "no mass": ("categories", lambda a, d: a["tree.mass"].fill(0), "tree: the root must have mass"),
    "doubled names": ("one-hot", tell("feature_names", list("abca")), "expected different names, found 'a' twice"),
    "no class in any tree": (
        "one-vs-rest",
        lambda a, d: [a[f"tree.{k}.value"].__setitem__(0, (1.0, 0.0)) for k in range(3)],
        ": tree: expected rows of a class, found none$",
    ),
    "odds that overflow": (
        "one-vs-rest",
        lambda a, d: [a[f"tree.{k}.value"].__setitem__(0, (0.0, 1.5e308)) for k in range(3)],
        ": tree: expected weights of the classes with a finite sum over the trees, found an infinite one$",
    ),
    "table without end": (
        "network",
        lambda a, d: a["network.n_children"].__setitem__(a["network.kind"] == 3, 2**32 - 1),
        "network: a category table must have at most",
    ),
}


@pytest.mark.parametrize(("form", "change", "message"), ODD.values(), ids=ODD)
def test_29_a_model_that_could_not_predict_or_be_written_is_refused(form, change, message, tmp_path):
    askew.save(EXAMPLES[form], tmp_path / "whole.askew")
    with pytest.raises(ModelFileError, match=message):
        askew.load(forge(tmp_path / "whole.askew", tmp_path, lambda *content: [change(*content)].clear()))


@pytest.mark.extended
@pytest.mark.parametrize("estimator", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("number", [10**400, -(10**400), 10**30, 1e308], ids=["1e400", "-1e400", "1e30", "1e308"])
def test_29_huge_parameters_load_or_are_a_model_file_error(estimator, number, tmp_path):
    askew.save(estimator, tmp_path / "whole.askew")
    for name in estimator.get_params(deep=False):
        with suppress(ModelFileError):
            askew.load(forge(tmp_path / "whole.askew", tmp_path, parameter(name, number)))


def test_a_number_of_too_many_digits_is_refused_with_its_place(tmp_path):
    prefix = b'{"__metadata__":{"askew_digest":"' + b"0" * 64 + b'","x":1' + b"0" * 5000 + b"}}"
    (tmp_path / "m.askew").write_bytes(len(prefix).to_bytes(8, "little") + prefix)
    with pytest.raises(ModelFileError, match="header: expected JSON, found Exceeds the limit"):
        askew.load(tmp_path / "m.askew")


def test_classes_of_a_regressor_are_refused(tmp_path):
    askew.save(fitted(askew.CARTRegressor), tmp_path / "r.askew")
    path = forge(tmp_path / "r.askew", tmp_path, labels("<i8", [1]))
    with pytest.raises(ModelFileError, match=r"classes: expected none, found \{.*'values': \[1\].*\}$"):
        askew.load(path)


def test_a_forgery_that_changes_nothing_is_the_same_file(model, tmp_path):
    assert forge(model, tmp_path, lambda arrays, document: None).read_bytes() == model.read_bytes()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.extended
@given(st.data())
def test_29_any_document_loads_or_is_a_model_file_error(model, tmp_path_factory, data):
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
        assert again.predict(load_iris().data).shape == (150,)


def test_29_a_document_nested_without_end_is_refused(model, tmp_path, monkeypatch):
    deep = "[" * 100_000 + "]" * 100_000
    dumps = json.dumps
    monkeypatch.setattr(json, "dumps", lambda thing, **k: deep if "estimator" in thing else dumps(thing, **k))
    path = forge(model, tmp_path, lambda arrays, document: None)
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match="description: expected JSON"):
        askew.load(path)
