"""``askew train --dask``: train a tree on many files, on a Dask cluster."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from askew.cli.model_file import Model
from askew.cli.options import MANY_VALUES, TaskKind
from askew.cli.show import describe, print_facts
from askew.cli.task import make_estimator
from askew.parameters import ClusterError
from askew.tables.errors import UserError, about, note, unknown
from askew.tables.options import Written

if TYPE_CHECKING:
    import dask.dataframe as dd
    from distributed import Client

    from askew.estimators.model import BaseModel
    from askew.model.tree import Tree


@dataclass(frozen=True)
class ClusterTraining:
    """The options of a training on a cluster.

    Attributes
    ----------
    pattern : Path
        Name of a file, or a pattern such as ``part-*.parquet``.
    target, weights, drop, categorical
        Names of columns.
    address : str
        Address of a scheduler, or ``local:4`` for four workers on this machine.
    method, task, settings
        The method, the kind of the target, and the parameters.
    written : Written
        The format of CSV files.
    thousands : str or None
        Separator of thousands.
    of_text : list of str
        Options that apply to CSV files only.
    """

    pattern: Path
    target: str
    weights: str | None
    drop: list[str]
    categorical: list[str]
    address: str
    method: str
    task: TaskKind
    settings: dict[str, object]
    written: Written
    thousands: str | None
    of_text: list[str]

    @property
    def categories(self) -> list[str]:
        """The categorical columns, besides those of text."""
        return [name for item in self.categorical for name in item.split(",")]


_NOT_ON_CLUSTER = {
    "--cv": "the accuracy is not estimated on a cluster",
    "--own-pruning": "trees on a cluster are not pruned",
    "--dates": "dates are not turned into numbers on a cluster",
}


def refuse(values: dict[str, object]) -> None:
    """Raise `UserError` for an option that does not work on a cluster; None is an option that is not set."""
    for name, value in values.items():
        if value is not None:
            raise UserError(f"{name} cannot be used with --dask: {_NOT_ON_CLUSTER[name]}")


def train_on_cluster(training: ClusterTraining, output: Path, *, seed: int, quiet: bool, as_json: bool) -> None:
    """Train a tree on a cluster and write it to a model file."""
    paths = sorted(glob.glob(str(training.pattern))) or [str(training.pattern)]
    for path in paths[:1]:
        Path(path).open("rb").close()  # report a missing file before the cluster starts
    kinds = _methods().get(training.method)
    if kinds is None:
        raise unknown("method for --dask", training.method, _methods(), all_of_them=True)
    import askew

    with _client(training.address, quiet) as client, about(training.pattern):
        frame = _frame(paths, training)
        X, y, weights, is_class = _columns(frame, training)
        estimator = make_estimator(training.method, kinds, is_class, {"random_state": seed, **training.settings})
        if "verbose" in estimator.get_params() and "verbose" not in training.settings:
            estimator.set_params(verbose=int(not quiet))
        estimator.set_params(client=client)
        try:
            estimator.fit(X, y, weights)
        except ClusterError as error:
            raise UserError(str(error)) from error
        local: Model = getattr(estimator, "to_local")()  # noqa: B009 - only estimators of askew.dask have it
        if "verbose" in local.get_params():
            local.set_params(verbose=0)
    askew.save(local, output)
    if quiet and not as_json:
        return
    facts: dict[str, object] = {"files": len(paths), **describe(local)}
    if hasattr(local, "tree_"):
        facts |= {"rows": int(local.tree_.n_samples[0]), "leaves": local.get_n_leaves(), "depth": local.get_depth()}
        facts[f"training {'accuracy' if is_class else 'R2'}"] = _training_score(local.tree_, is_class)
    print_facts({**facts, "written to": f"{output}"}, as_json)


def _methods() -> dict[str, tuple[type[BaseModel] | None, type[BaseModel] | None]]:
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
def _client(address: str, quiet: bool) -> Iterator[Client]:
    """Connect to a scheduler, or start workers on this machine; print the address of the dashboard."""
    from distributed import Client, LocalCluster

    name, _, number = address.partition(":")
    if name == "local":
        if number and not (number.isdigit() and int(number) > 0):
            raise UserError(f"--dask {address!r}: expected local, or local:4 for four workers")
        options = {"n_workers": int(number)} if number else {}
        with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster) as client:
            _note_dashboard(client, quiet)
            yield client
        return
    try:
        client = Client(address, timeout=30)
    except (OSError, ValueError) as error:
        raise UserError(f"--dask {address!r}: no scheduler answers there: {error}") from error
    with client:
        _note_dashboard(client, quiet)
        yield client


def _note_dashboard(client: Client, quiet: bool) -> None:
    if not quiet:
        note(f"{len(client.scheduler_info()['workers'])} workers; dashboard at {client.dashboard_link}")


def _frame(paths: list[str], training: ClusterTraining) -> dd.DataFrame:
    """Return files of one kind as a Dask data frame, with at least one partition for each file."""
    import dask.dataframe as dd

    if all(path.endswith((".parquet", ".pq")) for path in paths):
        if training.of_text or training.thousands:
            raise UserError(f"{[*training.of_text, '--thousands'][0]} is about text: Parquet files have none")
        frame = dd.read_parquet(paths)
        numbers = [name for name in training.categories if name in frame.columns and frame[name].dtype.kind in "iufb"]
        return frame.assign(**{name: frame[name].astype("string") for name in numbers})
    written = training.written
    return dd.read_csv(
        paths,
        sep=written.delimiter or ",",
        encoding=written.encoding or "utf-8",
        decimal=written.decimal or ".",
        thousands=" " if training.thousands == "space" else training.thousands,
        na_values=["", *sorted(written.missing)],
        keep_default_na=False,
        dtype=dict.fromkeys(training.categories, "string"),
    )


def _columns(frame: dd.DataFrame, training: ClusterTraining) -> tuple[dd.DataFrame, dd.Series, dd.Series | None, bool]:
    """Return X, y, the weights, and whether y holds classes."""
    names = [str(name) for name in frame.columns]
    frame = frame.rename(columns=dict(zip(frame.columns, names, strict=True)))
    others = [training.target, *([] if training.weights is None else [training.weights]), *training.drop]
    for name in (*others, *training.categories):
        if name not in names:
            raise unknown("column", name, names)
    features = [name for name in names if name not in others]
    if not features:
        raise UserError("no feature columns are left")
    for name in training.categories:
        if name not in features:
            raise UserError(f"--categorical {name!r}: the column is not a feature")
    y = frame[training.target]
    weights = None if training.weights is None else frame[training.weights]
    return frame[features], y, weights, _is_class(y, training.task)


def _is_class(y: dd.Series, task: TaskKind) -> bool:
    """Whether a target holds classes: by the same rule as for tables on one machine."""
    if task is not TaskKind.AUTO:
        return task is TaskKind.CLASSIFICATION
    if y.dtype.kind not in "iuf":
        return True
    if y.dtype.kind == "f" and bool(((y % 1).fillna(0) != 0).any().compute()):
        return False
    # `nunique` would shuffle the rows between the workers, and Dask would print a warning.
    return int(y.drop_duplicates(split_out=1).count().compute()) <= MANY_VALUES


def _training_score(tree: Tree, is_class: bool) -> float:
    """Return the training accuracy or R2, from the counts of the tree."""
    leaf = tree.is_leaf
    if is_class:
        return round(float(tree.value[leaf].max(axis=1).sum() / tree.mass[0]), 4)
    residual = float((tree.mass[leaf] * tree.impurity[leaf]).sum())
    return round(1.0 - residual / (tree.mass[0] * tree.impurity[0]), 4) if tree.impurity[0] > 0 else 1.0
