"""scikit-learn's own checks, with no expected failure, for every estimator with other parameters: before a release."""

import pytest
from registry import CLASSIFIERS, ESTIMATORS, accepts, quick
from sklearn.utils.estimator_checks import parametrize_with_checks

from askew import (
    APDTClassifier,
    AutoTreeClassifier,
    AutoTreeRegressor,
    CARTClassifier,
    KDTClassifier,
    ObliqueBoostingClassifier,
    ObliqueBoostingRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
)
from askew.prune import CostComplexity

pytestmark = pytest.mark.slow


def configurations():
    """Each estimator with sets of parameters that are not its defaults."""
    for cls in (AutoTreeClassifier, AutoTreeRegressor):  # chooses its size: another pruner is not its business
        yield cls()
        yield cls(effort="low", max_terms=2, max_leaves=4, n_jobs=2, missing="error", cv=2)
    for cls in ESTIMATORS:
        if accepts(cls, max_terms=1):
            continue
        criterion = "entropy" if cls in CLASSIFIERS else "absolute_error"
        by_folds = CostComplexity(cv=3, tolerance=1.0)
        for changes in (
            {"pruning": "cost_complexity", "missing": "mean", "n_jobs": 2, "leaf_model": "linear"},
            {"pruning": by_folds, "criterion": criterion, "max_leaf_nodes": 10, "missing": "indicator"},
        ):
            yield quick(cls, **{name: value for name, value in changes.items() if accepts(cls, **{name: value})})
    yield APDTClassifier(multiclass="one_vs_rest")
    yield APDTClassifier(separability="lp", n_iterations=20)
    yield KDTClassifier(estimator=CARTClassifier(pruning="cost_complexity"), n_jobs=2)
    for forest in (ObliqueForestClassifier, ObliqueForestRegressor):
        yield forest(n_estimators=5, split="axis", missing="mean", n_jobs=2, oob_score=True)
        yield forest(n_estimators=5, split="projection", bootstrap=False, max_samples=0.8)
    for boosting in (ObliqueBoostingClassifier, ObliqueBoostingRegressor):
        yield boosting(max_iter=10, split="axis", missing="mean", n_jobs=2, subsample=0.8, min_samples_leaf=2)
    yield ObliqueBoostingRegressor(max_iter=20, loss="absolute_error", min_samples_leaf=3)
    yield ObliqueForestClassifier(n_estimators=3, split="linear", class_weight="balanced_subsample")


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")  # of five trees
@parametrize_with_checks(list(configurations()))
def test_scikit_learns_checks(estimator, check):
    check(estimator)
