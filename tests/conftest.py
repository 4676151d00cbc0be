"""What must happen before anything is imported, and which tests belong to `make check`."""

import os
import signal
import sys
from collections import defaultdict
from pathlib import Path

# scikit-learn checks the array API only when SciPy was imported with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# What a shell starts in the background ignores Ctrl-C; the tests of it, and the processes they start, must hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest
import strategies  # noqa: F401  (the settings of hypothesis)

# What `make check` leaves to `make test`, besides single tests that are marked as extended.
EXTENDED = [
    "dask",  # clusters
    "reporting/test_page.py",  # a browser
    "cli/test_defer.py",  # processes
    "cli/test_streams.py",
    "faults/test_interrupt.py",
    "faults/test_resources.py",
    "store/test_mutated_files.py",
    "test_optional_dependencies.py",
    "export/test_every_export.py",  # compilers and databases
    "export/test_parameters_after_fit.py",
    "core/test_headers.py",
    "core/test_interruption.py",
    "fuzz",
    "test_network.py",
    "external",  # tests of scikit-learn
    "experiments",
    "examples",  # and those of the documentation
    "test_docstrings.py",
    "test_documents.py",
]
# Files whose tests are all marked as slow, which both leave to `make test-slow`.
SLOW = ["estimators/test_sklearn_checks_of_configurations.py"]
# Of a test of every estimator, `make check` runs these.
REPRESENTATIVE = {"CARTClassifier", "CARTRegressor", "OC1Classifier", "OC1Regressor", "ObliqueForestClassifier"}
TESTS = Path(__file__).parent


def pytest_ignore_collect(collection_path, config):
    """Import nothing of which all tests would be deselected: that takes as long as many tests."""
    for mark, paths in {"not extended": EXTENDED, "not slow": SLOW}.items():
        if mark in config.option.markexpr and collection_path in [TESTS / path for path in paths]:
            return True
    return None


def pytest_collection_modifyitems(items):
    """Mark what is extended by its place, or by the estimator that a test of all of them is given."""
    extended = {TESTS / path for path in EXTENDED}
    assert all(path.exists() for path in extended)  # else a file that was renamed would become quick
    cases = defaultdict(list)
    for item in items:
        if not extended.isdisjoint([item.path, *item.path.parents]):
            item.add_marker(pytest.mark.extended)
        cases[item.path, item.originalname].append((item, _estimators(item)))
    for of_one_test in cases.values():
        if any(names & REPRESENTATIVE for _, names in of_one_test):
            for item, names in of_one_test:
                if names.isdisjoint(REPRESENTATIVE) and names:
                    item.add_marker(pytest.mark.extended)


def _estimators(item):
    """Return the names of the estimators, classes or objects, that a case of a test is given."""
    from registry import EVERY  # late: the process that starts the workers of the tests does without

    given = item.callspec.params.values() if hasattr(item, "callspec") else []
    kinds = [value if isinstance(value, type) else type(value) for value in given]
    return {kind.__name__ for kind in kinds if kind in EVERY}


@pytest.fixture(autouse=True)
def _close_figures():
    """Close what a test has drawn: pyplot keeps figures until then."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
