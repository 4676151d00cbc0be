"""scikit-learn's tests of bagging, run with trees and forests of this library as what is bagged."""

from external.adopted import ONE_OUTPUT, Adopted, adopt

import askew

ADOPTED = Adopted(
    "sklearn.ensemble.tests.test_bagging",
    {
        "sklearn.tree.DecisionTreeClassifier": askew.CARTClassifier,
        "sklearn.tree.DecisionTreeRegressor": askew.CARTRegressor,
        "sklearn.ensemble.RandomForestClassifier": askew.ObliqueForestClassifier,
        "sklearn.ensemble.RandomForestRegressor": askew.ObliqueForestRegressor,
    },
    {
        "test_estimator": "the tree that is bagged by default is scikit-learn's own",
        "test_bagging_regressor_with_missing_inputs": ONE_OUTPUT,
        "test_sparse_classification": "bags logistic regressions of scikit-learn, no tree",
        "test_sparse_regression": "bags support vector machines of scikit-learn, no tree",
    },
    slow=[
        "test_oob_score_classification",
        "test_parallel_classification",
        "test_parallel_regression",
        "test_regression",
    ],
)

globals().update(adopt(ADOPTED))
