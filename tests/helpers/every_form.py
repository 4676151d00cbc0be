"""Every form that a fitted model can have: each estimator with each `missing`, and rows of all kinds to predict."""

from functools import cache

import numpy as np
import pandas as pd
from registry import CLASSIFIERS, ENSEMBLES_OF_CLASSES, EVERY, plain
from sklearn.base import clone

import askew
from askew.parameters import check_parameters
from askew.prune import GeneticAlgorithm, LearningAutomata

N = 120
WAYS = ("mean", "indicator", "error", "auto", "below", "fractional")
GAPS = ("gaps", "no gaps")  # whether training lacks values


@cache
def training():
    """Return rows without gaps, the same with gaps, classes, and numbers; one column lacks values in no row."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 3)).round(3), columns=["a", "b", "full"])
    frame["colour"] = rng.choice(["red", "green", "blue"], N)
    score = frame["a"] - 2 * frame["b"] + frame["full"] + 2.0 * (frame["colour"] == "red")
    holes = rng.random(frame.shape) < 0.15
    holes[:, 2] = False
    frame[["a", "b"]] /= 100  # so that weights are large, and sums overflow where values are
    gaps = frame.mask(holes).mask(pd.DataFrame({"a": score > 2.0}).reindex(columns=frame.columns, fill_value=False))
    return frame, gaps, np.digitize(score, [-1.0, 1.0]), score.round(3).to_numpy()


@cache
def asked():
    """Return rows to predict: known ones, with gaps of all kinds, with a strange category, and very large ones."""
    frame, gaps, *_ = training()
    strange = gaps.iloc[:6].assign(colour="pink")
    alone = [frame.iloc[[i]].assign(**{name: None}) for i, name in enumerate(frame)]
    empty = frame.iloc[:1].assign(**dict.fromkeys(frame, None))
    large = [frame.iloc[[i]].assign(**{name: size}) for i, name in enumerate("ab") for size in (1e300, -1e300)]
    large += [frame.iloc[:1].assign(a=1e308, b=b, full=full) for b in (1e308, -1e308) for full in (1e308, -1e308)]
    found = pd.concat([gaps.iloc[:16].astype(object), strange, *alone, empty, *large], ignore_index=True)
    return found.astype({"a": float, "b": float, "full": float})


def takes(estimator):
    """Whether all parameters are allowed."""
    try:
        check_parameters(estimator)
    except ValueError:
        return False
    return True


def forms():
    """Return estimators by name: every class with every `missing` that it takes, and every other form of a model."""
    found = {}
    for cls in EVERY:
        tree = askew.OC1Classifier if cls is askew.KDTClassifier else cls
        ways = [way for way in WAYS if takes(tree(missing=way))]
        assert ways
        found |= {f"{cls.__name__}, {way}": plain(cls, missing=way, max_depth=3) for way in ways}
    cart, oc1, apdt, c45 = askew.CARTClassifier, askew.OC1Classifier, askew.APDTClassifier, askew.C45Classifier
    learnt = {"LA": LearningAutomata(n_starts=2, max_passes=5), "GA": GeneticAlgorithm(max_generations=5)}
    for way in ("mean", "indicator"):
        given = {"missing": way, "random_state": 0}
        found |= {f"{name}, {way}": cart(pruning=pruner, **given) for name, pruner in learnt.items()}
        found |= {
            f"one-vs-rest, {way}": apdt(multiclass="one_vs_rest", max_depth=3, **given),
            f"one-vs-rest, GA, {way}": apdt(multiclass="one_vs_rest", max_depth=3, pruning=learnt["GA"], **given),
            f"linear leaves, {way}": cart(leaf_model="linear", max_leaf_nodes=3, **given),
            f"linear numbers, {way}": askew.CARTRegressor(leaf_model="linear", max_leaf_nodes=3, **given),
            f"laplace, {way}": oc1(smoothing="laplace", max_depth=3, pruning=None, **given),
            f"m-estimate, {way}": oc1(smoothing="m_estimate", max_depth=3, pruning=None, **given),
            f"crimcoord, {way}": oc1(categorical_encoding="crimcoord", max_depth=3, pruning=None, **given),
            f"vote of codes, {way}": askew.KDTClassifier(estimator=c45(missing=way), n_estimators=2, random_state=0),
        }
    weighted = {"class_weight": {0: 1.0, 1: 3.5, 2: 0.4}}
    small = {"max_depth": 3, "random_state": 0, **weighted}
    found |= {
        "weighted tree": oc1(smoothing="laplace", pruning=None, **small),
        "weighted rules": cart(pruning=learnt["LA"], **small),
        "weighted one-vs-rest": apdt(multiclass="one_vs_rest", **small),
        "weighted linear leaves": cart(leaf_model="linear", max_leaf_nodes=3, **weighted),
        "weighted parts": c45(**weighted),
        "weighted forest": askew.ObliqueForestClassifier(n_estimators=3, **small),
        "weighted boosting": askew.ObliqueBoostingClassifier(max_iter=2, **small),
        "weighted vote": askew.KDTClassifier(estimator=oc1(**small), n_estimators=3, random_state=0),
    }
    auto = {"effort": "low", "random_state": 0}
    found |= {
        "parts, laplace": c45(smoothing="laplace"),
        "linear leaves, below": askew.CARTELCClassifier(missing="below", leaf_model="linear", max_leaf_nodes=3),
        "vote of parts": askew.KDTClassifier(estimator=c45(), n_estimators=2, random_state=0),
        "vote of choices": askew.KDTClassifier(estimator=askew.AutoTreeClassifier(**auto), n_estimators=2),
        "one term": askew.AutoTreeClassifier(max_terms=1, **auto),
        "poisson": askew.ObliqueBoostingRegressor(loss="poisson", max_iter=3, max_depth=2, random_state=0),
    }
    return found


FORMS = forms()
CASES = [(name, gaps) for name in FORMS for gaps in GAPS if not (gaps == "gaps" and name.endswith("error"))]


@cache
def fitted(name, gaps):
    frame, holed, classes, numbers = training()
    estimator = clone(FORMS[name])
    is_class = type(estimator) in (*CLASSIFIERS, *ENSEMBLES_OF_CLASSES)
    y = classes if is_class else np.exp(numbers) if name == "poisson" else numbers
    return estimator.fit(holed if gaps == "gaps" else frame, y)
