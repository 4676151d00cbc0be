from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree
from printed_reader import Reader, joined
from registry import CLASSIFIERS, REGRESSORS, accepts, quick
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

import askew
from askew import InvalidParameterError, export_text, simplify
from askew.data.read import Schema, read_training
from askew.explaining.simplify.rounding import Unchanged, Whole
from askew.explaining.simplify.search import FOLDS, Simplifier, simplest_within
from askew.explaining.simplify.shorten import upright
from askew.grow.criterion import as_criterion
from askew.model.digits.rounding import significant
from askew.model.split import HYPERPLANE


def effort(cls, **parameters):
    if accepts(cls, max_candidates=1):
        parameters["max_candidates"] = 300
    return quick(cls, max_depth=3, random_state=0, **parameters)


def leaves(model, X):
    """The leaves of the printed tree, as a reader finds them."""
    return Reader({f"x{j}": column for j, column in enumerate(X.T)}).leaves(export_text(model))


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS], ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("digits", [1, 2])
def test_what_is_printed_is_what_predicts(cls, digits):
    X, y = load_diabetes(return_X_y=True) if cls in REGRESSORS else load_iris(return_X_y=True)
    model = effort(cls).fit(X, y)
    before = model.tree_
    short = simplify(model, X, y, digits=digits)
    assert model.tree_ is before
    tree = short.tree_
    planes = np.repeat(tree.kind == HYPERPLANE, np.diff(tree.weight_start))
    assert all(significant(weight, digits) == weight for weight in tree.weight[planes].tolist())
    shown = leaves(short, X)
    assert len(np.unique(np.column_stack([shown, short.apply(X)]), axis=0)) == len(np.unique(shown))
    other = np.random.default_rng(0).normal(X.mean(axis=0), X.std(axis=0), (500, X.shape[1]))
    pairs = np.unique(np.column_stack([leaves(short, other), short.apply(other)]), axis=0)
    assert len(np.unique(pairs[:, 0])) == len(pairs)  # on rows that it has never seen, too
    assert short.tree_.n_samples[0] == len(y)


def test_it_says_what_it_cost():
    X, y = load_breast_cancer(return_X_y=True)
    model = askew.OC1Classifier(random_state=0).fit(X, y)
    short = simplify(model, X, y, digits=1)
    cost = short.simplification_
    assert cost.score_before == pytest.approx(model.score(X, y))
    assert cost.score_after == pytest.approx(short.score(X, y))
    assert (cost.terms_before, cost.terms_after) == (model.n_terms_, short.n_terms_)
    assert (cost.leaves_before, cost.leaves_after) == (model.get_n_leaves(), short.get_n_leaves())
    assert 0 <= cost.rows_moved < 0.05
    assert cost.held_out_loss is None
    assert str(cost).startswith("1 significant digit: ")
    regression = simplify(askew.CARTRegressor(max_depth=3).fit(X, X[:, 0]), X, X[:, 0])
    assert regression.simplification_.score_after == pytest.approx(regression.score(X, X[:, 0]))


def test_terms_that_no_row_needs_are_dropped_and_no_row_moves():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    X = X[np.abs(X[:, 0] - X[:, 1]) > 0.2]
    y = (X[:, 0] > X[:, 1]).astype(int)
    model = askew.ObliqueTreeClassifier(search="linear", max_depth=1, pruning=None).fit(X, y)
    assert model.n_terms_ == 4
    short = simplify(model, X, y, digits=3)
    assert short.tree_.test(0)[0].tolist() == [0, 1]
    assert short.simplification_.rows_moved == 0
    assert short.score(X, y) == model.score(X, y) == 1


def test_a_scoring_sheet_is_as_good_on_rows_that_nobody_has_seen():
    X, y = load_breast_cancer(return_X_y=True)
    seen, unseen, known, asked = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    model = askew.ObliqueTreeClassifier(search="linear", refinement="soft", random_state=0).fit(seen, known)
    short = simplify(model, seen, known, max_loss=0.005)
    cost = short.simplification_
    assert cost.held_out_loss <= 0.005
    assert 0 < cost.held_out_error < 0.03
    assert model.n_terms_ >= 30
    assert short.n_terms_ <= 8
    assert (short.tree_.weight == np.rint(short.tree_.weight)).all()
    assert np.abs(short.tree_.weight).max() <= 1000
    assert short.score(unseen, asked) >= model.score(unseen, asked) - 0.02
    assert short.score(unseen, asked) >= 0.92
    shown = leaves(short, unseen)
    assert len(np.unique(np.column_stack([shown, short.apply(unseen)]), axis=0)) == len(np.unique(shown))
    planes = [words for _, words in joined(export_text(short).splitlines()[1:]) if words.startswith("if ")]
    assert all("." not in plane.split(" <= ")[0] for plane in planes)


