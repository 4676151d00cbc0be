"""scikit-learn's own checks, with no expected failure, for every estimator and several configurations."""

from registry import CLASSIFIERS, ESTIMATORS, accepts, quick
from sklearn.utils.estimator_checks import parametrize_with_checks

from askew import CARTClassifier, CostComplexity, KDTClassifier, SADTClassifier


def configurations():
    changes = [
        {},
        {"pruning": "cost_complexity"},
        {"pruning": CostComplexity(folds=3, standard_errors=1.0)},
        {"missing": "mean"},
        {"max_leaf_nodes": 10},
        {"n_jobs": 2},
    ]
    for cls in ESTIMATORS:
        criteria = ("entropy", "twoing") if cls in CLASSIFIERS else ("absolute_error",)
        for change in [*changes, *({"criterion": name} for name in criteria)]:
            if accepts(cls, **change):
                yield quick(cls, **change)
    yield KDTClassifier(estimator=SADTClassifier(max_unproductive=100), n_estimators=3)
    yield KDTClassifier(estimator=CARTClassifier(pruning="cost_complexity"), n_jobs=2)


@parametrize_with_checks(list(configurations()))
def test_scikit_learns_checks(estimator, check):
    check(estimator)
