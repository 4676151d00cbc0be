"""Parameters that change after `fit` change nothing of what was fitted: no prediction, no export, no explanation."""

import ast
import pickle
import re
from copy import deepcopy

import numpy as np
import pytest
from every_form import FORMS, asked, fitted, training
from registry import accepts

import askew
from askew.parameters import rules_of
from askew.reporting.data import Evidence
from askew.reporting.document import payload

NAMES = {name.split(", ")[0]: name for name in FORMS if not name.endswith(("error", "indicator"))}.values()
VALUES = ["error", "mean", "entropy", "absolute_error", "poisson", "laplace", "axis", "sqrt", None, 2, 0.3, True, False]


def another(rule, now):
    """Return another value that a parameter may have."""
    named = re.findall(r"a str among (\[.*?\])", rule.says)
    choices = [value for names in named for value in ast.literal_eval(names)]
    different = [v for v in [*VALUES, *choices] if rule.holds(v) and not (type(v) is type(now) and v == now)]
    return different[0] if different else now


def with_other_parameters(model):
    """Return a copy of a fitted estimator, all of whose parameters have changed."""
    model = deepcopy(model)
    trees = model.estimators_ if isinstance(model, askew.KDTClassifier) else []
    for one in [model, *trees]:
        now = one.get_params(deep=False)
        new = {name: another(rule, now[name]) for name, rule in rules_of(type(one)).items() if name in now}
        one.set_params(**new, random_state=7)
        if accepts(type(one), missing=None):
            assert one.missing != now["missing"]
    return model


def said(what, *given, **named):
    """Return what a function returns, or the name of the error that it raises."""
    try:
        return what(*given, **named)
    except (ValueError, TypeError) as error:
        return type(error).__name__


def explained(model):
    """Return how the predictions of a row with gaps, and of one of a strange category, are explained."""
    return [str(said(askew.explain, model, asked().iloc[[i]], background=training()[1][:20])) for i in (3, 18)]


def all_that_is_said(model, folder):
    """Return every prediction, export and explanation of a model, by name."""
    rows, (_, gaps, classes, numbers) = asked(), training()
    y, one = classes if hasattr(model, "classes_") else numbers, rows.iloc[[3]]
    wanted = None if hasattr(model, "classes_") else (0.0, 9.0)
    exports = (askew.export_json, askew.export_python, askew.export_c, askew.export_text)
    exports += (askew.export_rules, askew.export_dot)
    found = {export.__name__: said(export, model) for export in exports}
    found["sql"] = said(askew.export_sql, model, "data", probabilities=hasattr(model, "classes_"))
    askew.export_onnx(model, folder / "model.onnx")
    found["onnx"] = (folder / "model.onnx").read_bytes()
    for method in ("predict", "predict_proba", "apply"):
        if hasattr(model, method):
            found[method] = np.asarray(getattr(model, method)(rows)).tolist()
    found["explain"] = explained(model)
    shapley = said(askew.shapley, model, rows[:2], gaps[:10])
    found["shapley"] = shapley if isinstance(shapley, str) else (shapley.values.tolist(), shapley.explained)
    found["counterfactual"] = str(said(askew.counterfactual, model, one, wanted))
    found["report"] = payload(Evidence.of(model, gaps, y), "title")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_parameters_that_change_after_fit_change_nothing_that_was_fitted(name, tmp_path):
    model = fitted(name, "gaps")
    expected = all_that_is_said(model, tmp_path)
    changed = with_other_parameters(model)
    assert all_that_is_said(changed, tmp_path) == expected
    askew.save(changed, tmp_path / "model.askew")
    for other in (askew.load(tmp_path / "model.askew"), pickle.loads(pickle.dumps(changed))):
        assert other.get_params(deep=False).keys() == changed.get_params(deep=False).keys()
        assert other.predict(asked()).tolist() == expected["predict"]
        assert askew.export_json(other) == expected["export_json"]
        assert explained(other) == expected["explain"]


@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_of_a_version_that_did_not_keep_these_says_the_same(name, tmp_path):
    model = deepcopy(fitted(name, "gaps"))
    expected = askew.export_json(model), model.predict(asked()).tolist()
    for one in getattr(model, "estimators_", [model]) if isinstance(model, askew.KDTClassifier) else [model]:
        for kept in ("missing_", "link_"):
            vars(one).pop(kept, None)
    model = pickle.loads(pickle.dumps(model))
    assert (askew.export_json(model), model.predict(asked()).tolist()) == expected


def test_the_axis_of_the_front_names_what_was_chosen_by(tmp_path):
    import matplotlib.pyplot as plt

    frame, _, classes, _ = training()
    for scoring, label in ((None, "accuracy"), ("balanced_accuracy", "score")):
        tree = askew.AutoTreeClassifier(effort="low", candidates=["axis"], scoring=scoring, random_state=0)
        tree.fit(frame, classes).set_params(scoring=None if scoring else "balanced_accuracy")
        askew.save(tree, tmp_path / "model.askew")
        for one in (tree, askew.load(tmp_path / "model.askew")):
            assert label in askew.plot_front(one).get_ylabel()
            plt.close("all")
