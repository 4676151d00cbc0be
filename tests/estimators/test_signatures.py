"""What a reader, and a type checker, sees of the estimators' classes."""

import sys
from subprocess import run
from textwrap import dedent

import pytest

import askew

ESTIMATORS = [getattr(askew, name) for name in askew.__all__ if name.endswith(("Classifier", "Regressor"))]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_an_estimator_has_at_most_five_classes_of_askew_above_it_and_itself(estimator):
    own = [base.__name__ for base in estimator.__mro__ if base.__module__.startswith("askew.")]
    assert len(own) <= 5, own


SNIPPET = """
    import askew
    from askew.search.oc1 import OC1

    askew.OC1Classifier(n_restarts=3, max_depth=2, criterion="gini", random_state=0)
    askew.CARTClassifier(max_depth=3)
    askew.KDTClassifier(askew.OC1Classifier(), n_estimators=3)
    OC1(n_restarts=3)
    askew.OC1Classifier(n_restart=3)
    askew.CARTClassifier(max_dept=3)
    askew.ObliqueForestRegressor(n_estimator=3)
    askew.OC1Regressor(n_jumps="three")
    OC1(n_restart=3)
"""
WRONG = {9: "n_restart", 10: "max_dept", 11: "n_estimator", 12: "n_jumps", 13: "n_restart"}


@pytest.mark.extended
def test_mypy_sees_wrong_parameters_and_no_others(tmp_path):
    pytest.importorskip("mypy")
    snippet = tmp_path / "snippet.py"
    snippet.write_text(dedent(SNIPPET))
    options = ["--strict", "--ignore-missing-imports", "--no-error-summary", f"--cache-dir={tmp_path}"]
    found = run([sys.executable, "-m", "mypy", *options, str(snippet)], capture_output=True, text=True, check=False)
    errors = [line for line in found.stdout.splitlines() if "snippet.py" in line and ": error:" in line]
    assert {int(line.split(":")[1]) for line in errors} == set(WRONG), found.stdout
    for line in errors:
        assert f'"{WRONG[int(line.split(":")[1])]}"' in line
