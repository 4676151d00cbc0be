"""Finished parts of a cell, one JSON file each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.files import beside
from experiments.baselines import package_of
from experiments.experiment import Cell, Experiment

# What these hold cannot change a tree.
_OTHERS = {"cli", "datasets", "export", "plot", "reporting", "tables"}


def default_folder() -> Path:
    """Return the folder of finished parts: ``ASKEW_CACHE``, or askew's own in the user's cache folder."""
    if given := os.environ.get("ASKEW_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "askew"


@cache
def code_version() -> str:
    """Return askew's version with a digest of the code that learns, so that no result of older code is reused."""
    import askew

    package = Path(askew.__file__).parent
    digest = sha256()
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        if path.suffix in (".py", ".so", ".pyd") and inside.parts[0] not in _OTHERS:
            digest.update(str(inside).encode())
            digest.update(path.read_bytes())
    return f"{askew.__version__}+{digest.hexdigest()[:12]}"


def data_digest(X: NDArray[np.float64], y: NDArray[Any]) -> str:
    """Return a digest of a table and its target."""
    digest = sha256(np.ascontiguousarray(X).tobytes())
    digest.update(repr(np.asarray(y).tolist()).encode())
    return digest.hexdigest()


def part_key(experiment: Experiment, cell: Cell, number: int, data: str) -> str:
    """Return a digest of all that a part's figures depend on: the cell, its settings, the data, the code."""
    package = package_of(cell.estimator)
    what = (
        experiment.name,
        cell.data,
        cell.estimator,
        sorted((name, repr(value)) for name, value in cell.parameters.items()),
        [sorted((name, repr(value)) for name, value in variant.items()) for variant in cell.variants],
        (cell.seed, cell.reverse),
        experiment.trials_of(cell).identity(number),
        data,
        code_version() if package is None else f"{package} {version(package)}",
    )
    return sha256(repr(what).encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Cache:
    """A folder of finished parts."""

    folder: Path

    def read(self, experiment: str, key: str) -> dict[str, float] | None:
        """Return a finished part; None if there is none, or none that can be read."""
        try:
            found = json.loads((self.folder / experiment / f"{key}.json").read_text())
            return {str(name): float(value) for name, value in found["figures"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, experiment: str, key: str, label: str, figures: dict[str, float]) -> None:
        """Keep a finished part; a run that dies while writing leaves no half file."""
        folder = self.folder / experiment
        folder.mkdir(parents=True, exist_ok=True)
        with beside(folder / f"{key}.json") as whole:
            whole.write_text(json.dumps({"part": label, "version": code_version(), "figures": figures}, indent=1))
