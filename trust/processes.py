"""Work that processes share: one that dies is a finding, and what the others found is kept."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

_T = TypeVar("_T")
_SPAWN = multiprocessing.get_context("spawn")  # started anew, not forked: tasks and results must be picklable
_LONGEST = 200  # bytes of a note
_note: Any = None  # in a process of `in_processes`: memory that outlives it


def doing(what: str) -> None:
    """Note what this process is about to do, which is told if it does not survive it."""
    if _note is not None:
        _note.value = what.encode(errors="replace")[:_LONGEST]


def in_processes(
    tasks: Iterable[Callable[[], _T]], lost: Callable[[str], _T], *, at_once: int | None = None, here: bool = False
) -> list[_T]:
    """Return what the tasks return, worked out by a process a core; or by this one (`here`), one after the other.

    Where a task raises an exception, or its process dies, the result is what `lost` makes of a sentence about it.
    """
    queue = deque(enumerate(tasks))
    if here:
        return [task() for _, task in queue]
    found: dict[int, _T] = {}

    def work(_: int) -> None:
        worker: _Worker | None = None
        with suppress(IndexError):  # the queue is empty
            while True:
                number, task = queue.popleft()
                worker = worker or _Worker()
                answer, wrong = worker.do(task)
                found[number] = answer if wrong is None else lost(wrong)
                if not worker.alive():
                    worker = None
        if worker is not None:
            worker.end()

    n = at_once or os.cpu_count() or 1
    with ThreadPoolExecutor(n) as pool:
        try:
            list(pool.map(work, range(n)))
        finally:
            queue.clear()  # after Ctrl-C no new process is started
    return [found[number] for number in sorted(found)]


class _Worker:
    """A process that does one task after the other."""

    def __init__(self) -> None:
        self.note = _SPAWN.RawArray("c", _LONGEST + 1)
        self.pipe, other = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(other, self.note), daemon=True)
        self.process.start()
        other.close()  # so that it is noticed when the process has closed it

    def do(self, task: Callable[[], Any]) -> tuple[Any, str | None]:
        """Return what a task returns and None, or None and what went wrong."""
        try:
            self.pipe.send(task)
            while not self.pipe.poll(1.0):
                if not self.alive():  # and a child of its own keeps the pipe open
                    raise EOFError
            answer, wrong = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            answer, wrong = None, _ending(self.process.exitcode or 0)
        if wrong is not None and self.note.value:
            wrong += f" while trying {self.note.value.decode(errors='replace')}"
        return answer, wrong

    def alive(self) -> bool:
        return self.process.is_alive()

    def end(self) -> None:
        self.pipe.send(None)
        self.process.join()


def _serve(pipe: Connection[Any, Any], note: Any) -> None:
    """Do what comes through the pipe until it is None."""
    global _note
    _note = note
    settle(0)
    while (task := pipe.recv()) is not None:
        doing("")
        try:
            answer = (task(), None)
        except Exception as error:
            answer = (None, repr(error))
        pipe.send(answer)


def _ending(status: int) -> str:
    if status < 0:
        return f"a process ended by signal {-status} ({signal.Signals(-status).name})"
    return f"a process ended with status {status}"


def new_processes(n: int, *, niceness: int = 0) -> ProcessPoolExecutor:
    """Return a pool of processes, of a priority that is lower by `niceness`."""
    return ProcessPoolExecutor(n, _SPAWN, initializer=partial(settle, niceness))


def settle(niceness: int) -> None:
    """Lower the priority of this process, and keep its linear algebra to one thread, as in the process before it."""
    from threadpoolctl import threadpool_limits

    os.nice(niceness)
    threadpool_limits(1)
