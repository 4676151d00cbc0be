"""From Dask collections to parts on workers: one pass validates and describes every partition, one reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.class_weight import compute_class_weight

from askew.dask.cluster import Cluster
from askew.dask.exact_sums import as_float, exact_sum, ratio, rounded_weights, weight_unit
from askew.dask.partition import FeatureBins, Partition
from askew.dask.partitions import Block, Chunk, Partitioned, partitions, unpacked
from askew.data import targets
from askew.data.encoder import MISSING, UNSEEN, Encoder, label_rank
from askew.data.frames import Labels, is_frame
from askew.data.read import Reader, Schema, fitted_missing, read_pair, read_training

_FILLED = ("mean", "indicator", "auto")  # values of `missing` for which means are needed


@dataclass(frozen=True, eq=False)
class Survey:
    """Description of one partition, or of all.

    Exact sums are those of `askew.dask.exact_sums.exact_sum`.

    Attributes
    ----------
    n_rows : int
        Number of rows with a weight above 0.
    n_features : int
        Number of columns of X.
    names : array of str or None
        Their names.
    categories : tuple of tuple or None
        The categories of each column; None for numbers.
    empty : tuple of bool
        Whether each column has no value, so that its type is open.
    classes : array or None
        The labels; None for regression.
    mass : tuple of int
        Exact weight of each class.
    y : tuple of float
        The least and the largest number, for regression.
    integer_weights : bool
        Whether all weights are integers.
    largest : float
        The largest weight.
    samples : int
        Exact sum of the weights.
    known, total : tuple of int
        Exact weight of the rows that have a value in each column, and exact sum of the weighted values.
    """

    n_rows: int
    n_features: int
    names: NDArray[np.object_] | None
    categories: tuple[tuple[object, ...] | None, ...]
    empty: tuple[bool, ...]
    classes: Labels | None
    mass: tuple[int, ...]
    y: tuple[float, float]
    integer_weights: bool
    largest: float
    samples: int
    known: tuple[int, ...]
    total: tuple[int, ...]


def n_rows_of(X: Block) -> int:
    """Return the number of rows of a partition."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def survey(tree: Reader, *chunk: Block) -> Survey | None:
    """Validate a partition and describe it; None if it has no rows that count."""
    X, y, sample_weight = unpacked(chunk)
    n = n_rows_of(X)
    if n != n_rows_of(y) or (sample_weight is not None and n_rows_of(sample_weight) != n):
        raise ValueError(
            f"a partition has {n} rows in X and {n_rows_of(y)} in y"
            + ("" if sample_weight is None else f" and {n_rows_of(sample_weight)} in sample_weight")
            + ": they must match"
        )
    if n == 0:
        return None
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight)
    if sample_weight is not None and not (weights.dtype.kind in "fiub" and not weights.any()):
        weights = targets.read_weights(sample_weight, n)
        targets.check_range(weights, "weight")
    rows, labels, learnt = read_pair(tree, X, y, None)
    present = weights > 0
    if not present.any():
        return None
    if not present.all():
        rows, labels, weights = rows[present], labels[present], weights[present]
    encoder = learnt.encoder
    if encoder is not None:
        encoder, rows = encoder.narrowed(rows)
    return _described(tree, X, rows, labels, weights, encoder, learnt)


def _described(
    tree: Reader,
    X: Block,
    rows: NDArray[np.float64],
    labels: Labels,
    weights: NDArray[np.float64],
    encoder: Encoder | None,
    learnt: Schema,
) -> Survey:
    classes, mass, extent = None, [], (0.0, 0.0)
    if tree._numeric_y:
        numbers = labels.astype(np.float64)
        targets.check_range(numbers, "y")
        extent = (float(numbers.min()), float(numbers.max()))
    else:
        codes, classes = targets.class_codes(labels, None)
        mass = [exact_sum(weights[codes == code]) for code in range(classes.size)]
    known, total = [], []
    for column in rows.T:
        there = ~np.isnan(column)
        known.append(exact_sum(weights[there]) if tree.missing in _FILLED else 0)
        total.append(exact_sum(column[there] * weights[there]) if tree.missing in _FILLED else 0)
    d = learnt.n_features
    return Survey(
        n_rows=rows.shape[0],
        n_features=d,
        names=learnt.feature_names,
        categories=(None,) * d if encoder is None else encoder.categories,
        empty=tuple(bool(np.isnan(column).all()) for column in rows.T) if is_frame(X) else (False,) * d,
        classes=classes,
        mass=tuple(mass),
        y=extent,
        integer_weights=bool(np.all(weights == np.floor(weights))),
        largest=float(weights.max()),
        samples=exact_sum(weights),
        known=tuple(known),
        total=tuple(total),
    )


