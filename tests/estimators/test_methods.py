from sklearn.base import is_classifier, is_regressor

from askew import CostComplexity
from askew.estimators import ENSEMBLES, ESTIMATORS
from askew.estimators.methods import METHODS, parameter_names, set_usual


def test_every_public_estimator_has_a_method_name():
    named = {kind for pair in METHODS.values() for kind in pair if kind is not None}
    assert named == {*ESTIMATORS.values(), *ENSEMBLES.values()}


def test_a_method_is_a_classifier_and_then_a_regressor():
    for classifier, regressor in METHODS.values():
        assert classifier is None or is_classifier(classifier())
        assert regressor is None or is_regressor(regressor())


def test_a_method_that_chooses_the_size_of_its_tree_is_not_pruned_beside():
    for name, kinds in METHODS.items():
        estimator = kinds[0]()
        set_usual(estimator, 3, 100)
        pruning = estimator.get_params()[parameter_names(estimator)["pruning"]]
        assert pruning == (None if name == "auto" else CostComplexity(folds=5))
        assert estimator.random_state == 3
        set_usual(estimator, 3, 10_001)
        assert name == "auto" or estimator.get_params()[parameter_names(estimator)["pruning"]] == CostComplexity()
