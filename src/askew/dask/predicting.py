"""Predictions on Dask collections: nothing is computed before it is asked for, and chunks stay as they are."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed
from distributed import Future
from sklearn.utils.validation import check_is_fitted


def _predicted(block: Any, model: Any, method: str) -> Any:
    """Predict for one partition; an empty one has none."""
    if block.shape[0] == 0:
        block = np.zeros((1, model.n_features_in_))
        return _values(model, method, block)[:0]
    return _values(model, method, block)


def _values(model: Any, method: str, block: Any) -> Any:
    return getattr(model, method)(block)


def _framed(block: Any, model: Any, method: str) -> Any:
    """Predict for one partition of a data frame, with its index."""
    import pandas as pd

    values = _predicted(block, model, method) if len(block) else None
    if method == "predict_proba":
        values = np.empty((0, model.classes_.size)) if values is None else values
        return pd.DataFrame(values, index=block.index, columns=list(model.classes_))
    return pd.Series(_nothing(model, method) if values is None else values, index=block.index, name="predictions")


def _nothing(model: Any, method: str) -> Any:
    """Return an array of no predictions, of their type."""
    if method == "apply":
        return np.empty(0, dtype=np.int64)
    return np.empty(0, dtype=model.classes_.dtype if hasattr(model, "classes_") else np.float64)


def lazily(tree: Any, method: str, X: Any) -> Any:
    """Return the predictions of a fitted tree for a Dask collection, cut as it is."""
    check_is_fitted(tree)
    model = tree.to_local()
    if isinstance(X, da.Array):
        X = X.rechunk({1: -1})
        if method == "predict_proba":
            chunks = (X.chunks[0], (model.classes_.size,))
            return X.map_blocks(_predicted, model, method, dtype=np.float64, chunks=chunks)
        dtype = _nothing(model, method).dtype
        return X.map_blocks(_predicted, model, method, dtype=dtype, drop_axis=1)
    if isinstance(X, list | tuple):
        if all(isinstance(one, Future) for one in X):
            return [tree.client_.submit(_predicted, one, model, method, pure=False) for one in X]
        return [delayed(_predicted)(one, model, method) for one in X]
    meta = _framed(X._meta, model, method)
    return X.map_partitions(_framed, model, method, meta=meta)
