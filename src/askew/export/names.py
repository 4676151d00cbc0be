"""Names and numbers as a reader wants them: ``colour=red`` instead of column 7, few digits, long names shortened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.data.encoder import Encoder, label_text
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree

_HUGE = 1e9


def number(value: float, decimals: int = 3) -> str:
    """Return a number with so many decimals; tiny and huge ones by significant digits. No trailing zeros.

    Examples
    --------
    >>> from askew.export.names import number
    >>> [number(v) for v in (2.45, 3.0, 0.000123456, 1234567.8912, 1.23456789e12)]
    ['2.45', '3', '0.000123', '1234567.891', '1.23457e+12']
    """
    size = abs(value)
    if size == 0:
        return "0"
    if not isfinite(size):
        return str(value)
    if size < 10.0 ** (1 - decimals):  # fewer than two digits would be left of it
        return f"{value:.{max(decimals, 1)}g}"
    if size >= _HUGE:
        return f"{value:.{decimals + 3}g}"
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shortest(value: float, minus: str = "-") -> str:
    """Return a number with all its digits, and no more than are needed to read it back.

    Examples
    --------
    >>> from askew.export.names import shortest
    >>> [shortest(v) for v in (2.45, -3.0, 0.1 + 0.2, 1e-7, 1234567.0, -0.0)]
    ['2.45', '-3', '0.30000000000000004', '1e-07', '1234567', '0']
    """
    text = repr(float(value) + 0.0).removesuffix(".0")
    return text.replace("-", minus)


def printable(name: object) -> str:
    """Return a name without anything that would break a line or steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(name))


class Term(NamedTuple):
    """A part of a sum: a feature and its weight, or a feature with the value of each of its categories.

    `places` says which of the node's weights it is made of.
    """

    name: str
    weight: float
    places: list[int]


@dataclass(frozen=True, eq=False)
class Columns:
    """Names of the columns that a tree tests.

    Attributes
    ----------
    features : names of the features of the data
    encoder : what they become; None if they are numbers
    """

    features: list[str]
    encoder: Encoder | None

    @classmethod
    def of(cls, estimator: Any, given: Sequence[str] | None) -> Columns:
        """Return the names that were given, or seen in `fit`, or x0, x1, ...; raise ValueError for too few."""
        bare = isinstance(estimator, Tree | RuleNetwork)
        tree = estimator if bare else estimator.trees_[0] if hasattr(estimator, "trees_") else estimator.tree_
        encoder = getattr(estimator, "encoder_", None)
        n = tree.n_features if encoder is None else encoder.n_features
        names = getattr(estimator, "feature_names_in_", None) if given is None else given
        if names is None:
            names = [f"x{j}" for j in range(n)]
        if len(names) != n:
            raise ValueError(f"feature_names must have {n} names, got {len(names)}")
        return cls([printable(name) for name in names], encoder)

    @cached_property
    def names(self) -> list[str]:
        """The name of each column, each different: JSON names weights by column."""
        return distinct(self.features if self.encoder is None else self.encoder.names(self.features))

    def codes(self, column: int, n: int) -> list[str]:
        """Return the names of the first `n` categories of a column of codes; the codes if no names are known."""
        labels = None if self.encoder is None else self.encoder.codes_of(column)
        return distinct([code if labels is None else label_text(labels[code]) for code in range(n)])

    def cases(self, tree: Tree, node: int) -> list[str]:
        """Return the categories that each child of a category table gets."""
        tested, child_of = tree.test(node)
        names = self.codes(int(tested[0]), child_of.size)
        cases = []
        for child, codes in enumerate(_by_child(child_of, int(tree.n_children[node]))):
            named = [names[code] for code in codes]
            cases.append(" or ".join(named + (["any other"] if child == tree.threshold[node] else [])) or "never")
        return cases

    def terms(self, tested: NDArray[np.int64], weights: Sequence[float]) -> list[Term]:
        """Return the sum that a node tests; the categories of a feature are one term with a value for each.

        A category without a value, and one that is not in the training data, counts 0.
        """
        names, origin = self.names, self._origin(tested)
        terms = []
        for feature in dict.fromkeys(origin.tolist()):
            places = [k for k in np.flatnonzero(origin == feature).tolist() if weights[k] != 0]
            if len(places) == 1 or feature not in self._categorical:
                terms += [Term(names[int(tested[k])], weights[k], [k]) for k in places]
            elif places:
                name = self.features[feature]
                values = [f"{names[int(tested[k])][len(name) + 1 :]}: {shortest(weights[k])}" for k in places]
                terms.append(Term(f"{name}{{{', '.join(values)}}}", 1.0, places))
        return terms

    def choice(
        self, tested: NDArray[np.int64], weights: Sequence[float], threshold: float, side: int = 0
    ) -> str | None:
        """Return which categories go to a child, the first or the other, if a node tests those of one feature alone.

        Of a column that tells where values are missing: whether those rows go there, or the others.
        """
        if len(tested) == 1 and int(tested[0]) in self._indicators and (weights[0] <= threshold) != (threshold >= 0):
            told = (threshold < 0) == (side == 0)
            return self.names[int(tested[0])] if told else f"{self.features[self._origin(tested)[0]]} is not missing"
        first = self._categories_of_first(tested, weights, threshold)
        return first if first is None or side == 0 else f"not ({first})"

    def _categories_of_first(self, tested: NDArray[np.int64], weights: Sequence[float], threshold: float) -> str | None:
        origin = set(self._origin(tested).tolist())
        if len(origin) != 1 or not origin <= self._categorical:
            return None
        feature = self.features[origin.pop()]
        others_go = threshold >= 0  # categories that the node does not name
        names = self.names
        apart = [names[j] for j, w in zip(tested.tolist(), weights, strict=True) if (w <= threshold) != others_go]
        if not apart:
            return None
        if len(apart) == 1:
            return f"not {apart[0]}" if others_go else apart[0]
        listed = ", ".join(name[len(feature) + 1 :] for name in apart)
        return f"{feature} {'not in' if others_go else 'in'} {{{listed}}}"

    @cached_property
    def _indicators(self) -> set[int]:
        """The columns that tell where values are missing."""
        return set() if self.encoder is None else set(np.flatnonzero(self.encoder.is_indicator).tolist())

    @cached_property
    def _categorical(self) -> set[int]:
        """The features whose categories are columns."""
        if self.encoder is None or not self.encoder.onehot:
            return set()
        return set(np.flatnonzero(self.encoder.is_categorical).tolist())

    def _origin(self, tested: NDArray[np.int64]) -> NDArray[np.int64]:
        return tested if self._origins is None else self._origins[tested]

    @cached_property
    def _origins(self) -> NDArray[np.int64] | None:
        """The feature of each column; None if they are the same."""
        return None if self.encoder is None else self.encoder.origin


