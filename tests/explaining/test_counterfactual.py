from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from registry import CLASSIFIERS, REGRESSORS, accepts, quick
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import NotFittedError

import askew
from askew import InvalidParameterError, counterfactual


def two_features(seed=0, rows=200):
    """Two classes, divided by two slanted lines."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2)) * [1.0, 10.0]
    y = np.where((X[:, 0] + 0.1 * X[:, 1] > 0.5) | (X[:, 0] - 0.05 * X[:, 1] < -1.5), "b", "a")
    return X, y


def grid(scale, around, width=4.0, n=401):
    side = np.linspace(-width, width, n)
    u, v = np.meshgrid(side, side)
    steps = np.column_stack([u.ravel(), v.ravel()])
    return steps, around + steps * scale, side[1] - side[0]


@pytest.mark.parametrize("distance", ["l1", "l2"])
@pytest.mark.parametrize("cls", [askew.OC1Classifier, askew.CARTClassifier, askew.LMDTClassifier])
def test_no_point_of_a_fine_grid_that_flips_the_decision_is_nearer(cls, distance):
    X, y = two_features()
    model = quick(cls, random_state=0).fit(X, y)
    for x in X[:5]:
        steps, points, step = grid(model.feature_scale_, x)
        flips = model.predict(points) != model.predict([x])[0]
        size = np.abs(steps).sum(axis=1) if distance == "l1" else np.linalg.norm(steps, axis=1)
        best = counterfactual(model, x, distance=distance)[0]
        nearest = size[flips].min()
        assert best.distance <= nearest + 0.03  # rounded to a fiftieth of the spread, at most
        assert best.distance >= nearest - 2.1 * step


@pytest.mark.parametrize("distance", ["l1", "l2"])
def test_one_way_and_fixed_features_keep_to_it_and_nothing_nearer_does(distance):
    X, y = two_features()
    model = askew.OC1Classifier(random_state=0).fit(X, y)
    for x in X[:5]:
        steps, points, step = grid(model.feature_scale_, x)
        flips = (model.predict(points) != model.predict([x])[0]) & (steps[:, 0] >= 0) & (steps[:, 1] <= 0)
        size = np.abs(steps).sum(axis=1) if distance == "l1" else np.linalg.norm(steps, axis=1)
        one_way = {0: "up", "x1": "down"}
        if flips.any():
            best = counterfactual(model, x, direction=one_way, distance=distance)[0]
            assert best.row[0, 0] >= x[0]
            assert best.row[0, 1] <= x[1]
            assert size[flips].min() - 2.1 * step <= best.distance <= size[flips].min() + 0.03
        else:
            with pytest.raises(ValueError, match=r"no change of the features leads to class .*, given direction"):
                counterfactual(model, x, direction=one_way, distance=distance)
        only = counterfactual(model, x, fixed=[0], distance=distance)
        assert {change.feature for one in only for change in one.changes} == {"x1"}


@pytest.mark.parametrize("distance", ["l1", "l2"])
@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_every_class_is_reached_from_every_row_and_predict_says_so(cls, distance):
    X, y = load_wine(return_X_y=True, as_frame=True)
    y = np.array(["red", "rose", "white"])[y]
    effort = {"max_candidates": 300} if accepts(cls, max_candidates=1) else {}
    model = quick(cls, random_state=0, **effort).fit(X, y)
    for i in range(0, len(X), 90):
        now = model.predict(X.iloc[[i]])[0]
        for wanted in set(model.classes_) - {now}:
            found = counterfactual(model, X.iloc[[i]], wanted, distance=distance)
            assert found
            for one in found:
                assert model.predict(one.row)[0] == one.prediction == wanted
                assert model.apply(one.row)[0] == one.leaf
                assert one.probability == pytest.approx(model.predict_proba(one.row).max(), abs=1e-12)
                names = [change.feature for change in one.changes]
                assert names == [name for name in X if name in names]
                assert one.row.iloc[0].drop(names).equals(X.iloc[i].drop(names))
            assert all(a.distance <= b.distance for a, b in pairwise(found))
            if distance == "l1":
                sets = [{change.feature for change in one.changes} for one in found]
                assert not any(sets[i] <= sets[j] for j in range(len(sets)) for i in range(j))


@pytest.mark.parametrize("cls", REGRESSORS, ids=lambda cls: cls.__name__)
def test_a_number_between_two_ends_is_reached(cls):
    X, y = load_diabetes(return_X_y=True)
    effort = {"max_candidates": 300} if accepts(cls, max_candidates=1) else {}
    model = quick(cls, max_depth=3, random_state=0, **effort).fit(X, y)
    told = model.predict(X)
    low, high = np.quantile(told, [0.4, 0.8])
    rows = np.flatnonzero((told < low) | (told > high))[:3]
    assert rows.size
    for i in rows:
        for distance in ("l1", "l2"):
            for one in counterfactual(model, X[i], (low, high), distance=distance):
                assert low <= model.predict(one.row)[0] <= high
                assert one.prediction == model.predict(one.row)[0]
                assert one.probability is None
                assert ": value " in str(one)


@pytest.mark.parametrize("distance", ["l1", "l2"])
def test_linear_leaves_are_solved_too(distance):
    X, y = load_diabetes(return_X_y=True)
    model = askew.CARTRegressor(leaf_model="linear", max_leaf_nodes=3, pruning=None).fit(X, y)
    for i in (0, 5, 9):
        now = model.predict(X[[i]])[0]
        one = counterfactual(model, X[i], (now + 30, now + 40), distance=distance)[0]
        assert now + 30 <= model.predict(one.row)[0] <= now + 40
        least = model.predict(X[i] + np.linspace(0, 0.999, 50)[:, None] * (one.row - X[i]))
        assert not ((least >= now + 30.5) & (least <= now + 40)).any()  # nothing on the way is enough, but for rounding
    X, y = load_iris(return_X_y=True)
    model = askew.CARTClassifier(leaf_model="linear", max_leaf_nodes=2, pruning=None).fit(X, y)
    for wanted in (0, 1, 2):
        for x in X[y != wanted][::20]:
            for one in counterfactual(model, x, wanted, distance=distance):
                assert model.predict(one.row)[0] == wanted


def people(n=300):
    rng = np.random.default_rng(5)
    age = rng.integers(20, 80, n).astype(float)
    pressure = rng.normal(120, 15, n).round(1)
    smoker = rng.choice(["no", "yes", "former"], n)
    risk = age + 0.5 * pressure + 20 * (smoker == "yes") + 8 * (smoker == "former")
    return pd.DataFrame({"age": age, "pressure": pressure, "smoker": smoker}), np.where(risk > 122, "ill", "healthy")


@pytest.mark.parametrize("distance", ["l1", "l2"])
@pytest.mark.parametrize("cls", [askew.OC1Classifier, askew.CARTClassifier, askew.C45Classifier])
def test_categories_change_to_known_ones_and_whole_numbers_stay_whole(cls, distance):
    X, y = people()
    model = quick(cls, random_state=0).fit(X, y)
    rows = X[model.predict(X) == "ill"].iloc[:5]
    kinds = set()
    for i in range(len(rows)):
        row = rows.iloc[[i]]
        for one in counterfactual(model, row, "healthy", X=X, distance=distance):
            assert model.predict(one.row)[0] == "healthy"
            assert float(one.row["age"].iloc[0]).is_integer()
            assert 20 <= one.row["age"].iloc[0] <= 79
            assert one.row["smoker"].iloc[0] in {"no", "yes", "former"}
            kinds |= {change.feature for change in one.changes}
    assert "smoker" in kinds or cls is not askew.OC1Classifier


@pytest.mark.parametrize("distance", ["l1", "l2"])
def test_categories_and_whole_numbers_are_as_near_as_trying_all_of_them(distance):
    X, y = people()
    model = askew.OC1Classifier(random_state=0).fit(X, y)
    spread = model.feature_scale_
    for i in np.flatnonzero(model.predict(X) == "ill")[:4]:
        row = X.iloc[[i]]
        found = counterfactual(model, row, "healthy", X=X, distance=distance, fixed=["pressure"])
        tried = pd.DataFrame(
            [(a, row["pressure"].iloc[0], s) for a in np.arange(20.0, 80.0) for s in ("no", "yes", "former")],
            columns=list(X),
        )
        moved = np.abs(tried["age"] - row["age"].iloc[0]) / X["age"].std(ddof=0)
        swapped = (tried["smoker"] != row["smoker"].iloc[0]).astype(float)
        size = moved + swapped if distance == "l1" else np.sqrt(moved**2 + swapped)
        assert found[0].distance == pytest.approx(size[model.predict(tried) == "healthy"].min())
    assert spread.size == 5


def test_it_reads_well():
    X, y = people()
    model = askew.OC1Classifier(random_state=0, max_depth=1, pruning=None).fit(X, y)
    ill = X[model.predict(X) == "ill"].iloc[[0]]
    one = counterfactual(model, ill, "healthy", fixed=["age"], X=X)[0]
    feature, before, after = one.changes[0].feature, one.changes[0].before, one.changes[0].after
    assert f"{feature} {str(before).removesuffix('.0')} -> {str(after).removesuffix('.0')}" in str(one)
    assert str(one).endswith(f": class healthy ({one.probability:.2f})")
    assert repr(one) == f"<Counterfactual {one}>"


def test_a_missing_value_counts_as_predict_counts_it_and_that_is_said():
    X, y = two_features()
    model = askew.CARTClassifier(max_depth=1, pruning=None).fit(X, y)
    used = int(model.tree_.test(0)[0][0])
    x = X[0].copy()
    x[used] = np.nan
    one = counterfactual(model, x)[0]
    assert one.changes[0].missing
    assert one.changes[0].before == model.feature_means_[used]
    assert str(one).startswith(f"x{used} missing (counted as ")
    told = askew.CARTClassifier(missing="indicator", pruning=None).fit(
        np.vstack([X, [[np.nan, 1.0]] * 20]), [*y] + ["a"] * 20
    )
    for other in counterfactual(told, [np.nan, X[0, 1]]):
        assert {change.feature for change in other.changes} == {"x1"}  # what the tree knows to be missing stays so
    parts = askew.C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match="x has missing values, which a tree with missing='fractional' does not"):
        counterfactual(parts, x)


def test_a_row_may_come_in_any_form():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = askew.CARTClassifier(max_depth=3).fit(X, y)
    expected = str(counterfactual(model, X.iloc[[70]])[0])
    assert str(counterfactual(model, X.iloc[70])[0]) == expected
    plain = askew.CARTClassifier(max_depth=3).fit(X.to_numpy(), y)
    changes = counterfactual(plain, X.to_numpy()[70])[0].changes
    for form in (X.to_numpy()[70].tolist(), X.to_numpy()[[70]], X.to_numpy(dtype=np.float32)[70]):
        assert [change.feature for change in counterfactual(plain, form)[0].changes] == [c.feature for c in changes]
    polars = pytest.importorskip("polars")
    frame, answer = people()
    model = askew.OC1Classifier(random_state=0).fit(polars.from_pandas(frame), answer)
    ill = int(np.flatnonzero(model.predict(polars.from_pandas(frame)) == "ill")[0])
    for one in counterfactual(model, polars.from_pandas(frame)[ill : ill + 1], "healthy"):
        assert model.predict(one.row)[0] == "healthy"


def test_many_leaves_are_no_trouble():
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    model = askew.CARTClassifier(pruning=None).fit(X, rng.integers(0, 2, len(y)))
    assert model.get_n_leaves() > 80
    one = counterfactual(model, X[0], n=1)[0]
    assert model.predict(one.row) != model.predict(X[[0]])
    assert len(one.changes) <= 3


def test_bad_requests_are_refused_before_any_work():
    X, y = load_iris(return_X_y=True)
    model = askew.CARTClassifier(max_depth=2).fit(X, y)
    with pytest.raises(TypeError, match=r"counterfactual takes a fitted tree estimator of askew\. Got 'tree' instead"):
        counterfactual("tree", X[0])
    with pytest.raises(TypeError, match=r"of an ensemble, each of estimators_ is one"):
        counterfactual(askew.ObliqueForestClassifier(n_estimators=2).fit(X, y), X[0])
    with pytest.raises(NotFittedError):
        counterfactual(askew.CARTClassifier(), X[0])
    each = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="counterfactual takes a single tree: this APDTClassifier has none"):
        counterfactual(each, X[0])
    for wrong in ({"distance": "l3"}, {"n": 0}, {"n": 1.5}, {"fixed": "x1"}, {"direction": ["x1"]}, {"target": "rose"}):
        with pytest.raises(InvalidParameterError, match=f"The '{next(iter(wrong))}' parameter must be"):
            counterfactual(model, X[0], **wrong)
    with pytest.raises(InvalidParameterError, match=r"'up' or 'down' for feature 'x1'\. Got 1 instead"):
        counterfactual(model, X[0], direction={"x1": 1})
    for name in ("width", 4, -1, True, None):
        with pytest.raises(ValueError, match=r"fixed: .* is not a feature of the model: "):
            counterfactual(model, X[0], fixed=[name])
    with pytest.raises(ValueError, match=r"x must be one row, got 2"):
        counterfactual(model, X[:2])
    with pytest.raises(ValueError, match="x has 3 values, but CARTClassifier is expecting 4"):
        counterfactual(model, X[0, :3])
    with pytest.raises(ValueError, match="infinity or a value too large"):
        counterfactual(model, [np.inf, 1, 1, 1])
    with pytest.raises(ValueError, match=r"x already has the target prediction \(class 0\)"):
        counterfactual(model, X[0], 0)
    number = askew.CARTRegressor(max_depth=2).fit(X, X[:, 0])
    for wanted in (None, 5, (6, 5), (1, 2, 3), ("a", "b"), (np.nan, 5)):
        with pytest.raises(InvalidParameterError, match="The 'target' parameter must be a pair"):
            counterfactual(number, X[0], wanted)
    frame, answer = people()
    with pytest.raises(ValueError, match="direction: feature 'smoker' holds categories, which have no order"):
        counterfactual(askew.CARTClassifier().fit(frame, answer), frame.iloc[[0]], direction={"smoker": "up"})


def test_what_cannot_be_is_said():
    X, y = load_iris(return_X_y=True)
    model = askew.CARTClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="no change of the features leads to class 2, given fixed"):
        counterfactual(model, X[0], 2, fixed=["x2", "x3"])
    with pytest.raises(ValueError, match="no change of the features leads to class 2, given direction"):
        counterfactual(model, X[0], 2, direction={"x2": "down"})
    with pytest.raises(ValueError, match="no leaf of the tree predicts class 2"):
        counterfactual(askew.CARTClassifier(max_depth=1).fit(X, y), X[0], 2)
    with pytest.raises(ValueError, match="the tree knows one class only"):
        counterfactual(askew.CARTClassifier().fit(X, np.zeros(150)), X[0])
    with pytest.raises(ValueError, match="no leaf of the tree predicts a number from 100 to inf"):
        counterfactual(askew.CARTRegressor(max_depth=2).fit(X, X[:, 0]), X[0], (100, None))
