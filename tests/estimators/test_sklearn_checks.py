"""scikit-learn's own checks, with no expected failure, for every estimator."""

from registry import ESTIMATORS, EVERY, quick
from sklearn.utils.estimator_checks import parametrize_with_checks

from askew import (
    KDTClassifier,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    SADTClassifier,
)


def configurations():
    """Each estimator as it comes: cheap enough for every day."""
    for cls in ESTIMATORS:
        yield quick(cls)
    yield KDTClassifier(estimator=SADTClassifier(max_unproductive=100), n_estimators=3)
    for forest in (ObliqueForestClassifier, ObliqueForestRegressor):
        yield forest(n_estimators=10)
    for boosting in (ObliqueBoostingClassifier, ObliqueBoostingRegressor):
        yield boosting(max_iter=20, min_samples_leaf=5)


@parametrize_with_checks(list(configurations()))
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_every_estimator_is_checked():
    assert {type(estimator) for estimator in configurations()} == set(EVERY)
