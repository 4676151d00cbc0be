"""Tests and leaves in words and numbers: inequalities, classes, equations of linear leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, inf, isfinite, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.export.formatting import shortest
from askew.export.names import Columns, Term
from askew.model.digits.rounding import Printed
from askew.model.digits.shorten import as_it_is, rounded_to
from askew.model.fitted import FittedModel
from askew.model.split_arrays import SplitArrays

Sum = Callable[[NDArray[np.int64], list[float], float], str]  # columns, weights, constant


def sums(tree: SplitArrays, node: int, write: Sum) -> list[str]:
    """Return the sums of a node's model: a number, the log odds of the second of two classes, or one for each class."""
    model = tree.payload.model(node)
    if model is None:
        return []
    columns, weights, constants, _ = model
    if weights.shape[1] == 2:
        with np.errstate(over="ignore"):
            weights, constants = weights[:, 1:] - weights[:, :1], constants[1:] - constants[:1]
    return [write(columns, one.tolist(), float(c)) for one, c in zip(weights.T, constants, strict=True)]


def prediction(
    tree: SplitArrays, node: int, classes: list[str] | None, write: Sum, number: Callable[[float], str]
) -> str:
    """Return the prediction of a node, in a line."""
    value, found = tree.value[node], sums(tree, node, write)
    if not found:
        return number(float(value[0])) if classes is None else classes[int(value.argmax())]
    if classes is None:
        model = tree.payload.model(node)
        low, high = (-inf, inf) if model is None or model.limits is None else model.limits
        return f"{found[0]}, from {number(low)} to {number(high)}"
    if len(found) == 1:
        return f"{classes[1]} if {found[0]} > 0, else {classes[0]}"
    return "the largest of " + "; ".join(f"{name}: {text}" for name, text in zip(classes, found, strict=True))


def significant(value: float, decimals: int) -> float:
    """Return a number rounded to this many decimals, or to as many significant digits and one, whichever is finer.

    Weights of a model multiply values of any size, so that a small one needs its digits.

    Examples
    --------
    >>> from askew.export.wording import significant
    >>> [significant(value, 3) for value in (152.13348, 0.02513456, 0.0)]
    [152.133, 0.02513, 0.0]
    """
    if value == 0 or not isfinite(value):
        return value
    return round(value, max(decimals, decimals - floor(log10(abs(value)))))


_DECIMALS = 3  # of a leaf's model, unless others are asked for
RELATIONS = ("<=", ">")  # of a sum and its threshold, on either side


class WeightedTerm(NamedTuple):
    """A term of a sum, and its share of the node's decision: weight times spread, of all terms together."""

    term: Term
    share: float


