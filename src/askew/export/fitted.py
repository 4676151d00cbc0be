"""What exports write of a fitted estimator, or of a Pipeline that ends in one: its tree and column names."""

from __future__ import annotations

import sys
from copy import copy
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np
from sklearn.utils.validation import check_is_fitted

from askew.model.fitted import Estimator, FittedModel
from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

Fitted: TypeAlias = "Estimator | Pipeline | Tree | RuleNetwork | OneVsRest"  # what the exports take


def fitted_model(estimator: Fitted) -> FittedModel:
    """Return what was fitted: by an estimator, by the last step of a Pipeline, or a tree without its estimator.

    Raises
    ------
    TypeError
        This is no estimator of askew.
    """
    found = final_step(estimator)
    if isinstance(found, Tree | RuleNetwork | OneVsRest):
        return FittedModel.of_bare(found)
    if not hasattr(found, "fitted_model"):
        raise TypeError(f"expected a fitted estimator of askew, not {type(found).__name__}")
    check_is_fitted(found)
    model: FittedModel = found.fitted_model()
    return model


def is_pipeline(estimator: Any) -> TypeGuard[Pipeline]:
    """Whether this is a Pipeline: who has one has imported its module, which takes a while, already."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(estimator, module.Pipeline)


def final_step(estimator: Any) -> Any:
    """Return the last step of a fitted Pipeline; anything else as it is.

    The step is a copy that has the names that `get_feature_names_out` of the steps before gives to its columns, if it
    has none of its own and they give any.

    Examples
    --------
    >>> import askew
    >>> from askew.export.fitted import final_step
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> iris = load_iris(as_frame=True)
    >>> pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier()).fit(iris.data, iris.target)
    >>> final_step(pipeline).feature_names_in_[0]
    'sepal length (cm)'
    """
    if not is_pipeline(estimator):
        return estimator
    last = estimator.steps[-1][1]
    check_is_fitted(last)
    names = None if hasattr(last, "feature_names_in_") else _names(estimator)
    if names is not None and len(names) == last.n_features_in_:
        last = copy(last)
        last.feature_names_in_ = names
    return final_step(last)


def steps_before(estimator: Any) -> list[str]:
    """Return the names of the steps of a Pipeline that change the data before its last step sees them."""
    if not is_pipeline(estimator):
        return []
    return [name for name, step in estimator.steps[:-1] if step is not None and step != "passthrough"]


def transformed(estimator: Any, X: Any) -> Any:
    """Return the data as the last step of a Pipeline sees them; for any other estimator as they are."""
    return estimator[:-1].transform(X) if len(getattr(estimator, "steps", ())) > 1 else X


def _names(pipeline: Pipeline) -> Any:
    """Return the names of the columns that the last step sees; None if the steps before do not tell."""
    before = pipeline[:-1]
    given = getattr(pipeline, "feature_names_in_", None)
    if not before.steps:
        return given
    try:
        return np.asarray(before.get_feature_names_out(given), dtype=object)
    except (AttributeError, ValueError):  # a step that cannot name its columns
        return None
