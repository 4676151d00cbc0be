"""The data of a report: a model, rows with known targets, and the predictions for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from askew.data.encoder import Encoder
from askew.data.frames import MatrixLike, as_rows, dense
from askew.data.targets import refuse_missing_labels
from askew.explaining.one_row import as_seen
from askew.export.fitted import Fitted, FittedTreeEstimator, fitted_model
from askew.export.names import distinct
from askew.model.fitted import FittedModel
from askew.model.leaf_values import AnyArray
from askew.model.tree import Tree

OTHER = -1  # the code of a class that is not in the training data


@dataclass(frozen=True, eq=False)
class Evidence:
    """A model and its predictions for some rows.

    Attributes
    ----------
    estimator : estimator
        The estimator, or the last step of a pipeline.
    model : FittedModel
        The fitted model.
    tree : Tree or None
        Its tree; None if the model is not a single tree.
    feature_names : list of str or None
        Names of the features; None for those of the model.
    classes : list of str or None
        Names of the classes, each different; None for regression.
    cells : ndarray
        The rows before encoding: numbers, codes of categories (`askew.data.encoder.UNSEEN`), NaN where missing.
    columns : ndarray or None
        The columns that the tree tests; None without a tree.
    leaf : ndarray or None
        The leaf of each row; None without a tree.
    truth, predicted : ndarray
        Code of the class of each row, `OTHER` for one not in the training data; or a number.
    shares : ndarray or None
        The probability of every class (rows x classes); None for regression.
    """

    estimator: FittedTreeEstimator
    model: FittedModel
    tree: Tree | None
    feature_names: Sequence[str] | None
    classes: list[str] | None
    cells: NDArray[np.float64]
    columns: NDArray[np.float64] | None
    leaf: NDArray[np.int64] | None
    truth: AnyArray
    predicted: AnyArray
    shares: NDArray[np.float64] | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.truth.size)

    @classmethod
    def of(
        cls,
        estimator: Fitted,
        X: MatrixLike,
        y: ArrayLike,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> Evidence:
        """Read the rows and predict them; raise the exceptions of scikit-learn for invalid input."""
        model = fitted_model(estimator)
        last, seen = as_seen(estimator, X)
        X, classes = dense(seen), model.classes
        truth = _numbers(y) if classes is None else _codes(classes, y)
        predicted = last.predict(X)
        check_consistent_length(predicted, truth)
        tree = model.single_tree
        return cls(
            last,
            model,
            tree,
            feature_names,
            None if classes is None else _class_names(classes, class_names),
            _cells(model.schema.encoder, X),
            None if tree is None else last.encoded(X),
            None if tree is None else last.apply(X),
            truth,
            predicted if classes is None else np.searchsorted(classes, predicted),
            None if classes is None else last.predict_proba(X),
        )


def _class_names(classes: NDArray[np.generic], names: Sequence[str] | None) -> list[str]:
    if names is not None and len(names) != classes.size:
        raise ValueError(f"class_names must have {classes.size} names, got {len(names)}")
    return distinct(classes.tolist() if names is None else names)


def _codes(classes: NDArray[np.generic], y: ArrayLike) -> NDArray[np.int64]:
    refuse_missing_labels(y)
    known = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([known.get(label, OTHER) for label in column_or_1d(y).tolist()], dtype=np.int64)


def _numbers(y: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"), dtype=np.float64).ravel()


def _cells(encoder: Encoder | None, X: MatrixLike) -> NDArray[np.float64]:
    if encoder is not None and encoder.is_categorical.any():
        return encoder.code(as_rows(X))
    return np.asarray(check_array(X, dtype=np.float64, ensure_all_finite="allow-nan"))
