"""Leaves out the tests of scikit-learn that do not apply; see `adopted.py`."""

from __future__ import annotations

import pytest


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
        reason = None if adopted is None else adopted.reason(item.name)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
