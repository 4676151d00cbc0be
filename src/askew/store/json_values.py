"""Values of a model file as JSON: labels with their type, and parameters, so that they come back exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from askew.data.frames import Labels
from askew.estimators.model import BaseModel
from askew.estimators.registry import ESTIMATORS
from askew.export.json import JsonObject
from askew.model.smoothing import SMOOTHINGS
from askew.parameters import Strategy, brief, check_parameters
from askew.prune import PRUNERS
from askew.refinement import REFINERS
from askew.search import SEARCHES

_Model = TypeVar("_Model", bound=BaseModel)
_LABEL_BYTES = 2**28  # labels may take this much memory; a forged width must not take more


def pack_labels(labels: Labels) -> JsonObject:
    """Return the labels as JSON; raise TypeError for those that would not come back exactly."""
    packed = {"dtype": labels.dtype.str, "values": labels.tolist()}
    try:
        unpack_labels(packed)
    except ValueError as error:
        raise TypeError(f"labels of type {labels.dtype} cannot be stored: {error}") from None
    return packed


def unpack_labels(packed: object) -> Labels:
    """Return the labels, exactly as they were; strings, booleans, integers and floats."""
    if not isinstance(packed, dict) or set(packed) != {"dtype", "values"} or not isinstance(packed["values"], list):
        raise ValueError(f"classes: expected a dtype and values, found {brief(packed)}")
    code, values = packed["dtype"], packed["values"]
    plain = isinstance(code, str) and re.fullmatch("[<>|][biufUO][0-9]{0,9}", code)  # NumPy would parse records, too
    try:
        dtype = np.dtype(code) if plain else None
    except (TypeError, ValueError):
        dtype = None
    if dtype is None or dtype.str != code:
        raise ValueError(f"classes: expected a dtype of text or numbers, found {brief(code)}")
    if not values or dtype.itemsize * len(values) > _LABEL_BYTES:
        raise ValueError(f"classes: expected labels of at most {_LABEL_BYTES} bytes, found {len(values)} of {code}")
    if not all(type(v) in (str, bool, int, float) for v in values) or len(set(values)) < len(values):
        raise ValueError(f"classes: expected different labels, each text or a number, found {brief(values)}")
    try:
        labels = np.array(values, dtype=dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"classes: expected labels of type {code}, found {error}") from None
    if [(type(v), v) for v in labels.tolist()] != [(type(v), v) for v in values]:
        raise ValueError(f"classes: expected labels of type {code}, found {brief(values)}")
    return labels


# Names that earlier versions wrote into model files, and what they are called now.
_RENAMED_STRATEGIES = {"GAPruner": "GeneticAlgorithm", "LAPruner": "LearningAutomata"}
_RENAMED_PARAMETERS = {
    "CostComplexity": {"folds": "cv", "standard_errors": "tolerance"},
    "ObliqueBoostingClassifier": {"l2": "plane_l2"},
    "ObliqueBoostingRegressor": {"l2": "plane_l2"},
}


def _present_names(kind: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return stored parameters by their present names; every tree once took `refinement` as `refine`."""
    renamed = {"refine": "refinement", **_RENAMED_PARAMETERS.get(kind, {})}
    return {renamed.get(name, name): value for name, value in values.items()}


@cache
def _storable() -> dict[str, type[Strategy]]:
    """Return the searches, refiners, pruners and smoothings that a model file may hold, by class name."""
    kinds = (*SEARCHES.values(), *PRUNERS.values(), *REFINERS.values(), *SMOOTHINGS.values())
    return {kind.__name__: kind for kind in kinds if is_dataclass(kind)}


def pack_parameters(estimator: BaseModel) -> tuple[JsonObject, list[str]]:
    """Return the parameters as JSON, and the names of those that cannot be stored."""
    check_parameters(estimator)
    packed, left_out = {}, []
    for name, value in estimator.get_params(deep=False).items():
        try:
            packed[name] = _pack(value)
        except (TypeError, RecursionError):
            left_out.append(name)
    return packed, left_out


def unpack_parameters(kind: type[_Model], packed: object) -> _Model:
    """Make an estimator that is not fitted; raise ValueError for whatever is wrong."""
    known, former = _names(kind), _former_names(kind)
    if isinstance(packed, dict):
        packed = _present_names(kind.__name__, packed)
    if not isinstance(packed, dict) or not set(packed) <= known | former:
        raise ValueError(f"parameters: expected some of {sorted(known)}, found {brief(packed)}")
    try:
        estimator = kind(**{name: _unpack_value(value) for name, value in packed.items() if name in known})
        check_parameters(estimator)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"parameters: {error}") from None
    return estimator


@cache
def _names(kind: type[BaseModel]) -> frozenset[str]:
    """Return the names of the parameters of an estimator."""
    return frozenset(kind().get_params(deep=False))


def _former_names(kind: type[BaseModel]) -> frozenset[str]:
    """Return the names of parameters that older files hold: inherited ones that the estimator no longer takes."""
    return frozenset(f.name for f in fields(kind) if not f.init and not f.name.endswith("_"))


def _pack(value: object) -> object:
    """Turn a parameter into JSON; a value that JSON lacks becomes a dict whose one key names the type."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 1):
        value = value.tolist()  # of one number, the number
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if isfinite(value) else {"float": repr(value)}
    if type(value) is list:
        return [_pack(v) for v in value]
    if type(value) is tuple:
        return {"tuple": [_pack(v) for v in value]}
    if type(value) is dict:
        return {"dict": [[_pack(k), _pack(v)] for k, v in value.items()]}
    name = type(value).__name__
    if isinstance(value, Strategy) and _storable().get(name) is type(value):
        return {"object": [name, {key: _pack(parameter) for key, parameter in value.get_params().items()}]}
    if isinstance(value, BaseModel) and ESTIMATORS.get(name) is type(value):
        packed, left_out = pack_parameters(value)
        if not left_out:
            return {"tree": [name, packed]}
    raise TypeError(f"{value!r} cannot be stored")


def _unpack_value(packed: object) -> Any:
    if isinstance(packed, list):
        return [_unpack_value(p) for p in packed]
    if not isinstance(packed, dict):
        return packed
    match packed:
        case {"float": "inf" | "-inf" | "nan" as text, **rest} if not rest:
            return float(text)
        case {"tuple": [*values], **rest} if not rest:
            return tuple(_unpack_value(v) for v in values)
        case {"dict": [*pairs], **rest} if not rest and all(isinstance(p, list) and len(p) == 2 for p in pairs):
            return {_unpack_value(k): _unpack_value(v) for k, v in pairs}
        case {"object": [str(stored), dict(values)], **rest} if (
            not rest and (name := _RENAMED_STRATEGIES.get(stored, stored)) in _storable()
        ):
            return _storable()[name](**{k: _unpack_value(v) for k, v in _present_names(name, values).items()})
        case {"tree": [str(name), dict(values)], **rest} if not rest and name in ESTIMATORS:
            return unpack_parameters(ESTIMATORS[name], values)
    raise ValueError(f"expected a value, found {brief(packed)}")
