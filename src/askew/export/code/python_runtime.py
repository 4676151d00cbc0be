"""The functions of the code that `askew.export_python` writes, behind the table MODEL. They import nothing of askew."""

from math import exp, isfinite, ldexp
from typing import Any

MODEL: dict[str, Any] = {}
# --- from here on as it is


def predict(row: Any) -> Any:
    """Return the class or the number that is predicted for a row: a list in the order of FEATURES, or a dict by name.

    A missing value is None or NaN.
    """
    x = _columns(row)
    if CLASSES is None:
        return _number(x)
    if not MODEL["voters"]:
        return CLASSES[_largest(_scores(MODEL["parts"], x))]
    votes = _votes(x)
    most = max(votes)
    tied = [weight if vote == most else -1.0 for vote, weight in zip(votes, MODEL["class_weights"])]
    return CLASSES[_largest(tied)]


def predict_proba(row: Any) -> list[float]:
    """Return the probability of each class, in the order of CLASSES."""
    x = _columns(row)
    if MODEL["voters"]:
        found = [vote / MODEL["voters"] for vote in _votes(x)]
    else:
        found = _scores(MODEL["parts"], x, smoothed=True)
        found = found if MODEL["answer"] == "boosted" else _shares(found)
    divisors = MODEL["divisors"]
    return found if divisors is None else _shares([share / divisor for share, divisor in zip(found, divisors)])


FEATURES = [name for name, _, _ in MODEL["features"]] if MODEL else []
CLASSES = MODEL.get("classes")


def _columns(row: Any) -> list[Any]:
    """Return what the tests see of a row; None where a value stays missing."""
    cells = [row[name] for name in FEATURES] if isinstance(row, dict) else list(row)
    if len(cells) != len(FEATURES):
        raise ValueError(f"a row has {len(FEATURES)} values, got {len(cells)}")
    known = [None if cell != cell else cell for cell in cells]
    values = [_value(feature, cell) for feature, cell in zip(MODEL["features"], known)]
    if MODEL["columns"] is None:
        return values
    found: list[Any] = []
    for j, category, tells_missing in MODEL["columns"]:
        if tells_missing:
            found.append(float(known[j] is None))
        elif category is None or values[j] is None:
            found.append(values[j])
        else:
            found.append(float(values[j] == category))
    return found


def _value(feature: Any, cell: Any) -> Any:
    """Return a number, the code of a category (-1 for one that training did not have), or None."""
    name, categories, fill = feature
    if cell is None:
        if fill is None and MODEL["missing"] == "error":
            raise ValueError(f"{name} is missing")
        return fill
    if categories is None:
        return float(cell)
    return categories.index(cell) if cell in categories else -1


def _route(test: Any, x: list[Any]) -> int:
    """Return the number of the child that a row goes to."""
    kind, columns, weights, threshold = test
    if kind == "categories":
        code = x[columns[0]]
        known = code is not None and 0 <= code < len(weights) and code == int(code)
        return int(weights[int(code)] if known else threshold)
    if kind == "hyperplane":
        total = 0.0
        for column, weight in zip(columns, weights):
            if x[column] is None:
                return 1
            total += weight * x[column]
        return int(not total <= threshold)
    return _largest([_sum(constant, each, columns, x) for constant, each in weights])


def _sum(total: float, weights: Any, columns: Any, x: list[Any]) -> float:
    for column, weight in zip(columns, weights):
        total += weight * x[column]
    return total


def _place(part: Any, x: list[Any]) -> Any:
    """Return the leaf or the region that a row ends in."""
    if "regions" in part:
        sides = [_route(test, x) for test in part["tests"]]
        for conditions, place in part["regions"]:
            if all(sides[test] == side for test, side in conditions):
                return place
        return part["regions"][-1][1]
    node = part["nodes"][0]
    while "test" in node:
        node = part["nodes"][node["first"] + _route(node["test"], x)]
    return node


def _weights(place: Any, x: list[Any], smoothed: bool) -> Any:
    """Return what a place predicts: the weight of each class, or a number."""
    value = place["smoothed"] if smoothed and "smoothed" in place else place["value"]
    if "model" not in place or any(x[column] is None for column in place["model"][0]):
        return value
    columns, sums, limits = place["model"]
    found = [_sum(constant, each, columns, x) for constant, each in sums]
    if limits is not None:
        return [min(max(found[0], limits[0]), limits[1])] if found[0] == found[0] else value
    if not all(map(isfinite, found)):
        return value
    powers = [_exp(each - max(found)) for each in found]
    total, mass = 0.0, 0.0
    for power, each in zip(powers, value):
        total += power
        mass += each
    return [power / total * mass for power in powers]


