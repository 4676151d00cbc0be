"""``askew train --dask``: a tree from many files, on a Dask cluster."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askew.cli.options import MANY_VALUES, Task
from askew.cli.show import describe, tell
from askew.cli.task import make_estimator
from askew.parameters import ClusterError
from askew.tables.errors import UserError, about, note, unknown
from askew.tables.options import Written


@dataclass(frozen=True)
class Wanted:
    """What is to be learnt from which files, and where.

    Attributes
    ----------
    pattern : name of a file, or a pattern such as ``part-*.parquet``
    target, weights, drop, categorical : columns
    address : of a scheduler, or ``local:4`` for so many workers on this machine
    method, task, settings : what to learn, and how
    written, thousands : how the text of CSV is written; what stands between groups of three digits
    of_text : the options that say so
    """

    pattern: Path
    target: str
    weights: str | None
    drop: list[str]
    categorical: list[str]
    address: str
    method: str
    task: Task
    settings: dict[str, Any]
    written: Written
    thousands: str | None
    of_text: list[str]

    @property
    def categories(self) -> list[str]:
        """The columns of categories, besides those of text."""
        return [name for item in self.categorical for name in item.split(",")]


_WHY = {
    "--cv": "the accuracy is not estimated on a cluster",
    "--own-pruning": "trees on a cluster are not pruned",
    "--dates": "dates are not turned into numbers on a cluster",
}


def refuse(given: dict[str, Any]) -> None:
    """Refuse options that a cluster cannot honour; None stands for one that was not given."""
    for name, value in given.items():
        if value is not None:
            raise UserError(f"{name} cannot be used with --dask: {_WHY[name]}")


def train_on_cluster(wanted: Wanted, output: Path, *, seed: int, quiet: bool, as_json: bool) -> None:
    """Learn a tree on a cluster and write it to a model file."""
    paths = sorted(glob.glob(str(wanted.pattern))) or [str(wanted.pattern)]
    for path in paths[:1]:
        Path(path).open("rb").close()  # a file that is missing is told at once
    kinds = _methods().get(wanted.method)
    if kinds is None:
        raise unknown("method for --dask", wanted.method, _methods(), all_of_them=True)
    import askew

    with _client(wanted.address, quiet) as client, about(wanted.pattern):
        frame = _frame(paths, wanted)
        X, y, weights, is_class = _columns(frame, wanted)
        estimator = make_estimator(wanted.method, kinds, is_class, {"random_state": seed, **wanted.settings})
        if "verbose" in estimator.get_params() and "verbose" not in wanted.settings:
            estimator.set_params(verbose=int(not quiet))
        estimator.set_params(client=client)
        try:
            estimator.fit(X, y, weights)
        except ClusterError as error:
            raise UserError(str(error)) from error
        local = estimator.to_local()
        if "verbose" in local.get_params():
            local.set_params(verbose=0)
    askew.save(local, output)
    if quiet and not as_json:
        return
    facts: dict[str, Any] = {"files": len(paths), **describe(local)}
    if hasattr(local, "get_n_leaves"):
        facts |= {"rows": int(local.tree_.n_samples[0]), "leaves": local.get_n_leaves(), "depth": local.get_depth()}
        facts[f"training {'accuracy' if is_class else 'R2'}"] = _training_score(local.tree_, is_class)
    tell({**facts, "written to": f"{output}"}, as_json)


def _methods() -> dict[str, tuple[type[Any] | None, type[Any] | None]]:
    """Return the methods that run on a cluster."""
    try:
        from askew import dask
    except ImportError as error:
        raise UserError(str(error)) from None
    return {
        "cart": (dask.DaskCARTClassifier, dask.DaskCARTRegressor),
        "ce_dt": (dask.DaskCEDTClassifier, dask.DaskCEDTRegressor),
        "k_dt": (dask.DaskKDTClassifier, None),
        "forest": (dask.DaskObliqueForestClassifier, dask.DaskObliqueForestRegressor),
        "tree": (dask.DaskObliqueTreeClassifier, dask.DaskObliqueTreeRegressor),
    }


@contextmanager
def _client(address: str, quiet: bool) -> Iterator[Any]:
    """Connect to a scheduler, or start workers on this machine; say where the dashboard is."""
    from distributed import Client, LocalCluster

    name, _, number = address.partition(":")
    if name == "local":
        if number and not (number.isdigit() and int(number) > 0):
            raise UserError(f"--dask {address!r}: expected local, or local:4 for four workers")
        options = {"n_workers": int(number)} if number else {}
        with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster) as client:
            _tell_dashboard(client, quiet)
            yield client
        return
    try:
        client = Client(address, timeout=30)
    except (OSError, ValueError) as error:
        raise UserError(f"--dask {address!r}: no scheduler answers there: {error}") from error
    with client:
        _tell_dashboard(client, quiet)
        yield client


def _tell_dashboard(client: Any, quiet: bool) -> None:
    if not quiet:
        note(f"{len(client.scheduler_info()['workers'])} workers; dashboard at {client.dashboard_link}")


def _frame(paths: list[str], wanted: Wanted) -> Any:
    """Return files of one kind as a Dask data frame, a partition each or more."""
    import dask.dataframe as dd

    if all(path.endswith((".parquet", ".pq")) for path in paths):
        if wanted.of_text or wanted.thousands:
            raise UserError(f"{[*wanted.of_text, '--thousands'][0]} is about text: Parquet files have none")
        frame = dd.read_parquet(paths)
        numbers = [name for name in wanted.categories if name in frame.columns and frame[name].dtype.kind in "iufb"]
        return frame.assign(**{name: frame[name].astype("string") for name in numbers})
    written = wanted.written
    return dd.read_csv(
        paths,
        sep=written.delimiter or ",",
        encoding=written.encoding or "utf-8",
        decimal=written.decimal or ".",
        thousands=" " if wanted.thousands == "space" else wanted.thousands,
        na_values=["", *sorted(written.missing)],
        keep_default_na=False,
        dtype=dict.fromkeys(wanted.categories, "string"),
    )


def _columns(frame: Any, wanted: Wanted) -> tuple[Any, Any, Any, bool]:
    """Return X, y, the weights, and whether y has classes."""
    names = [str(name) for name in frame.columns]
    frame = frame.rename(columns=dict(zip(frame.columns, names, strict=True)))
    others = [wanted.target, *([] if wanted.weights is None else [wanted.weights]), *wanted.drop]
    for name in (*others, *wanted.categories):
        if name not in names:
            raise unknown("column", name, names)
    features = [name for name in names if name not in others]
    if not features:
        raise UserError("no feature columns are left")
    for name in wanted.categories:
        if name not in features:
            raise UserError(f"--categorical {name!r}: the column is not a feature")
    y = frame[wanted.target]
    weights = None if wanted.weights is None else frame[wanted.weights]
    return frame[features], y, weights, _is_class(y, wanted.task)


def _is_class(y: Any, task: Task) -> bool:
    """Whether a target holds classes: by the rule of tables on one machine."""
    if task is not Task.AUTO:
        return task is Task.CLASSIFICATION
    if y.dtype.kind not in "iuf":
        return True
    if y.dtype.kind == "f" and bool(((y % 1).fillna(0) != 0).any().compute()):
        return False
    # `nunique` would shuffle the rows between the workers, and Dask would tell so on the terminal.
    return int(y.drop_duplicates(split_out=1).count().compute()) <= MANY_VALUES


def _training_score(tree: Any, is_class: bool) -> float:
    """Return the score on the training rows, which the tree has counted."""
    leaf = tree.is_leaf
    if is_class:
        return round(float(tree.value[leaf].max(axis=1).sum() / tree.mass[0]), 4)
    left = float((tree.mass[leaf] * tree.impurity[leaf]).sum())
    return round(1.0 - left / (tree.mass[0] * tree.impurity[0]), 4) if tree.impurity[0] > 0 else 1.0
