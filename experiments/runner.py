"""`run`: runs the cells of an experiment, in parallel if wanted, and keeps what is finished."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from time import process_time

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from askew.datasets import Dataset, UnknownDatasetError, encode, load
from askew.parallel import progress_bar
from experiments.baselines import OPTIONAL, NotInstalledError, estimator_named
from experiments.cache import Cache, data_digest, default_folder, part_key
from experiments.experiment import Cell, Experiment, Figure, Part

_SECONDS = "seconds"


@dataclass(frozen=True)
class CellResult:
    """What became of a cell.

    Attributes
    ----------
    cell : Cell
        The cell.
    ours : dict of str to Figure
        The figures by measure; empty if it was not run.
    remark : str
        The setting that was chosen, or why it was not run.
    seconds : float
        Processor time of all its parts.
    """

    cell: Cell
    ours: dict[str, Figure]
    remark: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Results:
    """What became of an experiment.

    Attributes
    ----------
    experiment : Experiment
        The experiment, as it was run.
    cells : tuple of CellResult
        What became of each cell, in the experiment's order.
    quick : bool
        Whether it was a quick run.
    from_folder : bool
        Whether data came from a folder of CSV files.
    finished : bool
        Whether nothing was run, so that cells may be lacking.
    extended : bool
        Whether figures of an earlier run are among them.
    """

    experiment: Experiment
    cells: tuple[CellResult, ...]
    quick: bool
    from_folder: bool
    finished: bool = False
    extended: bool = False


@dataclass(frozen=True)
class _Task:
    cell: Cell
    number: int
    data: Dataset
    key: str


def run(
    experiment: Experiment,
    *,
    quick: bool = False,
    data: str | os.PathLike[str] | None = None,
    jobs: int | None = 1,
    cache: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    finished: bool = False,
    progress: bool = False,
) -> Results:
    """Run an experiment.

    A cell's parts depend on nothing but their number, and finished ones are kept: the results are the same for
    any `jobs`, and after any interruption.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    quick : bool
        Run fewer repetitions.
    data : str or path-like or None
        Folder of CSV files; see `askew.datasets.load`.
    jobs : int or None
        Parts to run at the same time; as joblib's ``n_jobs``, by whatever backend `joblib.parallel_config`
        names.
    cache : str or path-like or None
        Folder of finished parts; default: ``ASKEW_CACHE``, or askew's own in the user's cache folder.
    fresh : bool
        Run everything again.
    finished : bool
        Run nothing; cells that lack a part say so.
    progress : bool
        Show a progress bar on standard error.

    Examples
    --------
    >>> from experiments import EXPERIMENTS, run
    >>> results = run(EXPERIMENTS["oc1-1994-table2"], quick=True)  # doctest: +SKIP
    """
    if quick:
        wanted = experiment.quick_data
        cells = tuple(cell for cell in experiment.cells if not wanted or cell.data in wanted)
        others = {method: trials.quick() for method, trials in experiment.other_trials.items()}
        experiment = replace(experiment, trials=experiment.trials.quick(), other_trials=others, cells=cells)
    kept = Cache(Path(cache) if cache is not None else default_folder())
    reasons, tasks = _prepare(experiment, data)
    done: dict[str, Part] = {}
    if not fresh:
        found = {task.key: kept.read(experiment.name, task.key) for task in tasks}
        done = {key: part for key, part in found.items() if part is not None}
    waiting = [] if finished else [task for task in tasks if task.key not in done]
    with progress_bar(experiment.name, progress) as tell:
        for task, part in _work(experiment, waiting, jobs):
            # Here, not where it was run: workers of a cluster have other disks.
            kept.write(experiment.name, task.key, f"{task.cell.name}, part {task.number}", dict(part))
            done[task.key] = part
            if tell is not None:
                tell(len(done) / len(tasks))
    results = tuple(_result(experiment, cell, reasons, tasks, done) for cell in experiment.cells)
    return Results(experiment, results, quick, any(".csv" in task.data.source for task in tasks), finished)


def _prepare(experiment: Experiment, data: str | os.PathLike[str] | None) -> tuple[dict[str, str], list[_Task]]:
    """Return why cells cannot be run, and the parts of the others."""
    reasons: dict[str, str] = {}
    tasks: list[_Task] = []
    loaded: dict[tuple[str | None, str | None, bool, bool], Dataset | str] = {}
    digests: dict[str, str] = {}
    for cell in experiment.cells:
        reason = cell.reason or _lacking(cell)
        if reason is None:
            which = cell.load, cell.more, cell.complete, cell.encode
            if which not in loaded:
                loaded[which] = _load(*which, data)
            found = loaded[which]
            if isinstance(found, str):
                reason = found
            else:
                found = _retargeted(found, cell)
                seen = repr((which, cell.target, cell.only_before))
                if seen not in digests:  # once for all methods
                    digests[seen] = data_digest(found.X, found.y)
                parts = range(experiment.trials_of(cell).n_parts())
                tasks += [_Task(cell, i, found, part_key(experiment, cell, i, digests[seen])) for i in parts]
        if reason is not None:
            reasons[cell.name] = reason
    return reasons, tasks


def _lacking(cell: Cell) -> str | None:
    try:
        estimator_named(cell.estimator)
    except NotInstalledError as error:
        return str(error)
    except (ImportError, AttributeError):
        return f"{'' if '.' in cell.estimator else 'askew.'}{cell.estimator} is not in this version"
    return None


def _load(
    name: str | None, more: str | None, complete: bool, encoded: bool, data: str | os.PathLike[str] | None
) -> Dataset | str:
    """Return the data as an array of numbers, or why they cannot be had."""
    if name is None:  # the protocol makes them
        return Dataset("", np.empty((0, 0)), np.empty(0), "generated")
    try:
        found = load(name, data) if more is None else _joined(load(name, data), load(more, data))
        X = encode(found.X) if encoded and hasattr(found.X, "items") else np.asarray(found.X, dtype=np.float64)
        y = np.asarray(found.y)
    except UnknownDatasetError:
        return f"needs {name if more is None else f'{name}.csv and {more}'}.csv: give --data"
    except ValueError as error:
        return f"{name}.csv cannot be used: {error}"
    if complete:
        whole = ~np.isnan(X).any(axis=1)
        X, y = X[whole], y[whole]
    return replace(found, X=X, y=y)


def _joined(first: Dataset, then: Dataset) -> Dataset:
    """Return the rows of the first data set, and then those of the second."""
    if hasattr(first.X, "items"):
        import pandas as pd

        X = pd.concat([first.X, then.X], ignore_index=True)
    else:
        X = np.concatenate([first.X, then.X])
    return replace(first, X=X, y=np.concatenate([first.y, then.y]))


def _retargeted(data: Dataset, cell: Cell) -> Dataset:
    """Return the data with the target of the cell."""
    if cell.target is None:
        return data
    attributes = data.X[:, : cell.target] if cell.only_before else np.delete(data.X, cell.target, axis=1)
    return replace(data, X=attributes, y=data.X[:, cell.target])


def _work(experiment: Experiment, tasks: list[_Task], jobs: int | None) -> Iterator[tuple[_Task, Part]]:
    """Run the parts, and give each as it is done."""
    if len(tasks) < 2 or jobs == 1 or effective_n_jobs(jobs) == 1:
        for task in tasks:
            yield task, _run(experiment, task)[1]
        return
    by_key = {task.key: task for task in tasks}
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for key, part in parallel(delayed(_run)(experiment, task) for task in tasks):
        yield by_key[key], part


def _run(experiment: Experiment, task: _Task) -> tuple[str, Part]:
    start = process_time()
    figures = dict(experiment.trials_of(task.cell).run(task.cell, task.number, task.data.X, task.data.y))
    figures[_SECONDS] = process_time() - start
    return task.key, figures


def _result(
    experiment: Experiment, cell: Cell, reasons: dict[str, str], tasks: list[_Task], done: dict[str, Part]
) -> CellResult:
    if cell.name in reasons:
        return CellResult(cell, {}, reasons[cell.name])
    own = [task for task in tasks if task.cell is cell]
    parts = [done[task.key] for task in own if task.key in done]
    if len(parts) < len(own):
        return CellResult(cell, {}, f"{len(parts)} of {len(own)} parts are finished")
    seconds = sum(part[_SECONDS] for part in parts)
    figures = [{name: value for name, value in part.items() if name != _SECONDS} for part in parts]
    ours, remark = experiment.trials_of(cell).combine(list(figures), cell.paper)
    return CellResult(cell, ours, remark or cell.note or _package(cell), seconds)


def _package(cell: Cell) -> str:
    """Return the optional package that a cell's figures depend on, with its version."""
    package = OPTIONAL.get(cell.estimator)
    return "" if package is None else f"{package} {version(package)}"
