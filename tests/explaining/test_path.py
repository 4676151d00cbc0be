"""`askew.explain`: the path of one row, in the data's terms."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from handmade import chain_tree, mixed_tree, tree_of, with_tree
from registry import CLASSIFIERS, REGRESSORS, quick
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import askew
from askew.explaining.explanation import Explanation
from askew.explaining.path import Reference
from askew.model.split import Hyperplane

IRIS = load_iris(as_frame=True)
SPECIES = IRIS.target_names[IRIS.target]


def mixed_frame(n=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"size": rng.normal(size=n), "age": rng.integers(20, 60, n), "colour": "red"})
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame.loc[::7, "size"] = np.nan
    y = np.where((frame["colour"] == "red") ^ (frame["size"] + frame["age"] / 40 > 1), "yes", "no")
    return frame, y


def check(tree, row, found):
    """What holds for every explanation of a single path."""
    (path,) = found.paths
    assert path.leaf == tree.apply(row)[0]
    assert [step.node for step in path.steps] == tree.decision_path(row).indices[:-1].tolist()
    for step in path.steps:
        assert step.side == (step.margin > 0)
        total = step.base + sum(one.amount for one in step.contributions)
        assert total == pytest.approx(step.margin, abs=1e-9 * (1 + abs(step.value) + abs(step.threshold)))


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS], ids=lambda cls: cls.__name__)
def test_every_method_is_explained(cls):
    tree = quick(cls, random_state=0, max_depth=2) if cls.__name__[:4] != "Auto" else None
    if tree is None:
        pytest.skip("AutoTree chooses one of the others")
    y = SPECIES if is_classifier(tree) else IRIS.data.iloc[:, 0] ** 2 + IRIS.target
    tree.fit(IRIS.data, y)
    row = IRIS.data.iloc[[83]]
    found = askew.explain(tree, row, background=IRIS.data)
    assert found.prediction == tree.predict(row)[0]
    if is_classifier(tree):
        assert list(found.probability.values()) == tree.predict_proba(row)[0].tolist()
    if cls.__name__ == "LMDTClassifier":
        assert all(step.value >= 0 for step in found.steps if step.threshold == 0)
    else:
        check(tree, row, found)
    assert "node 0" in str(found)
    assert "contributions" in found._repr_html_()


def test_the_amount_of_a_feature_is_its_weight_times_the_difference_from_the_mean_at_the_node():
    tree = askew.CARTLCClassifier(max_depth=2).fit(IRIS.data, SPECIES)
    x = IRIS.data.iloc[100]
    step = askew.explain(tree, x, background=IRIS.data).steps[-1]
    here = IRIS.data[tree.decision_path(IRIS.data).toarray()[:, step.node] == 1]
    inner = np.flatnonzero(~tree.tree_.is_leaf).tolist().index(step.node)
    amounts = {one.feature: one.amount for one in step.contributions}
    expected = pd.Series(tree.tree_.coef[inner], IRIS.data.columns) * (x - here.mean())
    ratio = [amounts[name] / expected[name] for name in amounts]  # tests are printed with a common factor
    assert np.ptp(ratio) < 1e-9 * abs(ratio[0])
    assert [abs(a) for a in amounts.values()] == sorted(map(abs, amounts.values()), reverse=True)


def test_without_background_the_reference_is_the_mean_of_the_training_rows_or_0():
    x = IRIS.data.iloc[0]
    known = askew.explain(askew.CARTClassifier(max_depth=1, missing="mean").fit(IRIS.data, SPECIES), x)
    (one,) = known.steps[0].contributions
    assert one.amount == pytest.approx(x[one.feature] - IRIS.data[one.feature].mean())
    unknown = askew.explain(askew.CARTClassifier(max_depth=1, missing="error").fit(IRIS.data, SPECIES), x)
    (one,) = unknown.steps[0].contributions
    assert (unknown.reference, one.amount) == ("0", x[one.feature])


def test_background_rows_with_gaps_take_the_way_that_predict_sends_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0) & (X[:, 1] > 0)
    X[rng.random(X.shape) < 0.2] = np.nan
    tree = askew.CARTELCClassifier(missing="below", max_depth=2).fit(X, y)
    passed, means = tree.decision_path(X).toarray(), Reference.of(tree.fitted_model(), X).of_part(tree.tree_)
    for node in range(tree.tree_.node_count):
        here = X[passed[:, node] > 0]
        np.testing.assert_allclose(means(node), np.nanmean(here, axis=0))


@pytest.mark.parametrize("form", ["series", "dict", "frame", "list", "array", "polars"])
def test_a_row_may_have_any_form(form):
    frame, y = mixed_frame()
    tree = askew.CARTLCClassifier(max_depth=3).fit(frame, y)
    row = frame.iloc[3]
    forms = {
        "series": row,
        "dict": dict(reversed(row.to_dict().items())),  # in any order
        "frame": frame.iloc[[3]],
        "list": row.tolist(),
        "array": row.to_numpy(),
        "polars": pl.from_pandas(frame.iloc[[3]]),
    }
    found = askew.explain(tree, forms[form])
    check(tree, frame.iloc[[3]], found)
    assert {one.feature for step in found.steps for one in step.contributions} <= set(frame.columns)
    shown = {one.feature: one.value for step in found.steps for one in step.contributions}
    assert all(value == row[name] for name, value in shown.items())


def test_a_row_without_names_is_an_array():
    tree = askew.CARTClassifier().fit(IRIS.data.to_numpy(), SPECIES)
    assert askew.explain(tree, IRIS.data.iloc[60]).prediction == "versicolor"
    with pytest.raises(ValueError, match="without names"):
        askew.explain(tree, {"petal": 1.0})


def test_categories_and_missing_values_are_those_of_the_data():
    frame, y = mixed_frame()
    tree = askew.CARTLCClassifier(max_depth=3, missing="indicator").fit(frame, y)
    found = askew.explain(tree, frame.iloc[0])
    values = {one.feature: one.value for step in found.steps for one in step.contributions}
    assert values["size"] is None
    assert values.get("colour", frame["colour"][0]) == frame["colour"][0]
    assert "missing" in str(found)


def test_a_row_that_goes_down_in_parts_has_a_path_for_each_of_its_leaves():
    frame, y = mixed_frame()
    tree = askew.C45Classifier(missing="fractional").fit(frame, y)
    found = askew.explain(tree, frame.iloc[0])
    parts = [path.part for path in found.paths]
    assert len(parts) > 1
    assert sum(parts) == pytest.approx(1)
    assert parts == sorted(parts, reverse=True)
    mixed = sum(path.part * path.prediction["yes"] for path in found.paths)
    assert mixed == pytest.approx(found.probability["yes"])
    assert found.paths[0].leaf == tree.apply(frame.iloc[[0]])[0]
    assert any(step.missing for step in found.steps)


def test_all_kinds_of_split_are_told_in_words():
    tree = with_tree(mixed_tree())
    machine = askew.explain(tree, [0.0, 0.0, 5.0])
    assert [step.test for step in machine.steps] == [
        "x0 - 2 x1 <= 0.5",
        "-x0 + 0.5 x2 + 0.25 is largest",
        "x2 > 1",
    ]
    assert machine.steps[1].value == 2.75  # the lead over the next sum, 0
    table = askew.explain(tree, [5.0, 0.0, 1.0])
    assert table.steps[1].test == "x2 is 1"
    assert np.isnan(table.steps[1].value)


def test_a_rule_network_is_explained_by_the_conditions_of_the_region():
    tree = askew.CARTClassifier(max_depth=3).fit(IRIS.data, SPECIES)
    network = tree.pruned(askew.prune.GeneticAlgorithm(n_units=2), IRIS.data, SPECIES)
    found = askew.explain(network, IRIS.data.iloc[120])
    (path,) = found.paths
    assert found.prediction == network.predict(IRIS.data.iloc[[120]])[0]
    assert [(step.node, step.side) for step in path.steps] == network.tree_.conditions(path.leaf)


def test_a_tree_for_each_class_is_explained_tree_by_tree():
    model = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=2, random_state=0).fit(IRIS.data, SPECIES)
    found = askew.explain(model, IRIS.data.iloc[0])
    assert [path.title for path in found.paths] == [f"{name} against the rest" for name in model.classes_]


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_model_of_a_leaf_adds_up(n_classes):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    if n_classes:
        labels = pd.qcut(y, n_classes, labels=False).to_numpy()
        tree = askew.CARTClassifier(max_leaf_nodes=2, leaf_model="linear").fit(X, labels)
    else:
        tree = askew.CARTRegressor(max_leaf_nodes=2, leaf_model="linear").fit(X, y)
    found = askew.explain(tree, X.iloc[5], background=X)
    model = found.paths[0].model
    assert model.base + sum(one.amount for one in model.contributions) == pytest.approx(model.total)
    if n_classes == 0:
        assert model.total == pytest.approx(found.prediction)
    else:
        high, low = sorted(found.probability.values())[::-1][:2]
        assert abs(model.total) == pytest.approx(np.log(high / low))
    assert model.of in str(found)


def test_a_prediction_that_is_limited_says_so():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    tree = askew.CARTRegressor(max_leaf_nodes=2, leaf_model="linear").fit(X, y)
    found = askew.explain(tree, X.iloc[5] + 100)
    assert found.paths[0].model.clipped == found.prediction
    assert "limited to" in str(found)


def test_a_pipeline_is_explained_by_its_last_step():
    pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier(max_depth=2)).fit(IRIS.data, SPECIES)
    found = askew.explain(pipeline, IRIS.data.iloc[0])
    assert found.prediction == "setosa"
    assert found.steps[0].contributions[0].feature in IRIS.data.columns


def test_what_cannot_be_explained_is_refused():
    X, y = IRIS.data, SPECIES
    with pytest.raises(NotFittedError):
        askew.explain(askew.CARTClassifier(), X.iloc[0])
    with pytest.raises(TypeError, match=r"estimators_, or use askew\.shapley"):
        askew.explain(askew.ObliqueForestClassifier(n_estimators=2).fit(X, y), X.iloc[0])
    tree = askew.CARTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="one row, got 2"):
        askew.explain(tree, X.iloc[:2])
    with pytest.raises(ValueError, match="missing: petal width"):
        askew.explain(tree, X.iloc[0].drop("petal width (cm)"))
    with pytest.raises(ValueError, match="unknown: weight"):
        askew.explain(tree, {**X.iloc[0], "weight": 3.0})
    with pytest.raises(ValueError, match="expecting 4"):
        askew.explain(tree, [1.0, 2.0])


def test_a_chain_is_explained_without_recursion():
    found = askew.explain(with_tree(chain_tree(3000)), [2999.5])
    assert len(found.steps) == 3000


def test_the_package_is_the_function():
    import askew.explaining.simplify

    tree = askew.CARTClassifier().fit(IRIS.data, SPECIES)
    assert isinstance(askew.explain(tree, IRIS.data.iloc[0]), Explanation)


def test_long_names_and_many_features_are_shortened():
    rng = np.random.default_rng(0)
    names = [f"a very long name of a measurement, the one with the number {j}" for j in range(30)]
    X = pd.DataFrame(rng.normal(size=(80, 30)), columns=names)
    plane = tree_of([Hyperplane.dense(np.arange(1.0, 31), 0.0), None, None], [1, 0, 0], [[1, 1], [1, 0], [0, 1]], 30)
    tree = with_tree(plane, X, [0, 1] * 40)
    lines = str(askew.explain(tree, X.iloc[0])).splitlines()
    assert any("others" in line for line in lines)
    assert max(len(line) for line in lines[2:-2]) < 80
