"""Every export says what `predict` says, for every estimator and every `missing`, on rows of all kinds."""

import json
from importlib.resources import files

import numpy as np
import pytest
from every_form import CASES, asked, fitted
from exported import (
    COMPILER,
    DATABASES,
    assert_function_agrees,
    assert_onnx_agrees,
    assert_python_agrees,
    assert_sql_agrees,
    cells,
    compiled,
    is_exact,
)
from json_predictor import predict
from jsonschema import Draft202012Validator
from shipped import refused

import askew

SCHEMA = Draft202012Validator(json.loads(files("askew.export").joinpath("tree.schema.json").read_text("utf-8")))


def assert_explained(estimator, rows):
    """Compare `explain` with `predict`: its answer, and the leaf in which the largest part of a row ends."""
    if not hasattr(estimator, "tree_"):
        return
    for i in range(len(rows)):
        row = rows.iloc[[i]]
        found = askew.explain(estimator, row)
        assert found.prediction == estimator.predict(row)[0]
        assert [path.leaf for path in found.paths][:1] == np.ravel(estimator.apply(row)).tolist()[:1]


# Every form daily, on training rows with missing values where it takes them; on complete rows too before a release.
WITH_GAPS = {name for name, gaps in CASES if gaps == "gaps"}


@pytest.mark.parametrize(
    ("name", "gaps"),
    [
        pytest.param(name, gaps, marks=[pytest.mark.slow] * (gaps == "no gaps" and name in WITH_GAPS))
        for name, gaps in CASES
    ],
)
def test_every_export_predicts_what_predict_predicts(name, gaps, tmp_path):
    estimator, rows = fitted(name, gaps), asked()
    document, without = json.loads(askew.export_json(estimator)), refused(estimator, rows)
    SCHEMA.validate(document)
    read = [predict(document, row) for row in cells(rows[~without])]
    np.testing.assert_allclose(read, estimator.predict(rows[~without]), rtol=0 if is_exact(estimator) else 1e-13)
    assert_python_agrees(estimator, rows)
    assert_explained(estimator, rows[~without].iloc[[0, 13, -1]])
    assert_onnx_agrees(estimator, rows, tmp_path)
    for run in DATABASES.values():
        assert_sql_agrees(estimator, rows, run)


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_c_predicts_what_predict_predicts_on_the_same_rows(tmp_path):
    some = [(name, gaps) for name, gaps in CASES if gaps == "gaps" or name.endswith(("auto", "error"))]
    models = {f"m{i}": fitted(*case) for i, case in enumerate(some)}
    library = compiled(
        tmp_path, optimise="-O0", **{prefix: askew.export_c(model, name=prefix) for prefix, model in models.items()}
    )
    for prefix, model in models.items():
        assert_function_agrees(library[f"{prefix}_predict"], model, asked())
