"""Kernels trust sizes and numbers of rows: the bindings check them first."""

import re

import numpy as np
import pytest

from askew import _core

GINI = _core.Criterion.named("gini")
MINMAX = _core.Scaling.minmax
PENALTY = _core.Penalty(l2=1.0, l1=0.0, max_steps=9)
SQUARED_ERROR = _core.Criterion.named("squared_error")
X = np.zeros((4, 2))
LABEL = np.array([0, 1, 0, 1], dtype=np.int32)
NONE = {"label": None, "y": None, "weight": None, "multiplicity": None}


def target(**given):
    return _core.Target(**{**NONE, "label": LABEL, "k": 2, **given})


def numbers(*values, kind=np.uint32):
    return np.array(values, dtype=kind)


def node(**given):
    limits = {"min_samples_leaf": 1.0, "min_weight_leaf": 0.0, "threads": 1}
    return _core.Node(**{"target": target(), "X": X, "rows": ROWS, **limits, **given})


def exhaustive(r=1, side_tol=None, **given):
    rules = _core.ExhaustiveRules(r=r, both=True, eigen=False, half_way=False, side_tol=side_tol)
    budget = {"units": 5, "seconds": 9.0, "seed": 0, "progress": None}
    return _core.exhaustive(GINI, node(**given), rules, features=PLANE[0], **budget)


def count_codes(**given):
    return _core.count_codes(node(), **{"codes": np.zeros((4, 2), dtype=np.uint16), **given})


def oc1(**given):
    rules = _core.ClimbRules(
        scaling=_core.Scaling.minmax,
        order=_core.Order.sequential,
        n_random_moves=5,
        n_jumps=1,
        exponential=False,
        max_stagnant=1,
        perturb_bias=False,
        max_loss=-1.0,
        centre=True,
        **given,
    )
    return _core.oc1(GINI, node(), rules, features=PLANE[0], start=np.ones(2), axis_score=1.0, seed=0)


def stump(feature):
    return _core.Tree(
        kind=numbers(1, 0, 0, kind=np.int8),
        first_child=numbers(1, -1, -1, kind=np.int64),
        n_children=numbers(2, 0, 0, kind=np.int64),
        feature_start=numbers(0, 1, 1, 1, kind=np.int64),
        weight_start=numbers(0, 1, 1, 1, kind=np.int64),
        feature=numbers(feature, kind=np.int64),
        weight=np.ones(1),
        threshold=np.zeros(3),
    )


def network_find(**given):
    split = {"kind": numbers(1, kind=np.int8), "n_children": numbers(2, kind=np.int64), "threshold": np.zeros(1)}
    starts = {name: numbers(0, 1, kind=np.int64) for name in ("feature_start", "weight_start", "region_start")}
    rest = {"feature": numbers(0, kind=np.int64), "weight": np.ones(1), "X": X, "threads": 1}
    condition = {"split": numbers(0, kind=np.int64), "side": numbers(0, kind=np.int64)}
    return _core.network_find(**{**split, **starts, **rest, **condition, **given})


