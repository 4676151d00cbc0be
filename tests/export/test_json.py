import json

import numpy as np
from handmade import mixed_tree
from sklearn.datasets import load_iris

import askew
from askew.tree import Tree


def _predict(tree, row):
    """Walk the document as its description says."""
    node = tree["nodes"][0]
    while node["children"]:
        test = node["test"]
        if test["kind"] == "hyperplane":
            child = int(sum(w * row[name] for name, w in test["weights"].items()) > test["threshold"])
        elif test["kind"] == "linear machine":
            sums = [sum(w * row[n] for n, w in s["weights"].items()) + s["constant"] for s in test["sums"]]
            child = sums.index(max(sums))
        else:
            child = test["children_of"].get(str(int(row[test["column"]])), test["otherwise"])
        node = tree["nodes"][node["children"][child]]
    return node["value"]


def test_the_document_alone_predicts_what_the_tree_does():
    X, y = load_iris(return_X_y=True)
    tree = askew.OC1Classifier(random_state=0).fit(X, y)
    document = json.loads(askew.export_json(tree))
    for row, value in zip(X, tree.tree_.value[tree.apply(X)], strict=True):
        assert _predict(document, dict(zip(document["columns"], row, strict=True))) == value.tolist()


def test_all_kinds_of_split_are_told():
    tree = mixed_tree()
    document = json.loads(askew.export_json(tree, feature_names=["a", "b", "c"]))
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 4, 200)])
    leaf = tree.apply(X)
    for row, value in zip(X, tree.value[leaf], strict=True):
        assert _predict(document, dict(zip("abc", row, strict=True))) == value.tolist()


def test_names_of_classes_and_sizes_are_told():
    tree = askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    document = json.loads(askew.export_json(tree))
    assert document["estimator"] == "CARTClassifier"
    assert document["classes"] == ["no", "yes"]
    assert [node["n_samples"] for node in document["nodes"]] == [2, 1, 1]


def test_an_impurity_that_overflowed_is_null():
    tree = mixed_tree()
    arrays = {**tree.arrays(), "impurity": np.full(tree.node_count, np.inf)}
    nodes = json.loads(askew.export_json(Tree.from_arrays(arrays, 3)))["nodes"]
    assert nodes[0]["impurity"] is None
