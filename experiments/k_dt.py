"""k-DT: the majority vote of k trees of OC1 beside one tree (Heath et al. 1993; OC1-94, section 2)."""

from __future__ import annotations

from askew import KDTClassifier, OC1Classifier
from experiments.experiment import ACCURACY, LEAVES, Cell, Experiment, Outcome
from experiments.protocols import RepeatedCV

_SINGLE, _VOTE = "OC1", "k-DT of OC1"
_K = KDTClassifier.n_estimators

# Heading, name for `load`.
_DATA = {
    "Breast cancer (Wisconsin, diagnostic)": "breast_cancer",
    "Iris": "iris",
    "Wine": "wine",
    "Diabetes": "pima_diabetes",
    "Glass": "glass",
    "Heart": "heart_statlog",
    "Housing": "boston_class",
    "Ionosphere": "ionosphere",
    "Parkinsons": "parkinsons",
    "Seeds": "seeds",
}


def _cells(data: str, name: str) -> list[Cell]:
    vote = {"estimator": OC1Classifier(), "n_estimators": _K}
    return [
        Cell(data, _SINGLE, {}, name, "OC1Classifier", {}, complete=True),
        Cell(data, _VOTE, {}, name, "KDTClassifier", vote, complete=True),
    ]


def conclude(outcome: Outcome) -> list[str]:
    """Return on how many data sets the vote is more accurate than the single tree."""
    both = [data for data in _DATA if all((data, method) in outcome for method in (_SINGLE, _VOTE))]
    gains = [outcome[data, _VOTE]["accuracy"].mean - outcome[data, _SINGLE]["accuracy"].mean for data in both]
    if not gains:
        return []
    better = sum(gain > 0 for gain in gains)
    return [
        f"The vote of {_K} trees is more accurate than one tree on **{better} of {len(both)}** data sets; on average "
        f"by {sum(gains) / len(gains):.1f} points.",
    ]


EXPERIMENT = Experiment(
    name="k-dt",
    title=f"The vote of {_K} trees beside one tree",
    source="Heath, Kasif and Salzberg, k-DT (1993), as Murthy, Kasif and Salzberg, JAIR 2 (1994), section 2, report it",
    measures=(ACCURACY, LEAVES),
    cells=tuple(cell for data, name in _DATA.items() for cell in _cells(data, name)),
    trials=RepeatedCV(folds=5, repeats=3),
    notes=(
        "OC1-94 reports that votes of trees consistently outperform single trees; it prints no figures.",
        "All trees have OC1's defaults: 20 restarts, 5 jumps, cost-complexity pruning on a tenth of the rows, which "
        "each tree draws by itself. The leaves of a vote are the average of its trees'.",
    ),
    quick_data=("Iris", "Wine"),
    conclude=conclude,
)
