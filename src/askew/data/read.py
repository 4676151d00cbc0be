"""Validates and encodes training data: NumPy, pandas, Polars or lists become a `Schema` and a `Table`."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_X_y
from sklearn.utils.validation import validate_data

from askew.data import targets
from askew.data.encoder import Encoder
from askew.data.frames import ColumnsLike, Labels, MatrixLike, as_rows, categorical_columns, dense, naming_text
from askew.data.table import Table


class FittedReader(Protocol):
    """A fitted estimator, as far as it describes the columns."""

    missing_: str
    n_features_in_: int
    encoder_: Encoder | None
    feature_means_: NDArray[np.float64] | None


class Reader(FittedReader, Protocol):
    """An estimator that reads training data: the parameters that say how, and how y is encoded."""

    missing: str
    categorical_features: ColumnsLike
    _numeric_y: ClassVar[bool]
    _takes_categories: ClassVar[bool]

    def _read_y(self, y: Labels, weights: NDArray[np.float64], classes: Labels | None) -> targets.Target: ...


@dataclass(frozen=True, eq=False)
class Schema:
    """The columns and the classes that `fit` learnt: all that is needed to read other data in the same way.

    Attributes
    ----------
    n_features : int
        Number of features of the data.
    feature_names : array of str or None
        Their names; None if the data have none.
    encoder : Encoder or None
        The categories of each feature; None if all features are numbers.
    means : float64 array or None
        Values that replace missing ones; None if they are not replaced.
    classes : array or None
        The classes, sorted; None for regression.
    missing : str
        Treatment of missing values: the parameter `missing`, for "auto" the treatment that was chosen.
    class_weight : float64 array or None
        Weight of each class; None if all have the same.
    """

    n_features: int
    feature_names: NDArray[np.object_] | None
    encoder: Encoder | None
    means: NDArray[np.float64] | None
    classes: Labels | None
    missing: str
    class_weight: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, tree: FittedReader) -> Schema:
        """Return the schema of a fitted tree."""
        names, classes = getattr(tree, "feature_names_in_", None), getattr(tree, "classes_", None)
        class_weight = getattr(tree, "class_weight_", None)
        return cls(tree.n_features_in_, names, tree.encoder_, tree.feature_means_, classes, tree.missing_, class_weight)

    def write(self, tree: FittedReader) -> None:
        """Set the fitted attributes of an estimator."""
        tree.n_features_in_, tree.encoder_, tree.feature_means_ = self.n_features, self.encoder, self.means
        tree.missing_ = self.missing
        for name, value in (("feature_names_in_", self.feature_names), ("classes_", self.classes)):
            vars(tree).pop(name, None)
            if value is not None:
                setattr(tree, name, value)
        if self.classes is not None:
            vars(tree)["class_weight_"] = self.class_weight

    def same_columns(self, other: Schema) -> bool:
        """Whether both turn the same data into the same columns."""
        return (
            self.n_features == other.n_features
            and self.missing == other.missing
            and self.encoder == other.encoder
            and np.array_equal(self.feature_names, other.feature_names)  # type: ignore[arg-type]
            and (self.means is None) == (other.means is None)
            and (self.means is None or np.array_equal(self.means, other.means))  # type: ignore[arg-type]
        )

    @property
    def column_names(self) -> tuple[str, ...]:
        """Name of each column that the tree tests."""
        names = [f"x{j}" for j in range(self.n_features)] if self.feature_names is None else self.feature_names.tolist()
        return tuple(names if self.encoder is None else self.encoder.names(names))

    @property
    def levels(self) -> tuple[int, ...]:
        """Number of categories of each column of codes; empty if the tree sees none."""
        return () if self.encoder is None or self.encoder.onehot else self.encoder.column_levels


def fitted_missing(missing: str, encoder: Encoder | None, means: NDArray[np.float64] | None) -> str:
    """Return the treatment of missing values in a fitted tree; for "auto", the one that was chosen.

    If the parameter has changed since `fit`, or is "auto", the fitted columns and means decide.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.data.read import fitted_missing
    >>> fitted_missing("fractional", None, None), fitted_missing("auto", None, np.zeros(2))
    ('fractional', 'mean')
    """
    if means is None:
        return missing if missing in ("below", "fractional") else "error"
    has_columns = encoder is not None and bool(encoder.indicators)
    return "indicator" if has_columns or missing == "indicator" else "mean"


class Reading(NamedTuple):
    """Training data of a tree, and the schema to read other data by."""

    schema: Schema
    table: Table


def read_training(
    tree: Reader, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, known: Schema | None = None
) -> Reading:
    """Return the training data of a tree, read by the schema of a fitted tree (`known`) if there is one."""
    if y is None:
        raise ValueError(f"{type(tree).__name__} requires y to be passed, but the target y is None.")
    rows, labels, learnt = read_pair(tree, X, y, known)
    weights = targets.read_weights(sample_weight, rows.shape[0])
    encoder = learnt.encoder
    if (weights == 0).any():
        present = weights > 0
        rows, labels, weights = rows[present], labels[present], weights[present]
        if encoder is not None and known is None:
            encoder, rows = encoder.narrowed(rows)
    means = learnt.means
    if known is None:
        if encoder is not None:
            encoder.check_width(None if learnt.feature_names is None else learnt.feature_names.tolist())
        means = targets.column_means(rows, weights, encoder) if tree.missing in ("mean", "indicator", "auto") else None
        if tree.missing in ("indicator", "auto") and targets.has_nan(rows):
            plain = Encoder((None,) * rows.shape[1], onehot=not tree._takes_categories)
            encoder = (encoder or plain).indicating(rows)
    target = tree._read_y(labels, weights, learnt.classes)
    targets.check_range(target.weight, "weight")
    missing = fitted_missing(tree.missing, encoder, means) if known is None else known.missing
    schema = Schema(
        learnt.n_features, learnt.feature_names, encoder, means, target.classes, missing, target.class_weight
    )
    table = Table(
        encoded(schema, rows),
        target.y,
        target.weight,
        targets.multiplicities(weights),
        0 if target.classes is None else target.classes.size,
        schema.column_names,
        schema.levels,
        missing == "fractional",
        n_input_features=learnt.n_features,
    )
    present = target.weight > 0  # False for the rows of a class of weight 0
    return Reading(schema, table if present.all() else table.take(present))


def read_X(tree: FittedReader, X: MatrixLike) -> NDArray[np.float64]:  # noqa: N802
    """Return the columns that a fitted tree tests."""
    schema, X = Schema.of(tree), dense(X)
    if schema.encoder is not None and schema.encoder.is_categorical.any():
        rows = _coded(tree, schema.encoder, X, reset=False)
    else:
        with naming_text(X), _without_overflow_warnings():
            rows = validate_data(tree, X, reset=False, **_ARRAY)
    _refuse_nan(tree, schema.missing, rows)
    return encoded(schema, rows)


def encoded(schema: Schema, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns that the tree tests: missing values replaced, categories one-hot encoded."""
    missing = np.isnan(rows) if schema.encoder is not None and schema.encoder.indicators else None
    if schema.means is not None and schema.missing in ("mean", "indicator"):
        rows = targets.fill(rows, schema.means)
    return rows if schema.encoder is None else schema.encoder.expand(rows, missing)


