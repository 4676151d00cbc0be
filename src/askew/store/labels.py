"""The classes of a model file: JSON with the type of the labels, so that they come back exactly."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.errors import brief

_LABEL_BYTES = 2**28  # labels may take this much memory; a forged width must not take more


def pack_labels(labels: NDArray[Any]) -> dict[str, Any]:
    """Return the labels as JSON; raise TypeError for those that would not come back exactly."""
    packed = {"dtype": labels.dtype.str, "values": labels.tolist()}
    try:
        unpack_labels(packed)
    except ValueError as error:
        raise TypeError(f"labels of type {labels.dtype} cannot be stored: {error}") from None
    return packed


def unpack_labels(packed: Any) -> NDArray[Any]:
    """Return the labels, exactly as they were; strings, booleans, whole numbers and floats."""
    if not isinstance(packed, dict) or set(packed) != {"dtype", "values"} or not isinstance(packed["values"], list):
        raise ValueError(f"classes: expected a dtype and values, found {brief(packed)}")
    code, values = packed["dtype"], packed["values"]
    plain = isinstance(code, str) and re.fullmatch("[<>|][biufUO][0-9]{0,9}", code)  # NumPy would parse records, too
    try:
        dtype = np.dtype(code) if plain else None
    except (TypeError, ValueError):
        dtype = None
    if dtype is None or dtype.str != code:
        raise ValueError(f"classes: expected a dtype of text or numbers, found {brief(code)}")
    if not values or dtype.itemsize * len(values) > _LABEL_BYTES:
        raise ValueError(f"classes: expected labels of at most {_LABEL_BYTES} bytes, found {len(values)} of {code}")
    if not all(type(v) in (str, bool, int, float) for v in values) or len(set(values)) < len(values):
        raise ValueError(f"classes: expected different labels, each text or a number, found {brief(values)}")
    try:
        labels = np.array(values, dtype=dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"classes: expected labels of type {code}, found {error}") from None
    if [(type(v), v) for v in labels.tolist()] != [(type(v), v) for v in values]:
        raise ValueError(f"classes: expected labels of type {code}, found {brief(values)}")
    return labels
