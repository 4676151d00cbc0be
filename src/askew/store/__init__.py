"""The model file: versioned, validated, never pickle.

askew.store.estimators     an estimator as a description in JSON and arrays, and back
askew.store.json_values    its parameters and classes in JSON
askew.store.container      the bytes: description, arrays and a checksum in one file
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from askew.estimators.model import BaseModel
from askew.export.fitted import final_step, steps_before
from askew.parameters import ModelFileError
from askew.store import container
from askew.store.estimators import pack_estimator, unpack_estimator

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


def save(estimator: BaseModel | Pipeline, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file.

    The file is written beside an old one and renamed over it, so that a failure leaves the old one intact.
    Unfinished files of killed processes in the folder (``.askew-*.tmp``) are removed. A parameter that is a user's
    function or object cannot be stored: it is left out with a warning, and has its default after `load`. Prediction
    does not need it.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted estimator of askew, or a fitted Pipeline that ends in one. Of a pipeline only the tree is stored, with
        the names of its input columns; a warning names the steps before it.
    path : str or path-like
        File to write; by convention its name ends in ``.askew``.

    Examples
    --------
    >>> import askew, os, tempfile
    >>> tree = askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     askew.save(tree, os.path.join(folder, "m.askew"))
    ...     askew.load(os.path.join(folder, "m.askew")).predict([[1.7]])
    array(['yes'], dtype='<U3')
    """
    before = steps_before(estimator)
    estimator = final_step(estimator)
    document, arrays, left_out = pack_estimator(estimator)
    unpack_estimator(arrays, document)  # nothing is written that could not be read again
    content = container.to_bytes(arrays, document)
    if left_out:
        warnings.warn(
            f"{type(estimator).__name__}: not stored, and at their defaults after load: {', '.join(left_out)}",
            UserWarning,
            stacklevel=2,
        )
    if before:
        warnings.warn(
            f"the steps before the tree are not stored: {', '.join(before)}. "
            "What load returns predicts rows that have gone through them",
            UserWarning,
            stacklevel=2,
        )
    container.write(path, content)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator from a model file.

    Nothing in the file is executed, and everything in it is validated before use.

    Parameters
    ----------
    path : str or path-like
        A file that `save` wrote.

    Returns
    -------
    estimator : estimator
        The estimator. Its predictions equal those of the saved one, bit for bit.

    Raises
    ------
    ModelFileError
        Names the file, the position in it, what was expected and what was found.
    """
    with open(path, "rb") as file:
        try:
            return unpack_estimator(*container.read(file))
        except (ValueError, RecursionError) as error:
            raise ModelFileError(f"{os.fspath(path)}: {error}") from None