def _exp(x: float) -> float:
    """Return exp(x) for x <= 0, as the compiled core has it, to the last digit."""
    x = max(x, -700.0)
    whole = x * 1.4426950408889634 + 6755399441055744.0 - 6755399441055744.0
    r = x - whole * 0.6931471805599453
    series = 1.0 / 6227020800
    for factorial in (479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1):
        series = series * r + 1.0 / factorial
    scale = ldexp(1.0, int(whole))
    return scale + scale * (r * series)


def _scores(parts: Any, x: list[Any], smoothed: bool = False) -> list[float]:
    """Return what the parts say of each class."""
    answer = MODEL["answer"]
    if answer == "boosted":
        return _linked(_boosted(x))
    if answer == "odds":
        pairs = [_weights(_place(part, x), x, smoothed=True) for part in parts]
        return _shares([(own + 1) / (rest + 1) if part["counts"] else 0.0 for part, (rest, own) in zip(parts, pairs)])
    if answer == "shares":
        total = [0.0] * len(CLASSES or ())
        for part in parts:
            total = [a + b for a, b in zip(total, _shares(_weights(_place(part, x), x, smoothed)))]
        return total
    if MODEL["missing"] == "fractional" and any(cell is None for cell in x):
        found = _spread(parts[0]["nodes"], x, smoothed)
        return found if smoothed else _shares(found)
    return list(_weights(_place(parts[0], x), x, smoothed))


def _number(x: list[Any]) -> Any:
    parts = MODEL["parts"]
    if MODEL["answer"] == "boosted":
        total = _boosted(x)[0]
        return exp(min(total, 700.0)) if MODEL["link"] == "log" else total
    total = 0.0
    for part in parts:
        total += _weights(_place(part, x), x, smoothed=False)[0]
    return total / len(parts)


def _boosted(x: list[Any]) -> list[float]:
    """Return the sums of the trees, which take turns, and the baseline."""
    total = [0.0] * len(MODEL["baseline"])
    for i, part in enumerate(MODEL["parts"]):
        total[i % len(total)] += _place(part, x)["value"][0]
    return [a + b for a, b in zip(total, MODEL["baseline"])]


def _linked(raw: list[float]) -> list[float]:
    """Return the probabilities that go with the sums of boosting."""
    if len(CLASSES or ()) == 1:
        return [1.0]
    if MODEL["link"] == "logit":
        small = exp(-abs(raw[0]))
        p = (1.0 if raw[0] >= 0 else small) / (1.0 + small)
        return [1 - p, p]
    powers = [exp(each - max(raw)) for each in raw]
    return [power / sum(powers) for power in powers]


def _spread(nodes: Any, x: list[Any], smoothed: bool) -> list[float]:
    """Return the shares of the classes in all leaves that a row reaches in part, because values are missing."""
    shares = [0.0] * len(CLASSES or ())
    waiting = [(nodes[0], 1.0)]
    while waiting:
        node, part = waiting.pop()
        if "test" not in node:
            own = _shares(_weights(node, x, smoothed))
            shares = [a + part * b for a, b in zip(shares, own)]
        elif all(x[column] is not None for column in node["test"][1]):
            waiting.append((nodes[node["first"] + _route(node["test"], x)], part))
        else:
            below = [(nodes[node["first"] + i], part * each) for i, each in enumerate(node["parts"])]
            waiting += reversed(below)
    return shares


def _votes(x: list[Any]) -> list[int]:
    """Return how many voters are for each class."""
    votes, parts = [0] * len(CLASSES or ()), MODEL["parts"]
    each = len(parts) // MODEL["voters"]
    for first in range(0, len(parts), each):
        votes[_largest(_scores(parts[first : first + each], x))] += 1
    return votes


def _shares(weights: Any) -> list[float]:
    """Return the share of each weight in their sum, added up as NumPy does it."""
    sums, done = list(weights[:8]), 8
    if len(weights) < 8 or len(weights) > 128:
        sums, done = [0.0] * 8, 0
    while done + 8 <= len(weights) <= 128:
        sums = [a + b for a, b in zip(sums, weights[done : done + 8])]
        done += 8
    a, b, c, d, e, f, g, h = sums if len(sums) == 8 else [0.0] * 8
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for weight in weights[done:]:
        total += weight
    return [weight / total if total else float("nan") for weight in weights]


def _largest(values: Any) -> int:
    """Return the place of the largest, of equals the first."""
    return max(range(len(values)), key=values.__getitem__)
