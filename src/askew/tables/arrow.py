"""Columns of pyarrow: their type and their distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pyarrow import ChunkedArray


def is_string(column: ChunkedArray) -> bool:
    """Whether a column holds text."""
    from pyarrow import types

    return bool(types.is_string(column.type) or types.is_large_string(column.type))


def distinct_values(column: ChunkedArray) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the distinct values of a column, and the code of each row's value; -1 where it is missing."""
    encoded = column.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if hasattr(encoded, "chunk") else encoded
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices.fill_null(-1))
