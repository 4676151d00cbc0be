"""The command line: ``askew train``, ``askew show``, ``askew predict``."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 0, or 2 and one line that says what was wrong.

    Parameters
    ----------
    arguments : what stands behind ``askew``; by default what the shell gave
    """
    try:
        import typer  # noqa: F401
    except ModuleNotFoundError:
        print("askew: the command line needs more packages: pip install 'askew[cli]'", file=sys.stderr)
        sys.exit(2)
    from askew.cli.app import run
    from askew.cli.lazy_scipy import defer

    defer("scipy.stats")
    run(arguments)
