"""What must happen before anything is imported."""

import os
import signal
import sys

# scikit-learn checks the array API only when SciPy was imported with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# What a shell starts in the background ignores Ctrl-C; the tests of it, and the processes they start, must hear it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest
import strategies  # noqa: F401  (the settings of hypothesis)


@pytest.fixture(autouse=True)
def _close_figures():
    """Close what a test has drawn: pyplot keeps figures until then."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
