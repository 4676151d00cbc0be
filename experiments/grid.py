"""`GridCV`: a grid of settings, chosen on the test folds as ELC did, and beside it by an inner cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from askew.comparison.ranking import mean, sd
from experiments.experiment import Cell, Figure, Measure, Part

# Trees must be no larger than the printed ones, on average.
STRICT_LEAVES = Measure("leaves", -1, slack=0.0)
NESTED_ACCURACY, NESTED_LEAVES = Measure("nested accuracy", 0), Measure("nested leaves", 0)

Rows = NDArray[np.int64]


def depth_grid(
    estimator: str, parameters: Mapping[str, Any], deepest: int, X: NDArray[np.float64], y: NDArray[Any], split: Split
) -> NDArray[np.float64]:
    """Return accuracy (per cent) on the test rows and leaves (columns) of the trees of depth 1, 2, ... (rows).

    One tree is grown: cut at a depth, it is the tree that would have been grown with that limit.
    """
    import askew  # late: estimators are looked up by name when a cell is run

    train, test = split
    model = getattr(askew, estimator)(**parameters, max_depth=deepest, random_state=0).fit(X[train], y[train])
    whole, figures = model.tree_, np.empty((deepest, 2))
    for depth in range(1, deepest + 1):
        model.tree_ = whole.collapse(np.flatnonzero(whole.node_depth == depth))
        figures[depth - 1] = 100 * (model.predict(X[test]) == y[test]).mean(), model.get_n_leaves()
    return figures


Split = tuple[Rows, Rows]


def balanced(accuracies: NDArray[np.float64], leaves: NDArray[np.float64]) -> int:
    """Return the setting that balances accuracy and size: the smallest trees within one standard error of the best.

    ELC, section 3.1, asks for "the best balance" and does not say which; this is CART's rule for pruned trees
    (Breiman et al. 1984, section 3.4.3).

    Parameters
    ----------
    accuracies : ndarray
        Of each repetition or fold (rows) and setting (columns).
    leaves : ndarray
        Mean leaves of each setting.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.grid import balanced
    >>> balanced(np.array([[90.0, 95.0, 95.5], [90.0, 94.0, 94.5]]), np.array([2.0, 4.0, 9.0]))
    1
    """
    means = accuracies.mean(axis=0)
    best = int(means.argmax())
    error = float(np.std(accuracies[:, best], ddof=1)) / np.sqrt(accuracies.shape[0]) if accuracies.shape[0] > 1 else 0
    near = means >= means[best] - error
    return min(np.flatnonzero(near).tolist(), key=lambda i: (leaves[i], -means[i], i))


@dataclass(frozen=True)
class GridCV:
    """Repeated k-fold cross-validation of every variant of a cell at every depth (ELC, section 3.1).

    The setting whose figures are compared is chosen by these figures themselves, as in the paper: of those whose
    trees are no larger than the printed ones, the most accurate. The nested figures are those of trees whose setting
    was chosen, in each fold, by a cross-validation of its training rows alone.
    """

    folds: int = 5
    repeats: int = 10
    deepest: int = 5
    inner: int = 3

    def n_parts(self) -> int:
        """Return the number of repetitions."""
        return self.repeats

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Run one repetition; its number is added to the cell's seed."""
        X = np.ascontiguousarray(X[:, ::-1]) if cell.reverse else X
        grids, nested = [], []
        for train, test in self._splits(np.arange(len(y)), self.folds, cell.seed + number):
            grid = self._grid(cell, X, y, (train, test))
            inner = np.array(
                [self._grid(cell, X, y, split) for split in self._splits(train, self.inner, cell.seed + number)]
            )
            grids.append(grid)
            nested.append(grid[balanced(inner[:, :, 0], inner[:, :, 1].mean(axis=0))])
        figures = {
            f"{setting}, {measure}": float(np.mean([grid[i, m] for grid in grids]))
            for i, setting in enumerate(self.settings(cell))
            for m, measure in enumerate(("accuracy", "leaves"))
        }
        accuracy, leaves = np.mean(nested, axis=0).tolist()
        return {**figures, NESTED_ACCURACY.name: accuracy, NESTED_LEAVES.name: leaves}

    def _grid(self, cell: Cell, X: NDArray[np.float64], y: NDArray[Any], split: Split) -> NDArray[np.float64]:
        train, test = split
        split = train[::-1] if cell.reverse else train, test
        return np.concatenate(
            [depth_grid(cell.estimator, {**cell.parameters, **v}, self.deepest, X, y, split) for v in cell.variants]
        )

    @staticmethod
    def _splits(rows: Rows, folds: int, seed: int) -> list[Split]:
        parts = KFold(folds, shuffle=True, random_state=seed).split(rows)
        return [(rows[train], rows[test]) for train, test in parts]

    def settings(self, cell: Cell) -> list[str]:
        """Return the names of the settings of a cell, in the order of the grid."""
        variants = ["".join(f"{name}={value}, " for name, value in v.items()) for v in cell.variants]
        return [f"{variant}depth {depth}" for variant in variants for depth in range(1, self.deepest + 1)]

    def identity(self, number: int) -> str:
        """Folds, depths and number of the repetition: a quick run's parts are the first of the full run's."""
        return f"{self.folds}-fold, {self.inner} inner, depth to {self.deepest}, repetition {number}"

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return the figures of the chosen setting, the nested ones, and those of every setting by its name."""
        figures = {name: _figure([part[name] for part in parts]) for name in parts[0]}
        settings = [name.removesuffix(", leaves") for name in figures if name.endswith(", leaves")]
        small = [s for s in settings if STRICT_LEAVES.met(paper["leaves"], figures[f"{s}, leaves"])]
        smallest = min(settings, key=lambda s: figures[f"{s}, leaves"].mean)
        chosen = max(small or [smallest], key=lambda s: (figures[f"{s}, accuracy"].mean, -figures[f"{s}, leaves"].mean))
        best = {measure: figures[f"{chosen}, {measure}"] for measure in ("accuracy", "leaves")}
        return {**best, **figures}, chosen

    def quick(self) -> GridCV:
        """Return two repetitions."""
        return replace(self, repeats=2)

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"{self.repeats} repetitions of {self.folds}-fold cross-validation of every r and every depth from 1 to "
            f"{self.deepest}; accuracies and leaves are averaged over the folds, mean ± standard deviation over the "
            "repetitions. The figures compared are those of the setting in the remark, chosen by these figures "
            'themselves, as in the paper, which does not say how it weighed accuracy against size ("the best '
            'balance"): here it is the most accurate whose trees are no larger than the printed ones. Such figures '
            "are a little too good to be expected of new data. The nested ones are not: there r and depth are chosen "
            f"in each fold by a {self.inner}-fold cross-validation of its training rows alone, as the smallest trees "
            "within one standard error of the most accurate."
        )


def _figure(values: list[float]) -> Figure:
    return Figure(mean(values), sd(values), 2)
