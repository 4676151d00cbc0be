"""From a data frame with text in it to numbers, for estimators that take no categories. See `askew.encoding`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.encoding import UNSEEN, Encoder
from askew.frames import FROM_DTYPE, categorical_columns


def encode(frame: Any) -> NDArray[np.float64]:
    """Return a data frame as numbers; what is missing is NaN.

    A column of text becomes one column of 0 and 1 for each of its values, in alphabetical order; a single column if
    there are two. What is missing in that is NaN, and the median over some rows is the value that most of them have.

    Examples
    --------
    >>> import pandas as pd
    >>> from askew.datasets import encode
    >>> encode(pd.DataFrame({"size": [1.5, 2.0], "colour": ["red", "blue"]}))
    array([[1.5, 1. ],
           [2. , 0. ]])
    """
    encoder = Encoder.learn(frame, categorical_columns(frame, FROM_DTYPE))
    coded = encoder.code(frame)
    kept = list(encoder.categories)
    for j, labels in enumerate(encoder.categories):
        if labels is not None and len(labels) == 2:
            kept[j] = None  # its codes are 0, 1 and NaN already
        elif labels is not None:
            coded[np.isnan(coded[:, j]), j] = UNSEEN
    return Encoder(tuple(kept)).expand(coded)
