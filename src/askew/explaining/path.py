"""`explain`: the path of one row through a tree, with the contribution of each feature at each node."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from askew.data.encoder import label_text
from askew.data.frames import Frame, MatrixLike, is_missing
from askew.explaining.explanation import Contribution, Explanation, LeafModel, Path, Step
from askew.explaining.one_row import RowLike, as_seen, one_row
from askew.export.fitted import Fitted, FittedTreeEstimator, fitted_model
from askew.export.names import Columns
from askew.export.text import Writer, class_labels, part_writers
from askew.export.wording import Wording
from askew.model.fitted import Combination, FittedModel, Part
from askew.model.leaf_values import as_they_occur, class_shares
from askew.model.rule_network import RuleNetwork
from askew.model.split import CATEGORY_TABLE, HYPERPLANE, LINEAR_MACHINE
from askew.model.tree import Tree


@dataclass(frozen=True, eq=False)
class Reference:
    """The reference of each node.

    Attributes
    ----------
    everywhere : ndarray
        A value for each column that the tree tests.
    rows : ndarray or None
        The rows whose means are taken, as the tree sees them; None without any.
    in_parts : bool
        Whether rows with missing values go down the tree in parts.
    description : str
        Name of the reference.
    """

    everywhere: NDArray[np.float64]
    rows: NDArray[np.float64] | None
    description: str
    in_parts: bool = False

    @classmethod
    def of(cls, model: FittedModel, background: NDArray[np.float64] | None) -> Reference:
        """Return the means of the background rows, else those that `fit` kept, else 0."""
        encoder, means = model.schema.encoder, model.schema.means
        if background is not None:
            in_parts = model.schema.missing == "fractional" and bool(np.isnan(background).any())
            return cls(_means(background), background, "the mean of the background rows at each node", in_parts)
        if means is None:
            return cls(np.zeros(model.parts[0].n_features), None, "0")
        if encoder is None:
            return cls(means, None, "the mean of the training rows")
        numbers = ~encoder.is_categorical[encoder.origin] & ~encoder.is_indicator
        everywhere = np.where(numbers, means[encoder.origin], 0.0)
        return cls(everywhere, None, "the mean of the training rows; of categories, from none")

    def of_part(self, tree: Part) -> Callable[[int], NDArray[np.float64]]:
        """Return a function from nodes to column means; nodes without rows and rule networks have those of all."""
        rows = self.rows
        if rows is None or not isinstance(tree, Tree):
            return lambda node: self.everywhere
        passed = tree.decision_path(rows, 1, self.in_parts).tocsc()

        def means(node: int) -> NDArray[np.float64]:
            here = passed.indices[passed.indptr[node] : passed.indptr[node + 1]]
            return _means(rows[here]) if here.size else self.everywhere

        return means


def _means(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column without missing values; 0 for an empty column."""
    known = ~np.isnan(rows)
    count = known.sum(axis=0)
    with np.errstate(over="ignore"):
        return np.asarray(np.where(known, rows, 0.0).sum(axis=0) / np.maximum(count, 1))


def explain(estimator: Fitted, x: RowLike, *, background: MatrixLike | None = None) -> Explanation:
    """Explain the prediction of a tree for one row: its path, the contributions of features, the probabilities.

    A node compares a sum with a threshold. Feature j contributes ``w_j (x_j - reference_j)`` to the distance from the
    threshold, relative to that of the reference; this is exact for the node. The reference is the mean of the
    `background` rows that reach the node. Without `background` it is the mean of the training rows if the model has it
    (with ``missing="mean"``), otherwise 0. All columns of a categorical feature are one contribution. For a linear
    machine, the lead of the largest sum over the next is explained.

    Contributions explain the path of the row; `askew.shapley` measures the effect of a feature on the prediction of the
    complete tree.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted tree of any method, or a fitted Pipeline that ends in one; not an ensemble.
    x : mapping, Series or array-like
        One row: a mapping from names to values, a row of a data frame, or the values in the order of the features.
    background : array-like or None, default=None
        Rows to compare with, such as the training rows.

    Returns
    -------
    explanation : Explanation
        Print it, or take `steps`, `prediction`, `probability` from it.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = askew.CARTClassifier(max_depth=2).fit(iris.data, iris.target_names[iris.target])
    >>> print(askew.explain(tree, iris.data.iloc[70], background=iris.data))
    predicts virginica: virginica 97.8%, versicolor 2.2%
    node 0 (setosa 33.3%, versicolor 33.3%, virginica 33.3%): petal length (cm) > 2.45
        4.8 against 2.45: +2.35
          reference               +1.31
          petal length (cm)  4.8  +1.04
    node 2 (versicolor 50.0%, virginica 50.0%): petal width (cm) > 1.75
        1.8 against 1.75: +0.05
          reference              -0.074
          petal width (cm)  1.8  +0.124
    leaf 4: virginica 97.8%, versicolor 2.2% (46 training rows)
    contributions are differences from the mean of the background rows at each node
    """
    check_is_fitted(estimator)
    model = fitted_model(estimator)
    last, row = as_seen(estimator, one_row(estimator, x))
    if model.combination not in (Combination.SINGLE, Combination.ONE_VS_REST):
        raise TypeError(
            f"explain takes one tree, and {model.estimator} has {len(model.members or model.parts)}: explain one of "
            "estimators_, or use askew.shapley for all of them"
        )
    rows = None if background is None else last.encoded(as_seen(estimator, background)[1])
    with np.errstate(over="ignore", invalid="ignore"):  # sums of very large values are infinite, or NaN
        return _Explainer(last, model, row, rows).explanation()