@dataclass(frozen=True, eq=False)
class Wording:
    """Writes the tests of a tree or a network: of every inequality its terms, one by one, so that lines can break.

    Attributes
    ----------
    arrays : SplitArrays
        The tree or network.
    names : Columns
        The names of its columns.
    scale : ndarray or None
        The spread of each column, by which terms are ordered; None to leave them as they are.
    decimals : int or None
        Digits after the point, at most; None for as many as are needed.
    max_terms : int or None
        Terms of a sum to write, those that matter most; None for all.
    shares : bool
        Whether to write after each term of a sum its share of the node's decision.
    printed : Printed or None
        The numbers to print, as `fit` chose them; None for all digits.
    """

    arrays: SplitArrays
    names: Columns
    scale: NDArray[np.float64] | None
    decimals: int | None = None
    max_terms: int | None = None
    shares: bool = False
    printed: Printed | None = None

    @classmethod
    def of(
        cls,
        model: FittedModel,
        feature_names: Sequence[str] | None = None,
        decimals: int | None = None,
        max_terms: int | None = None,
        shares: bool = False,
    ) -> Wording:
        """Return the wording of the first part of a model; `of_part` returns those of the others."""
        return cls(
            model.parts[0],
            Columns.of(model, feature_names),
            model.scale,
            decimals,
            max_terms,
            shares,
            model.printed_of(0),
        )

    def of_part(self, model: FittedModel, k: int) -> Wording:
        """Return the wording of part `k` of a model, with the same options."""
        return replace(self, arrays=model.parts[k], scale=model.scale, printed=model.printed_of(k))

    @cached_property
    def tests(self) -> Printed:
        """The numbers that are printed."""
        if self.decimals is not None:
            return rounded_to(self.arrays, self.printed, self.decimals)
        return as_it_is(self.arrays) if self.printed is None else self.printed

    def inequality(self, split: int, side: int = 0, minus: str = "-") -> list[str]:
        """Return the inequality of a side of a hyperplane, the first child's or the other's: terms and threshold."""
        choice = self.choice(split, side)
        if choice is not None:
            return [choice]
        single = self.single(split)
        if single is not None:
            column, sign, level = single
            relation = RELATIONS[side] if sign > 0 else (">=", "<")[side]
            return [f"{self.names.names[column]} {relation} {shortest(level, minus)}"]
        tested, _ = self.arrays.test(split)
        threshold = shortest(float(self.tests.threshold[split]), minus)
        terms = self._sum(tested, self.weights(split), 0.0, minus, self._any_order(split))
        return [*terms, f"{RELATIONS[side]} {threshold}"]

    def choice(self, split: int, side: int = 0) -> str | None:
        """Return which categories go to a child, if a split tests those of one feature alone."""
        tested, weights = self.arrays.test(split)
        return self.names.choice(tested, weights.tolist(), float(self.arrays.threshold[split]), side)

    def single(self, split: int) -> tuple[int, int, float] | None:
        """Return column, sign and threshold if a hyperplane tests one column of numbers: x <= t, or x >= t."""
        weights = self.weights(split)
        used = np.flatnonzero(weights)
        if used.size != 1 or abs(weights[used[0]]) != 1 or self.choice(split) is not None:
            return None
        sign = int(weights[used[0]])
        return int(self.arrays.test(split)[0][used[0]]), sign, sign * float(self.tests.threshold[split])

    def sums(self, split: int, minus: str = "-") -> list[list[str]]:
        """Return the sum of each child of a linear machine."""
        tested, _ = self.arrays.test(split)
        rows = self.weights(split).reshape(-1, tested.size + 1)
        return [self._sum(tested, row[:-1], float(row[-1]), minus, self._any_order(split)) for row in rows]

    def equation(
        self, used: NDArray[np.int64], weights: Sequence[float], constant: float, minus: str = "-"
    ) -> list[str]:
        """Return the sum of a leaf's linear model; weights multiply values of any size, so small ones have digits."""
        decimals = _DECIMALS if self.decimals is None else self.decimals
        *rounded, last = (significant(weight, decimals) for weight in (*weights, constant))
        return self._sum(used, np.array(rounded), last, minus, True)

    @property
    def note(self) -> str:
        """The warning if there are too few decimals; otherwise empty."""
        if self.decimals is None:
            return ""
        known = self.printed
        if known is None or (not known.misrouted.size and (self.tests.threshold != known.threshold).any()):
            return f"rounded to {_many(self.decimals)}: rows near a plane may take another path"
        share = float(known.misrouted[self.decimals]) if self.decimals < known.misrouted.size else 0.0
        if share == 0:
            return ""
        size = f"{100 * share:.1f}%" if share >= 0.0005 else "less than 0.1%"
        return f"rounded to {_many(self.decimals)}: {size} of the training rows take another path than in the model"

    def parts(self, split: int) -> tuple[list[WeightedTerm], list[WeightedTerm]]:
        """Return the terms of a hyperplane's sum with their shares, the largest first, and those that are left out."""
        tested, _ = self.arrays.test(split)
        kept, others = self._ranked(tested, self.weights(split))
        return sorted(kept, key=lambda part: -part.share), others

    def weights(self, split: int) -> NDArray[np.float64]:
        """Return the weights of a split, as they are printed."""
        return self.tests.weight[self.arrays.weight_start[split] : self.arrays.weight_start[split + 1]]

    def unit(self, split: int) -> float:
        """Return the factor from the weights of a split to the printed ones, by that of the largest."""
        first, last = self.arrays.weight_start[split : split + 2].tolist()
        if first == last:
            return 1.0
        largest = first + int(np.argmax(np.abs(self.arrays.weight[first:last])))
        printed, weight = float(self.tests.weight[largest]), float(self.arrays.weight[largest])
        return printed / weight if printed != 0 and weight != 0 else 1.0

    def _any_order(self, split: int) -> bool:
        """Whether terms may be reordered; a sum with all its digits must be added in the model's order."""
        return bool(self.tests.digits[split])

    def _sum(
        self,
        tested: NDArray[np.int64],
        weights: NDArray[np.float64],
        constant: float,
        minus: str,
        any_order: bool,
    ) -> list[str]:
        """Return the terms of a sum, the largest first by weight times spread, and how many are left out."""
        kept, others = self._ranked(tested, weights, any_order)
        more = [f"+ {len(others)} more"] if others else []
        if not self.shares or len(kept) + len(others) < 2:
            return added([part.term for part in kept], more, constant, minus)
        terms = [part.term._replace(name=f"{part.term.name} [{percent(part.share)}]") for part in kept]
        more = [f"{text} [{percent(sum(part.share for part in others))}]" for text in more]
        return added(terms, more, constant, minus)

    def _ranked(
        self, tested: NDArray[np.int64], weights: NDArray[np.float64], any_order: bool = True
    ) -> tuple[list[WeightedTerm], list[WeightedTerm]]:
        """Return the terms that are written, the largest first if they may be reordered, and those that are not."""
        parts = self.names.terms(tested, weights.tolist())
        scale = np.ones(tested.size) if self.scale is None else self.scale[tested]
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.array([np.linalg.norm(weights[part.indices] * scale[part.indices]) for part in parts])
            share = size / size.sum() if size.sum() > 0 else size
        # "+ 1 more" would be as long as the one term that it hides.
        kept = len(parts) if self.max_terms is None or len(parts) <= self.max_terms + 1 else self.max_terms
        order = np.argsort(-size, kind="stable")
        first = order[:kept] if self.scale is not None and any_order else np.sort(order[:kept])
        ranked = [WeightedTerm(parts[k], float(share[k])) for k in (*first.tolist(), *order[kept:].tolist())]
        return ranked[:kept], ranked[kept:]


