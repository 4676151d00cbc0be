"""scikit-learn's tests of bagging, run with trees and forests of this library as what is bagged."""

from external.adopted import Adopted, adopt

import askew

ADOPTED = Adopted(
    "sklearn.ensemble.tests.test_bagging",
    {
        "sklearn.tree.DecisionTreeClassifier": askew.CARTClassifier,
        "sklearn.tree.DecisionTreeRegressor": askew.CARTRegressor,
        "sklearn.ensemble.RandomForestClassifier": askew.ObliqueForestClassifier,
        "sklearn.ensemble.RandomForestRegressor": askew.ObliqueForestRegressor,
    },
    {},
)

globals().update(adopt(ADOPTED))
