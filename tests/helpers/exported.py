"""Comparisons of what each export says with what `predict` and `predict_proba` say of the same rows."""

import ctypes
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from shipped import as_codes, refused

import askew

COMPILER = shutil.which("gcc") or shutil.which("cc")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off", "-shared", "-fPIC"]
DOUBLES, INTS = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)


def is_exact(estimator):
    """Whether nothing goes through an exponential of another library."""
    return "Boosting" not in type(estimator).__name__


def cells(rows):
    """Return the rows as plain Python has them: None where a value is missing."""
    frame = pd.DataFrame(rows)
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


# --- Python


def loaded(estimator):
    """Return the names that the exported module has."""
    names = {}
    exec(compile(askew.export_python(estimator), "model.py", "exec"), names)
    return names


def assert_python_agrees(estimator, rows):
    without = refused(estimator, rows)
    model, given, exact = loaded(estimator), rows[~without], is_exact(estimator)
    for row in cells(rows[without]):
        with pytest.raises(ValueError, match="is missing"):
            model["predict"](row)
    predicted = [model["predict"](row) for row in cells(given)]
    if not hasattr(estimator, "classes_"):
        np.testing.assert_allclose(predicted, estimator.predict(given), rtol=0 if exact else 1e-14)
        return
    assert predicted == estimator.predict(given).tolist()
    shares = np.array([model["predict_proba"](row) for row in cells(given)])
    lacks = pd.isna(pd.DataFrame(given)).any(axis=1).to_numpy()
    for some in (lacks, ~lacks):  # predict rounds once more where a row of the batch lacks a value
        if some.any():
            shown = estimator.predict_proba(given[some])
            np.testing.assert_allclose(shares[some], shown, rtol=0 if exact else 1e-13, atol=0 if exact else 1e-16)


# --- SQL


def table(estimator, rows):
    """Return the rows as a table with the names that the query expects, and a key."""
    frame = pd.DataFrame(rows).reset_index(drop=True)
    frame.columns = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(frame.shape[1])])
    return frame.assign(key=range(len(frame)))


def in_sqlite(frame, query):
    with sqlite3.connect(":memory:") as database:
        frame.to_sql("data", database, index=False)
        found = pd.read_sql_query(query, database)
    database.close()
    return found


def in_duckdb(frame, query):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        database.register("data", frame)
        return database.execute(query).df()


DATABASES = {"SQLite": in_sqlite, "DuckDB": in_duckdb}


def assert_sql_agrees(estimator, rows, run):
    exact = is_exact(estimator)
    classes = hasattr(estimator, "classes_")
    query = askew.export_sql(estimator, "data", keep=["key"], probabilities=classes)
    frame = table(estimator, rows)
    found = run(frame, query).sort_values("key")
    without = refused(estimator, rows)
    assert found["prediction"][without].isna().all()
    given = rows[~without]
    found = found[~without]
    if not classes:
        np.testing.assert_allclose(found["prediction"], estimator.predict(given), rtol=0 if exact else 1e-14)
        return
    expected = estimator.predict(given)
    assert (found["prediction"].to_numpy().astype(expected.dtype) == expected).all()
    shares = found.filter(like="probability_").to_numpy(dtype=float)
    np.testing.assert_allclose(shares, estimator.predict_proba(given), rtol=1e-13, atol=1e-15)


# --- C


def compiled(folder, optimise="-O1", **codes):
    """Compile C code, each with its prefix, with warnings as errors, and return the library."""
    files = [folder / f"{name}.c" for name in codes]
    for file, code in zip(files, codes.values(), strict=True):
        file.write_text(code, encoding="utf-8")
    subprocess.run([COMPILER, *FLAGS, optimise, "-o", folder / "model.so", *files, "-lm"], check=True)
    return ctypes.CDLL(str(folder / "model.so"))


def _numbers(function, X):
    found = np.empty(len(X))
    status = function(X.ctypes.data_as(DOUBLES), ctypes.c_size_t(len(X)), found.ctypes.data_as(DOUBLES))
    return found, status


def _classes(function, X, k):
    label, share = np.empty(len(X), dtype=np.int32), np.empty((len(X), k))
    n, pointer = ctypes.c_size_t(len(X)), X.ctypes.data_as(DOUBLES)
    status = function(pointer, n, label.ctypes.data_as(INTS), share.ctypes.data_as(DOUBLES))
    alone = np.empty_like(label)
    function(pointer, n, alone.ctypes.data_as(INTS), None)
    np.testing.assert_array_equal(alone, label)
    return label, share, status


def assert_function_agrees(function, estimator, rows):
    X, without, exact = as_codes(estimator, rows), refused(estimator, rows), is_exact(estimator)
    if not hasattr(estimator, "classes_"):
        found, status = _numbers(function, X)
        np.testing.assert_allclose(found[~without], estimator.predict(rows[~without]), rtol=0 if exact else 1e-14)
        assert np.isnan(found[without]).all()
        assert status == int(without.any())
        return
    label, share, status = _classes(function, X, len(estimator.classes_))
    lacks = np.isnan(X).any(axis=1)
    for some in (~lacks, lacks & ~without):  # predict rounds once more where a row of the batch lacks a value
        if some.any():
            np.testing.assert_array_equal(estimator.classes_[label[some]], estimator.predict(rows[some]))
            shown = estimator.predict_proba(rows[some])
            np.testing.assert_allclose(share[some], shown, rtol=0 if exact else 1e-13, atol=0 if exact else 1e-16)
    assert (label[without] == -1).all()
    assert status == int(without.any())


def assert_c_agrees(estimator, rows, folder):
    library = compiled(folder, askew=askew.export_c(estimator))
    assert_function_agrees(library.askew_predict, estimator, rows)


# --- ONNX


def opened(estimator, folder):
    """Export a model as ONNX and open a session with it."""
    onnxruntime = pytest.importorskip("onnxruntime")
    askew.export_onnx(estimator, folder / "model.onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])


def assert_onnx_agrees(estimator, rows, folder):
    session, X, without = opened(estimator, folder), as_codes(estimator, rows), refused(estimator, rows)
    given = rows[~without]
    if not hasattr(estimator, "classes_"):
        (number,) = session.run(None, {"rows": X})
        rtol = 0 if is_exact(estimator) else 1e-13
        np.testing.assert_allclose(number[~without], estimator.predict(given), rtol=rtol)
        return
    label, shares = session.run(["label", "probabilities"], {"rows": X})
    assert label[~without].tolist() == estimator.predict(given).tolist()
    np.testing.assert_allclose(shares[~without], estimator.predict_proba(given), rtol=1e-13, atol=1e-15)
    assert np.isnan(shares[without]).all()
