"""Mutations of model files that keep the container valid: fields of the description, and entries of the arrays."""

import numpy as np

INTEGERS = (-(2**63), -1, 0, 1, 2, 3, 4, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 3.0, 5e-324, 1e-308, 1e140, 1e300, 1e308, -1e308, np.inf, -np.inf, np.nan)
TYPES = ("<i8", "|i1", "<f8", "<f4", "|b1", "<u8")
VALUES = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 2**63, 10**30, 10**400, 0.5, -0.0, 1e-300, 1e308),
    *("", "a", "\x1b[31m\n\0", "\ud800", "x" * 1000, "1", "balanced", "mean", "error", "fractional", "one_vs_rest"),
    *([], {}, [[]], [None], ["a", "a"], {"float": "nan"}, {"float": "inf"}, {"tuple": [1]}, {"object": ["C45", {}]}),
)


def mutated(rng, arrays, document, counts=(1, 2, 3)):
    """Return a copy of the content of a model file with one of these counts of mutations; `rng` is a `random.Random`.

    Arrays that are not mutated are shared with the content that was given.
    """
    arrays, document = dict(arrays), copied(document)
    for _ in range(rng.choice(counts)):
        if rng.random() < 0.65:
            _mutate_arrays(rng, arrays)
        else:
            _mutate_document(rng, document)
    return arrays, document


def copied(value):
    """Return a copy of a JSON value."""
    if type(value) is dict:
        return {key: copied(part) for key, part in value.items()}
    return [copied(part) for part in value] if type(value) is list else value


# --- arrays


def _mutate_arrays(rng, arrays):
    names = sorted(arrays)
    name = rng.choice(names)
    kind = rng.random()
    if kind < 0.02:
        del arrays[name]
    elif kind < 0.04:
        arrays[rng.choice(names)] = arrays[name]
    elif kind < 0.14:
        arrays[name] = _reshaped(rng, arrays[name])
    elif arrays[name].size:
        arrays[name] = arrays[name].copy(order="C")
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
        lambda: np.zeros(array.shape, dtype=rng.choice(TYPES)),
        lambda: array[:, :1] if array.ndim == 2 else array,
        lambda: np.column_stack([array, array]),
    ]
    return np.ascontiguousarray(rng.choice(made)())


def _set_entries(rng, flat):
    """Set one entry, some or all: to an odd value, to that of another entry, or to a neighbouring one."""
    at = [rng.randrange(flat.size) for _ in range(1 if rng.random() < 0.6 else rng.randrange(1, 4))]
    where = slice(None) if rng.random() < 0.15 else at
    kind = rng.random()
    with np.errstate(all="ignore"):
        if kind < 0.25:
            flat[where] = flat[rng.randrange(flat.size)]
        elif kind < 0.5:
            flat[where] = flat[where] + np.array(rng.choice((-1, 1))).astype(flat.dtype)
        elif flat.dtype.kind == "f":
            flat[where] = rng.choice(FLOATS)
        else:
            flat[where] = np.array(rng.choice((*INTEGERS, flat.size, flat.size - 1))).astype(flat.dtype)


# --- the description


def _mutate_document(rng, document):
    """Change, drop, repeat or swap one value anywhere in the description."""
    places = list(_places(document))
    if not places:
        return
    inside, key = rng.choice(places)
    kind = rng.random()
    if kind < 0.1:
        del inside[key]
    elif kind < 0.2 and isinstance(inside, list):
        inside.insert(rng.randrange(len(inside) + 1), copied(inside[key]))
    elif kind < 0.4:
        other, name = rng.choice(places)
        inside[key] = copied(other[name])
    elif type(inside[key]) in (int, float) and kind < 0.6:
        inside[key] += rng.choice((-1, 1))
    else:
        inside[key] = copied(rng.choice(VALUES))


def _places(value):
    """Give every place in a JSON value: the list or dict that holds it, and the key."""
    waiting = [value]
    while waiting:
        inside = waiting.pop()
        for key in range(len(inside)) if isinstance(inside, list) else inside:
            yield inside, key
            if isinstance(inside[key], list | dict):
                waiting.append(inside[key])