def merged_surveys(surveys: list[Survey | None]) -> Survey:
    """Return the description of all partitions.

    Raises
    ------
    ValueError
        There is no row, or partitions differ in their columns, or in what a column holds.
    """
    some = [(number, one) for number, one in enumerate(surveys) if one is not None]
    if not some:
        raise ValueError("Found array with 0 sample(s) in all partitions, or sample_weight is zero everywhere")
    first_number, first = some[0]
    for number, one in some[1:]:
        if one.n_features != first.n_features:
            raise ValueError(
                f"partition {number} of X has {one.n_features} columns, partition {first_number} has {first.n_features}"
            )
        if not np.array_equal(one.names, first.names):  # type: ignore[arg-type]
            raise ValueError(f"partition {number} of X has other columns, or in another order: {_some(one.names)}")
    everyone = [one for _, one in some]
    classes, mass = _classes(everyone)
    return Survey(
        n_rows=sum(one.n_rows for one in everyone),
        n_features=first.n_features,
        names=first.names,
        categories=tuple(_categories(some, j) for j in range(first.n_features)),
        empty=(False,) * first.n_features,
        classes=classes,
        mass=mass,
        y=(min(one.y[0] for one in everyone), max(one.y[1] for one in everyone)),
        integer_weights=all(one.integer_weights for one in everyone),
        largest=max(one.largest for one in everyone),
        samples=sum(one.samples for one in everyone),
        known=tuple(sum(column) for column in zip(*(one.known for one in everyone), strict=True)),
        total=tuple(sum(column) for column in zip(*(one.total for one in everyone), strict=True)),
    )


def _categories(some: list[tuple[int, Survey]], j: int) -> tuple[object, ...] | None:
    """Return the categories of a column in all partitions."""
    decided = [(number, one) for number, one in some if not one.empty[j]] or some
    kinds = {one.categories[j] is None: number for number, one in reversed(decided)}
    if len(kinds) == 2:
        name = j if some[0][1].names is None else some[0][1].names[j]
        raise ValueError(
            f"column {name!r} of X holds numbers in partition {kinds[True]} and text in partition {kinds[False]}. "
            "Give it one type in all partitions, or name it in categorical_features."
        )
    if True in kinds:
        return None
    labels = {label for _, one in some for label in one.categories[j] or ()}
    missing = MISSING in labels or any(one.categories[j] is None for _, one in some)
    known = sorted(labels - {MISSING}, key=label_rank)
    return (*known, MISSING) if missing else tuple(known)


def _classes(surveys: list[Survey]) -> tuple[Labels | None, tuple[int, ...]]:
    """Return the classes of all partitions, and the exact weight of each."""
    found = [one.classes for one in surveys if one.classes is not None]
    if not found:
        return None, ()
    kinds = {"number" if labels.dtype.kind in "biuf" else "text" for labels in found}
    if len(kinds) > 1:
        raise ValueError("y contains labels of different types: numbers in one partition, text in another")
    classes, which = np.unique(np.concatenate(found), return_inverse=True)
    mass = [0] * classes.size
    for code, weight in zip(which.tolist(), (m for one in surveys for m in one.mass), strict=True):
        mass[code] += weight
    return classes, tuple(mass)


def schema_of(tree: Reader, known: Survey) -> Schema:
    """Return the schema by which all partitions are read."""
    encoder = None
    if any(labels is not None for labels in known.categories):
        encoder = Encoder(known.categories, onehot=not tree._takes_categories)
        encoder.check_width(None if known.names is None else known.names.tolist())
    means = None
    if tree.missing in _FILLED:
        means = np.array([ratio(total, mass) for total, mass in zip(known.total, known.known, strict=True)])
        if encoder is not None:
            means[encoder.is_categorical] = UNSEEN
    if tree.missing in ("indicator", "auto") and min(known.known) < known.samples:
        encoder = encoder or Encoder((None,) * known.n_features, onehot=not tree._takes_categories)
        lacking = np.array([weight < known.samples for weight in known.known]) & ~encoder.is_categorical
        encoder = replace(encoder, indicators=tuple(np.flatnonzero(lacking).tolist()))
    missing = fitted_missing(tree.missing, encoder, means)
    return Schema(known.n_features, known.names, encoder, means, known.classes, missing, class_weight(tree, known))


