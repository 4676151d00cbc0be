"""Every public estimator, taken from the package itself: a new one is tested by being exported."""

from sklearn.base import BaseEstimator, is_classifier

import askew

ESTIMATORS = [
    cls
    for cls in (getattr(askew, name) for name in sorted(askew.__all__))
    if isinstance(cls, type) and issubclass(cls, BaseEstimator)
]
CLASSIFIERS = [cls for cls in ESTIMATORS if is_classifier(cls())]
REGRESSORS = [cls for cls in ESTIMATORS if cls not in CLASSIFIERS]


def accepts(cls, **parameters):
    """Whether an estimator has all of these parameters."""
    return parameters.keys() <= cls().get_params(deep=False).keys()


def name_of(value):
    """A short name of an estimator or a class, for the names of tests."""
    return value.__name__ if isinstance(value, type) else None
