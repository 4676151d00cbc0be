"""Oblique decision trees: small, accurate, readable trees whose nodes test a linear combination of features."""

from __future__ import annotations

from askew.errors import InvalidParameterError, ModelFileError
from askew.estimators.trees import (
    CARTClassifier,
    CARTRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
)
from askew.export.text import export_text
from askew.prune.cost_complexity import CostComplexity
from askew.store import load, save

__version__ = "0.1.0"

__all__ = [
    "CARTClassifier",
    "CARTRegressor",
    "CostComplexity",
    "InvalidParameterError",
    "ModelFileError",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "export_text",
    "load",
    "save",
]
