"""Estimators on a cluster are scikit-learn estimators: what is no collection they fit on this machine."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import askew.dask

QUICK = {"n_estimators": 3, "n_samples": 20}
ESTIMATORS = [getattr(askew.dask, name)() for name in askew.dask.__all__]
for estimator in ESTIMATORS:
    estimator.set_params(**{name: value for name, value in QUICK.items() if name in estimator.get_params(deep=False)})


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
