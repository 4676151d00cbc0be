"""The registry of methods: names, and where the estimators are. A class is imported when it is first used.

The public names of `askew`, the names that `askew.compare` and the command line take, and the classes that a model file
may name all come from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from askew.estimators.model import BaseModel

_NONE: Mapping[str, Any] = MappingProxyType({})


class Method(NamedTuple):
    """The estimators of a method, as "module:Class" in `askew.estimators`; None where it has none.

    Attributes
    ----------
    classifier, regressor : str or None
        The estimators.
    parameters : mapping
        The parameters that make the method of an estimator that takes any search.
    ensemble : bool
        Whether it is made of several trees.
    """

    classifier: str | None = None
    regressor: str | None = None
    parameters: Mapping[str, Any] = _NONE
    ensemble: bool = False

    @property
    def classes(self) -> tuple[type[BaseModel] | None, type[BaseModel] | None]:
        """The classifier and the regressor."""
        return _imported(self.classifier), _imported(self.regressor)


#: A new method is one line here.
METHODS: dict[str, Method] = {
    "auto": Method("auto:AutoTreeClassifier", "auto:AutoTreeRegressor"),
    "cart": Method("cart:CARTClassifier", "cart:CARTRegressor"),
    "c45": Method("c45:C45Classifier"),
    "id3": Method("c45:ID3Classifier"),
    "oc1": Method("oc1:OC1Classifier", "oc1:OC1Regressor"),
    "cart_lc": Method("cart_lc:CARTLCClassifier", "cart_lc:CARTLCRegressor"),
    "cart_elc": Method("cart_elc:CARTELCClassifier", "cart_elc:CARTELCRegressor"),
    "hhcart": Method("hhcart:HHCARTClassifier", "hhcart:HHCARTRegressor"),
    "sadt": Method("sadt:SADTClassifier", "sadt:SADTRegressor"),
    "lmdt": Method("lmdt:LMDTClassifier"),
    "ce_dt": Method("cedt:CEDTClassifier", "cedt:CEDTRegressor"),
    "apdt": Method("apdt:APDTClassifier"),
    "k_dt": Method("k_dt:KDTClassifier", ensemble=True),
    "forest": Method("forest:ObliqueForestClassifier", "forest:ObliqueForestRegressor", ensemble=True),
    "boosting": Method("boosting:ObliqueBoostingClassifier", "boosting:ObliqueBoostingRegressor", ensemble=True),
    "linear": Method("cart:ObliqueTreeClassifier", "cart:ObliqueTreeRegressor", {"search": "linear"}),
    "tree": Method("cart:ObliqueTreeClassifier", "cart:ObliqueTreeRegressor"),
}


def _imported(path: str | None) -> type[BaseModel] | None:
    if path is None:
        return None
    module, _, name = path.partition(":")
    found: type[BaseModel] = getattr(import_module(f"askew.estimators.{module}"), name)
    return found


class Classes(Mapping[str, "type[BaseModel]"]):
    """Public estimators by name, sorted; each is imported when it is first used."""

    def __init__(self, methods: Iterable[Method]) -> None:
        self._paths = {path.partition(":")[2]: path for method in methods for path in method[:2] if path is not None}

    def __getitem__(self, name: str) -> type[BaseModel]:
        found = _imported(self._paths[name])
        assert found is not None
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._paths))

    def __len__(self) -> int:
        return len(self._paths)


#: The trees, and the ensembles of trees.
ESTIMATORS = Classes(method for method in METHODS.values() if not method.ensemble)
ENSEMBLES = Classes(method for method in METHODS.values() if method.ensemble)
