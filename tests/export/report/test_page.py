"""The page of a report in a real browser: what it shows is what `predict` says."""

import numpy as np
import pandas as pd
import pytest
import reports

KEYS = {"down": "\ue015", "up": "\ue013", "left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010"}
ENTER, TAB = "\ue007", "\ue004"


def as_cells(model, X):
    """Return rows as the page takes them: numbers, codes of categories (-1: unknown), None where missing."""
    encoder = model.encoder_
    coded = np.asarray(X, dtype=float) if encoder is None else encoder.code(X)
    return [[None if value != value else value for value in row] for row in coded.tolist()]


@pytest.mark.parametrize("name", reports.MODELS)
def test_the_page_predicts_what_predict_does(page, written, name):
    model, (X, _) = reports.model(name), reports.rows(name)
    X = X[:200] if isinstance(X, np.ndarray) else X.iloc[:200].copy()
    if isinstance(X, pd.DataFrame) and "colour" in X:
        X.loc[X.index[:5], "colour"] = "pink"  # a category that training has not seen
    page.open(written(name))
    found = page.run(
        "return arguments[0].map(row => askew.model.predict(row)).map(p => [p.answer, p.shares, p.leaf.id])",
        as_cells(model, X),
    )
    answers, shares, leaves = zip(*found, strict=True)
    assert np.array_equal(leaves, model.apply(X))
    if not hasattr(model, "classes_"):
        assert np.array_equal(answers, model.predict(X))
        return
    assert np.array_equal(model.classes_[list(answers)], model.predict(X))
    assert np.allclose(np.array(shares, dtype=float), model.predict_proba(X), rtol=1e-12, atol=1e-15)
