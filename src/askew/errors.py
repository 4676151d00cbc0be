"""The errors askew raises beside Python's own."""

from __future__ import annotations


class InvalidParameterError(ValueError, TypeError):
    """A parameter is out of range or unknown: says what it must be and what it got.

    The name, the bases and the wording of scikit-learn's own error, whose module is private.
    """


class ModelFileError(ValueError):
    """A model file cannot be read: names the file, the place in it, what was expected and found."""


class ClusterError(RuntimeError):
    """A Dask cluster, or the data on it, was lost while a tree was being grown: says what was lost."""


def brief(value: object) -> str:
    """Return a value as a message can show it, whatever its size."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print integers of thousands of digits
        text = f"a {type(value).__name__} that is too long to print"
    return text if len(text) <= 100 else text[:97] + "..."
