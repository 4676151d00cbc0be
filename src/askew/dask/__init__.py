"""Trees on larger-than-memory data, grown on a Dask cluster (extra ``dask``)."""

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError(f"askew.dask needs Dask ({error}): install it with pip install 'askew[dask]'") from error

from askew.dask.ensembles import DaskKDTClassifier, DaskObliqueForestClassifier, DaskObliqueForestRegressor
from askew.dask.trees import (
    DaskCARTClassifier,
    DaskCARTRegressor,
    DaskCEDTClassifier,
    DaskCEDTRegressor,
    DaskObliqueTreeClassifier,
    DaskObliqueTreeRegressor,
)

__all__ = [
    "DaskCARTClassifier",
    "DaskCARTRegressor",
    "DaskCEDTClassifier",
    "DaskCEDTRegressor",
    "DaskKDTClassifier",
    "DaskObliqueForestClassifier",
    "DaskObliqueForestRegressor",
    "DaskObliqueTreeClassifier",
    "DaskObliqueTreeRegressor",
]
