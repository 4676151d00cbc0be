"""The model file: versioned, validated, never pickle. See `askew.container` for its bytes."""

from __future__ import annotations

import os
import warnings
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew import container, members
from askew.encoding import Encoder
from askew.errors import ModelFileError
from askew.estimators import ENSEMBLES, ESTIMATORS
from askew.estimators.base import BaseTree
from askew.estimators.vote import KDTClassifier
from askew.network import RuleNetwork
from askew.one_vs_rest import OneVsRest
from askew.parameters import check_parameters
from askew.prune import PRUNERS
from askew.search import SEARCHES
from askew.tree import Tree

_TREE, _NETWORK = "tree.", "network."  # what stands in `tree_`: its arrays begin so
_OF_MEMBERS = {"estimator", "parameters", "members"}
_PER_FEATURE = ("feature_means", "feature_scale")  # arrays of one number a feature, or a column of the tree
_LABEL_BYTES = 2**28  # labels may take this much memory; a forged width must not take more


def save(estimator: BaseTree | KDTClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file.

    The file is written beside an old one and renamed over it, so that a failure leaves the old one whole.
    A parameter that is the user's own function or object cannot be stored: it is left out with a warning,
    and has its default after `load`. The fitted tree does not need it.

    Parameters
    ----------
    estimator : a fitted estimator of askew
    path : where to write; by custom the name ends in ``.askew``

    Examples
    --------
    >>> import askew, os, tempfile
    >>> tree = askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     askew.save(tree, os.path.join(folder, "m.askew"))
    ...     askew.load(os.path.join(folder, "m.askew")).predict([[1.7]])
    array(['yes'], dtype='<U3')
    """
    document, arrays, left_out = _pack_estimator(estimator)
    _unpack(arrays, document)  # what could not be read is not written
    content = container.to_bytes(arrays, document)
    if left_out:
        warnings.warn(
            f"{type(estimator).__name__}: not stored, and at their defaults after load: {', '.join(left_out)}",
            UserWarning,
            stacklevel=2,
        )
    container.write(path, content)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator from a model file.

    Nothing in the file is run, and everything in it is checked before it is used.

    Parameters
    ----------
    path : a file that `save` wrote

    Returns
    -------
    the estimator, which predicts the same bits as the one that was saved

    Raises
    ------
    ModelFileError
        Names the file, the place in it, what was expected and what was found.
    """
    with open(path, "rb") as file:
        try:
            return _unpack(*container.read(file))
        except (ValueError, RecursionError) as error:
            raise ModelFileError(f"{os.fspath(path)}: {error}") from None


# --- estimator


def _pack_estimator(estimator: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]], list[str]]:
    """Return the description, the arrays, and the names of parameters that cannot be stored."""
    name = type(estimator).__name__
    known: dict[str, Any] = {**ESTIMATORS, **ENSEMBLES}
    if known.get(name) is not type(estimator):
        raise TypeError(f"save takes an estimator among {sorted(known)}. Got {estimator!r} instead.")
    check_is_fitted(estimator)
    parameters, left_out = _pack_parameters(estimator)
    if name in ENSEMBLES:
        described, arrays, also = members.pack(estimator.estimators_, _pack_estimator)
        document: dict[str, Any] = {"estimator": name, "parameters": parameters, "members": described}
        return document, arrays, list(dict.fromkeys([*left_out, *also]))
    names = getattr(estimator, "feature_names_in_", None)
    document = {
        "estimator": name,
        "parameters": parameters,
        "n_features": estimator.tree_.n_features,
        "n_hyperplanes": _looked_at(estimator.tree_),
        "encoder": None if estimator.encoder_ is None else estimator.encoder_.packed(),
        "feature_names": None if names is None else names.tolist(),
        "classes": _pack_labels(estimator.classes_) if is_classifier(estimator) else None,
    }
    prefix = _NETWORK if isinstance(estimator.tree_, RuleNetwork) else _TREE
    arrays = {prefix + key: array for key, array in estimator.tree_.arrays().items()}
    for key in _PER_FEATURE:
        array = getattr(estimator, f"{key}_")
        if array is not None:
            arrays[key] = array
    return document, arrays, left_out


