"""`OnCluster`, the mixin that gives an estimator a Dask client; lazy predictions of collections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import dask.array as da
import numpy as np
from dask.delayed import delayed
from distributed import Client, Future, default_client
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from askew.dask.cluster import Cluster
from askew.dask.partitions import Block, Partitioned, is_partitioned
from askew.data.frames import Labels, MatrixLike
from askew.estimators.model import BaseModel
from askew.parameters import Rule, check_parameters, none, param, real

if TYPE_CHECKING:
    import pandas


def _predicted(block: Block, model: BaseModel, method: str) -> Labels:
    """Predict for one partition; an empty one has none."""
    if block.shape[0] == 0:
        return _predicted(np.zeros((1, model.n_features_in_)), model, method)[:0]
    values: Labels = getattr(model, method)(block)
    return values


def _framed(block: pandas.DataFrame, model: BaseModel, method: str) -> pandas.DataFrame | pandas.Series:
    """Predict for one partition of a data frame, with its index."""
    import pandas as pd

    values = _predicted(block, model, method) if len(block) else _nothing(model, method)
    if method == "predict_proba":
        return pd.DataFrame(values, index=block.index, columns=list(_classes(model)))
    return pd.Series(values, index=block.index, name="predictions")


def _classes(model: BaseModel) -> Labels:
    classes: Labels = getattr(model, "classes_", np.empty(0))
    return classes


def _nothing(model: BaseModel, method: str) -> Labels:
    """Return an array of no predictions, of their type."""
    if method == "apply":
        return np.empty(0, dtype=np.int64)
    if method == "predict_proba":
        return np.empty((0, _classes(model).size))
    return np.empty(0, dtype=_classes(model).dtype)


def lazily(tree: OnCluster, method: str, X: Partitioned) -> Partitioned:
    """Return the predictions of a fitted tree for a Dask collection, with its partitions."""
    check_is_fitted(tree)
    model = tree.to_local()
    if isinstance(X, da.Array):
        X = X.rechunk({1: -1})
        if method == "predict_proba":
            chunks = (X.chunks[0], (_classes(model).size,))
            return X.map_blocks(_predicted, model, method, dtype=np.float64, chunks=chunks)
        dtype = _nothing(model, method).dtype
        return X.map_blocks(_predicted, model, method, dtype=dtype, drop_axis=1)
    if isinstance(X, list | tuple):
        if all(isinstance(one, Future) for one in X):
            return [tree.client_.submit(_predicted, one, model, method, pure=False) for one in X]
        return [delayed(_predicted)(one, model, method) for one in X]
    meta = _framed(X._meta, model, method)
    return X.map_partitions(_framed, model, method, meta=meta)


# Mixins: an estimator as a base would bring its defaults along.
_Base: Any = ABC


@dataclass(kw_only=True, eq=False, repr=False)
class OnCluster(_Base):  # type: ignore[misc]
    """Mixin of all estimators on a cluster; the local estimator follows it in the list of bases.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The client of the cluster; None: the current one.
    timeout : float, default=60.0
        Seconds after which a cluster without scheduler, or without workers, is abandoned.

    Attributes
    ----------
    client_ : distributed.Client
        The client that is used.
    """

    client: Client | None = param(None, Rule("a distributed.Client", lambda v: isinstance(v, Client)) | none)
    timeout: float = param(60.0, real(0.0, open_low=True))

    _plain_class: ClassVar[type[BaseModel]]

    @property
    def client_(self) -> Client:
        """The client that is used: `client`, or the current one."""
        return default_client() if self.client is None else self.client

    def plain(self) -> BaseModel:
        """Return the local estimator with the same parameters, not fitted."""
        known = {one.name for one in fields(self._plain_class) if one.init}
        shared = {name: value for name, value in self.get_params(deep=False).items() if name in known}
        return self._plain_class(**{name: clone(value, safe=False) for name, value in shared.items()})

    def to_local(self) -> BaseModel:
        """Return the fitted model as a local estimator, which needs no cluster and can be stored."""
        local = self.plain()
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_") and name not in ("traffic_", "n_rounds_"):
                setattr(local, name, value)
        return local

    def __sklearn_clone__(self) -> Self:
        """Copy the parameters; the client is the same."""
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        return type(self)(client=client, **{name: clone(value, safe=False) for name, value in parameters.items()})

    def __getstate__(self) -> dict[str, object]:
        """Leave the client behind: it belongs to this process."""
        return {**super().__getstate__(), "client": None}

    # --- fitting

    def fit(
        self,
        X: Partitioned | MatrixLike,
        y: Partitioned | ArrayLike,
        sample_weight: Partitioned | ArrayLike | None = None,
    ) -> Self:
        """Learn from data on the cluster.

        Parameters
        ----------
        X : Dask array, Dask data frame, or list of futures or delayed objects
            Numbers and categories (rows x features). Anything else is fitted on this machine.
        y : of the same kind, with the same partitions
            Class or number of each row.
        sample_weight : of the same kind or None, default=None
            Weight of each row: 0 removes the row, an integer repeats it.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        if not is_partitioned(X):
            super().fit(X, y, sample_weight)
            return self
        self._check()
        cluster = Cluster(self.client_, self.timeout)
        try:
            self._fit_on(cluster, X, y, sample_weight)
        finally:
            cluster.release()
        return self

    def _check(self) -> None:
        """Refuse parameters that are wrong, or that a cluster cannot do."""
        check_parameters(self)

    @abstractmethod
    def _fit_on(self, cluster: Cluster, X: Partitioned, y: Partitioned, sample_weight: Partitioned | None) -> None:
        """Learn from data that are on a cluster; set the fitted attributes last, when no error can occur any more."""

    # --- predictions

    def predict(self, X: Partitioned | MatrixLike) -> Partitioned:
        """Return the prediction of each row; of a Dask collection lazily, with its partitions."""
        return lazily(self, "predict", X) if is_partitioned(X) else super().predict(X)


class WithProbabilities(_Base):  # type: ignore[misc]
    """Mixin of the classifiers on a cluster."""

    def predict_proba(self, X: Partitioned | MatrixLike) -> Partitioned:
        """Return the share of each class for each row; of a Dask collection lazily, with its partitions."""
        return lazily(self, "predict_proba", X) if is_partitioned(X) else super().predict_proba(X)