ROWS, PLANE = numbers(0, 1, 2, 3), (numbers(0, kind=np.int64), np.ones(1))
WRONG = {
    "label beyond k": (lambda: target(k=1), "'label' must be below 1, got 1"),
    "negative label": (lambda: target(label=-LABEL), "'label' must be below 2, got -1"),
    "neither labels nor numbers": (lambda: target(label=None), "a target has either 'label' or 'y'"),
    "two moments": (lambda: target(label=None, y=np.ones(4)), "'k' must be 3 for a target of numbers, got 2"),
    "short weights": (lambda: target(weight=np.ones(3)), "'weight' must have 4 entries, got 3"),
    "short multiplicity": (lambda: target(multiplicity=np.ones(5)), "'multiplicity' must have 4 entries, got 5"),
    "row of a summary": (lambda: _core.summary(GINI, target(), numbers(4)), "'rows' must be below 4, got 4"),
    "row of a score": (
        lambda: _core.score_split(GINI, target(), numbers(9), numbers(0, kind=np.int64)),
        "'rows' must be below 4, got 9",
    ),
    "children of a score": (
        lambda: _core.score_split(GINI, target(), ROWS, numbers(0, kind=np.int64)),
        "'child' must have 4 entries, got 1",
    ),
    "moments of a score": (
        lambda: _core.score(SQUARED_ERROR, np.ones((2, 2))),
        "'children' must have a column for each class, or the three moments",
    ),
    "rows of a table": (lambda: _core.measure_columns(target(), X[:3], ROWS[:3], MINMAX, 1), "'X' must have 4 entries"),
    "row of columns": (
        lambda: _core.measure_columns(target(), X, numbers(4), MINMAX, 1),
        "'rows' must be below 4, got 4",
    ),
    "column": (
        lambda: _core.independent_features(X, ROWS, numbers(2, kind=np.int64), np.ones(2), np.ones(2)),
        "'order' must be below 2, got 2",
    ),
    "scales": (
        lambda: _core.independent_features(X, ROWS, numbers(0, kind=np.int64), np.ones(2), np.ones(1)),
        "'scale' must have 2 entries, got 1",
    ),
    "feature of a split": (
        lambda: _core.route(1, 2, numbers(2, kind=np.int64), np.ones(1), 0.0, X, None),
        "'features' must be below 2, got 2",
    ),
    "weights of a hyperplane": (
        lambda: _core.route(1, 2, PLANE[0], np.ones(2), 0.0, X, None),
        "'weights' must have 1 entries, got 2",
    ),
    "weights of a linear machine": (
        lambda: _core.route(2, 3, PLANE[0], np.ones(4), 0.0, X, None),
        "'weights' must have 6 entries, got 4",
    ),
    "row of a split": (lambda: _core.route(1, 2, *PLANE, 0.0, X, numbers(4)), "'rows' must be below 4, got 4"),
    "feature of a table of categories": (
        lambda: _core.route(0, 2, numbers(kind=np.int64), np.ones(1), 0.0, X, None),
        "'features' must have 1 entries, got 0",
    ),
    "more samples than features": (
        lambda: exhaustive(r=2, X=np.arange(8.0).reshape(4, 2)),
        "'r' must be from 1 to the number of features, 1, got 2",
    ),
    "no samples": (lambda: exhaustive(r=0), "'r' must be from 1 to the number of features, 1, got 0"),
    "rows of an exhaustive search": (lambda: exhaustive(X=np.zeros((5, 2))), "'label' must have 5 entries, got 4"),
    "more samples than features, with a tolerance": (
        lambda: exhaustive(r=2, side_tol=0.0),
        "'r' must be from 1 to the number of features, 1, got 2",
    ),
    "first bins": (lambda: count_codes(first=numbers(0, 1, kind=np.int64)), "'first' must have 3 entries, got 2"),
    "first bins that fall": (
        lambda: count_codes(first=numbers(0, 2, 1, kind=np.int64)),
        "'first' must rise from 0",
    ),
    "features of linear directions": (
        lambda: _core.linear_directions(
            node(),
            PENALTY,
            features=numbers(2, kind=np.int64),
            canonical=1,
            groups=np.zeros((0, 2), dtype=np.int8),
            starts=np.zeros((0, 4), dtype=np.uint8),
        ),
        "'features' must be below 2, got 2",
    ),
    "weights of planes that are cut along": (
        lambda: _core.plane_cuts(GINI, node(), features=PLANE[0], planes=np.ones((1, 2))),
        "'planes' must have a weight for each feature",
    ),
    "columns of trees": (lambda: _core.apply_packed(_core.Trees([stump(feature=2)]), X, 1), "'X' must have 3 columns"),
    "columns of a sum over trees": (
        lambda: _core.sum_packed(_core.Trees([stump(feature=2)]), np.ones((3, 1)), X, 1),
        "'X' must have 3 columns, got 2",
    ),
    "moments of a ridge": (
        lambda: _core.ridge_direction(np.ones(0), np.ones(0), 1.0, PENALTY),
        "'products' must have an entry for the constant",
    ),
    "restarts": (lambda: oc1(n_restarts=0), "'n_restarts' must be at least 1"),
    "classes of patterns": (
        lambda: _core.perceptron(X, LABEL, np.ones(4), -1, _core.PerceptronRules(iterations=9, passes=True, rho=1.0)),
        "'label' must be below 0, got 0",
    ),
    "regions": (lambda: network_find(region_start=numbers(kind=np.int64)), "'region_start' must have an entry more"),
    "features of a network": (
        lambda: network_find(feature_start=numbers(0, 2, kind=np.int64)),
        "'feature' must have 2 entries, got 1",
    ),
    "patterns of automata": (
        lambda: _core.network_automata(
            np.zeros((0, 1), dtype=np.uint64),
            numbers(kind=np.int64),
            numbers(kind=np.uint8),
            np.ones(0),
            _core.AutomataRules(rate=0.1, tolerance=0.1, steps=1, passes=1),
            initial=np.full((1, 1), 0.5),
            seed=0,
            progress=None,
        ),
        "the automata need patterns",
    ),
}


@pytest.mark.parametrize(("call", "message"), WRONG.values(), ids=WRONG)
def test_arrays_that_do_not_fit_together_are_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_the_calls_that_are_refused_are_accepted_with_arrays_that_fit():
    assert exhaustive() is None
    assert exhaustive(side_tol=0.0) is None
    assert exhaustive(rows=numbers()) is None
    assert exhaustive(side_tol=0.0, rows=numbers()) is None
    assert oc1(n_restarts=1) is None
    assert count_codes(first=numbers(0, 1, 2, kind=np.int64)).shape == (2, 5)
    assert _core.apply_packed(_core.Trees([stump(feature=1)]), X, 1).tolist() == [[1]] * 4
    assert network_find().tolist() == [0] * 4


def test_a_python_criterion_that_returns_too_few_scores_is_refused():
    short = _core.Criterion.batch(lambda left, right: np.zeros(len(left) - 1))
    with pytest.raises(ValueError, match=re.escape("'scores' must have 1 entries, got 0")):
        _core.score(short, np.ones((2, 2)))


def test_columns_of_subnormal_numbers_take_no_part():
    from askew import OC1Classifier

    tiny = np.array([[0.0, 0.0], [5e-324, 1.0], [0.0, 2.0], [5e-324, 3.0], [0.0, 4.0], [1e-323, 5.0]])
    tree = OC1Classifier(random_state=0).fit(tiny, [0, 0, 0, 1, 1, 1]).tree_
    assert tree.n_leaves == 2
    assert np.isfinite(tree.weight).all()
