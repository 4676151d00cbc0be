"""The methods by name, as the command line and comparisons know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askew.estimators.apdt import APDTClassifier
from askew.estimators.auto import AutoTreeClassifier, AutoTreeRegressor
from askew.estimators.boosting import ObliqueBoostingClassifier, ObliqueBoostingRegressor
from askew.estimators.c45 import C45Classifier, ID3Classifier
from askew.estimators.cart import CARTClassifier, CARTRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.estimators.cart_elc import CARTELCClassifier, CARTELCRegressor
from askew.estimators.cart_lc import CARTLCClassifier, CARTLCRegressor
from askew.estimators.cedt import CEDTClassifier, CEDTRegressor
from askew.estimators.forest import ObliqueForestClassifier, ObliqueForestRegressor
from askew.estimators.hhcart import HHCARTClassifier, HHCARTRegressor
from askew.estimators.k_dt import KDTClassifier
from askew.estimators.lmdt import LMDTClassifier
from askew.estimators.oc1 import OC1Classifier, OC1Regressor
from askew.estimators.sadt import SADTClassifier, SADTRegressor
from askew.prune import usual_pruning

#: Name -> classifier, regressor; None where the method has none. A new method is one line here.
METHODS: dict[str, tuple[type[Any] | None, type[Any] | None]] = {
    "auto": (AutoTreeClassifier, AutoTreeRegressor),
    "cart": (CARTClassifier, CARTRegressor),
    "c45": (C45Classifier, None),
    "id3": (ID3Classifier, None),
    "oc1": (OC1Classifier, OC1Regressor),
    "cart_lc": (CARTLCClassifier, CARTLCRegressor),
    "cart_elc": (CARTELCClassifier, CARTELCRegressor),
    "hhcart": (HHCARTClassifier, HHCARTRegressor),
    "sadt": (SADTClassifier, SADTRegressor),
    "lmdt": (LMDTClassifier, None),
    "ce_dt": (CEDTClassifier, CEDTRegressor),
    "apdt": (APDTClassifier, None),
    "k_dt": (KDTClassifier, None),
    "forest": (ObliqueForestClassifier, ObliqueForestRegressor),
    "boosting": (ObliqueBoostingClassifier, ObliqueBoostingRegressor),
    "linear": (ObliqueTreeClassifier, ObliqueTreeRegressor),
    "tree": (ObliqueTreeClassifier, ObliqueTreeRegressor),
}
#: The parameters that make a method of an estimator that takes any search.
OWN: dict[str, dict[str, Any]] = {"linear": {"search": "linear"}}


def parameter_names(estimator: Any) -> dict[str, str]:
    """Return the parameters as a user writes them, and as `set_params` does; a vote takes those of its trees too."""
    own = {name: name for name in estimator.get_params(deep=False)}
    if "estimator" not in own:
        return own
    if estimator.estimator is None:
        estimator.set_params(estimator=OC1Classifier())
    return {**{name: f"estimator__{name}" for name in estimator.estimator.get_params(deep=False)}, **own}


def set_named(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """Set parameters as a user writes them (``pruning__folds`` for one of the pruner); those of a vote's trees too."""
    known = parameter_names(estimator)
    written = {key: key.partition("__") for key in parameters}
    return estimator.set_params(
        **{f"{known[name]}{dots}{rest}": parameters[key] for key, (name, dots, rest) in written.items()}
    )


def set_usual(estimator: Any, random_state: int, n_rows: int, *, own_pruning: bool = False) -> None:
    """Set what the command line and comparisons set before the user's own: the seed, and the same pruning for all.

    A method that chooses the size of its tree is left to that, as are all with `own_pruning`.
    """
    usual: dict[str, Any] = {"random_state": random_state}
    if not (own_pruning or getattr(estimator, "chooses_size", False)):
        usual["pruning"] = usual_pruning(n_rows)
    known = parameter_names(estimator)
    set_named(estimator, {name: value for name, value in usual.items() if name in known})
