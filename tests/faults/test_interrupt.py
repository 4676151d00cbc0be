"""Fault 25 in an ensemble: Ctrl-C ends a fit whose trees grow in threads of their own."""

import signal
import subprocess
import sys
import textwrap
import time

import pytest

PROGRAM = """
    import sys, threading
    import numpy as np
    from askew import CARTClassifier, KDTClassifier, {tree}
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    y = rng.integers(0, 3, size=20_000)
    model = KDTClassifier(estimator=CARTClassifier(), n_estimators=20, n_jobs=2, random_state=0).fit(X[:60], y[:60])
    model.set_params(estimator={tree}({parameters}))
    before = dict(model.__dict__)
    print("ready", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", model.__dict__ == before, threading.active_count(), flush=True)
        raise
    print("finished", flush=True)
"""
LONG = {
    "OC1Classifier": "n_restarts=200",
    "SADTClassifier": "max_unproductive=10**8",
    "LMDTClassifier": "max_passes=10**8",
    "CARTELCClassifier": "r=3",
    "HHCARTClassifier": "",
}


MANY = {
    "ObliqueForestClassifier": "n_estimators={n}, n_jobs=2",
    "ObliqueBoostingClassifier": "max_iter={n}, n_jobs=2",
    "AutoTreeClassifier": "max_leaves={n}, candidates=['oc1', 'ce_dt'], n_jobs=2",
}
PROGRAM_OF_MANY = """
    import threading
    import numpy as np
    from askew import {tree}
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    y = rng.integers(0, 3, size=20_000)
    model = {tree}({few}).fit(X[:60], y[:60])
    model.set_params({many})
    before = dict(model.__dict__)
    print("ready", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", model.__dict__ == before, threading.active_count(), flush=True)
        raise
    print("finished", flush=True)
"""


# Single trees of the other methods are interrupted in tests/estimators/test_oblique_faults.py; votes of them before a
# release.
@pytest.mark.parametrize(
    ("tree", "delay"),
    [
        ("OC1Classifier", 0.0),
        ("OC1Classifier", 0.7),
        *(pytest.param(tree, 0.3, marks=pytest.mark.slow) for tree in LONG),
    ],
)
def test_25_ctrl_c_ends_every_thread_of_a_vote(tree, delay):
    interrupt(textwrap.dedent(PROGRAM).format(tree=tree, parameters=LONG[tree]), delay)


@pytest.mark.parametrize("tree", MANY)
def test_25_ctrl_c_ends_a_fit_of_many_trees_and_leaves_the_old_ones(tree):
    few, many = (MANY[tree].format(n=n) for n in (2, 10**5))
    interrupt(textwrap.dedent(PROGRAM_OF_MANY).format(tree=tree, few=few, many=many), 0.5)


SHAPLEY = """
    import threading
    import numpy as np
    import askew
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 60))
    tree = askew.ObliqueTreeClassifier(search="linear", max_leaf_nodes=4).fit(X, X.sum(axis=1) > rng.normal(size=300))
    print("ready", flush=True)
    try:
        askew.shapley(tree, X, X, method="exact", n_jobs=2)
    except KeyboardInterrupt:
        print("interrupted", True, threading.active_count(), flush=True)
        raise
    print("finished", flush=True)
"""


def test_25_ctrl_c_ends_every_thread_of_exact_shapley_values():
    interrupt(textwrap.dedent(SHAPLEY), 0.5)


def interrupt(program, delay):
    """Run a program, interrupt it some time after it is ready, and check that it ends as it should."""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)  # a hang fails, not a slow machine
        finally:
            process.kill()
    assert out == "interrupted True 1\n", err
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "terminate" not in err
