from sklearn.base import is_classifier, is_regressor

from askew import CostComplexity
from askew.estimators import ENSEMBLES, ESTIMATORS
from askew.estimators.registry import METHODS, OWN, parameter_names, set_usual
from askew.search.linear import LinearPlanes


def test_every_public_estimator_has_a_method_name():
    named = {kind for pair in METHODS.values() for kind in pair if kind is not None}
    assert named == {*ESTIMATORS.values(), *ENSEMBLES.values()}


def test_a_method_is_a_classifier_and_then_a_regressor():
    for classifier, regressor in METHODS.values():
        assert classifier is None or is_classifier(classifier())
        assert regressor is None or is_regressor(regressor())


def test_all_methods_are_pruned_alike_but_those_that_choose_the_size_of_their_tree():
    made = {name: next(kind for kind in kinds if kind is not None)() for name, kinds in METHODS.items()}
    pruned = {name: one for name, one in made.items() if "pruning" in parameter_names(one) and name != "auto"}
    assert {"cart", "oc1", "c45", "k_dt"} <= set(pruned)
    for n_rows, pruning in ((100, CostComplexity(folds=5)), (10_001, CostComplexity())):
        for name, estimator in made.items():
            set_usual(estimator, 3, n_rows)
            own = estimator.get_params().get(parameter_names(estimator).get("pruning"))
            assert own == (pruning if name in pruned else None)
            assert estimator.random_state == 3


def test_what_a_method_adds_to_its_estimator_can_be_changed_further():
    classifier, _ = METHODS["linear"]
    estimator = classifier(**OWN["linear"])
    assert estimator.set_params(search__l2=10.0).search == LinearPlanes(l2=10.0)
    assert set(OWN) <= set(METHODS)