@dataclass(frozen=True, eq=False)
class _Explainer:
    """Explains one row, which is a table of one row."""

    estimator: FittedTreeEstimator
    model: FittedModel
    row: Frame
    background: NDArray[np.float64] | None

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """The columns that the tree tests."""
        return self.estimator.encoded(self.row)

    @cached_property
    def labels(self) -> list[Hashable] | None:
        return None if self.model.classes is None else self.model.classes.tolist()

    @cached_property
    def columns(self) -> Columns:
        return Columns.of(self.model)

    @cached_property
    def incomplete(self) -> bool:
        """Whether the row goes down in parts."""
        return self.model.schema.missing == "fractional" and bool(np.isnan(self.x).any())

    def explanation(self) -> Explanation:
        reference = Reference.of(self.model, self.background)
        writers = part_writers(self.model, class_labels(self.model), Wording.of(self.model))
        paths = []
        for k, writer in enumerate(writers):
            labels, title = self.labels, ""
            if self.model.combination is Combination.ONE_VS_REST and labels is not None:
                labels, title = ["rest", labels[k]], f"{labels[k]} against the rest"
            paths.append(
                _PartPath(self, self.model.parts[k], labels, reference.of_part(writer.tree), writer).paths(title)
            )
        probability = None
        if self.labels is not None:
            shares = self.estimator.proba_encoded(self.x)[0].tolist()
            probability = dict(zip(self.labels, shares, strict=True))
        predicted = self.estimator.predict_encoded(self.x)[0]
        prediction = float(predicted) if self.labels is None else self.labels[int(predicted)]
        return Explanation(prediction, probability, tuple(p for some in paths for p in some), reference.description)

    # --- values of the data

    @cached_property
    def _cells(self) -> list[object]:
        """The values of the row before encoding, by feature."""
        cells = self.row.to_numpy()[0] if hasattr(self.row, "to_numpy") else np.asarray(_dense(self.row))[0]
        return [_value(cell) for cell in cells.tolist()]

    def value(self, feature: int) -> object:
        """Return the value of a feature, as the data have it."""
        return self._cells[feature]

    def amounts(self, columns: NDArray[np.int64], amounts: NDArray[np.float64]) -> tuple[Contribution, ...]:
        """Add up the amounts of the columns of each feature; the largest first."""
        encoder = self.columns.encoder
        origin = columns if encoder is None else encoder.origin[columns]
        found = []
        for feature in dict.fromkeys(origin.tolist()):
            total = float(amounts[origin == feature].sum()) + 0.0  # not -0.0
            found.append(Contribution(self.columns.features[feature], self.value(feature), total))
        return tuple(sorted(found, key=lambda one: -abs(one.amount)))


