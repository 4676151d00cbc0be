"""One tree or many: forests and boosting of oblique trees beside those of scikit-learn, and beside one tree."""

from __future__ import annotations

import numpy as np

from askew.experiments.experiment import ACCURACY, Cell, Experiment, Outcome
from askew.experiments.protocols import RepeatedCV
from askew.experiments.statistics import average_ranks, friedman, holm

# Heading -> estimator. Holm's procedure compares our forest with all others.
_METHODS = {
    "oblique forest": "ObliqueForestClassifier",
    "oblique boosting": "ObliqueBoostingClassifier",
    "random forest": "sklearn.ensemble.RandomForestClassifier",
    "extra trees": "sklearn.ensemble.ExtraTreesClassifier",
    "histogram boosting": "sklearn.ensemble.HistGradientBoostingClassifier",
    "one tree (CART, pruned)": "CARTClassifier",
}
_PARAMETERS = {"CARTClassifier": {"pruning": "cost_complexity"}}

# Heading, name for `load`.
_DATA = {
    "Iris": "iris",
    "Wine": "wine",
    "Breast cancer (diagnostic)": "breast_cancer",
    "Breast cancer (Wisconsin)": "breast_cancer_wisconsin",
    "Diabetes": "pima_diabetes",
    "Glass": "glass",
    "Heart": "heart_statlog",
    "Housing": "boston_class",
    "Ionosphere": "ionosphere",
    "Parkinsons": "parkinsons",
    "Seeds": "seeds",
    "Balance scale": "balance_scale",
    "German credit": "german_credit_numeric",
    "Dermatology": "dermatology",
    "Tic-tac-toe": "tic_tac_toe",
}


def _cells(data: str, name: str) -> list[Cell]:
    return [
        Cell(data, method, {}, name, estimator, _PARAMETERS.get(estimator, {}), complete=True, encode=True)
        for method, estimator in _METHODS.items()
    ]


def conclude(outcome: Outcome) -> list[str]:
    """Return the mean accuracies, the average ranks, and what the tests say of them."""
    methods = list(_METHODS)
    whole = [data for data in _DATA if all((data, method) in outcome for method in methods)]
    if len(whole) < 2:
        return []
    figures = np.array([[outcome[data, method]["accuracy"].mean for method in methods] for data in whole])
    ranks = average_ranks(figures, better=1)
    lines = [
        f"{method}: mean accuracy {mean:.2f}%, average rank {rank:.2f} over {len(whole)} data sets."
        for method, mean, rank in zip(methods, figures.mean(axis=0), ranks, strict=True)
    ]
    p = ", ".join(f"{method} {value:.3f}" for method, value in zip(methods[1:], holm(ranks, len(whole)), strict=True))
    return [*lines, f"Friedman's test: p = {friedman(figures):.2g}. Holm's procedure, {methods[0]} against: {p}."]


EXPERIMENT = Experiment(
    name="ensembles",
    title="One tree or many",
    source="no paper's table: our own comparison, with the defaults of all methods",
    measures=(ACCURACY,),
    cells=tuple(cell for data, name in _DATA.items() for cell in _cells(data, name)),
    trials=RepeatedCV(folds=5, repeats=2),
    notes=(
        "All methods have their defaults; forests have 100 trees, boosting 100 stages.",
        "The defaults of the oblique forest (three draws of features at a node, l2 = 1) and of boosting were chosen "
        "with a look at these data sets, by cross-validations of other folds.",
    ),
    quick_data=("Iris", "Wine"),
    conclude=conclude,
)
