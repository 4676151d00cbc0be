"""The methods by name, as the command line and comparisons know them."""

from __future__ import annotations

from typing import Any

from askew.estimators.trees import CARTClassifier, CARTRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor

#: Name -> classifier, regressor; None where the method has none. A new method is one line here.
METHODS: dict[str, tuple[type[Any] | None, type[Any] | None]] = {
    "cart": (CARTClassifier, CARTRegressor),
    "tree": (ObliqueTreeClassifier, ObliqueTreeRegressor),
}
