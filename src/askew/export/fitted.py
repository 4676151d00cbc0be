"""The fitted model that exports write: of an estimator, or of a Pipeline that ends in one."""

from __future__ import annotations

import sys
from copy import copy
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from askew.data.encoder import Encoder
from askew.data.frames import Frame, MatrixLike
from askew.model.fitted import Estimator, FittedModel, FittedTree
from askew.model.leaf_values import AnyArray
from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

Fitted: TypeAlias = "Estimator | Pipeline | Tree | RuleNetwork | OneVsRest"  # what the exports take


class FittedTreeEstimator(Estimator, Protocol):
    """A fitted tree estimator; `classes_` and the methods of probabilities are those of classifiers alone."""

    tree_: FittedTree
    classes_: AnyArray
    encoder_: Encoder | None
    feature_scale_: NDArray[np.float64]
    missing_: str
    n_features_in_: int

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the probability of each class."""
        ...

    def apply(self, X: MatrixLike) -> NDArray[np.int64]:
        """Return the leaf of each row."""
        ...

    def decision_path(self, X: MatrixLike) -> csr_array:
        """Return the nodes that each row reaches."""
        ...

    def predict_encoded(self, columns: NDArray[np.float64]) -> AnyArray:
        """Return the class code or the number of each encoded row."""
        ...

    def proba_encoded(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class for encoded rows."""
        ...


def fitted_model(estimator: Fitted) -> FittedModel:
    """Return the fitted model of an estimator, of the last step of a Pipeline, or of a tree without estimator.

    Raises
    ------
    TypeError
        This is not an estimator of askew.
    """
    found = final_step(estimator)
    if isinstance(found, Tree | RuleNetwork | OneVsRest):
        return FittedModel.of_bare(found)
    if not hasattr(found, "fitted_model"):
        raise TypeError(f"expected a fitted estimator of askew, not {type(found).__name__}")
    check_is_fitted(found)
    model: FittedModel = found.fitted_model()
    return model


def is_pipeline(estimator: object) -> TypeGuard[Pipeline]:
    """Whether this is a Pipeline; its module, which is slow to import, is then imported already."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(estimator, module.Pipeline)


def final_step(estimator: object) -> FittedTreeEstimator:
    """Return the last step of a fitted Pipeline; anything else as it is.

    If the step has no feature names, it is a copy with those that `get_feature_names_out` of the steps before returns.

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
        return cast("FittedTreeEstimator", estimator)
    last = estimator.steps[-1][1]
    check_is_fitted(last)
    names = None if hasattr(last, "feature_names_in_") else _names(estimator)
    if names is not None and len(names) == last.n_features_in_:
        last = copy(last)
        last.feature_names_in_ = names
    return final_step(last)


def steps_before(estimator: object) -> list[str]:
    """Return the names of the steps of a Pipeline that change the data before its last step sees them."""
    if not is_pipeline(estimator):
        return []
    return [name for name, step in estimator.steps[:-1] if step is not None and step != "passthrough"]


def transformed(estimator: object, X: MatrixLike) -> Frame:
    """Return the data as the last step of a Pipeline sees them; for any other estimator as they are."""
    return cast("Pipeline", estimator)[:-1].transform(X) if len(getattr(estimator, "steps", ())) > 1 else X


def _names(pipeline: Pipeline) -> NDArray[np.object_] | None:
    """Return the names of the columns that the last step sees; None if they are unknown."""
    before = pipeline[:-1]
    names = getattr(pipeline, "feature_names_in_", None)
    if not before.steps:
        return names
    try:
        return np.asarray(before.get_feature_names_out(names), dtype=object)
    except (AttributeError, ValueError):  # a step that cannot name its columns
        return None
