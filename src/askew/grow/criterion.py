"""`Criterion`: scores a split from the counts of its children. Lower is better, 0 is perfect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import LowLevelCallable

from askew import _core
from askew.parameters import InvalidParameterError

#: What a user may give as ``criterion=``; see `as_criterion`.
CriterionLike: TypeAlias = "str | Callable[..., ArrayLike] | LowLevelCallable"

CLASSIFICATION = (
    "gini",
    "twoing",
    "entropy",
    "gain_ratio",
    "max_minority",
    "sum_minority",
    "sum_of_variances",
)
REGRESSION = ("squared_error", "absolute_error")

# What a compiled criterion looks like: double f(double* left, double* right, int64_t k, void* data)
_SIGNATURES = (
    "double (double *, double *, int64_t, void *)",
    "double (double *, double *, long, void *)",
    "double (double *, double *, long long, void *)",
)


@dataclass(frozen=True, eq=False)
class Criterion:
    """A criterion that kernels can call.

    Attributes
    ----------
    name : str
        Its name, or that of the user's function.
    kernel : _core.Criterion
        The compiled form.
    owner : object
        Object that must stay alive while the kernel is used.
    """

    name: str
    kernel: _core.Criterion
    owner: object = None

    def score(self, children: ArrayLike) -> float:
        """Score a split from the counts of every child (children x counts); lower is better.

        Examples
        --------
        >>> from askew.grow.criterion import as_criterion
        >>> as_criterion("gini", classification=True).score([[5, 0], [1, 4]])
        0.16
        """
        return _core.score(self.kernel, np.ascontiguousarray(children, dtype=np.float64))


def as_criterion(criterion: object, *, classification: bool) -> Criterion:
    """Return the `Criterion` that a value of ``criterion=`` names.

    Parameters
    ----------
    criterion : str, function or compiled function
        A name; or a vectorised function ``(left[m, k], right[m, k]) -> score[m]`` over all cuts; or a compiled
        function of ``(double *left, double *right, int64 k, void *data) -> double``, as a Numba ``cfunc`` or a
        ``scipy.LowLevelCallable``. For regression the k numbers are the weight, the sum of y and the sum of
        y squared.
    classification : bool
        Whether rows have classes.
    """
    names = CLASSIFICATION if classification else REGRESSION
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, str):
        if criterion not in names:
            raise InvalidParameterError(
                f"The 'criterion' parameter must be a str among {sorted(names)} or a function. "
                f"Got {criterion!r} instead."
            )
        return Criterion(criterion, _core.Criterion.named(criterion))
    if isinstance(criterion, LowLevelCallable):
        return _low_level(criterion)
    if hasattr(criterion, "address") and hasattr(criterion, "ctypes"):  # a Numba cfunc
        return _numba(criterion)
    if callable(criterion):
        return Criterion(getattr(criterion, "__name__", "criterion"), _vectorised(criterion), criterion)
    raise InvalidParameterError(
        f"The 'criterion' parameter must be a str among {sorted(names)} or a function. Got {criterion!r} instead."
    )


def _numba(function: Any) -> Criterion:
    """Read the pointer of a Numba ``cfunc``, after checking its signature."""
    import ctypes

    compiled = function.ctypes
    # Numba defines its pointer types, named as those of ctypes.
    found = [kind.__name__ for kind in (*(compiled.argtypes or ()), compiled.restype or type(None))]
    expected = ["LP_c_double", "LP_c_double", ctypes.c_int64.__name__, "c_void_p", "c_double"]
    if found != expected:
        raise InvalidParameterError(
            f"The 'criterion' cfunc must have the signature {_SIGNATURES[0]!r}. Got {function!r} instead."
        )
    kernel = _core.Criterion.pointer(int(function.address), 0)
    return Criterion(getattr(function, "__name__", "cfunc"), kernel, function)


def _low_level(callable_: LowLevelCallable) -> Criterion:
    """Read the pointers out of a `scipy.LowLevelCallable`."""
    import ctypes

    signature = callable_.signature
    if signature not in _SIGNATURES:
        raise InvalidParameterError(
            f"The 'criterion' LowLevelCallable must have the signature {_SIGNATURES[0]!r}. Got {signature!r} instead."
        )
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    get_context = ctypes.pythonapi.PyCapsule_GetContext
    get_context.restype, get_context.argtypes = ctypes.c_void_p, [ctypes.py_object]
    capsule: object = tuple.__getitem__(callable_, 0)
    function = get_pointer(capsule, signature.encode())
    return Criterion("compiled", _core.Criterion.pointer(function, get_context(capsule) or 0), callable_)


def _vectorised(function: Callable[..., ArrayLike]) -> _core.Criterion:
    """Wrap a user's function to check the scores that it returns."""

    def checked(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.ascontiguousarray(function(left, right), dtype=np.float64)
        if scores.shape != (left.shape[0],):
            raise ValueError(
                f"criterion must return one score for each cut: expected shape ({left.shape[0]},), got {scores.shape}"
            )
        return scores

    return _core.Criterion.batch(checked)
