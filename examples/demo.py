"""Train trees on bundled data, print them, and draw one: `make demo`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from partition import draw_partition, save
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

import askew

# A method is one line: it then stands in the table and in the picture, and is printed if it is pruned.
METHODS = {
    "scikit-learn": DecisionTreeClassifier(random_state=0),
    "askew CART": askew.CARTClassifier(random_state=0),
    "askew CART, pruned": askew.CARTClassifier(pruning="cost_complexity", random_state=0),
    "askew OC1": askew.OC1Classifier(random_state=0),
}
DATA = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
PICTURE = Path("demo") / "partition.png"
console = Console()


def compare() -> Table:
    """Cross-validate every method on every data set."""
    table = Table(title="10-fold cross-validation")
    for heading in ("data", "method", "accuracy", "leaves", "fit, ms"):
        table.add_column(heading, justify="left" if heading in ("data", "method") else "right")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    work = [(data, method) for data in DATA for method in METHODS]
    for data, method in track(work, "Cross-validating", console=Console(stderr=True), transient=True):
        X, y = DATA[data](return_X_y=True)
        result = cross_validate(METHODS[method], X, y, cv=folds, return_estimator=True)
        score, leaves = result["test_score"], [tree.get_n_leaves() for tree in result["estimator"]]
        table.add_row(
            data,
            method,
            f"{100 * score.mean():.1f} % ± {100 * score.std():.1f}",
            f"{np.mean(leaves):.1f}",
            f"{1000 * np.median(result['fit_time']):.1f}",
            end_section=method == work[-1][1],
        )
    return table


def show_trees() -> None:
    """Print the trees that are pruned, and so small enough to be read, as inequalities."""
    iris = load_iris(as_frame=True)
    for method, tree in METHODS.items():
        if getattr(tree, "pruning", None) is not None:
            fitted = clone(tree).fit(iris.data, iris.target_names[iris.target])
            console.print(f"\n[bold]{method}[/bold], grown on iris")
            console.print(askew.export_text(fitted), markup=False, highlight=False, soft_wrap=True)


def draw() -> None:
    """Draw how each method divides two features of iris."""
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    figure = Figure(figsize=(3.2 * len(METHODS), 3.2), layout="constrained")
    for axes, (method, tree) in zip(figure.subplots(1, len(METHODS)), METHODS.items(), strict=True):
        draw_partition(axes, clone(tree).fit(X, y), X, y, method)
    save(figure, PICTURE)
    console.print(f"How each divides petal length and width: [bold]{PICTURE}[/bold]")


if __name__ == "__main__":
    show_trees()
    console.print(compare())
    draw()
