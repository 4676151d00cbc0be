"""Train OC1 beside CART on bundled data and on a rotated checker board, print and draw the trees: `make demo`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate, train_test_split
from sklearn.tree import DecisionTreeClassifier

import askew
from askew.datasets import make_rcb

# Add a line to compare another method. All are pruned by cost complexity, chosen by cross-validation.
PRUNING = askew.prune.CostComplexity(cv=5)
ALPHAS = [0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05]  # scikit-learn has no path of candidates
METHODS = {
    "OC1": askew.OC1Classifier(pruning=PRUNING, random_state=0),
    "CART": askew.CARTClassifier(pruning=PRUNING, random_state=0),
    "scikit-learn": GridSearchCV(DecisionTreeClassifier(random_state=0), {"ccp_alpha": ALPHAS}, cv=5),
}
PRINTED = ("OC1", "CART")
DATA = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "RCB": lambda: make_rcb(random_state=0),
}
DEEPEST = 4  # CART's tree of RCB is deep
PICTURE = Path("demo") / "partition.png"
REPORT = Path("demo") / "report.html"
console = Console()


def compare() -> Table:
    """Cross-validate every method on every data set."""
    table = Table(title="10-fold cross-validation")
    for heading in ("data", "method", "accuracy", "leaves", "fit, ms"):
        table.add_column(heading, justify="left" if heading in ("data", "method") else "right")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    work = [(data, method) for data in DATA for method in METHODS]
    for data, method in track(work, "Cross-validating", console=Console(stderr=True), transient=True):
        result = cross_validate(METHODS[method], *DATA[data](), cv=folds, return_estimator=True)
        trees = [getattr(fitted, "best_estimator_", fitted) for fitted in result["estimator"]]
        score, leaves = result["test_score"], [tree.get_n_leaves() for tree in trees]
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
    """Print both trees of iris and of RCB as inequalities."""
    iris = load_iris(as_frame=True)
    for data, (X, y) in {"iris": (iris.data, iris.target_names[iris.target]), "RCB": DATA["RCB"]()}.items():
        for method in PRINTED:
            fitted = clone(METHODS[method]).fit(X, y)
            console.print(f"\n[bold]{method}[/bold], grown on {data}")
            text = askew.export_text(fitted, max_depth=DEEPEST)
            console.print(text, markup=False, highlight=False, soft_wrap=True)


def draw() -> None:
    """Draw the partitions of RCB by both trees, side by side, with a caption in the metadata of the file.

    The README shows this picture and its caption: copy it to docs/images if they change.
    """
    X, y = DATA["RCB"]()
    figure = Figure(figsize=(10, 5), layout="constrained")
    trees = {method: clone(METHODS[method]).fit(X, y) for method in reversed(PRINTED)}
    for axes, (method, tree) in zip(figure.subplots(1, len(trees)), trees.items(), strict=True):
        askew.plot_partition(tree, X, y, ax=axes)
        axes.get_legend().remove()  # the colours say enough
        axes.set(title=f"{method}: {tree.get_n_leaves()} leaves", xticks=[], yticks=[], xlabel="", ylabel="")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    description = caption(trees["CART"].get_n_leaves(), trees["OC1"].get_n_leaves())
    figure.savefig(PICTURE, dpi=100, metadata={"Software": None, "Description": description})
    console.print(f"The partitions of RCB, a rotated checker board: [bold]{PICTURE}[/bold]")


def caption(cart: int, oc1: int) -> str:
    """Return the caption of the picture."""
    return (
        f"Left: CART, which tests one feature a node, needs {cart} leaves for a rotated checker board. "
        f"Right: OC1, which tests both, needs {oc1}."
    )


def write_report() -> None:
    """Write the report of a tree with short tests, evaluated on held-out rows."""
    cancer = load_breast_cancer(as_frame=True)
    kind = cancer.target_names[cancer.target]
    X, X_held_out, y, y_held_out = train_test_split(cancer.data, kind, test_size=0.3, random_state=0, stratify=kind)
    tree = askew.AutoTreeClassifier(max_terms=2, tolerance=0, effort="low", random_state=0).fit(X, y)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    askew.report(tree, X_held_out, y_held_out, REPORT, title="Breast cancer, rows held out")
    console.print(f"The report, for a browser: [bold]{REPORT.resolve().as_uri()}[/bold]", soft_wrap=True)


if __name__ == "__main__":
    show_trees()
    console.print()
    console.print(compare())
    draw()
    write_report()
