"""The report of a model: one HTML page that needs nothing else, to explore a tree and see how well it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from askew.files import beside
from askew.reporting.data import Evidence
from askew.reporting.document import payload
from askew.reporting.page import page


def report(
    estimator: Any,
    X: Any,
    y: Any,
    path: Any,
    *,
    title: str | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> Path:
    """Write the report of a fitted model: one HTML file that opens in any browser, without a network.

    It shows the tree, to fold and explore; what each node tests, in the units of the data and as shares of its
    decision; the rows that come there; how well the model predicts these rows; its subtrees along the pruning path; a
    form that predicts a row, explains it and finds the nearest change that gives another answer. Forests, boosting,
    votes and rule networks have a page without the parts that need one tree.

    Parameters
    ----------
    estimator : a fitted estimator of askew, or a Pipeline that ends in one
    X, y : the rows to show and to judge the model by; those of a held-out set say more than those of the training set
    path : str or path
        File to write.
    title : str or None, default=None
        Heading of the page. None: the name of the estimator.
    feature_names, class_names : as for `askew.export_text`

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
