"""Every public estimator, taken from the package itself: a new one is tested by being exported."""

from functools import cache

from sklearn.base import BaseEstimator, is_classifier

import askew
from askew.estimators.base import BaseTree

_PUBLIC = [cls for cls in (getattr(askew, name) for name in sorted(askew.__all__)) if isinstance(cls, type)]
ESTIMATORS = [cls for cls in _PUBLIC if issubclass(cls, BaseTree)]
ENSEMBLES = [
    cls for cls in _PUBLIC if issubclass(cls, BaseEstimator) and hasattr(cls, "predict") and cls not in ESTIMATORS
]
CLASSIFIERS = [cls for cls in ESTIMATORS if is_classifier(cls())]
REGRESSORS = [cls for cls in ESTIMATORS if cls not in CLASSIFIERS]
ENSEMBLES_OF_CLASSES = [cls for cls in ENSEMBLES if is_classifier(cls())]
ENSEMBLES_OF_NUMBERS = [cls for cls in ENSEMBLES if cls not in ENSEMBLES_OF_CLASSES]
EVERY = [*ESTIMATORS, *ENSEMBLES]


def accepts(cls, **parameters):
    """Whether an estimator has all of these parameters."""
    return parameters.keys() <= _names(cls)


@cache
def _names(cls):
    return cls().get_params(deep=False).keys()


def takes(cls, name):
    """Whether an estimator, or the tree that a vote is made of, has this parameter."""
    return accepts(cls, **{name: None}) or (cls is askew.KDTClassifier and accepts(askew.OC1Classifier, **{name: None}))


def grows_the_whole_tree(cls):
    """Whether an unpruned tree repeats its training rows; AutoTree takes a smaller one where that is as good."""
    return not getattr(cls, "chooses_size", False) and cls not in ENSEMBLES


def plain(cls, **parameters):
    """An estimator that grows the whole tree and draws the same lots every time, unless told otherwise."""
    if cls is askew.KDTClassifier:
        own = {name: value for name, value in parameters.items() if accepts(cls, **{name: value})}
        of_trees = {name: value for name, value in parameters.items() if name not in own}
        return cls(**{"n_estimators": 2, "random_state": 0, "estimator": plain(askew.OC1Classifier, **of_trees), **own})
    whole = {"min_samples_leaf": 1} if cls in ENSEMBLES else {"min_samples_split": 2, "pruning": None, "min_cases": 0}
    whole = {name: value for name, value in whole.items() if accepts(cls, **{name: value})}
    return quick(cls, **{**whole, "random_state": 0, **parameters})


def quick(cls, **parameters):
    """An estimator that searches for less long, where what it finds is not the question."""
    effort = {"max_unproductive": 200, "max_passes": 20, "effort": "low"}
    if cls in ENSEMBLES:
        effort = {"n_estimators": 3, "max_iter": 3}
    return cls(**{**{name: value for name, value in effort.items() if accepts(cls, **{name: value})}, **parameters})


def set_in(model, **parameters):
    """Set parameters of an estimator; those that a vote does not have, in its tree."""
    known = model.get_params(deep=False)
    return model.set_params(**{name if name in known else f"estimator__{name}": v for name, v in parameters.items()})


def members(model):
    """The fitted estimators that read the data: the trees of a vote, any other estimator itself."""
    return model.estimators_ if isinstance(model, askew.KDTClassifier) else [model]


def trees(model):
    """The trees of a fitted estimator, be it one or many."""
    return model.trees_ if hasattr(model, "trees_") else [member.tree_ for member in members(model)]
