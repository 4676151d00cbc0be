"""The data that the themes run on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_regression

# Name in the tables -> file in the folder that the user gives.
CLASSIFICATION_FILES = {"letter": "letter.csv", "MAGIC": "magic_gamma.csv.gz"}
REGRESSION_FILES = {"California": "california_housing.csv"}


def classes(n: int, d: int = 20) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return scikit-learn's usual made-up classes: half of the features tell something."""
    X, y = make_classification(n, d, n_informative=d // 2, random_state=0)
    return X, y


def numbers(n: int, d: int = 20) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a linear function with noise."""
    X, y = make_regression(n, d, n_informative=d // 2, noise=10.0, random_state=0)
    return X, y


def from_folder(folder: Path | None, files: dict[str, str]) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, X and y of the files that the folder has; the last column is what to predict."""
    if folder is None:
        return
    import pandas as pd

    for name, file in files.items():
        if not (folder / file).exists():
            continue
        frame = pd.read_csv(folder / file, keep_default_na=False, na_values=[""])
        X = np.ascontiguousarray(frame.iloc[:, :-1].to_numpy(dtype=np.float64))
        yield name, X, frame.iloc[:, -1].to_numpy()
