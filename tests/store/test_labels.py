import numpy as np
import pytest
from model_files import fitted, through_file

import askew
from askew import CARTClassifier

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
