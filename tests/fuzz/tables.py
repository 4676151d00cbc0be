"""Random small tables through fit, predict, save, load and export of every estimator.

Ties, constant columns, missing values, infinities, scales from 1e-300 to 1e300, categories as text, weights. A fitted
model must predict without NaN, give probabilities that sum to one, be the same when it is fitted again, and be the same
after saving and loading. A warning is a failure.
"""

from __future__ import annotations

import os
import re
import secrets
import time
import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import askew
from askew.store import container
from askew.store.estimators import pack_estimator
from fuzz.findings import Found, at_most, rounds
from fuzz.models import KINDS, from_bytes, is_classifier, make, to_bytes
from fuzz.processes import doing, in_processes

LONG = 120  # seconds: a small table that takes longer has no end
# The documented errors.
DOCUMENTED = re.compile(
    "contains NaN|contains infinity|infinity or a value too large|contains a value too large|[Ww]eight"
)


def run(seconds: float) -> Found:
    """Give every estimator the same time."""
    return in_processes([partial(_try, seconds)] * (os.cpu_count() or 1))


def _try(seconds: float) -> Found:
    found, first = Found(), secrets.randbelow(2**40)
    spent = dict.fromkeys(KINDS, 0.0)
    for number in rounds(seconds):
        cls = min(KINDS, key=spent.__getitem__)
        start = time.monotonic()
        what = f"{cls.__name__}, seed {first + number}"
        doing(what)
        try:
            with at_most(LONG):
                found.tried[f"{cls.__name__}: {check(cls, first + number)}"] += 1
        except Exception as error:
            found.tried[f"{cls.__name__}: wrong"] += 1
            found.wrong.append(f"{what}: {type(error).__name__}: {error}")
        spent[cls] += time.monotonic() - start
    return found


def check(cls: type[Any], seed: int) -> str:
    """Try an estimator on one table: `fitted`, or `refused` with a documented error; raises for anything else."""
    rng = np.random.default_rng(seed)
    training = table(rng, classification=is_classifier(cls))
    choice = {"missing": str(rng.choice(["error", "mean"]))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "AutoTreeClassifier chose a single leaf")  # as it does on small tables
        try:
            model = make(cls, **choice).fit(*training)
        except ValueError as error:
            if type(error) not in (ValueError, askew.InvalidParameterError) or not DOCUMENTED.search(str(error)):
                raise
            return "refused"
        X = training[0]
        answer, (document, arrays, _) = answers(model, X), pack_estimator(model)
        again = pack_estimator(make(cls, **choice).fit(*training))[1]
        assert _in_bytes(again) == _in_bytes(arrays), "another model the second time"
        askew.export_text(model)
        askew.export_json(model)
        content = container.to_bytes(arrays, document)
        loaded = from_bytes(content)
        assert same(answer, answers(loaded, X)), "another answer after loading"
        assert to_bytes(loaded) == content, "another model after loading"
    return "fitted"


def _in_bytes(arrays: container.Arrays) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in arrays.items()}


def table(rng: np.random.Generator, *, classification: bool) -> tuple[Any, Any, Any]:
    """Return a random table, its targets and weights or None."""
    n, d = int(rng.integers(2, 21)), int(rng.integers(1, 5))
    X: Any = np.column_stack([_column(rng, n) for _ in range(d)])
    odd = rng.random()
    if odd < 0.15:
        X[rng.random(X.shape) < 0.1] = np.nan
    elif odd < 0.2:
        X[rng.integers(n), rng.integers(d)] = rng.choice([np.inf, -np.inf])
    if rng.random() < 0.05:  # slow to read
        X = pd.DataFrame(X, columns=[f"c{j}" for j in range(d)])
        X["word"] = rng.choice(["a", "b", "ü", ""], n)
    y = rng.integers(rng.integers(1, 5), size=n) if classification else _column(rng, n)
    if classification and rng.random() < 0.3:
        y = np.array(["no", "yes", "?", "ä", "z"])[y]
    weight = None
    if rng.random() < 0.4:
        weight = rng.choice([0.0, 1.0, 2.0, 0.3, 1e-9, 1e9], n)
    return X, y, weight


def _column(rng: np.random.Generator, n: int) -> Any:
    """Return a column: ties, constant, plain, or of an extreme scale."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.integers(-3, 4, n).astype(float)
    if kind == 1:
        return np.full(n, rng.normal()) if rng.random() < 0.3 else rng.normal(size=n)
    if kind == 2:
        return rng.normal(size=n) * 10.0 ** rng.integers(-300, 301)
    return rng.choice([0.0, -0.0, 5e-324, 1e-308, 1.0, -1.0, 1e15, 1e100], n)


def answers(model: Any, X: Any) -> list[Any]:
    """Return the predictions of some rows, which must be finite."""
    found = model.predict(X)
    if not hasattr(model, "predict_proba"):
        assert np.isfinite(found).all(), "a prediction is not finite"
        return [found]
    proba = model.predict_proba(X)
    assert np.isfinite(proba).all(), "a probability is not finite"
    assert (proba >= 0).all(), "a probability is negative"
    assert np.allclose(proba.sum(axis=1), 1, rtol=1e-9), "probabilities do not sum to one"
    return [found, proba]


def same(one: list[Any], other: list[Any]) -> bool:
    """Whether two lists of arrays are equal in every bit."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
