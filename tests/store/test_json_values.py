import numpy as np
import pytest
from model_files import fitted, through_file

import askew
from askew import CARTClassifier
from askew.store import json_values as module
from askew.store.json_values import pack_labels, unpack_labels

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


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        (None, "classes: expected a dtype and values, found None"),
        ({"dtype": "<i8"}, "classes: expected a dtype and values, found {'dtype': '<i8'}"),
        ({"dtype": "<i8", "values": 5}, "classes: expected a dtype and values, found {.*}"),
        ({"dtype": "<i8", "values": [1], "more": 1}, "classes: expected a dtype and values, found {.*}"),
        ({"dtype": "<q", "values": [1]}, "classes: expected a dtype of text or numbers, found '<q'"),
        ({"dtype": "=i8", "values": [1]}, "classes: expected a dtype of text or numbers, found '=i8'"),
        ({"dtype": "<i9", "values": [1]}, "classes: expected a dtype of text or numbers, found '<i9'"),
        ({"dtype": "<U9999999999", "values": ["a"]}, "classes: expected a dtype of text or numbers, found .*"),
        ({"dtype": "<c16", "values": [1]}, "classes: expected a dtype of text or numbers, found '<c16'"),
        ({"dtype": "<i8", "values": []}, "classes: expected labels of at most 268435456 bytes, found 0 of <i8"),
        (
            {"dtype": "<i8", "values": [1, 1]},
            r"classes: expected different labels, each text or a number, found \[1, 1\]",
        ),
        ({"dtype": "|O", "values": ["a", None]}, "classes: expected different labels, each text or a number, found .*"),
        ({"dtype": "<i8", "values": [2**70]}, "classes: expected labels of type <i8, found .*"),
        ({"dtype": "<i8", "values": ["x"]}, "classes: expected labels of type <i8, found .*"),
        ({"dtype": "<i8", "values": [1.5]}, r"classes: expected labels of type <i8, found \[1.5\]"),
        ({"dtype": "<i8", "values": [True]}, r"classes: expected labels of type <i8, found \[True\]"),
    ],
)
def test_labels_that_would_not_come_back_are_refused(packed, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        unpack_labels(packed)


def test_labels_may_take_as_much_memory_as_is_allowed(monkeypatch):
    packed = {"dtype": "<i8", "values": [1, 2, 3]}
    monkeypatch.setattr(module, "_LABEL_BYTES", 24)
    assert unpack_labels(packed).tolist() == [1, 2, 3]
    monkeypatch.setattr(module, "_LABEL_BYTES", 23)
    with pytest.raises(ValueError, match=r"^classes: expected labels of at most 23 bytes, found 3 of <i8$"):
        unpack_labels(packed)
    with pytest.raises(TypeError, match=r"^labels of type int64 cannot be stored: classes: expected labels of at most"):
        pack_labels(np.array([1, 2, 3]))
