"""Threads over independent tasks, which check for Ctrl-C, and a progress bar on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from mmap import mmap
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Generic, TypeVar

from joblib import effective_n_jobs

from askew import _core

_T = TypeVar("_T")
Progress = Callable[[float], None]  # called with the share of the work that is done
_POLL = 0.1  # seconds between two checks for Ctrl-C
_THREAD_MEMORY = 2**24  # bytes: the stack of a thread, and the state that Python keeps for it


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that scikit-learn's `n_jobs` means; no more than there are cores."""
    jobs = int(effective_n_jobs(n_jobs))
    return jobs if jobs <= 1 else min(jobs, os.cpu_count() or 1)  # counting cores is slow: not for one job


def in_threads(task: Callable[[int], _T], n: int, threads: int) -> list[_T]:
    """Return ``[task(0), ..., task(n - 1)]``, computed by several threads.

    Threads rather than processes: the compiled searches release the GIL, and the data are not copied. The first error
    of a task, or Ctrl-C, stops all threads (the kernels at their next check for interrupts) and is raised when all have
    ended. If no thread can be started, the calling thread computes everything.
    """
    if min(threads, n) <= 1:
        return [task(number) for number in range(n)]
    pool = _ThreadPool(task, n)
    try:
        pool.start(min(threads, n))
        pool.wait()
    finally:
        pool.end()
    return pool.outcome()


def _has_memory_for_a_thread() -> bool:
    """Whether there is memory for one more thread: `Thread.start` hangs if the thread fails before it runs.

    A new thread has its private stack and heap: free memory in the heap of this thread does not help it.
    """
    try:
        mmap(-1, _THREAD_MEMORY).close()
    except (MemoryError, OSError):
        return False
    return True


class _ThreadPool(Generic[_T]):
    """Threads that share the tasks, and the results so far.

    A thread reports its end through a queue, because `Thread.join` takes it for ended when Ctrl-C interrupts the wait
    (Python 3.11).
    """

    def __init__(self, task: Callable[[int], _T], n: int) -> None:
        self.task, self.n = task, n
        self.remaining = iter(range(n))
        self.results: dict[int, _T] = {}
        self.error: BaseException | None = None
        self.lock = Lock()
        self.stop = _core.StopFlag()
        self.members: list[Thread] = []
        self.n_begun = self.n_ended = 0
        self.closed = False
        self.ended: SimpleQueue[None] = SimpleQueue()

    def start(self, threads: int) -> None:
        with self.lock:  # no thread works, and takes memory, before all have started
            for _ in range(threads):
                if not _has_memory_for_a_thread():
                    break
                member = Thread(target=self.work)
                self.members.append(member)
                try:
                    member.start()
                except RuntimeError as error:
                    if isinstance(error.__context__, KeyboardInterrupt):  # Ctrl-C while the thread was starting
                        raise KeyboardInterrupt from error
                    self.members.remove(member)  # the system starts no more threads
                    break
        if not self.members:
            self.results.update((number, self.task(number)) for number in self.remaining)

    def work(self) -> None:
        with self.lock:
            self.n_begun += 1
        _core.listen_to(self.stop)
        try:
            while (number := self.next()) is not None:
                self.results[number] = self.task(number)
        except BaseException as error:
            with self.lock:
                self.error = self.error or error  # the others end by KeyboardInterrupt
            self.stop.set()
        finally:
            _core.listen_to(None)
            with self.lock:
                self.n_ended += 1
            self.ended.put(None)

    def next(self) -> int | None:
        with self.lock:
            return None if self.closed or self.error is not None else next(self.remaining, None)

    def wait(self) -> None:
        """Wait for all threads; Ctrl-C interrupts."""
        while self.n_ended < len(self.members):
            with suppress(Empty):
                self.ended.get(timeout=_POLL)
            _core.check_interrupt()  # this thread may belong to another pool

    def end(self) -> None:
        """Stop the threads that still work, and wait until they have ended, even if Ctrl-C is pressed again."""
        self.closed = True
        self.stop.set()
        n_polls = 0
        while self.n_ended < self.n_begun or (self.n_begun < len(self.members) and n_polls < 10):
            with suppress(Empty, KeyboardInterrupt):
                self.ended.get(timeout=_POLL)
            n_polls += 1  # a thread may never run, if Ctrl-C came while it was being started
        for member in self.members:
            if member.is_alive():
                member.join()

    def outcome(self) -> list[_T]:
        if self.error is not None:
            raise self.error
        return [self.results[number] for number in range(self.n)]


@contextmanager
def progress_bar(title: str, shown: bool) -> Iterator[Progress | None]:
    """Show a progress bar on standard error.

    Rich draws the bar if it is installed (extra ``cli``); otherwise a line shows the percentage.

    Parameters
    ----------
    title : str
        Text before the bar.
    shown : bool
        Whether anything is shown.

    Yields
    ------
    progress : callable or None
        To be called with the share of the work that is done; None if nothing is shown.
    """
    if not shown:
        yield None
        return
    try:
        from rich import progress as rich
        from rich.console import Console
    except ImportError:
        yield from _percentage(title)
        return
    text = rich.TextColumn("{task.description}")
    columns = (text, rich.BarColumn(), rich.TaskProgressColumn(), rich.TimeElapsedColumn())
    with rich.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda done: bar.update(task, completed=done)
        bar.update(task, completed=1.0)


def _percentage(title: str) -> Iterator[Progress]:
    last = -1

    def update(done: float) -> None:
        nonlocal last
        if int(100 * done) > last:
            last = int(100 * done)
            print(f"\r{title}: {last:3d}%", end="", file=sys.stderr, flush=True)

    yield update
    print(f"\r{title}: 100%", file=sys.stderr, flush=True)


def part(progress: Progress, i: int, n: int) -> Progress:
    """Return the progress callback of the i-th of n equal parts of the work."""
    return lambda done: progress((i + done) / n)
