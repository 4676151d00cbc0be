"""The report of a model: one HTML page that needs nothing else, to explore a tree and see how well it predicts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from askew.data.frames import MatrixLike
from askew.export.fitted import Fitted
from askew.files import beside
from askew.reporting.data import Evidence
from askew.reporting.document import payload
from askew.reporting.page import page


def report(
    estimator: Fitted,
    X: MatrixLike,
    y: ArrayLike,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> Path:
    """Write the report of a fitted model: one HTML file that opens in any browser, without a network.

    It shows the tree; the test of each node, in the units of the data and as shares of its decision; the rows at each
    node; the accuracy of the model on these rows; its subtrees along the pruning path; and a form that predicts a row,
    explains the prediction and finds the smallest change that alters it. The page of an ensemble or a rule network
    omits the parts that need a single tree.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted estimator of askew, or a Pipeline that ends in one.
    X, y : array-like
        The rows to show and to evaluate the model on; a held-out set says more than the training set.
    path : str or path-like
        File to write.
    title : str or None, default=None
        Heading of the page. None: the name of the estimator.
    feature_names, class_names : sequence of str or None, default=None
        As for `askew.export_text`.

    Returns
    -------
    path : Path
        The file that was written.

    Examples
    --------
    >>> import askew, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> folder = tempfile.mkdtemp()
    >>> written = askew.report(askew.CARTClassifier(max_depth=2).fit(X, y), X, y, f"{folder}/iris.html")
    >>> written.name
    'iris.html'
    """
    evidence = Evidence.of(estimator, X, y, feature_names, class_names)
    text = page(payload(evidence, title or evidence.model.estimator))
    written = Path(path)
    with beside(written) as file:
        file.write_text(text, encoding="utf-8")
    return written
