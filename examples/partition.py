"""How a tree divides the plane. Run it to draw the picture of the README (docs/images/partition.png)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from toy_search import ToySearch

from askew import CARTClassifier, ObliqueTreeClassifier

COLOURS = ("#3b6fb6", "#e0892b", "#4c9a5b")


def draw_partition(axes: Axes, tree: Any, X: np.ndarray, y: np.ndarray, title: str) -> None:
    """Colour the plane by what a tree of two features (and of classes 0, 1, 2) predicts, and draw the rows on it."""
    low, high = X.min(axis=0), X.max(axis=0)
    low, high = low - 0.04 * (high - low), high + 0.04 * (high - low)
    across, up = (np.linspace(low[j], high[j], 400) for j in range(2))
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    codes = np.searchsorted(tree.classes_, tree.predict(grid)).reshape(400, 400)
    levels = np.arange(len(tree.classes_) + 1) - 0.5
    axes.contourf(across, up, codes, levels=levels, colors=COLOURS, alpha=0.25)
    axes.contour(across, up, codes, levels=levels[1:-1], colors="black", linewidths=0.8)
    for code, label in enumerate(tree.classes_):
        axes.scatter(*X[y == label].T, s=6, color=COLOURS[code], linewidths=0)
    axes.set(title=f"{title}: {tree.get_n_leaves()} leaves", xticks=[], yticks=[])


def save(figure: Figure, path: Path) -> None:
    """Write a picture, making its folder if there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, metadata={"Software": None})


def slanted_line(n_rows: int = 250, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return points of the unit square whose class changes across a slanted line."""
    X = np.random.default_rng(seed).random((n_rows, 2))
    return X, (X @ [0.8, 0.6] > 0.7).astype(int)


if __name__ == "__main__":
    X, y = slanted_line()
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_partition(left, CARTClassifier().fit(X, y), X, y, "One feature a node")
    draw_partition(right, ObliqueTreeClassifier(search=ToySearch()).fit(X, y), X, y, "All features a node")
    save(figure, Path(__file__).parents[1] / "docs" / "images" / "partition.png")
