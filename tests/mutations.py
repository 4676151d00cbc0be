"""Mutations of model files that keep the container valid: fields of the description, and entries of the arrays."""

import copy

import numpy as np

INTEGERS = (-(2**63), -1, 0, 1, 2, 3, 4, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 3.0, 5e-324, 1e-308, 1e140, 1e300, 1e308, -1e308, np.inf, -np.inf, np.nan)
TYPES = ("<i8", "|i1", "<f8", "<f4", "|b1", "<u8")
VALUES = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 2**63, 10**30, 10**400, 0.5, -0.0, 1e-300, 1e308),
    *("", "a", "\x1b[31m\n\0", "\ud800", "x" * 1000, "1", "balanced", "mean", "error", "fractional", "one_vs_rest"),
    *([], {}, [[]], [None], ["a", "a"], {"float": "nan"}, {"float": "inf"}, {"tuple": [1]}, {"object": ["C45", {}]}),
)


def mutated(rng, arrays, document):
    """Return a copy of the content of a model file with one to three mutations."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    document = copy.deepcopy(document)
    for _ in range(rng.integers(1, 4)):
        if rng.random() < 0.65:
            _mutate_arrays(rng, arrays)
        else:
            document = _mutate_document(rng, document)
    return arrays, document


# --- arrays


def _mutate_arrays(rng, arrays):
    name = _one(rng, sorted(arrays))
    kind = rng.random()
    if kind < 0.02:
        del arrays[name]
    elif kind < 0.04:
        arrays[_one(rng, sorted(arrays))] = arrays[name].copy()
    elif kind < 0.14:
        arrays[name] = _reshaped(rng, arrays[name])
    elif arrays[name].size:
        _set_entries(rng, arrays[name].reshape(-1))
    if not arrays:
        arrays["feature_scale"] = np.ones(1)


def _reshaped(rng, array):
    """Drop, repeat or append entries, or change the type or the dimensions."""
    row = array[:1] if array.ndim else array
    made = [
        lambda: array[:-1],
        lambda: array[1:],
        lambda: array[:0],
        lambda: np.concatenate([array, row]),
        lambda: np.concatenate([array, array]),
        lambda: array[::-1],
        lambda: array.reshape(-1, 1) if array.ndim == 1 else array.reshape(-1),
        lambda: np.zeros(array.shape, dtype=_one(rng, TYPES)),
        lambda: array[:, :1] if array.ndim == 2 else array,
        lambda: np.column_stack([array, array]),
    ]
    return np.ascontiguousarray(_one(rng, made)())


def _set_entries(rng, flat):
    """Set one entry, some or all: to an odd value, to that of another entry, or to a neighbouring one."""
    at = rng.integers(flat.size, size=1 if rng.random() < 0.6 else rng.integers(1, 4))
    where = slice(None) if rng.random() < 0.15 else at
    kind = rng.random()
    with np.errstate(all="ignore"):
        if kind < 0.25:
            flat[where] = flat[rng.integers(flat.size)]
        elif kind < 0.5:
            flat[where] = flat[where] + flat.dtype.type(_one(rng, (-1, 1)))
        elif flat.dtype.kind == "f":
            flat[where] = _one(rng, FLOATS)
        else:
            flat[where] = np.array(_one(rng, (*INTEGERS, flat.size, flat.size - 1))).astype(flat.dtype)


# --- the description


def _mutate_document(rng, document):
    """Change, drop, repeat or swap one value anywhere in the description."""
    places = list(_places(document))
    if not places:
        return document
    inside, key = _one(rng, places)
    kind = rng.random()
    if kind < 0.1:
        del inside[key]
    elif kind < 0.2 and isinstance(inside, list):
        inside.insert(int(rng.integers(len(inside) + 1)), copy.deepcopy(inside[key]))
    elif kind < 0.4:
        other, name = _one(rng, places)
        inside[key] = copy.deepcopy(other[name])
    elif type(inside[key]) in (int, float) and kind < 0.6:
        inside[key] += _one(rng, (-1, 1))
    else:
        inside[key] = copy.deepcopy(_one(rng, VALUES))
    return document


def _places(value):
    """Give every place in a JSON value: the list or dict that holds it, and the key."""
    waiting = [value]
    while waiting:
        inside = waiting.pop()
        for key in range(len(inside)) if isinstance(inside, list) else inside:
            yield inside, key
            if isinstance(inside[key], list | dict):
                waiting.append(inside[key])


def _one(rng, choices):
    return choices[rng.integers(len(choices))]
