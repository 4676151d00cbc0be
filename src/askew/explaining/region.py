"""The region of a leaf, as inequalities and as linear constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.export.fitted import Fitted, fitted_model
from askew.export.formatting import shortest
from askew.export.names import Columns
from askew.export.wording import RELATIONS, Wording, added
from askew.model.fitted import FittedModel
from askew.model.split import CATEGORY_TABLE, HYPERPLANE
from askew.model.tree import Tree
from askew.parameters import brief

_CLEARLY = 1e-6  # margin by which the others must imply an inequality to leave it out: above the solver's tolerance
_MOST = 200  # with more inequalities, redundant ones are kept


class Constraints(NamedTuple):
    """Linear constraints ``A @ x <= b`` on the columns of a tree; where `strict`, ``A @ x < b``."""

    A: NDArray[np.float64]
    b: NDArray[np.float64]
    strict: NDArray[np.bool_]


@dataclass(frozen=True)
class Inequality:
    """A sum of weighted columns that is not above, or above, a threshold.

    Attributes
    ----------
    columns : tuple of int
        Numbers of the columns.
    names : tuple of str
        Their names, in the words of the data: ``age``, ``colour=red``.
    weights : tuple of float
        The weight of each, with all its digits.
    relation : str
        "<=", "<", ">=" or ">".
    threshold : float
        Threshold of the sum.
    text : str
        The inequality as the exports print it, with as many digits as are needed.
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    weights: tuple[float, ...]
    relation: str
    threshold: float
    text: str

    @property
    def strict(self) -> bool:
        """Whether the sum may not be equal to the threshold."""
        return "=" not in self.relation

    @property
    def sign(self) -> float:
        """The factor of weights and threshold with which the relation is <= or <."""
        return 1.0 if self.relation.startswith("<") else -1.0

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Choice:
    """The categories of a child, in a column of codes.

    Attributes
    ----------
    column : int
        Number of the column.
    codes : tuple of int
        The codes inside the region.
    refused : tuple of int
        The codes outside the region.
    others : bool
        Whether any other value is inside the region, too.
    text : str
        The categories, in words.
    """

    column: int
    codes: tuple[int, ...]
    refused: tuple[int, ...]
    others: bool
    text: str

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values of the column are inside."""
        return np.asarray(~np.isin(values, self.refused) if self.others else np.isin(values, self.codes))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Region:
    """The region of a leaf: the intersection of inequalities and choices of categories.

    Attributes
    ----------
    leaf : int
        Number of the leaf.
    inequalities : tuple of Inequality
        In the order of the path; of several on the same sum, the tightest.
    choices : tuple of Choice
        The categories that nodes of codes send here (C4.5).
    columns : tuple of str
        Names of the columns that the tree tests.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = askew.CARTClassifier(max_depth=2).fit(iris.data, iris.target_names[iris.target])
    >>> region = askew.region(tree, 3)
    >>> print(region)
    petal length (cm) > 2.45 and petal width (cm) <= 1.75
    >>> A, b, strict = region.matrix()
    >>> A, b, strict
    (array([[ 0.,  0., -1.,  0.],
           [ 0.,  0.,  0.,  1.]]), array([-2.45,  1.75]), array([ True, False]))
    """

    leaf: int
    inequalities: tuple[Inequality, ...]
    choices: tuple[Choice, ...]
    columns: tuple[str, ...]

    def matrix(self) -> Constraints:
        """Return the region as linear constraints ``A @ x <= b`` on the columns of the tree, in the units of the data.

        A category has a column of 0 and 1, as `estimator.encoded` makes them. Where `strict`, ``A @ x < b``:
        optimisation models, which have no strict inequalities, take ``b`` less a small margin.

        Raises
        ------
        ValueError
            A node on the path sends codes of categories to its children (C4.5): see `choices`.
        """
        if self.choices:
            raise ValueError(
                f"categorical codes cannot be written as linear constraints: {self.choices[0]}. See Region.choices"
            )
        return self.constraints

    @property
    def constraints(self) -> Constraints:
        """The inequalities as linear constraints, choices left out."""
        return constraints(self.inequalities, len(self.columns))

    def holds(self, columns: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which rows (of the columns that the tree tests, as `estimator.encoded` makes them) are inside."""
        A, b, strict = self.constraints
        sums = columns @ A.T
        inside = np.where(strict, sums < b, sums <= b).all(axis=1)
        for choice in self.choices:
            inside &= choice.holds(columns[:, choice.column])
        return np.asarray(inside)

    def __str__(self) -> str:
        return " and ".join(map(str, (*self.inequalities, *self.choices))) or "always"


def region(estimator: Fitted, leaf: int, *, reduced: bool = True) -> Region:
    """Return the region of a leaf: inequalities in the units of the data, or linear constraints.

    Parameters
    ----------
    estimator : estimator or tree
        A fitted tree estimator, a fitted Pipeline that ends in one, or its ``tree_``.
    leaf : int
        Number of the leaf, as `apply` returns it.
    reduced : bool, default=True
        Whether to leave out inequalities that follow from the others, by linear programming.

    Returns
    -------
    region : Region
        Its `inequalities`, and by `matrix` linear constraints on the columns that `encoded` returns.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(askew.region(askew.CARTClassifier(max_depth=2).fit(X, y), 4))
    x2 > 2.45 and x3 > 1.75
    """
    return region_of(fitted_model(estimator), leaf, reduced=reduced)