def _by_child(child_of: NDArray[np.float64], n_children: int) -> list[list[int]]:
    """Return the codes that each child of a category table gets."""
    codes: list[list[int]] = [[] for _ in range(n_children)]
    for code, child in enumerate(child_of.astype(np.int64).tolist()):
        codes[child].append(code)
    return codes


def distinct(names: Iterable[object]) -> list[str]:
    """Return names as they can be printed; of equal ones, all but the first have a number: ``a``, ``a (2)``.

    Examples
    --------
    >>> from askew.export.names import distinct
    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    count: dict[str, int] = {}
    taken: set[str] = set()
    found = []
    for name in map(printable, names):
        one, n = name, count.get(name, 1)
        while one in taken:
            n += 1
            one = f"{name} ({n})"
        count[name] = n
        taken.add(one)
        found.append(one)
    return found


_WORTH = 6  # characters that a common beginning must have to be left out


def elided(name: str, longest: int) -> str:
    """Return a name of at most so many characters: what stands in its middle goes.

    Examples
    --------
    >>> from askew.export.names import elided
    >>> elided("number of open accounts in the last year", 20)
    'number of…last year'
    """
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end].rstrip()}…{name[len(name) - end :]}"


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Return names of at most so many characters, or of as many as keep those different that were.

    Where a name is too long, the words that all names begin with are left out.

    Examples
    --------
    >>> from askew.export.names import shortened
    >>> shortened(["average number of calls", "average number of late payments"], 15)
    ['…calls', '…late payments']
    >>> shortened(["height", "weight"], 15)
    ['height', 'weight']
    """
    if all(len(name) <= longest for name in names):
        return list(names)
    shared = _shared_words(names)
    rest = [f"…{name[shared:]}" if shared else name for name in names]
    for limit in range(longest, max(map(len, rest)) + 1):
        found = [elided(name, limit) for name in rest]
        if len(set(found)) == len(set(names)):
            return found
    return rest


def _shared_words(names: Sequence[str]) -> int:
    """Return how many characters of the words that all names begin with are worth leaving out."""
    if len(set(names)) < 2:
        return 0
    first, last = min(names), max(names)  # what these share, all do
    same = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    shared = first[:same]
    end = max(shared.rfind(" "), shared.rfind("_")) + 1
    return end if end >= _WORTH else 0
