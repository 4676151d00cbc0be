"""The statistics of the experiments."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once."""
    return fmean(values)


def sd(values: Sequence[float]) -> float | None:
    """Return the standard deviation of a sample (divided by n - 1); None of fewer than two values."""
    return stdev(values) if len(values) > 1 else None
