"""Searches, refiners and pruners have parameters as scikit-learn has them, and never change."""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askew import CARTClassifier, InvalidParameterError, KDTClassifier, ObliqueTreeClassifier
from askew.prune import PRUNERS, CostComplexity
from askew.refinement import REFINERS
from askew.refinement.soft import SoftRefiner
from askew.search import SEARCHES
from askew.search.linear import LinearPlanes

EVERY = [*SEARCHES.values(), *REFINERS.values(), *PRUNERS.values()]
X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_a_strategy_is_made_again_from_its_parameters(kind):
    value = kind()
    assert kind(**value.get_params()) == value.set_params() == clone(value) == value


def test_a_changed_strategy_is_a_copy():
    one = CostComplexity()
    other = one.set_params(cv=3)
    assert (one.cv, other.cv) == (None, 3)
    with pytest.raises(InvalidParameterError, match="Invalid parameter 'fold' for CostComplexity"):
        one.set_params(fold=3)
    with pytest.raises(InvalidParameterError, match="'cv' parameter"):
        one.set_params(cv=1)


def test_parameters_of_a_strategy_that_is_named_are_set_in_it():
    tree = ObliqueTreeClassifier().set_params(
        search="linear", search__l2=3.0, refinement="soft", refinement__l2=0.5, pruning="cost_complexity", pruning__cv=4
    )
    assert tree.search == LinearPlanes(l2=3.0)
    assert tree.refinement == SoftRefiner(l2=0.5)
    assert tree.pruning == CostComplexity(cv=4)
    assert tree.get_params()["pruning__cv"] == 4


def test_an_estimator_does_not_change_the_pruner_that_it_shares():
    shared = CostComplexity()
    one, other = CARTClassifier(pruning=shared), CARTClassifier(pruning=shared)
    one.set_params(pruning__cv=3)
    assert (shared.cv, other.pruning.cv, one.pruning.cv) == (None, None, 3)


def test_a_parameter_of_nothing_or_of_an_unknown_thing_is_refused():
    with pytest.raises(InvalidParameterError, match="'pruning__cv': 'pruning' is None; give one too"):
        CARTClassifier().set_params(pruning__cv=3)
    with pytest.raises(InvalidParameterError, match="which has no 'set_params'"):
        ObliqueTreeClassifier(search=_Own()).set_params(search__l2=3)
    with pytest.raises(ValueError, match="Invalid parameter 'search' for estimator CARTClassifier"):
        CARTClassifier().set_params(search__l2=3)


class _Own:
    def find(self, node, criterion, seed):
        return None


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (CARTClassifier(pruning="cost_complexity", random_state=0), {"pruning__cv": [2, 3]}),
        (ObliqueTreeClassifier(search="linear", max_depth=2), {"search__l2": [1.0, 1e9]}),
        (CARTClassifier(refinement="soft", max_depth=2), {"refinement__l2": [1e-3, 1e3]}),
        (
            KDTClassifier(CARTClassifier(pruning="cost_complexity"), n_estimators=2, random_state=0),
            {"estimator__pruning__fraction": [0.1, 0.2]},
        ),
        (
            make_pipeline(StandardScaler(), CARTClassifier(pruning=CostComplexity(cv=2))),
            {"cartclassifier__pruning__tolerance": [0.0, 1.0]},
        ),
    ],
    ids=["pruning", "search", "refinement", "vote", "pipeline"],
)
def test_grid_search_goes_over_parameters_of_strategies(estimator, grid):
    search = GridSearchCV(estimator, grid, cv=2).fit(X, Y)
    (name, values) = next(iter(grid.items()))
    assert search.best_params_[name] in values
    assert search.best_estimator_.get_params()[name] == search.best_params_[name]
    assert search.best_score_ > 0.9


def test_a_changed_penalty_reaches_the_planes():
    tree = ObliqueTreeClassifier(search="linear", max_depth=2)
    weak = clone(tree).set_params(search__l2=0.1).fit(X, Y)
    strong = clone(tree).set_params(search__l2=100.0).fit(X, Y)
    assert weak.tree_ != strong.tree_
