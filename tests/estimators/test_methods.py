from sklearn.base import is_classifier, is_regressor

from askew.estimators import ENSEMBLES, ESTIMATORS
from askew.estimators.methods import METHODS


def test_every_public_estimator_has_a_method_name():
    named = {kind for pair in METHODS.values() for kind in pair if kind is not None}
    assert named == {*ESTIMATORS.values(), *ENSEMBLES.values()}


def test_a_method_is_a_classifier_and_then_a_regressor():
    for classifier, regressor in METHODS.values():
        assert classifier is None or is_classifier(classifier())
        assert regressor is None or is_regressor(regressor())
