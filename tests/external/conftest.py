"""Leaves out the tests of scikit-learn that do not apply; see `adopted.py`."""

from __future__ import annotations

import pytest

# What scikit-learn warns of in its own tests, where no warning is an error.
OWN_WARNINGS = [
    "ignore::UserWarning:sklearn",
    "ignore::RuntimeWarning:sklearn",
    "ignore:invalid value encountered in divide:RuntimeWarning",
]


def pytest_configure(config: pytest.Config) -> None:
    """Know the marks of scikit-learn's tests."""
    config.addinivalue_line("markers", "thread_unsafe: not to be run in several threads")


@pytest.fixture
def global_random_seed() -> int:
    """The seed that scikit-learn's tests take from its own configuration."""
    return 42


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is left out as skipped, with its reason."""
    for item in items:
        adopted = getattr(getattr(item, "module", None), "ADOPTED", None)
        if adopted is None:
            continue
        reason = adopted.reason(item.name)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
        if item.name.partition("[")[0] in adopted.slow:
            item.add_marker(pytest.mark.slow)
        for own in OWN_WARNINGS:
            item.add_marker(pytest.mark.filterwarnings(own))