def _unpack(arrays: container.Arrays, document: Any) -> Any:
    """Make the estimator; raise ValueError (place, expected, found) for whatever is wrong."""
    if isinstance(document, dict) and set(document) == _OF_MEMBERS and document["estimator"] in list(ENSEMBLES):
        vote = _unpack_parameters(ENSEMBLES[document["estimator"]], document["parameters"])
        vote._take(members.unpack(arrays, document["members"], _unpack))
        return vote
    keys = {"estimator", "parameters", "n_features", "n_hyperplanes", "encoder", "feature_names", "classes"}
    if not isinstance(document, dict) or set(document) != keys:
        raise ValueError(f"description: expected the keys {sorted(keys)}, found {_brief(document)}")
    kind = ESTIMATORS.get(document["estimator"]) if isinstance(document["estimator"], str) else None
    if kind is None:
        raise ValueError(f"estimator: expected one of {sorted(ESTIMATORS)}, found {_brief(document['estimator'])}")
    estimator = _unpack_parameters(kind, document["parameters"])
    tree = _unpack_tree(estimator, arrays, document)
    estimator.tree_ = tree
    estimator.encoder_ = _unpack_encoder(document["encoder"], kind, tree)
    n = estimator.n_features_in_ = tree.n_features if estimator.encoder_ is None else estimator.encoder_.n_features
    estimator.feature_scale_ = _per_feature("feature_scale", arrays.get("feature_scale"), tree.n_features)
    means = arrays.get("feature_means")
    estimator.feature_means_ = None if means is None else _per_feature("feature_means", means, n)
    if document["feature_names"] is not None:
        estimator.feature_names_in_ = _unpack_names(document["feature_names"], n)
    _unpack_classes(estimator, document["classes"])
    return estimator


def _looked_at(tree: Any) -> Any:
    """Return the number of hyperplanes looked at; of each tree, where there is one for each class."""
    return [int(one.n_hyperplanes) for one in tree.trees] if isinstance(tree, OneVsRest) else int(tree.n_hyperplanes)


def _unpack_tree(estimator: Any, arrays: container.Arrays, document: Any) -> Any:
    """Make the tree, the network, or the tree of each class."""
    prefix = _NETWORK if any(key.startswith(_NETWORK) for key in arrays) else _TREE
    known = {key for key in arrays if key.startswith(prefix)} | set(_PER_FEATURE)
    if not set(arrays) <= known:
        raise ValueError(f"arrays: expected {sorted(known)}, found {sorted(set(arrays) - known)[0]!r}")
    own = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
    n_features, n_hyperplanes = document["n_features"], document["n_hyperplanes"]
    try:
        if prefix == _NETWORK:
            return RuleNetwork.from_arrays(own, n_features, n_hyperplanes)
        if isinstance(n_hyperplanes, list):
            return _unpack_each(estimator, own, n_features, n_hyperplanes)
        return Tree.from_arrays(own, n_features, n_hyperplanes)
    except ValueError as error:
        raise ValueError(f"{prefix.removesuffix('.')}: {error}") from None


def _unpack_each(estimator: Any, arrays: container.Arrays, n_features: Any, n_hyperplanes: list[Any]) -> OneVsRest:
    """Make the tree of each class, if the estimator has such."""
    if getattr(estimator, "multiclass", None) != "one_vs_rest":
        raise ValueError(f"expected one tree, found {len(n_hyperplanes)}")
    known = tuple(f"{k}." for k in range(len(n_hyperplanes)))
    strange = [name for name in arrays if not name.startswith(known)]
    if len(n_hyperplanes) < 3 or strange:
        raise ValueError(f"expected trees of three classes or more, found {_brief(strange or n_hyperplanes)}")
    return OneVsRest.from_arrays(arrays, n_features, n_hyperplanes)


def _unpack_encoder(packed: Any, kind: type[BaseTree], tree: Tree | RuleNetwork) -> Encoder | None:
    if packed is None:
        return None
    encoder = Encoder.unpacked(packed, onehot=not kind._takes_categories)
    if encoder.n_columns != tree.n_features:
        raise ValueError(f"encoder: expected {tree.n_features} columns, found {encoder.n_columns}")
    return encoder


def _per_feature(name: str, array: NDArray[Any] | None, n: int) -> NDArray[np.float64]:
    if array is None or array.dtype != np.float64 or array.shape != (n,):
        found = "none" if array is None else f"{array.dtype} of shape {array.shape}"
        raise ValueError(f"array '{name}': expected {n} float64 numbers, found {found}")
    if not np.isfinite(array).all():
        raise ValueError(f"array '{name}': expected finite numbers, found {array[~np.isfinite(array)][0]}")
    return array.copy()


def _unpack_names(names: Any, n: int) -> NDArray[np.object_]:
    if not isinstance(names, list) or len(names) != n or not all(type(name) is str for name in names):
        raise ValueError(f"feature_names: expected {n} names, found {_brief(names)}")
    return np.array(names, dtype=object)


