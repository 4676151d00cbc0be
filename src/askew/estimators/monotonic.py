"""Monotonic constraints of boosting: from what a user gives to one sign for each column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.estimators.reading import Schema


def directions(monotonic_cst: Any, schema: Schema, many_classes: bool) -> NDArray[np.int8] | None:
    """Return 1, -1 or 0 for each column that the trees test; None if there is no constraint.

    Parameters
    ----------
    monotonic_cst : None, a dict by name, or a number for each feature
    schema : the columns
    many_classes : whether there are more than two classes, which have no order

    Examples
    --------
    >>> from askew.estimators.monotonic import directions
    >>> from askew.estimators.reading import Schema
    >>> directions([1, 0], Schema(2, None, None, None, None, "error"), False)
    array([1, 0], dtype=int8)
    """
    if monotonic_cst is None:
        return None
    if isinstance(monotonic_cst, dict):
        names = [] if schema.feature_names is None else schema.feature_names.tolist()
        unknown = [name for name in monotonic_cst if name not in names]
        if unknown:
            raise ValueError(f"monotonic_cst names {unknown[0]!r}, which is no feature of X: {names}")
        signs = np.array([monotonic_cst.get(name, 0) for name in names])
    else:
        signs = np.asarray(monotonic_cst)
    if signs.shape != (schema.n_features,) or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"monotonic_cst must be -1, 0 or 1 for each of {schema.n_features} features, got {signs.tolist()}"
        )
    if many_classes and signs.any():
        raise ValueError("monotonic_cst is for numbers and for two classes: more classes have no order")
    if schema.encoder is None:
        return signs.astype(np.int8)
    wrong = np.flatnonzero(schema.encoder.is_categorical & (signs != 0))
    if wrong.size:
        raise ValueError(f"monotonic_cst: feature {wrong[0]} holds categories, which have no order")
    return signs.astype(np.int8)[schema.encoder.origin]