def percent(share: float) -> str:
    """Return a share in per cent, as an integer where it is large enough.

    Examples
    --------
    >>> from askew.export.wording import percent
    >>> [percent(share) for share in (1.0, 0.614, 0.004, 0.0001)]
    ['100%', '61%', '0.4%', '<0.1%']
    """
    if share >= 0.0095 or share == 0:
        return f"{100 * share:.0f}%"
    return f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"


def added(terms: Sequence[Term], more: Sequence[str], constant: float, minus: str = "-") -> list[str]:
    """Return the terms of a sum with their signs, the pieces `more`, and a constant.

    Examples
    --------
    >>> from askew.export.names import Term
    >>> from askew.export.wording import added
    >>> added([Term("length", 0.52, [0]), Term("width", -1.0, [1])], [], -4.1)
    ['0.52 length', '- width', '- 4.1']
    """
    written = [(t.weight < 0, t.name if abs(t.weight) == 1 else f"{shortest(abs(t.weight))} {t.name}") for t in terms]
    if constant != 0 or not terms:
        written.append((constant < 0, shortest(abs(constant))))
    (negative, first), *others = written
    found = [f"{minus if negative else ''}{first}", *(f"{minus if less else '+'} {text}" for less, text in others)]
    return [*found[: len(terms)], *more, *found[len(terms) :]]


def filled(pieces: Sequence[str], width: int, rest: int | None = None) -> list[str]:
    """Join pieces to lines of at most a width, those after the first of at most `rest`.

    A piece is broken, at its spaces, only if it is wider than a line.

    Examples
    --------
    >>> from askew.export.wording import filled
    >>> filled(["0.52 length", "+ width", "<= 4.1"], 20)
    ['0.52 length + width', '<= 4.1']
    """
    lines: list[str] = []

    def room() -> int:
        return width if len(lines) <= 1 or rest is None else rest

    for piece in pieces:
        for part in [piece] if len(piece) <= min(width, rest or width) else piece.split(" "):
            if lines and len(lines[-1]) + 1 + len(part) <= room():
                lines[-1] += f" {part}"
            else:
                lines.append(part)
    return lines


def _many(decimals: int) -> str:
    return f"{decimals} decimal{'' if decimals == 1 else 's'}"
