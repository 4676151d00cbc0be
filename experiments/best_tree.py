"""Which tree? Every method of the library, AutoTree and rivals on all data sets at hand, the choice always nested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from askew.estimators.registry import METHODS
from experiments.best_tree_aims import AUTO, TARGETS
from experiments.best_tree_page import page
from experiments.experiment import Cell, Experiment, Measure, Trials
from experiments.field import UNIT
from experiments.held_out import Folds, Split

# Heading | name for `load` | rows | columns, text one-hot encoded. From small to large, the order of work.
_CLASSES = """
Iris | iris | 150 | 4
Wine | wine | 178 | 13
Seeds | seeds | 210 | 7
Glass | glass | 214 | 9
Balance scale | balance_scale | 625 | 4
Heart | heart_statlog | 270 | 13
POL | pol | 2000 | 2
RCB | rcb | 2000 | 2
Parkinsons | parkinsons | 195 | 22
Pima | pima_diabetes | 768 | 8
Cancer | breast_cancer_wisconsin | 699 | 9
Housing | boston_class | 506 | 13
Voting | congressional_voting | 435 | 16
Ionosphere | ionosphere | 351 | 34
Dermatology | dermatology | 366 | 34
Sonar | sonar | 208 | 60
Vehicle | vehicle | 846 | 18
WDBC | breast_cancer | 569 | 30
LS10 | ls10 | 2000 | 10
German credit | german_credit_numeric | 1000 | 24
Tic-tac-toe | tic_tac_toe | 958 | 27
Segment | segment | 2310 | 19
Chess | chess_krvskp | 3196 | 38
Higgs | higgs_sample_7500 | 7500 | 28
Spambase | spambase | 4601 | 57
Semeion | semeion | 1593 | 256
Skin | skin_segmentation | 245057 | 3
Electricity | electricity | 45312 | 6
Shuttle | shuttle | 58000 | 9
Magic | magic_gamma | 19020 | 10
Letter | letter | 20000 | 16
Covertype | covertype_20k | 20000 | 54
Adult | adult | 48842 | 104
"""
# Heading | training rows | official test rows | how many | columns.
_OFFICIAL = """
Monks-1 | monks1_train | monks1_test | 124 | 6
Pendigits | pendigits_train | pendigits_test | 7494 | 16
Landsat | landsat_train | landsat_test | 4435 | 36
Optdigits | optdigits_train | optdigits_test | 3823 | 64
"""
_NUMBERS = """
Auto MPG | auto_mpg | 398 | 7
Diabetes | diabetes | 442 | 10
Energy (heating) | energy_heating | 768 | 8
Energy (cooling) | energy_cooling | 768 | 8
Housing (value) | boston_medv | 506 | 13
Airfoil | airfoil | 1503 | 5
Concrete | concrete | 1030 | 8
Wine quality (red) | wine_quality_red | 1599 | 11
Abalone | abalone | 4177 | 10
Wine quality (white) | wine_quality_white | 4898 | 11
California | california_housing | 20640 | 8
Protein | protein_casp | 45730 | 9
Diamonds | diamonds | 53940 | 26
"""
# With classes, three repetitions up to this number of values (rows x columns), else one; above this number of rows, one
# split.
_SMALL, _FOLDED = 50_000, 8_000
_TRAIN, _TEST = 10_000, 20_000
_TRAINING_ROWS = {"Letter": 10_500}  # as the trees in the literature

#: The methods by their names in `METHODS`, as the tables call them; those not named here are called by that name.
_HEADINGS = {
    "auto": AUTO,
    "cart": "CART",
    "c45": "C4.5",
    "id3": "ID3",
    "oc1": "OC1",
    "cart_lc": "CART-LC",
    "cart_elc": "CART-ELC",
    "hhcart": "HHCART",
    "sadt": "SADT",
    "lmdt": "LMDT",
    "ce_dt": "CE-DT",
    "apdt": "APDT",
    "k_dt": "k-DT",
}
_ANY = "tree"  # takes any search: no method of its own
_PRUNED = {"pruning": "cost_complexity"}
# Methods that do not prune by default, pruned as OC1 does: heading, name in `METHODS`, parameters.
_VARIANTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("CART, pruned", "cart", _PRUNED),
    ("CE-DT, pruned", "ce_dt", _PRUNED),
    ("linear, pruned", "linear", _PRUNED),
)
# Heading, baseline of classes, baseline of numbers, parameters.
_RIVALS: tuple[tuple[str, str | None, str | None, dict[str, Any]], ...] = (
    ("scikit-learn tree", "tree", "tree, numbers", {}),
    ("scikit-learn tree, tuned", "tuned tree", "tuned tree, numbers", {}),
    ("STree", "STree", None, {}),
    ("obliquetree", "obliquetree", "obliquetree, numbers", {}),
    ("logistic regression", "logistic", None, {}),
    ("ridge regression", None, "ridge", {}),
    ("gradient boosting", "HGB", "HGB, numbers", {}),
    ("gradient boosting, penalised", "HGB", "HGB, numbers", {"l2_regularization": 1.0}),
    ("LightGBM", "LightGBM", "LightGBM, numbers", {}),
    ("CatBoost", "CatBoost", "CatBoost, numbers", {}),
    ("random forest", "RF", "RF, numbers", {}),
)
#: The most values (training rows x columns) that a slow method is run on: declared before any result was seen, but
#: CatBoost's, which was set by its time.
LIMITS = {
    "CART-ELC": 10_000,
    "HHCART": 100_000,
    "SADT": 400_000,
    "LMDT": 400_000,
    "APDT": 400_000,
    "k-DT": 200_000,
    "obliquetree": 100_000,
    "CatBoost": 10_000,
}


@dataclass(frozen=True)
class _Data:
    """A data set: its heading, what is loaded, its protocol, whether it has classes, its training rows x columns."""

    heading: str
    load: str
    more: str | None
    trials: Trials
    classification: bool
    values: int


def _rows(text: str) -> Iterator[list[str]]:
    return ([part.strip() for part in line.split("|")] for line in text.strip().splitlines())


def _data() -> list[_Data]:
    """Return the data sets, the small ones first: a run that is stopped early has all methods on these."""
    found = [*_cut(_CLASSES, classification=True), *_cut(_NUMBERS, classification=False)]
    for heading, name, more, rows, columns in _rows(_OFFICIAL):
        values = int(rows) * int(columns)
        official = Split(int(rows), _TEST, drawn=False, repeats=3 if values <= _SMALL else 1)
        found.append(_Data(heading, name, more, official, True, values))
    return sorted(found, key=lambda data: data.values)


def _cut(text: str, classification: bool) -> Iterator[_Data]:
    """Yield data sets that have no official test rows."""
    for heading, name, rows, columns in _rows(text):
        n, d = int(rows), int(columns)
        trials: Trials
        if n > _FOLDED:
            train = _TRAINING_ROWS.get(heading, _TRAIN)
            trials = Split(train, _TEST, classification=classification)
        else:
            train = n * 4 // 5
            repeats = 3 if classification and n * d <= _SMALL else 1
            trials = Folds(repeats=repeats, classification=classification)
        yield _Data(heading, name, None, trials, classification, train * d)


def _methods(classification: bool) -> list[tuple[str, str, dict[str, Any]]]:
    """Return heading, estimator and parameters of every method; AutoTree first, if this version has it."""
    column = 0 if classification else 1
    kinds = {name: kind.__name__ for name, method in METHODS.items() if (kind := method.classes[column]) is not None}
    found: list[tuple[str, str, dict[str, Any]]] = [
        (_HEADINGS.get(name, name), kind, dict(METHODS[name].parameters))
        for name, kind in kinds.items()
        if name != _ANY
    ]
    variants = [
        (heading, name, {**METHODS[name].parameters, **more}) for heading, name, more in _VARIANTS if name in kinds
    ]
    found += [(heading, kinds[name], parameters) for heading, name, parameters in variants]
    found += [(heading, name, more) for heading, *both, more in _RIVALS if (name := both[column]) is not None]
    return sorted(found, key=lambda method: method[0] != AUTO)


def _cells() -> Iterator[Cell]:
    for data in _data():
        for method, estimator, parameters in _methods(data.classification):
            limit = LIMITS.get(method)
            target = TARGETS.get(data.heading, {}) if method == AUTO else {}
            if limit is not None and data.values > limit:
                reason = f"over its limit of {limit:,} values"
                yield Cell(data.heading, method, {}, None, estimator, parameters, reason=reason)
            else:
                yield Cell(data.heading, method, target, data.load, estimator, parameters, encode=True, more=data.more)


EXPERIMENT = Experiment(
    name="best-tree",
    title="Which tree?",
    source="Every method of askew beside the trees of other packages and methods that are no trees",
    measures=(
        *(Measure("accuracy", 1), Measure("R2", 1, decimals=3), Measure("leaves", -1)),
        *(Measure("AUC", 0), Measure("log loss", 0, decimals=3), Measure("terms", 0)),
        Measure("milliseconds", 0, timed=True),
    ),
    cells=tuple(_cells()),
    trials=Folds(),
    other_trials={data.heading: data.trials for data in _data()},
    notes=(),
    quick_data=("Iris", "Wine", "Heart", "Pima", "Diabetes", "Auto MPG"),
    page=page,
    unit=UNIT,
)
