"""Dask arrays, Dask data frames and lists of futures as partitions: X, y and the weights of each, not yet computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

import dask.array as da
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed
from distributed import Future

from askew.data.frames import Labels

if TYPE_CHECKING:
    import dask.dataframe as dd
    import pandas

#: Rows on a cluster: X, y or weights, or predictions. A list of futures or delayed objects is one, too.
Partitioned: TypeAlias = "da.Array | dd.DataFrame | dd.Series"
#: The rows of one partition, once they are computed.
Block: TypeAlias = "Labels | pandas.DataFrame"
# X, y and the weights of a partition, None where there are no weights; or one object of all three.
Chunk: TypeAlias = "tuple[Delayed | Future | None, ...]"


def unpacked(chunk: tuple[object, ...]) -> tuple[Block, Block, Block | None]:
    """Return X, y and the weights of a partition."""
    return cast("tuple[Block, Block, Block | None]", chunk[0] if len(chunk) == 1 else chunk)


def is_partitioned(X: object) -> bool:
    """Whether X is a Dask collection, or a list of partitions on a cluster."""
    return is_dask_collection(X) or _is_list(X)


def _is_list(X: object) -> bool:
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(one, Future | Delayed) for one in X)


def partitions(X: Partitioned, y: Partitioned, sample_weight: Partitioned | None) -> list[Chunk]:
    """Return the partitions of the training data, as delayed objects or futures, X, y and weights of each.

    Raises
    ------
    ValueError
        They cannot be partitioned in the same way.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    if all(one is None or _is_frame(one) for one in (X, y, sample_weight)):
        return [(one,) for one in _together(X, y, sample_weight)]
    blocks = _blocks(X)
    targets = {"y": y, "sample_weight": sample_weight}
    others = {name: None if one is None else _blocks(_cut(one, X, name)) for name, one in targets.items()}
    for name, cut in others.items():
        if cut is not None and len(cut) != len(blocks):
            raise ValueError(f"X has {len(blocks)} partitions and {name} has {len(cut)}: they must match")
    columns = [blocks, *([None] * len(blocks) if cut is None else cut for cut in others.values())]
    return list(zip(*columns, strict=True))


def _blocks(collection: Partitioned) -> list[Delayed | Future]:
    """Return the partitions of a collection, each to be computed."""
    if _is_list(collection):
        return list(collection)
    if isinstance(collection, da.Array):
        if collection.ndim > 1:
            if collection.ndim > 2:
                raise ValueError(f"Found array with dim {collection.ndim}. X must have 2 dimensions.")
            collection = collection.rechunk({1: -1})
        return list(collection.to_delayed().ravel())
    if _is_frame(collection):
        return list(collection.to_delayed(optimize_graph=False))  # it could change the number of partitions
    raise TypeError(
        "expected a Dask array, a Dask data frame, or a list of futures or delayed objects, "
        f"got {type(collection).__name__}"
    )


def _is_frame(collection: object) -> bool:
    return hasattr(collection, "map_partitions") and hasattr(collection, "npartitions")


def _triple(X: Block, y: Block, sample_weight: Block | None = None) -> tuple[Block, Block, Block | None]:
    return X, y, sample_weight


def _together(X: Partitioned, y: Partitioned, sample_weight: Partitioned | None) -> list[Delayed]:
    """Return the partitions of data frames, X, y and the weights of each in one: files are then read once."""
    others = [one for one in (y, sample_weight) if one is not None]
    for one in others:
        if one.npartitions != X.npartitions:
            raise ValueError(
                f"X has {X.npartitions} partitions, y or sample_weight has {one.npartitions}: they must match"
            )
    options = {"meta": X._meta, "enforce_metadata": False, "align_dataframes": False}
    return list(X.map_partitions(_triple, *others, **options).to_delayed())


def _cut(one: Partitioned, X: Partitioned, name: str) -> Partitioned:
    """Return y, or the weights, with the partitions of X if these are known."""
    if not isinstance(X, da.Array) or _unknown(X):
        return one
    if not is_dask_collection(one) and not _is_list(one):
        one = da.from_array(np.asarray(one), chunks=-1)
    if isinstance(one, da.Array) and not _unknown(one):
        if one.ndim == 2 and one.shape[1] == 1:
            one = one[:, 0]
        if one.shape[0] != X.shape[0]:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has {X.shape[0]}, "
                f"{name} has {one.shape[0]}"
            )
        return one.rechunk({0: X.chunks[0]})
    return one


def _unknown(array: da.Array) -> bool:
    return bool(np.isnan(array.shape[0]))