@dataclass(frozen=True, eq=False)
class _PartPath:
    """The path of the row through one tree or rule network."""

    of: _Explainer
    tree: Part
    labels: list[Hashable] | None
    reference: Callable[[int], NDArray[np.float64]]  # node -> value of each column
    writer: Writer

    def paths(self, title: str) -> list[Path]:
        x, incomplete = self.of.x, self.of.incomplete
        if isinstance(self.tree, RuleNetwork):
            region = int(self.tree.apply(x, 1, incomplete)[0])
            return [self._path([self._step(*one) for one in self.tree.conditions(region)], region, 1.0, title)]
        if incomplete:
            _, leaves, parts = self.tree.spread(x)
            order = np.argsort(-parts, kind="stable").tolist()
            ends = [(int(leaves[k]), float(parts[k])) for k in order]
        else:
            ends = [(int(self.tree.apply(x)[0]), 1.0)]
        return [self._path(self._steps_to(self.tree, leaf), leaf, part, title) for leaf, part in ends]

    def _path(self, steps: list[Step], leaf: int, part: float, title: str) -> Path:
        n = int(self.tree.n_samples[leaf])
        return Path(tuple(steps), leaf, self._predicted(leaf), n, self._model(leaf), part, title)

    def _steps_to(self, tree: Tree, leaf: int) -> list[Step]:
        steps, node = [], leaf
        while (above := int(tree.parent[node])) >= 0:
            steps.append(self._step(above, node - int(tree.first_child[above])))
            node = above
        return steps[::-1]

    def _predicted(self, node: int) -> float | Mapping[Hashable, float]:
        output = self.tree.payload.outputs(np.array([node]), self.of.x)
        if self.labels is None:
            return float(output[0, 0])
        one_tree = self.labels is self.of.labels  # not one class against the rest
        shares = as_they_occur(class_shares(output), self.of.model.schema.class_weight if one_tree else None)
        return dict(zip(self.labels, shares[0].tolist(), strict=True))

    # --- one node

    def _step(self, node: int, side: int) -> Step:
        network = isinstance(self.tree, RuleNetwork)
        columns, _ = self.tree.test(node)
        missing = bool(np.isnan(self.of.x[0, columns]).any()) and self.of.model.schema.missing == "fractional"
        value, threshold, base, amounts = self._sum(node, side)
        return Step(
            node=node,
            test=" ".join(self._test(node, side)),
            value=value,
            threshold=threshold,
            side=side,
            base=base,
            contributions=self.of.amounts(columns, amounts),
            before=None if network else self._predicted(node),
            n_samples=int(self.tree.n_samples.sum() if network else self.tree.n_samples[node]),
            missing=missing,
        )

    def _test(self, node: int, side: int) -> list[str]:
        if self.tree.kind[node] == HYPERPLANE:
            return self.writer.wording.inequality(node, side)
        first, *others = self.writer.test(node)[1][side]
        return [first.removeprefix("where "), *others]

    def _sum(self, node: int, side: int) -> tuple[float, float, float, NDArray[np.float64]]:
        """Return value, threshold, reference minus threshold, and the contribution of each column."""
        columns, weights = self.tree.test(node)
        x, reference = self.of.x[0, columns], self.reference(node)[columns]
        threshold = float(self.tree.threshold[node])
        if self.tree.kind[node] == CATEGORY_TABLE:
            return np.nan, np.nan, np.nan, np.full(1, np.nan)
        if self.tree.kind[node] == LINEAR_MACHINE:
            rows = weights.reshape(-1, columns.size + 1)
            sums = rows[:, :-1] @ x + rows[:, -1]
            next_best = int(np.argmax(np.where(np.arange(sums.size) == side, -np.inf, sums)))
            weights, threshold = rows[side, :-1] - rows[next_best, :-1], float(rows[next_best, -1] - rows[side, -1])
            value = float(weights @ x) - threshold
            return value, 0.0, float(weights @ reference) - threshold, weights * (x - reference)
        scale = self.writer.wording.unit(node)
        value, base = scale * float(weights @ x), scale * (float(weights @ reference) - threshold)
        return value, scale * threshold, base, scale * weights * (x - reference)

    # --- the linear model of a leaf

    def _model(self, leaf: int) -> LeafModel | None:
        found = self.tree.payload.model(leaf)
        if found is None or np.isnan(self.of.x[0, found.columns]).any():
            return None
        columns, weights, constants, _ = found
        of, w, constant = "prediction", weights[:, 0], float(constants[0])
        if self.labels is not None:
            shares = self.tree.payload.outputs(np.array([leaf]), self.of.x)[0]
            first, second = (1, 0) if shares.size == 2 else np.argsort(-shares, kind="stable")[:2].tolist()
            of = f"log odds of {self.labels[first]} against {self.labels[second]}"
            w, constant = weights[:, first] - weights[:, second], float(constants[first] - constants[second])
        x, reference = self.of.x[0, columns], self.reference(leaf)[columns]
        total, clipped = float(w @ x) + constant, None
        if self.labels is None:
            predicted = float(self.tree.payload.outputs(np.array([leaf]), self.of.x)[0, 0])
            clipped = predicted if not np.isclose(predicted, total) else None
        equation = " ".join(self.writer.wording.equation(columns, w.tolist(), constant))
        contributions = self.of.amounts(columns, w * (x - reference))
        return LeafModel(equation, of, float(w @ reference) + constant, contributions, total, clipped)


def _dense(row: Frame) -> Frame:
    return row.toarray() if hasattr(row, "toarray") else row


def _value(cell: object) -> object:
    if is_missing(cell):
        return None
    return float(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else label_text(cell)
