"""`askew.shapley` beside the package shap: the same values, and its plots."""

import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeRegressor

import askew
from askew.estimators.cart import CARTRegressor
from askew.model.tree import Tree

mpl.use("agg")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its own parts
    shap = pytest.importorskip("shap")

WINE = load_wine(as_frame=True)
X = WINE.data.iloc[:, :7]


def quietly(call, *arguments, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **more)


def test_oblique_trees_have_the_values_of_its_exact_explainer():
    tree = askew.OC1Classifier(random_state=0, max_leaf_nodes=5, pruning=None).fit(X.to_numpy(), WINE.target)
    rows, background = X.to_numpy()[:150:40], X.to_numpy()[::25]
    theirs = quietly(shap.explainers.Exact(tree.predict_proba, background), rows)
    ours = askew.shapley(tree, rows, background)
    assert ours.values == pytest.approx(theirs.values, abs=1e-9)
    assert ours.to_shap().base_values == pytest.approx(theirs.base_values)


def from_sklearn(tree, X, y):
    """Our estimator with the tree of scikit-learn's, whose children are not side by side."""
    arrays = tree.tree_
    order, number = [0], {0: 0}
    for node in order:
        if arrays.children_left[node] >= 0:
            for child in (arrays.children_left[node], arrays.children_right[node]):
                number[int(child)] = len(order)
                order.append(int(child))
    inner = arrays.children_left[order] >= 0
    starts = np.concatenate(([0], np.cumsum(inner)))
    ours = CARTRegressor().fit(X, y)
    ours.tree_ = Tree(
        kind=inner.astype(np.int8),
        first_child=np.array([number.get(int(c), 0) for c in arrays.children_left[order]]),
        n_children=np.where(inner, 2, 0),
        feature_start=starts,
        weight_start=starts,
        feature=arrays.feature[order][inner].astype(np.int64),
        weight=np.ones(inner.sum()),
        threshold=np.where(inner, arrays.threshold[order], 0.0),
        payload=type(ours.tree_.payload)(arrays.value[order][:, :, 0]),
        n_samples=arrays.n_node_samples[order],
        mass=arrays.weighted_n_node_samples[order],
        impurity=arrays.impurity[order],
        n_features=X.shape[1],
    )
    return ours


def test_axis_parallel_trees_have_the_values_of_its_tree_explainer():
    rows = np.round(X.to_numpy(), 2).astype(np.float32).astype(np.float64)  # as scikit-learn reads them
    theirs = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(rows, WINE.target)
    explainer = quietly(shap.TreeExplainer, theirs, rows[::20], feature_perturbation="interventional")
    found = askew.shapley(from_sklearn(theirs, rows, WINE.target), rows[:20], rows[::20])
    assert found.values == pytest.approx(quietly(explainer.shap_values, rows[:20]), abs=1e-6)


def test_its_plots_draw_our_values():
    tree = askew.CARTLCClassifier(max_leaf_nodes=4).fit(X, WINE.target)
    found = askew.shapley(tree, X[:20], X[::20])
    one = found.of(0).to_shap()
    quietly(shap.plots.waterfall, one[0], show=False)
    quietly(shap.plots.bar, one, show=False)
    quietly(shap.plots.beeswarm, one, show=False)
    assert one.feature_names == list(X.columns)
    assert one.values.shape == (20, 7)
    assert found.to_shap()[..., 1].values.shape == (20, 7)


def test_its_explainer_takes_our_trees_as_functions():
    tree = askew.CARTLCRegressor(max_leaf_nodes=4).fit(X, WINE.target)
    explainer = quietly(shap.Explainer, tree.predict, X[::20])
    theirs = quietly(explainer, X[:2])
    assert theirs.values == pytest.approx(askew.shapley(tree, X[:2], X[::20]).values, abs=1e-6)


def test_categories_reach_the_plots_as_they_are():
    frame = pd.DataFrame({"hue": list("abc") * 20, "size": np.arange(60.0)})
    tree = askew.CARTLCClassifier(max_leaf_nodes=3).fit(frame, (frame["hue"] == "a") | (frame["size"] > 40))
    found = askew.shapley(tree, frame[:5], frame[::10]).of(True).to_shap()
    assert found.data[0].tolist() == ["a", 0.0]
    quietly(shap.plots.waterfall, found[0], show=False)
