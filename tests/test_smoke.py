from sklearn.datasets import load_iris

from askew import CARTClassifier


def test_a_tree_learns_iris():
    X, y = load_iris(return_X_y=True)
    assert CARTClassifier().fit(X, y).score(X, y) == 1.0
