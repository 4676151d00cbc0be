"""Every public tree, taken from the package itself: a new one is tested by being exported."""

from functools import cache

from sklearn.base import is_classifier

import askew
from askew.estimators.base import BaseTree

ESTIMATORS = [
    cls
    for cls in (getattr(askew, name) for name in sorted(askew.__all__))
    if isinstance(cls, type) and issubclass(cls, BaseTree)
]
CLASSIFIERS = [cls for cls in ESTIMATORS if is_classifier(cls())]
REGRESSORS = [cls for cls in ESTIMATORS if cls not in CLASSIFIERS]


def accepts(cls, **parameters):
    """Whether an estimator has all of these parameters."""
    return parameters.keys() <= _names(cls)


@cache
def _names(cls):
    return cls().get_params(deep=False).keys()


def grows_the_whole_tree(cls):
    """Whether an unpruned tree repeats its training rows; AutoTree takes a smaller one where that is as good."""
    return not getattr(cls, "chooses_size", False)


def plain(cls, **parameters):
    """An estimator that grows the whole tree and draws the same lots every time, unless told otherwise."""
    whole = {"min_samples_split": 2, "pruning": None, "random_state": 0}
    if accepts(cls, min_cases=0):
        whole["min_cases"] = 0
    return quick(cls, **{**whole, **parameters})


def quick(cls, **parameters):
    """An estimator that searches for less long, where what it finds is not the question."""
    effort = {"max_unproductive": 200, "max_passes": 20, "effort": "low"}
    return cls(**{**{name: value for name, value in effort.items() if accepts(cls, **{name: value})}, **parameters})