def test_what_is_measured_on_held_out_rows_is_true_of_a_tree_grown_without_them():
    X, y = load_wine(return_X_y=True)
    model = askew.OC1Classifier(random_state=0).fit(X, y)
    table = read_training(model, X, y, None, known=Schema.of(model)).table
    whole = Simplifier(model.tree_, table, as_criterion("gini", classification=True), model.feature_scale_)
    grown = []

    def grow(part):
        grown.append(part.n_rows)
        return copy(model).fit_table(part, 0, Schema.of(model)).tree_

    way, loss = simplest_within(whole, grow, 0.01, "whole")
    assert len(grown) == 2 * FOLDS
    assert sum(len(X) - n for n in grown) == 2 * len(X)  # each row is held out twice
    more = 0
    for seed in (0, 1):
        fold = np.floor(table.positions(seed) * FOLDS).astype(int)
        for k in range(FOLDS):
            part, held = table.take(fold != k), fold == k
            tree = copy(model).fit_table(part, 0, Schema.of(model)).tree_
            short = Simplifier(tree, part, whole.criterion, whole.spread).simplified(way)
            more += (short.predict(X[held]) != y[held]).sum() - (tree.predict(X[held]) != y[held]).sum()
    assert loss.mean == pytest.approx(more / (2 * len(X)))
    assert loss.mean <= 0.01


def test_the_rows_that_it_cost_are_named():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = askew.OC1Classifier(random_state=0).fit(X, names)
    short = simplify(model, X, names, max_loss=0.02)
    before, after = model.predict(X), short.predict(X)
    cost = short.simplification_
    assert list(cost.rows_lost) == np.flatnonzero((before == names) & (after != names)).tolist() != []
    assert list(cost.rows_won) == np.flatnonzero((before != names) & (after == names)).tolist()


def test_whole_numbers_go_before_fractions_unless_these_are_as_good():
    X, y = load_iris(return_X_y=True)
    model = askew.OC1Classifier(random_state=0).fit(X, y)
    sheet = simplify(model, X, y, digits=1, weights="whole")
    assert (sheet.tree_.weight == np.rint(sheet.tree_.weight)).all()
    assert all(significant(weight, 1) == weight or weight % 1 == 0 for weight in sheet.tree_.weight.tolist())
    assert sheet.simplification_.how == "whole numbers of 1 significant digit"
    whole, short = (simplify(model, X, y, max_loss=0.01, weights=weights) for weights in ("whole", "short"))
    assert (whole.tree_.weight == np.rint(whole.tree_.weight)).all()
    assert short.n_terms_ <= whole.n_terms_
    machine = askew.LMDTClassifier(random_state=0).fit(X, y)  # sums that are compared stay fractions
    assert "significant digit" in simplify(machine, X, y, max_loss=0.05).simplification_.how


def test_points_are_added():
    X, y = load_iris(return_X_y=True)
    for rows in (X, -X):
        model = askew.OC1Classifier(random_state=0).fit(rows, y)
        short = simplify(model, rows, y, digits=2)
        assert ((short.tree_.coef * short.feature_scale_).sum(axis=1) > 0).all()
        assert short.score(rows, y) > 0.95
    tree = chain_tree(3)
    on = replace(tree, weight=-tree.weight, threshold=-tree.threshold)
    rows = np.array([[0.5], [1.5], [7.0]])
    turned = upright(on, np.ones(1), rows)
    assert (turned.weight > 0).all()
    assert (turned.value[turned.apply(rows)] == on.value[on.apply(rows)]).all()
    assert upright(on, np.ones(1), np.array([[0.0], [1.0], [2.0]])) == on  # rows on the planes


