"""Data sets: generators of the papers' artificial data, scikit-learn's bundled sets, a folder of CSV files."""

from __future__ import annotations

from askew.datasets.loading import Dataset, UnknownDatasetError, encode, load, names
from askew.datasets.synthetic import (
    make_apdt1_standin,
    make_apdt2_standin,
    make_apdt3_standin,
    make_ls10,
    make_pol,
    make_rcb,
    plot,
)

__all__ = [
    "Dataset",
    "UnknownDatasetError",
    "encode",
    "load",
    "make_apdt1_standin",
    "make_apdt2_standin",
    "make_apdt3_standin",
    "make_ls10",
    "make_pol",
    "make_rcb",
    "names",
    "plot",
]
