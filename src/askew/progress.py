"""A progress bar on standard error, for long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str, shown: bool) -> Iterator[Callable[[float], None] | None]:
    """Give a function to call with the share of the work that is done; None if nothing is shown.

    Rich draws the bar where it is installed (extra ``cli``); otherwise a line counts the per cent.
    """
    if not shown:
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
    except ImportError:
        yield from _plain(title)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda done: bar.update(task, completed=done)
        bar.update(task, completed=1.0)


def _plain(title: str) -> Iterator[Callable[[float], None]]:
    last = -1

    def update(done: float) -> None:
        nonlocal last
        if int(100 * done) > last:
            last = int(100 * done)
            print(f"\r{title}: {last:3d}%", end="", file=sys.stderr, flush=True)

    yield update
    print(f"\r{title}: 100%", file=sys.stderr, flush=True)


def part(progress: Callable[[float], None], i: int, n: int) -> Callable[[float], None]:
    """Return the progress of the i-th of n equal parts."""
    return lambda done: progress((i + done) / n)
