"""`C45Classifier` and `ID3Classifier` beside scikit-learn's tree: the time to fit, pruning included."""

from __future__ import annotations

from time import process_time
from typing import Any

from sklearn.tree import DecisionTreeClassifier

from askew import C45Classifier, ID3Classifier
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import best_of

MODELS: dict[str, Any] = {
    "C4.5": C45Classifier(),
    "C4.5, not pruned": C45Classifier(pruning=None),
    "ID3": ID3Classifier(),
}


def run(options: Options) -> list[Section]:
    n = 10_000 if options.quick else 100_000
    data = [(f"{n:,} x 20", *sets.classes(n)), *sets.from_folder(options.data, sets.CLASSIFICATION_FILES)]
    rows, ratios = [], {}
    for name, X, y in data:
        theirs = DecisionTreeClassifier(random_state=0)
        models = {**MODELS, "scikit-learn": theirs}
        calls = {label: lambda model=model, X=X, y=y: model.fit(X, y) for label, model in models.items()}
        seconds = best_of(calls, 2 if options.quick else 3, process_time)
        for label in MODELS:
            ratio = seconds[label] / seconds["scikit-learn"]
            rows.append(
                [
                    name,
                    label,
                    times(ratio),
                    f"{seconds[label]:.3g} s",
                    f"{MODELS[label].get_n_leaves():,}",
                    f"{theirs.get_n_leaves():,}",
                ]
            )
            ratios[name, label] = ratio
    return [
        Section(
            "C4.5 and ID3",
            "Fit, beside scikit-learn's DecisionTreeClassifier with its defaults (gini, not pruned). C4.5 prunes.",
            ("data", "method", "fit", "ours: fit", "leaves", "scikit-learn's"),
            rows,
            [Goal(f"C4.5 no slower than 2x scikit-learn on {n:,} rows", ratios[data[0][0], "C4.5"] <= 2)],
        )
    ]
