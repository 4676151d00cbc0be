"""Columns of pyarrow: what they hold, and their different values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_string(column: Any) -> bool:
    """Whether a column holds text."""
    from pyarrow import types

    return bool(types.is_string(column.type) or types.is_large_string(column.type))


def different(column: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different values of a column and, for each row, which it is; -1 where it is missing."""
    encoded = column.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if hasattr(encoded, "chunk") else encoded
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices.fill_null(-1))
