"""From collections to parts on workers: two passes, the first of which finds what is wrong with the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from askew.dask.cluster import Cluster
from askew.dask.collections import Chunk, partitions, unpacked
from askew.dask.exact import as_float, rounded_weights, weight_unit
from askew.dask.part import Bins, Part
from askew.dask.survey import Survey, merged_surveys, schema_of, survey
from askew.estimators.reading import Schema, read_training

_MOST_SAMPLES = 2.0**53  # up to here doubles count exactly


@dataclass(frozen=True, eq=False)
class Facts:
    """What all workers must know to read their partitions alike.

    Attributes
    ----------
    schema : the columns and the classes
    factors : what the weights of each class are multiplied by; None if by nothing
    repeated : whether weights are repetitions: whole numbers that can be counted
    unit, largest : what the weights are multiples of, and the largest of them
    n_rows, n_samples, mass : rows, samples and weight of all partitions
    y : extent of the numbers, for regression
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


def read_parts(cluster: Cluster, tree: Any, X: Any, y: Any, sample_weight: Any) -> Facts:
    """Give the cluster the parts of the training data; return what is common to them."""
    tree = without_client(tree)
    chunks = partitions(X, y, sample_weight)
    # Partitions are read twice: what was read for the first pass would be as large as the parts, and stay beside them.
    surveys = cluster.results(cluster.compute(survey, [(tree, *chunk) for chunk in chunks]))
    facts = _facts(tree, merged_surveys(surveys))
    present: list[Chunk] = [chunk for chunk, one in zip(chunks, surveys, strict=True) if one is not None]
    cluster.parts = cluster.compute(_part, [(tree, facts, *chunk) for chunk in present])
    return facts


def _facts(tree: Any, known: Survey) -> Facts:
    schema, samples = schema_of(tree, known), as_float(known.samples)
    factors = None if getattr(tree, "class_weight", None) == "balanced_subsample" else schema.class_weight
    repeated = known.whole and samples <= _MOST_SAMPLES
    largest, mass = known.largest, samples
    if factors is not None:
        largest = known.largest * float(factors.max())
        mass = float(np.sum([as_float(m) * f for m, f in zip(known.mass, factors, strict=True)]))
    unit = weight_unit(largest, known.n_rows, repeated and factors is None)
    n_samples = samples if repeated else float(known.n_rows)
    return Facts(schema, factors, repeated, unit, largest + unit, known.n_rows, n_samples, mass, known.y)


def _part(tree: Any, facts: Facts, *chunk: Any) -> Part:
    """Read a partition, by what is known of all."""
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
    return Part(table if (weight > 0).all() else table.take(weight > 0), facts.unit)


def binned(part: Part, bins: Bins) -> Part:
    """Return a part with the bins of its values."""
    return part.binned(bins)


def without_client(tree: Any) -> Any:
    """Return an estimator as workers get it: a client stays where it is."""
    return tree.plain() if hasattr(tree, "plain") else clone(tree)
