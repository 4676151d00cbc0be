import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import askew
from askew import CARTClassifier


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model file with names of features, means and labels of text."""
    path = tmp_path_factory.mktemp("model") / "m.askew"
    X, Y = load_iris(return_X_y=True)
    names = [f"feature {i}" for i in range(4)]
    estimator = CARTClassifier(max_depth=3, missing="mean").fit(
        pd.DataFrame(X, columns=names), np.array(["a", "b", "c"])[Y]
    )
    askew.save(estimator, path)
    return path
