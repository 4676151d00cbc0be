"""Add methods or data sets to an earlier run: its CSV file has the figures of all cells that are not run again."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from askew.parameters import InvalidParameterError
from experiments.experiment import Cell, Experiment, Figure
from experiments.runner import CellResult, Results, run

#: The remark of a cell that was added.
ADDED = "added to an earlier run"

_Key = tuple[str, str]


def extend(experiment: Experiment, earlier: str | os.PathLike[str], **options: Any) -> Results:
    """Run the cells that an earlier run lacks, and return them with those that it has.

    Times of two runs cannot be compared. The method whose time is the unit (`Experiment.unit`) is therefore run again
    beside the cells that are added, and their times are scaled by its time in the earlier run over that in this one.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    earlier : str or path-like
        The CSV file that `experiments.report.write` wrote of it.
    **options : object
        Those of `experiments.run` but `quick`.
    """
    known = _read(experiment, Path(earlier))
    lacking = {cell.data for cell in experiment.cells if _key(cell) not in known and cell.reason is None}
    cells = [c for c in experiment.cells if _key(c) not in known or (c.method == experiment.unit and c.data in lacking)]
    results = run(replace(experiment, cells=tuple(cells)), **options)
    made = {_key(result.cell): result for result in results.cells}
    merged = []
    for cell in experiment.cells:
        unit = cell.data, experiment.unit
        timed = unit in known and unit in made and bool(made[unit].ours)
        units = (known[unit], made[unit]) if timed else None
        merged.append(known.get(_key(cell)) or _added(experiment, made[_key(cell)], units))
    return replace(results, experiment=experiment, cells=tuple(merged), extended=True)


def _key(cell: Cell) -> _Key:
    return cell.data, cell.method


def _read(experiment: Experiment, path: Path) -> dict[_Key, CellResult]:
    """Return the cells that the file has figures of."""
    with path.open(encoding="utf-8", newline="") as file:
        every = list(csv.DictReader(file))
    if not every or "ours_mean" not in every[0] or every[0]["experiment"] != experiment.name:
        raise InvalidParameterError(f"{path} does not hold an earlier run of {experiment.name}")
    lines = [line for line in every if line["ours_mean"]]
    figures: dict[_Key, dict[str, Figure]] = {}
    of_cell: dict[_Key, Mapping[str, str]] = {}
    for line in lines:
        key = line["data"], line["method"]
        sd = float(line["ours_sd"]) if line["ours_sd"] else None
        figures.setdefault(key, {})[line["measure"]] = Figure(float(line["ours_mean"]), sd, 3)
        of_cell[key] = line
    return {
        key: CellResult(cell, figures[key], of_cell[key]["remark"], float(of_cell[key]["seconds"]))
        for cell in experiment.cells
        if (key := _key(cell)) in figures
    }


def _added(experiment: Experiment, result: CellResult, unit: tuple[CellResult, CellResult] | None) -> CellResult:
    """Return a cell with its times in those of the earlier run, and the remark that it was added."""
    if not result.ours:
        return result
    ours = dict(result.ours)
    for measure in experiment.measures:
        if measure.timed and unit is not None:
            before, now = (of.ours[measure.name].mean for of in unit)
            own, scale = ours[measure.name], before / now
            ours[measure.name] = replace(own, mean=own.mean * scale, sd=None if own.sd is None else own.sd * scale)
    return replace(result, ours=ours, remark="; ".join(filter(None, [result.remark, ADDED])))
