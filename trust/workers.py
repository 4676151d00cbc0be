"""The same model for any number of Dask workers and any partitioning."""

from __future__ import annotations

from collections import Counter

import numpy as np
from benchmarks.report import Goal, Section
from sklearn.base import clone

from trust.budget import Budget
from trust.dask_models import estimators, fitted_digest, parted, processes, whole

WORKERS = range(1, 9)
PARTITIONINGS = 2


def run(budget: Budget) -> list[Section]:
    """Fit every estimator of `askew.dask` on clusters of one to eight processes."""
    rng = np.random.default_rng()
    models = dict(list(estimators().items())[:: 6 if budget.quick else 1])
    numbers = WORKERS[: 2 if budget.quick else None]
    fits, other = Counter[str](), Counter[str]()
    with processes(numbers[0]) as client:
        expected = {name: fitted_digest(clone(model), whole(model)) for name, model in models.items()}
        for n_workers in numbers:
            client.cluster.scale(n_workers)
            client.wait_for_workers(n_workers)
            for name, model in models.items():
                for _ in range(PARTITIONINGS):
                    fits[name] += 1
                    other[name] += fitted_digest(clone(model), parted(model, rng)) != expected[name]
    rows = [(name, str(fits[name]), str(other[name])) for name in models]
    text = (
        f"Fits on clusters of {numbers[0]} to {numbers[-1]} workers, all of them real processes, {PARTITIONINGS} "
        "random partitionings on each, uneven and with empty partitions, the rows in random order, weights that are no "
        "whole numbers. The hash of all arrays must be that of one worker with one partition."
    )
    goal = Goal(f"the same model for every number of workers; {other.total()} differ", other.total() == 0)
    return [Section("Determinism: Dask workers", text, ("estimator", "fits", "another model"), rows, (goal,))]
