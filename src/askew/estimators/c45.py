"""C4.5 and ID3: trees that test one feature a node, and have a child for each category."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier
from askew.grow.criterion import CriterionLike
from askew.grow.recipe import Pruner
from askew.parameters import documented, one_of, param
from askew.search.categorical import C45, ID3, C45Parameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class C45Classifier(C45Parameters, TreeClassifier):
    """Axis-parallel classification tree by gain ratio (C4.5).

    A number is cut in two, categories have a child each. For each feature, the test with the largest information gain
    is found; among those whose gain is at least the average, the test with the highest gain ratio (gain divided by
    split information) is taken. The tree is pruned by an estimate of its errors from the training rows.

    A row with missing values goes down the tree in parts: where a test has no answer, each child gets a part in
    proportion to the rows with an answer that go to it. A prediction sums the classes of all leaves that a part of the
    row reaches. (`apply` and `decision_path` show the leaf with the largest part.)

    Parameters
    ----------
    missing : "fractional", "mean", "indicator" or "error", default="fractional"
        Treatment of NaN in X: "fractional" sends rows down the tree in parts, "mean" imputes the mean of the training
        rows, "error" raises.

    References
    ----------
    Quinlan: C4.5: Programs for Machine Learning (1993).
    Quinlan: Improved Use of Continuous Attributes in C4.5, JAIR 4 (1996).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = C45Classifier().fit(X, y)
    >>> tree.get_n_leaves()
    5
    >>> tree.predict_proba([[5.9, 3.0, 4.2, float("nan")]]).round(2)
    array([[0.  , 0.54, 0.46]])
    """

    criterion: CriterionLike = "gain_ratio"
    pruning: Pruner | str | None = "error_based"
    missing: str = param("fractional", one_of("fractional", "mean", "indicator", "error"))

    _takes_categories = True
    _search_class = C45


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ID3Classifier(TreeClassifier):
    """Axis-parallel classification tree by information gain (ID3).

    A number is cut in two at a boundary point: half-way between neighbouring values, unless all rows with these two
    values are of one class. The cut with the most gain is always such a point (Fayyad and Irani 1992). Categories have
    a child each. With the defaults the tree is grown until its leaves are pure or no test has a gain, and not pruned.

    References
    ----------
    Quinlan: Induction of Decision Trees. Machine Learning 1 (1986).
    Fayyad, Irani: On the Handling of Continuous-Valued Attributes in Decision Tree Generation. Machine Learning 8
    (1992).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ID3Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ID3Classifier().fit(X, y).get_n_leaves()
    9
    """

    criterion: CriterionLike = "entropy"

    _takes_categories = True
    _search_class = ID3
