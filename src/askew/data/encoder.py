"""`Encoder`: from columns of categories to numbers; learnt in `fit`, applied in `predict`, stored with the model.

    data               code              expand
    size  colour       size  colour      size  colour=blue  colour=red
    1.5   red     ->   1.5   1      ->   1.5   0            1
    2.0   blue         2.0   0           2.0   1            0
    2.5   pink         2.5   -1          2.5   0            0             a category not in the training data

Searches that handle categories themselves take the codes; all others take columns of 0 and 1. A column of numbers that
lacks values may have a second one beside it, which is 1 where the value is missing: ``size is missing``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from askew.data import frames

UNSEEN = -1.0  # the code of a category not in the training data
MOST_CATEGORIES = 1000  # of a column that becomes columns of 0 and 1
MISSING = None  # the label of the category of missing values, which comes last


@dataclass(frozen=True)
class Encoder:
    """The columns of a tree that each column of the data becomes.

    Attributes
    ----------
    categories : tuple of tuple or None
        The categories of each column, in order, None last if missing values are a category; None for a column of
        numbers.
    onehot : bool
        Whether the tree sees a column of 0 and 1 for each category, rather than codes.
    indicators : tuple of int
        The columns of numbers that have a missing indicator: a column of 0 and 1 beside them.

    Examples
    --------
    >>> import pandas as pd
    >>> from askew.data.encoder import Encoder
    >>> frame = pd.DataFrame({"size": [1.5, 2.0], "colour": ["red", "blue"]})
    >>> encoder = Encoder.learn(frame, [1])
    >>> encoder.names(["size", "colour"])
    ['size', 'colour=blue', 'colour=red']
    >>> encoder.expand(encoder.code(frame))
    array([[1.5, 0. , 1. ],
           [2. , 1. , 0. ]])
    """

    categories: tuple[tuple[object, ...] | None, ...]
    onehot: bool = True
    indicators: tuple[int, ...] = ()

    @classmethod
    def learn(
        cls, X: frames.MatrixLike, columns: Collection[int], *, missing_category: bool = False, onehot: bool = True
    ) -> Encoder:
        """Learn the categories of some columns of X, sorted: their order depends neither on the rows nor on the dtype.

        With `missing_category`, the missing values of a column, if it has any, form a separate category.
        """
        rows = frames.as_rows(X)
        categories: list[tuple[object, ...] | None] = [None] * rows.shape[1]
        for j in columns:
            codes, values = frames.factorized(rows, j)
            labels = sorted((_plain(value) for value in values), key=label_rank)
            categories[j] = (*labels, MISSING) if missing_category and (codes < 0).any() else tuple(labels)
        return cls(tuple(categories), onehot)

    def indicating(self, rows: NDArray[np.float64]) -> Encoder:
        """Return the encoder with missing indicators for the columns of numbers that lack values in these rows."""
        lacking = np.isnan(rows).any(axis=0) & ~self.is_categorical
        return replace(self, indicators=tuple(np.flatnonzero(lacking).tolist()))

    # --- columns

    @property
    def n_features(self) -> int:
        """Number of columns of the data."""
        return len(self.categories)

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of categories of each column of the data; 0 for numbers."""
        return tuple(0 if labels is None else len(labels) for labels in self.categories)

    @property
    def is_categorical(self) -> NDArray[np.bool_]:
        """Whether each column of the data holds categories."""
        return np.array([labels is not None for labels in self.categories])

    @property
    def origin(self) -> NDArray[np.int64]:
        """The column of the data that each column of the tree comes from."""
        return np.repeat(np.arange(self.n_features), self._widths)

    @property
    def _widths(self) -> NDArray[np.int64]:
        """Number of columns of the tree that each column of the data becomes."""
        widths = [len(labels) if self.onehot and labels is not None else 1 for labels in self.categories]
        return np.array(widths, dtype=np.int64) + np.isin(np.arange(self.n_features), self.indicators)

    @property
    def is_indicator(self) -> NDArray[np.bool_]:
        """Whether each column of the tree is a missing indicator."""
        found = np.zeros(self.n_columns, dtype=bool)
        found[np.searchsorted(self.origin, np.array(self.indicators, dtype=np.int64), "right") - 1] = True
        return found

    def codes_of(self, column: int) -> tuple[object, ...] | None:
        """Return the categories whose codes a column of the tree holds; None for any other column."""
        return None if self.onehot or self.is_indicator[column] else self.categories[int(self.origin[column])]

    @property
    def column_levels(self) -> tuple[int, ...]:
        """Number of categories of each column of the tree that holds codes; 0 for any other."""
        of_feature = np.zeros(self.n_features, dtype=np.int64) if self.onehot else np.array(self.levels, dtype=np.int64)
        return tuple(np.where(self.is_indicator, 0, of_feature[self.origin]).tolist())

    @property
    def groups(self) -> tuple[tuple[int, int], ...]:
        """The columns of 0 and 1 of each categorical feature: the first, and the one after the last."""
        if not self.onehot:
            return ()
        origin, chosen = self.origin, np.flatnonzero(self.is_categorical)
        first, last = (np.searchsorted(origin, chosen, side).tolist() for side in ("left", "right"))
        return tuple((a, b) for a, b in zip(first, last, strict=True) if b > a)

    def names(self, features: Sequence[str]) -> list[str]:
        """Return the name of each column of the tree: of `colour`, ``colour=red`` and so on."""
        named: list[str] = []
        for j, (name, labels) in enumerate(zip(features, self.categories, strict=True)):
            each = labels if self.onehot and labels is not None else None
            named += [name] if each is None else [f"{name}={label_text(label)}" for label in each]
            named += [f"{name} is missing"] if j in self.indicators else []
        return named

    @property
    def n_columns(self) -> int:
        """Number of columns that the tree sees."""
        return int(self.origin.size)

    def check_width(self, features: Sequence[str] | None) -> None:
        """Raise ValueError if a feature has too many categories for columns of 0 and 1."""
        for j, n in enumerate(self.levels if self.onehot else ()):
            if n > MOST_CATEGORIES:
                raise ValueError(
                    f"column {(j if features is None else features[j])!r} of X has {n:,} categories, each of which "
                    f"would become a column of 0 and 1; at most {MOST_CATEGORIES:,} are allowed. If it identifies the "
                    "rows, leave the column out; otherwise group rare categories, encode it as numbers, or use "
                    "C45Classifier, which takes categories as they are."
                )

    # --- encoding

    def code(self, X: frames.MatrixLike | frames.Rows) -> NDArray[np.float64]:
        """Return numbers as they are and categories as codes; NaN where missing, -1 where unseen."""
        rows = frames.as_rows(X)
        coded = np.empty(rows.shape)
        numeric = np.flatnonzero(~self.is_categorical).tolist()
        if numeric:
            coded[:, numeric] = frames.numbers(rows, numeric)
        for j, labels in enumerate(self.categories):
            if labels is None:
                continue
            codes, values = frames.factorized(rows, j)
            known = {label: code for code, label in enumerate(labels)}
            # The last entry is that of the code -1.
            meaning = [known.get(value, UNSEEN) for value in values] + [known.get(MISSING, np.nan)]
            coded[:, j] = np.array(meaning)[codes]
        return coded

    def expand(self, coded: NDArray[np.float64], missing: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return a column of 0 and 1 for each category; an unseen one is 0 in all, a missing one NaN in all.

        `missing` marks values that were missing before imputation; None: those that are NaN.
        """
        if not self.onehot and not self.indicators:
            return coded
        X = np.zeros((coded.shape[0], self.n_columns))
        starts = np.searchsorted(self.origin, np.arange(self.n_features))
        for j, (start, labels) in enumerate(zip(starts.tolist(), self.categories, strict=True)):
            column = coded[:, j]
            if labels is None or not self.onehot:
                X[:, start] = column
                if j in self.indicators:
                    X[:, start + 1] = np.isnan(column) if missing is None else missing[:, j]
            else:
                rows = np.flatnonzero(column >= 0)
                X[rows, start + column[rows].astype(np.int64)] = 1.0
                X[np.isnan(column), start : start + len(labels)] = np.nan
        return X

    def narrowed(self, coded: NDArray[np.float64]) -> tuple[Encoder, NDArray[np.float64]]:
        """Drop the categories that no row has; return the new encoder, and the rows with its codes."""
        categories, recoded = list(self.categories), coded.copy()
        for j, labels in enumerate(self.categories):
            if labels is not None:
                column = coded[:, j]
                known = column >= 0
                used, recoded[known, j] = np.unique(column[known], return_inverse=True)
                categories[j] = tuple(labels[code] for code in used.astype(np.int64).tolist())
        return replace(self, categories=tuple(categories)), recoded

    # --- in a model file

    def packed(self) -> object:
        """Return the categories (text, integers, floats and booleans) and the indicators, as JSON."""
        try:
            packed = [None if labels is None else [_storable(label) for label in labels] for labels in self.categories]
        except ValueError as error:
            raise TypeError(f"categories cannot be stored: {error}") from None
        return {"categories": packed, "indicators": list(self.indicators)} if self.indicators else packed

    @classmethod
    def unpacked(cls, packed: object, *, onehot: bool) -> Encoder:
        """Return the encoder whose categories came from outside, after checking all of them."""
        indicators: object = []
        if isinstance(packed, dict) and set(packed) == {"categories", "indicators"}:
            indicators, packed = packed["indicators"], packed["categories"]
        if not isinstance(packed, list) or not all(labels is None or isinstance(labels, list) for labels in packed):
            raise ValueError(
                f"encoder: expected a list of categories, or none, for each feature, found {packed!r:.100}"
            )
        categories = []
        for j, labels in enumerate(packed):
            known = None if labels is None else labels[:-1] if labels[-1:] == [MISSING] else labels
            try:
                if known is not None and len({_storable(label) for label in known} - {MISSING}) < len(known):
                    raise ValueError("found one twice, or a missing one that is not the last")
            except (ValueError, TypeError) as error:  # anything but a label may not be hashable
                raise ValueError(f"encoder: feature {j}: expected different categories, {error}") from None
            categories.append(None if labels is None else tuple(labels))
        numbers = [j for j, labels in enumerate(categories) if labels is None]
        if (
            not isinstance(indicators, list)
            or not all(type(j) is int and j in numbers for j in indicators)
            or indicators != sorted(set(indicators))
        ):
            raise ValueError(
                f"encoder: expected indicators of features of numbers, ascending, found {indicators!r:.100}"
            )
        return cls(tuple(categories), onehot, tuple(indicators))


def label_text(label: object) -> str:
    """Return how a category is written."""
    return "(missing)" if label is MISSING else str(label)


def _storable(label: object) -> object:
    if label is MISSING or isinstance(label, str | bool):
        return label
    if (type(label) is int and abs(label) < 2**63) or (type(label) is float and isfinite(label)):
        return label
    raise ValueError(f"found {repr(label)[:100]}")


def _plain(value: object) -> object:
    """Return a category as a Python object; a float that is an integer as an int: ``x2=1``, not ``x2=1.0``."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def label_rank(label: object) -> tuple[int, float | str]:
    """Order numbers before text before anything else."""
    if isinstance(label, bool | int | float):
        return 0, label
    return (1, label) if isinstance(label, str) else (2, repr(label))