def _unpack_classes(estimator: Any, packed: Any) -> None:
    """Set the classes of a classifier; the values of its tree must be weights of these classes."""
    tree = estimator.tree_
    n_classes = 1
    if is_classifier(estimator):
        estimator.classes_ = _unpack_labels(packed)
        n_classes = estimator.classes_.size
        for one in tree.trees if isinstance(tree, OneVsRest) else (tree,):
            _check_weights(one.value)
    elif packed is not None:
        raise ValueError(f"classes: expected none, found {_brief(packed)}")
    if isinstance(tree, OneVsRest):
        if len(tree.trees) != n_classes:
            raise ValueError(f"tree: expected {n_classes} trees, found {len(tree.trees)}")
    elif tree.value.shape[1] != n_classes:
        raise ValueError(f"tree: expected {n_classes} columns in 'value', found {tree.value.shape[1]}")


def _check_weights(value: NDArray[np.float64]) -> None:
    with np.errstate(over="ignore"):
        total = value.sum(axis=1)
    if (value < 0).any() or not (np.isfinite(total) & (total > 0)).all():
        raise ValueError("tree: expected weights of the classes in 'value', found a negative or none at a node")


# --- labels


def _pack_labels(labels: NDArray[Any]) -> dict[str, Any]:
    packed = {"dtype": labels.dtype.str, "values": labels.tolist()}
    try:
        _unpack_labels(packed)
    except ValueError as error:
        raise TypeError(f"labels of type {labels.dtype} cannot be stored: {error}") from None
    return packed


def _unpack_labels(packed: Any) -> NDArray[Any]:
    """Return the labels, exactly as they were; strings, booleans, whole numbers and floats."""
    if not isinstance(packed, dict) or set(packed) != {"dtype", "values"} or not isinstance(packed["values"], list):
        raise ValueError(f"classes: expected a dtype and values, found {_brief(packed)}")
    code, values = packed["dtype"], packed["values"]
    try:
        dtype = np.dtype(code) if isinstance(code, str) else None
    except (TypeError, ValueError, SyntaxError):  # NumPy parses what looks like a record
        dtype = None
    if dtype is None or dtype.kind not in "biufUO" or dtype.str != code:
        raise ValueError(f"classes: expected a dtype of text or numbers, found {_brief(code)}")
    if not values or dtype.itemsize * len(values) > _LABEL_BYTES:
        raise ValueError(f"classes: expected labels of at most {_LABEL_BYTES} bytes, found {len(values)} of {code}")
    if not all(type(v) in (str, bool, int, float) for v in values) or len(set(values)) < len(values):
        raise ValueError(f"classes: expected different labels, each text or a number, found {_brief(values)}")
    try:
        labels = np.array(values, dtype=dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"classes: expected labels of type {code}, found {error}") from None
    if [(type(v), v) for v in labels.tolist()] != [(type(v), v) for v in values]:
        raise ValueError(f"classes: expected labels of type {code}, found {_brief(values)}")
    return labels


# --- parameters


def _storable() -> dict[str, Any]:
    """Return the searches and pruners that may stand in a model file, by class name."""
    kinds = (*SEARCHES.values(), *PRUNERS.values())
    return {kind.__name__: kind for kind in kinds if is_dataclass(kind)}


def _pack_parameters(estimator: BaseTree | KDTClassifier) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters as JSON, and the names of those that cannot be stored."""
    check_parameters(estimator, estimator.rules)
    packed, left_out = {}, []
    for name, value in estimator.get_params(deep=False).items():
        try:
            packed[name] = _pack(value)
        except (TypeError, RecursionError):
            left_out.append(name)
    return packed, left_out


def _unpack_parameters(kind: Any, packed: Any) -> Any:
    known = kind().get_params(deep=False)
    if not isinstance(packed, dict) or not set(packed) <= set(known):
        raise ValueError(f"parameters: expected some of {sorted(known)}, found {_brief(packed)}")
    try:
        estimator = kind(**{name: _unpack_value(value) for name, value in packed.items()})
        check_parameters(estimator, kind.rules)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"parameters: {error}") from None
    return estimator


def _pack(value: Any) -> Any:
    """Turn a parameter into JSON; what JSON lacks is a dict with one telling key."""
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
    if _storable().get(name) is type(value):
        return {"object": [name, {f.name: _pack(getattr(value, f.name)) for f in fields(value) if f.init}]}
    if ESTIMATORS.get(name) is type(value):
        packed, left_out = _pack_parameters(value)
        if not left_out:
            return {"tree": [name, packed]}
    raise TypeError(f"{value!r} cannot be stored")


def _unpack_value(packed: Any) -> Any:
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
        case {"object": [str(name), dict(values)], **rest} if not rest and name in _storable():
            return _storable()[name](**{key: _unpack_value(v) for key, v in values.items()})
        case {"tree": [str(name), dict(values)], **rest} if not rest and name in ESTIMATORS:
            return _unpack_parameters(ESTIMATORS[name], values)
    raise ValueError(f"expected a value, found {_brief(packed)}")


def _brief(value: object) -> str:
    """Return a value as a message can show it, whatever its size."""
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."
