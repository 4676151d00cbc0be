"""From a data frame with text in it to numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def encode(frame: Any) -> NDArray[np.float64]:
    """Return a data frame as numbers; what is missing is NaN.

    A column of text becomes one column of 0 and 1 for each of its values, in alphabetical order. If some of its
    entries are missing and it has two values, it becomes a single column of 0, 1 and NaN, whose median over some
    rows is the value that most of them have.

    Examples
    --------
    >>> import pandas as pd
    >>> from askew.datasets import encode
    >>> encode(pd.DataFrame({"size": [1.5, 2.0], "colour": ["red", "blue"]}))
    array([[1.5, 0. , 1. ],
           [2. , 1. , 0. ]])
    """
    columns = []
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "biuf":
            columns.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
            continue
        text, missing = column.astype(str).to_numpy(dtype=object), column.isna().to_numpy()
        values = sorted(set(text[~missing]))
        if missing.any() and len(values) == 2:
            columns.append(np.where(missing, np.nan, (text == values[1]).astype(np.float64)))
        else:
            columns += [((text == value) & ~missing).astype(np.float64) for value in values]
    return np.column_stack(columns)