def test_probabilities_stay_smoothed():
    X, y = load_iris(return_X_y=True)
    model = askew.CARTClassifier(smoothing="laplace", max_depth=2).fit(X, y)
    assert simplify(model, X, y).predict_proba(X).min() > 0


def test_probabilities_stay_smoothed_as_was_chosen():
    X, y = load_breast_cancer(return_X_y=True)
    model = askew.AutoTreeClassifier(effort="low", candidates=["axis"], random_state=0).fit(X, y)
    assert model.selection_.smoothing is not None
    for made in (simplify(model, X, y), askew.refine(model, X, y), model.pruned(askew.prune.CostComplexity(), X, y)):
        assert made.predict_proba(X).min() > 0


def test_nothing_simpler_may_be_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = (X @ [1.0, 0.7311, -0.4173, 0.2921, 0.1337] > 0).astype(int)
    model = askew.ObliqueTreeClassifier(search="linear", max_depth=1, pruning=None).fit(X, y)
    cost = simplify(model, X, y, max_loss=0.0).simplification_
    assert cost.held_out_loss <= 0


def test_whole_numbers_are_in_proportion_and_without_common_factor():
    way = Whole(0.1, 1)
    found = way.candidates(np.array([2.0, 4.1, 0.001]), np.array([2.0, 4.1, 0.001]), lambda kept: np.zeros(3))
    assert [1, 2, 0] in [list(one) for one in found]
    assert all(np.gcd.reduce(one.astype(int)) == 1 for one in found)
    (same,) = Unchanged().candidates(np.array([0.3, 0.4]), np.ones(2), lambda kept: np.zeros(2))
    assert same.tolist() == [0.3, 0.4]


def test_categories_and_weights_of_rows_are_taken_into_account():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 200))
    X = pd.DataFrame({"a": a, "b": b, "colour": rng.choice(["red", "green", "blue"], 200)})
    y = np.where(a + 0.3 * b + (X["colour"] == "red") > 0.5, "yes", "no")
    weight = rng.integers(0, 3, 200)
    model = askew.OC1Classifier(random_state=0, pruning=None).fit(X, y, sample_weight=weight)
    short = simplify(model, X, y, digits=2, sample_weight=weight)
    assert short.score(X, y, sample_weight=weight) > 0.95
    assert short.tree_.mass[0] == weight.sum()
    codes = askew.C45Classifier().fit(X, y)
    assert simplify(codes, X, y).score(X, y) >= codes.score(X, y) - 0.02


def test_linear_leaves_are_fitted_anew():
    X, y = load_diabetes(return_X_y=True)
    model = askew.OC1Regressor(leaf_model="linear", max_depth=2, pruning=None, random_state=0).fit(X, y)
    short = simplify(model, X, y, digits=1)
    assert type(short.tree_.payload) is type(model.tree_.payload)
    assert short.score(X, y) > model.score(X, y) - 0.05


def test_a_simplified_tree_can_be_saved(tmp_path):
    X, y = load_wine(return_X_y=True)
    short = simplify(askew.LMDTClassifier(random_state=0).fit(X, y), X, y, digits=1)
    askew.save(short, tmp_path / "m.askew")
    assert export_text(askew.load(tmp_path / "m.askew")) == export_text(short)


def test_bad_input_is_refused():
    X, y = load_iris(return_X_y=True)
    model = askew.CARTClassifier(max_depth=2).fit(X, y)
    with pytest.raises(TypeError, match="simplify takes a fitted tree estimator"):
        simplify("tree", X, y)
    with pytest.raises(NotFittedError):
        simplify(askew.CARTClassifier(), X, y)
    for wrong in ({"digits": 0}, {"digits": 1.5}, {"max_loss": -0.1}, {"max_loss": "much"}, {"weights": "small"}):
        with pytest.raises(InvalidParameterError, match=f"The '{next(iter(wrong))}' parameter must be"):
            simplify(model, X, y, **wrong)
    with pytest.raises(ValueError, match="either digits or max_loss"):
        simplify(model, X, y, digits=2, max_loss=0.1)
    each = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="simplify takes a single tree"):
        simplify(each, X, y)
    holes = X.copy()
    holes[::7, 2] = np.nan
    parts = askew.C45Classifier().fit(holes, y)
    with pytest.raises(ValueError, match="missing values"):
        simplify(parts, holes, y)
