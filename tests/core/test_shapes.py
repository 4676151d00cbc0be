"""Kernels trust sizes and numbers of rows: the bindings check them first."""

import re

import numpy as np
import pytest

from askew import _core

GINI = _core.Criterion.named("gini")
SQUARED_ERROR = _core.Criterion.named("squared_error")
X = np.zeros((4, 2))
LABEL = np.array([0, 1, 0, 1], dtype=np.int32)
NONE = {"label": None, "y": None, "weight": None, "multiplicity": None}


def target(**given):
    return _core.Target(**{**NONE, "label": LABEL, "k": 2, **given})


def numbers(*values, kind=np.uint32):
    return np.array(values, dtype=kind)


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
    "rows of a table": (lambda: _core.measure_columns(target(), X[:3], ROWS[:3], 1, 1), "'X' must have 4 entries"),
    "row of columns": (lambda: _core.measure_columns(target(), X, numbers(4), 1, 1), "'rows' must be below 4, got 4"),
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
}


@pytest.mark.parametrize(("call", "message"), WRONG.values(), ids=WRONG)
def test_arrays_that_do_not_fit_together_are_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


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
