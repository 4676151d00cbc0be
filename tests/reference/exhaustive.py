"""CART-ELC by its definition: every plane through r samples in r features, every sample's side by fractions."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import inf, nan


@dataclass(frozen=True)
class Plane:
    """The rows that are `left` of the plane through `samples` in `features`."""

    score: float
    samples: tuple
    features: tuple
    flipped: bool
    left: frozenset


def determinant(rows):
    """Laplace expansion along the first row."""
    if not rows:
        return Fraction(1)
    return sum(
        (-1) ** j * value * determinant([row[:j] + row[j + 1 :] for row in rows[1:]])
        for j, value in enumerate(rows[0])
        if value
    )


def normal_of(points):
    """The coefficients of the plane, the first that is not zero positive; None where points do not span one."""
    differences = [[a - b for a, b in zip(p, points[0], strict=True)] for p in points[1:]]
    r = len(points[0])
    normal = [(-1) ** k * determinant([row[:k] + row[k + 1 :] for row in differences]) for k in range(r)]
    first = next((value for value in normal if value), None)
    return None if first is None else [value / first for value in normal]


def exact(column):
    """Numbers of at most 15 digits, together, are the decimals that they are written as; others are what they are."""
    if any(value != value for value in column):  # NaN stays NaN beside the exact numbers
        known = iter(exact([value for value in column if value == value]))
        return [next(known) if value == value else nan for value in column]
    decimals = [Fraction(repr(value)) for value in column]
    for digits in range(16):
        if all((value * 10**digits).denominator == 1 and abs(value) * 10**digits < 10**15 for value in decimals):
            return decimals
    return [Fraction(value) for value in column]


def all_planes(X, r, score, least=1, orientation="canonical", degenerate="skip", samples_of=len):
    """Every candidate in the order of the paper's loops; `score(left rows, right rows)`."""
    X = list(zip(*(exact(column) for column in X.T.tolist()), strict=True))
    for samples in combinations(range(len(X)), r):
        for features in combinations(range(len(X[0])), r):
            points = [[X[i][f] for f in features] for i in samples]
            lost = {j for j, row in enumerate(X) if any(row[f] != row[f] for f in features)}
            if lost & set(samples):  # its coefficients are NaN: everything is below it
                continue
            normal = normal_of(points)
            if normal is None and degenerate == "eigen" and r == 2:
                normal = [Fraction(1), Fraction(0)]
            if normal is None:
                continue
            at = sum(a * p for a, p in zip(normal, points[0], strict=True))
            V = [
                nan if j in lost else sum(a * row[f] for a, f in zip(normal, features, strict=True)) - at
                for j, row in enumerate(X)
            ]
            for flipped in (False, True) if orientation == "both" else (False,):
                left = [j for j, v in enumerate(V) if (v <= 0 if flipped else v >= 0)]
                right = [j for j in range(len(X)) if j not in set(left)]
                if min(samples_of(left), samples_of(right)) >= least:
                    yield Plane(score(left, right), samples, features, flipped, frozenset(left))


def best_plane(*args, **kwargs):
    """The first of the best planes; None if none divides the rows."""
    best = None
    for plane in all_planes(*args, **kwargs):
        if plane.score < inf and (best is None or plane.score < best.score):
            best = plane
    return best