def region_of(model: FittedModel, leaf: int, *, reduced: bool = True) -> Region:
    """Return the region of a leaf of a fitted model; see `region`."""
    tree = model.single_tree
    if tree is None:
        raise ValueError(f"region takes a single tree: this {model.estimator} has none")
    _check_leaf(tree, leaf)
    words = Wording.of(model)
    path, node = [], int(leaf)
    while node:
        path.append((int(tree.parent[node]), node))
        node = path[-1][0]
    found: list[Inequality] = []
    choices: list[Choice] = []
    for parent, node in reversed(path):
        child = node - int(tree.first_child[parent])
        if tree.kind[parent] == CATEGORY_TABLE:
            choices.append(_choice(tree, parent, child, words.names))
        elif tree.kind[parent] == HYPERPLANE:
            found.append(_plane(tree, parent, child, words))
        else:
            found += _machine(tree, parent, child, words.names)
    tightest = _tightest(found)
    if reduced and 1 < len(tightest) <= _MOST:
        tightest = _without_redundant(tightest, tree.n_features)
    return Region(int(leaf), tuple(tightest), tuple(choices), tuple(words.names.names))


def constraints(inequalities: Iterable[Inequality], n_columns: int) -> Constraints:
    """Return inequalities as linear constraints on this many columns."""
    rows = list(inequalities)
    A = np.zeros((len(rows), n_columns))
    for row, one in zip(A, rows, strict=True):
        np.add.at(row, list(one.columns), one.sign * np.array(one.weights))
    b = np.array([one.sign * one.threshold for one in rows], dtype=np.float64)
    return Constraints(A, b, np.array([one.strict for one in rows], dtype=bool))


def _check_leaf(tree: Tree, leaf: object) -> None:
    number = int(leaf) if isinstance(leaf, Integral) and not isinstance(leaf, bool | np.bool_) else -1
    if not 0 <= number < tree.node_count or not tree.is_leaf[number]:
        some = np.flatnonzero(tree.is_leaf)[:10].tolist()
        more = ", ..." if tree.n_leaves > len(some) else ""
        raise ValueError(f"leaf must be the number of a leaf ({', '.join(map(str, some))}{more}). Got {brief(leaf)}")


def _plane(tree: Tree, node: int, child: int, words: Wording) -> Inequality:
    features, weights = tree.test(node)
    return Inequality(
        tuple(features.tolist()),
        tuple(words.names.names[j] for j in features.tolist()),
        tuple(weights.tolist()),
        RELATIONS[child],
        float(tree.threshold[node]),
        " ".join(words.inequality(node, child)),
    )


def _machine(tree: Tree, node: int, child: int, names: Columns) -> list[Inequality]:
    """Return the inequalities by which the sum of a child is the largest; of equals, the first child wins."""
    features, weights = tree.test(node)
    sums = weights.reshape(-1, features.size + 1)
    found = []
    for other in range(len(sums)):
        if other == child:
            continue
        *difference, constant = (sums[child] - sums[other]).tolist()
        relation, threshold = ">" if other < child else ">=", 0.0 - constant
        used = [k for k, weight in enumerate(difference) if weight != 0] or [0]
        columns, kept = features[used], [difference[k] for k in used]
        terms = added(names.terms(columns, kept), [], 0.0)
        text = " ".join([*terms, relation, shortest(threshold)])
        named = tuple(names.names[j] for j in columns.tolist())
        found.append(Inequality(tuple(columns.tolist()), named, tuple(kept), relation, threshold, text))
    return found


def _choice(tree: Tree, node: int, child: int, names: Columns) -> Choice:
    features, table = tree.test(node)
    column, here = int(features[0]), table == child
    return Choice(
        column,
        tuple(np.flatnonzero(here).tolist()),
        tuple(np.flatnonzero(~here).tolist()),
        child == int(tree.threshold[node]),
        f"{names.names[column]} is {names.cases(tree, node)[child]}",
    )


def _tightest(inequalities: Sequence[Inequality]) -> list[Inequality]:
    """Return the tightest inequality of each sum."""
    best: dict[tuple[tuple[int, ...], tuple[float, ...]], tuple[float, bool, int]] = {}
    for i, one in enumerate(inequalities):
        size = max(map(abs, one.weights)) or 1.0
        key = one.columns, tuple(one.sign * weight / size for weight in one.weights)
        bound = (one.sign * one.threshold / size, not one.strict, i)
        best[key] = min(best.get(key, bound), bound)
    return [inequalities[i] for i in sorted(bound[2] for bound in best.values())]


def _without_redundant(inequalities: list[Inequality], n_columns: int) -> list[Inequality]:
    """Return the inequalities without those that follow clearly from the others, by linear programming.

    One that the others imply without a margin stays: rounding would decide.
    """
    from scipy.optimize import linprog  # late: it takes a while to import

    A, b, _ = constraints(inequalities, n_columns)
    size = np.abs(A).max(axis=1)
    size = np.where(size > 0, size, 1.0)
    A, b = A / size[:, None], b / size
    used = np.flatnonzero(A.any(axis=0))
    A = A[:, used]
    kept = np.ones(len(inequalities), dtype=bool)
    for i in range(len(inequalities)):
        kept[i] = False
        if not kept.any():
            kept[i] = True
            break
        farthest = linprog(-A[i], A[kept], b[kept], bounds=(None, None), method="highs")
        kept[i] = farthest.status != 0 or float(A[i] @ farthest.x) > b[i] - _CLEARLY * (1 + abs(b[i]))
    return [one for one, keep in zip(inequalities, kept.tolist(), strict=True) if keep]
