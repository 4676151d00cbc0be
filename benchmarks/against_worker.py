"""One side of `benchmarks.against`: fits and predicts with the askew of its interpreter, on request.

Run as a script, so that it takes nothing from the checkout that it lies in. Each line of standard input is a request
in JSON; each is answered by one line. It uses only what every revision of askew has: public names, and the arrays of
a tree; what a revision lacks is answered as an error.
"""

from __future__ import annotations

import gc
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as bundled

import askew

PREDICTED_ROWS = 50_000


@cache
def data(name: str) -> tuple[Any, Any]:
    """Return X and y of a bundled data set, a generator of askew's, or made-up data "kind rows columns"."""
    if name == "breast_cancer, missing":
        X, y = data("breast_cancer")
        return np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X), y
    kind, *shape = name.split()
    if kind == "classes":
        n, d = map(int, shape)
        return bundled.make_classification(n, d, n_informative=d // 2, n_classes=4, random_state=0)
    if kind == "numbers":
        n, d = map(int, shape)
        return bundled.make_regression(n, d, n_informative=d // 2, noise=10.0, random_state=0)
    if hasattr(bundled, f"load_{name}"):
        return getattr(bundled, f"load_{name}")(return_X_y=True)
    return getattr(askew.datasets, f"make_{name}")(random_state=0)


def estimator(name: str, parameters: dict[str, Any]) -> Any:
    """Return an estimator; a parameter that is the name of an estimator becomes one."""
    made = {
        key: estimator(value, {"random_state": 0}) if key == "estimator" else value for key, value in parameters.items()
    }
    return getattr(askew, name)(**made)


def fit(name: str, on: str, **parameters: Any) -> Callable[[], Any]:
    X, y = data(on)
    return lambda: estimator(name, parameters).fit(X, y)


def predict(name: str, on: str, **parameters: Any) -> Callable[[], Any]:
    X, y = data(on)
    model = estimator(name, parameters).fit(X, y)
    many = np.tile(X, (-(-PREDICTED_ROWS // len(X)), 1))
    return lambda: model.predict(many)


def prune(pruner: str, name: str, on: str, **parameters: Any) -> Callable[[], Any]:
    X, y = data(on)
    tree = estimator(name, parameters).fit(X, y)
    return lambda: tree.pruned(getattr(askew.prune, pruner)(), X, y)


def command(on: str, *arguments: str) -> Callable[[], Any]:
    """Run the command line in a folder that has the data as `table.csv` and a tree of them as `model.askew`."""
    X, y = data(on)
    folder = tempfile.TemporaryDirectory()
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "class"])
    np.savetxt(Path(folder.name, "table.csv"), np.column_stack([X, y]), delimiter=",", header=header, comments="")

    def run(*words: str) -> bytes:
        line = [sys.executable, "-P", "-m", "askew", *words]
        done = subprocess.run(line, capture_output=True, check=False, cwd=folder.name)
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    run("train", "table.csv", "--target", "class", "--method", "cart", "-o", "model.askew")
    return partial(run, *arguments)


KINDS: dict[str, Callable[..., Callable[[], Any]]] = {
    "fit": fit,
    "predict": predict,
    "prune": prune,
    "command": command,
}


@cache
def prepared(request: str) -> Callable[[], Any]:
    asked = json.loads(request)
    return KINDS[asked["kind"]](*asked["arguments"], **asked["parameters"])


def clock() -> float:
    """Return the processor time of this process and those that it ran."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def digest(result: Any) -> str:
    """Return a hash of a result: of the arrays of all trees, or of the predictions."""
    found = hashlib.sha256()
    for part in _parts(result):
        found.update(part)
    return found.hexdigest()


def _parts(result: Any) -> list[bytes]:
    if isinstance(result, bytes):
        return [result]
    if isinstance(result, np.ndarray):
        return [np.ascontiguousarray(result).tobytes()]
    if hasattr(result, "estimators_"):
        return [part for one in result.estimators_ for part in _parts(one)]
    tree = getattr(result, "tree_", result)
    if hasattr(tree, "first_child"):
        names = ("first_child", "n_children", "feature", "weight", "threshold", "value", "n_samples", "impurity")
        return [np.ascontiguousarray(getattr(tree, name)).tobytes() for name in names]
    return [askew.export_text(result).encode()]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Do the work `loops` times in a row; return the time of one, and the digest of the last result."""
    work = prepared(json.dumps(request["work"], sort_keys=True))
    gc.collect()
    start = clock()
    for _ in range(request["loops"]):
        result = work()
    return {"seconds": (clock() - start) / request["loops"], "digest": digest(result)}


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        try:
            found = answer(json.loads(line))
        except Exception as error:  # the other side may be able to do it
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