def class_weight(tree: Reader, known: Survey) -> NDArray[np.float64] | None:
    """Return the weight of each class; None if all have the same."""
    weights: targets.ClassWeightLike = getattr(tree, "class_weight", None)
    if known.classes is None or weights is None:
        return None
    if isinstance(weights, str):
        mass = np.array([as_float(m) for m in known.mass])
        return np.asarray(mass.sum() / (mass.size * mass))
    factors: NDArray[np.float64] = compute_class_weight(weights, classes=known.classes, y=known.classes)
    targets.check_class_factors(factors, weights)
    return factors


def _some(names: NDArray[np.object_] | None) -> str:
    return "none" if names is None else ", ".join(map(repr, names[:10]))


_MOST_SAMPLES = 2.0**53  # up to here doubles count exactly


@dataclass(frozen=True, eq=False)
class Facts:
    """Properties of all data that workers need to read their partitions alike.

    Attributes
    ----------
    schema : Schema
        The columns and the classes.
    factors : float64 array or None
        Factor of the weights of each class; None for 1.
    repeated : bool
        Whether weights are repetitions: integers that can be counted.
    unit, largest : float
        Unit that the weights are multiples of, and the largest weight.
    n_rows : int
        Number of rows of all partitions.
    n_samples, mass : float
        Samples and weight of all partitions.
    y : tuple of float
        The least and the largest number, for regression.
    """

    schema: Schema
    factors: NDArray[np.float64] | None
    repeated: bool
    unit: float
    largest: float
    n_rows: int
    n_samples: float
    mass: float
    y: tuple[float, float]


def read_parts(
    cluster: Cluster, tree: Reader, X: Partitioned, y: Partitioned, sample_weight: Partitioned | None
) -> Facts:
    """Give the cluster the parts of the training data; return the properties of all data."""
    tree = without_client(tree)
    chunks = partitions(X, y, sample_weight)
    # Partitions are read twice: to keep the rows of the first pass would double the memory.
    surveys = cluster.results(cluster.compute(survey, [(tree, *chunk) for chunk in chunks]))
    facts = _facts(tree, merged_surveys(surveys))
    present: list[Chunk] = [chunk for chunk, one in zip(chunks, surveys, strict=True) if one is not None]
    cluster.parts = cluster.compute(_part, [(tree, facts, *chunk) for chunk in present])
    return facts


def _facts(tree: Reader, known: Survey) -> Facts:
    schema, samples = schema_of(tree, known), as_float(known.samples)
    factors = None if getattr(tree, "class_weight", None) == "balanced_subsample" else schema.class_weight
    repeated = known.integer_weights and samples <= _MOST_SAMPLES
    largest, mass = known.largest, samples
    if factors is not None:
        largest = known.largest * float(factors.max())
        mass = float(np.sum([as_float(m) * f for m, f in zip(known.mass, factors, strict=True)]))
    unit = weight_unit(largest, known.n_rows, repeated and factors is None)
    n_samples = samples if repeated else float(known.n_rows)
    return Facts(schema, factors, repeated, unit, largest + unit, known.n_rows, n_samples, mass, known.y)


def _part(tree: Reader, facts: Facts, *chunk: Block) -> Partition:
    """Read a partition by the schema of all."""
    X, y, sample_weight = unpacked(chunk)
    reader = clone(tree)
    if facts.factors is not None:
        reader.set_params(class_weight=None)  # is done below
    facts.schema.write(reader)
    _, table = read_training(reader, X, y, sample_weight, facts.schema)
    weight = table.weight if facts.factors is None else table.weight * facts.factors[table.y]
    table = replace(
        table,
        weight=rounded_weights(weight, facts.unit),
        multiplicity=table.multiplicity if facts.repeated else np.ones(table.n_rows),
    )
    return Partition(table if (weight > 0).all() else table.take(weight > 0), facts.unit)


def binned(part: Partition, bins: FeatureBins) -> Partition:
    """Return a part with the bins of its values."""
    return part.binned(bins)


def without_client(tree: Reader) -> Reader:
    """Return a copy of an estimator for the workers, without its client."""
    copy: Reader = tree.plain() if hasattr(tree, "plain") else clone(tree)
    return copy