def remember_missing(tree: Reader) -> None:
    """Set `missing_` of a fitted tree that was stored by an earlier version, which did not have it."""
    if "encoder_" in vars(tree) and "missing_" not in vars(tree):
        tree.missing_ = fitted_missing(tree.missing, tree.encoder_, tree.feature_means_)


def _refuse_nan(tree: FittedReader, missing: str, rows: NDArray[np.float64]) -> None:
    """Raise ValueError if values are missing, also in rows of weight 0, unless the tree takes them."""
    if missing == "error" and targets.has_nan(rows):
        raise ValueError(
            f"Input X contains NaN. {type(tree).__name__} was made with missing='error'; "
            "make it with missing='mean' to impute the mean of the training rows."
        )


def read_pair(
    tree: Reader, X: MatrixLike, y: ArrayLike, known: Schema | None
) -> tuple[NDArray[np.float64], Labels, Schema]:
    """Return X, categories as codes, and y, checked together; and the schema so far."""
    if not tree._numeric_y:
        targets.refuse_missing_labels(y)
    reader = copy(tree)  # scikit-learn writes the names and the number of the columns into its argument
    new, X = known is None, dense(X)
    columns = categorical_columns(X, tree.categorical_features) if new else []
    encoder = None if known is None else known.encoder
    if columns:
        missing_category = tree.missing in ("mean", "below", "indicator", "auto")
        encoder = Encoder.learn(X, columns, missing_category=missing_category, onehot=not tree._takes_categories)
    options = {"y_numeric": tree._numeric_y, "multi_output": False, **_ARRAY}
    if encoder is not None and encoder.is_categorical.any():
        rows, labels = check_X_y(_coded(reader, encoder, X, reset=new), y, estimator=tree, **options)
    else:
        with naming_text(X), _without_overflow_warnings():
            rows, labels = validate_data(reader, X, y, reset=new, **options)
    _refuse_nan(tree, tree.missing if known is None else known.missing, rows)
    if known is not None:
        return rows, labels, known
    names = getattr(reader, "feature_names_in_", None)
    return rows, labels, Schema(reader.n_features_in_, names, encoder, None, None, tree.missing)


def _coded(tree: FittedReader, encoder: Encoder, X: MatrixLike, *, reset: bool) -> NDArray[np.float64]:
    rows = as_rows(X)
    validate_data(tree, rows, reset=reset, skip_check_array=True)  # the names and the number of the columns
    with _without_overflow_warnings():
        read: NDArray[np.float64] = check_array(encoder.code(rows), input_name="X", **_ARRAY)
    return read


def _without_overflow_warnings() -> np.errstate:
    """Suppress overflow warnings while scikit-learn sums X to look for infinities."""
    return np.errstate(over="ignore", invalid="ignore")


_ARRAY: dict[str, object] = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}
