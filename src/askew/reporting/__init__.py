"""The report of a model: one HTML page that needs nothing else, to explore a tree and see how well it predicts."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from numpy.typing import ArrayLike

from askew.data.frames import MatrixLike
from askew.export.fitted import Fitted
from askew.export.json import JsonObject
from askew.files import beside
from askew.reporting.data import Evidence
from askew.reporting.document import payload

# Characters that could end the element that holds the data, begin a comment in it, or end a line.
_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


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
        The rows to show and to evaluate the model on; a held-out set is more informative than the training set.
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


def page(payload: JsonObject) -> str:
    """Return the page that shows a payload.

    The data stand in it as JSON that the browser does not run. A content security policy allows this one script and
    this one style, by their hashes, and no connection.
    """
    parts = {name: _asset(name) for name in ("report.js", "report.css", "LICENSES.txt")}
    filled = {
        "policy": _policy(parts["report.js"], parts["report.css"]),
        "title": html.escape(payload["title"]),
        "style": parts["report.css"],
        "script": parts["report.js"],
        "licences": html.escape(parts["LICENSES.txt"]),
        "data": as_data(payload),
    }
    text = _asset("template.html")
    pieces = text.split("%%")  # every second is a name
    return "".join(filled[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def as_data(payload: JsonObject) -> str:
    r"""Return JSON that can stand inside any element of HTML.

    Examples
    --------
    >>> from askew.reporting import as_data
    >>> as_data({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(payload, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(character): escape for character, escape in _ESCAPES.items()})


def _policy(script: str, style: str) -> str:
    allowed = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (files("askew.reporting") / "assets" / name).read_text(encoding="utf-8")
