"""The scikit-learn estimators: each turns its parameters into a `askew.grow.recipe.Recipe`.

`ESTIMATORS` maps the names of all public trees to their classes; a model file is read by it, and the shared tests
run over it. `ENSEMBLES` does so for what is made of several trees.
"""

from __future__ import annotations

from askew.estimators.apdt import APDTClassifier
from askew.estimators.auto import AutoTreeClassifier, AutoTreeRegressor
from askew.estimators.base import BaseTree
from askew.estimators.boosting import ObliqueBoostingClassifier, ObliqueBoostingRegressor
from askew.estimators.c45 import C45Classifier, ID3Classifier
from askew.estimators.cart import CARTClassifier, CARTRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.estimators.cart_elc import CARTELCClassifier, CARTELCRegressor
from askew.estimators.cart_lc import CARTLCClassifier, CARTLCRegressor
from askew.estimators.cedt import CEDTClassifier, CEDTRegressor
from askew.estimators.ensemble import Ensemble
from askew.estimators.forest import ObliqueForestClassifier, ObliqueForestRegressor
from askew.estimators.hhcart import HHCARTClassifier, HHCARTRegressor
from askew.estimators.k_dt import KDTClassifier
from askew.estimators.lmdt import LMDTClassifier
from askew.estimators.oc1 import OC1Classifier, OC1Regressor
from askew.estimators.sadt import SADTClassifier, SADTRegressor

ENSEMBLES: dict[str, type[KDTClassifier] | type[Ensemble]] = {
    "KDTClassifier": KDTClassifier,
    "ObliqueBoostingClassifier": ObliqueBoostingClassifier,
    "ObliqueBoostingRegressor": ObliqueBoostingRegressor,
    "ObliqueForestClassifier": ObliqueForestClassifier,
    "ObliqueForestRegressor": ObliqueForestRegressor,
}

ESTIMATORS: dict[str, type[BaseTree]] = {
    "AutoTreeClassifier": AutoTreeClassifier,
    "AutoTreeRegressor": AutoTreeRegressor,
    "C45Classifier": C45Classifier,
    "APDTClassifier": APDTClassifier,
    "CARTClassifier": CARTClassifier,
    "CARTRegressor": CARTRegressor,
    "CARTELCClassifier": CARTELCClassifier,
    "CARTELCRegressor": CARTELCRegressor,
    "CARTLCClassifier": CARTLCClassifier,
    "CARTLCRegressor": CARTLCRegressor,
    "CEDTClassifier": CEDTClassifier,
    "CEDTRegressor": CEDTRegressor,
    "HHCARTClassifier": HHCARTClassifier,
    "HHCARTRegressor": HHCARTRegressor,
    "ID3Classifier": ID3Classifier,
    "LMDTClassifier": LMDTClassifier,
    "OC1Classifier": OC1Classifier,
    "OC1Regressor": OC1Regressor,
    "ObliqueTreeClassifier": ObliqueTreeClassifier,
    "ObliqueTreeRegressor": ObliqueTreeRegressor,
    "SADTClassifier": SADTClassifier,
    "SADTRegressor": SADTRegressor,
}
