"""Data to try the trees on: generators of the papers, scikit-learn's bundled sets, a folder of CSV files."""

from __future__ import annotations

from askew.datasets.figures import plot
from askew.datasets.loading import Dataset, UnknownDatasetError, encode, load, names
from askew.datasets.synthetic import (
    make_apdt1_standin,
    make_apdt2_standin,
    make_apdt3_standin,
    make_ls10,
    make_pol,
    make_rcb,
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
