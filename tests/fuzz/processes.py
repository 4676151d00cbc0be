"""Work that processes share: a process that dies is a finding, and what the others found is kept."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection

from threadpoolctl import threadpool_limits

from fuzz.findings import Found

Task = Callable[[], Found]
_SPAWN = multiprocessing.get_context("spawn")  # not forked: tasks and results must be picklable
_LONGEST = 200  # bytes of a note
_note: ctypes.Array[ctypes.c_char] | None = None  # in a process of `in_processes`: memory that outlives it


def doing(what: str) -> None:
    """Note what this process tries next; the note is printed if the process dies."""
    if _note is not None:
        _note.value = what.encode(errors="replace")[:_LONGEST]


def in_processes(tasks: Iterable[Task], at_once: int | None = None) -> Found:
    """Return the sum of what some tasks find, which run in processes: one for each core, unless `at_once` is given.

    A task that raises an exception, or whose process dies, is something that went wrong.
    """
    queue = deque(tasks)
    found: list[Found] = []

    def work(_: int) -> None:
        worker: _Worker | None = None
        with suppress(IndexError):  # the queue is empty
            while True:
                task = queue.popleft()
                worker = worker or _Worker()
                found.append(worker.do(task))
                if not worker.process.is_alive():
                    worker = None
        if worker is not None:
            worker.end()

    n = at_once or os.cpu_count() or 1
    with ThreadPoolExecutor(n) as pool:
        try:
            list(pool.map(work, range(n)))
        finally:
            queue.clear()  # after Ctrl-C no new process is started
    return sum(found, Found())


class _Worker:
    """A process that does one task after the other."""

    def __init__(self) -> None:
        self.note = _SPAWN.RawArray("c", _LONGEST + 1)
        self.pipe, other = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(other, self.note), daemon=True)
        self.process.start()
        other.close()  # so that the end of the process closes the pipe

    def do(self, task: Task) -> Found:
        """Return what a task finds, or that its process died."""
        try:
            self.pipe.send(task)
            while not self.pipe.poll(1.0):
                if not self.process.is_alive():  # a child of its own may keep the pipe open
                    raise EOFError
            found: Found | str = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            found = _ending(self.process.exitcode or 0)
        if isinstance(found, Found):
            return found
        tried = self.note.value.decode(errors="replace")
        return Found(wrong=[f"{found} while trying {tried}" if tried else found])

    def end(self) -> None:
        self.pipe.send(None)
        self.process.join()


def _serve(pipe: Connection[Found | str, Task | None], note: ctypes.Array[ctypes.c_char]) -> None:
    """Do the tasks that come through the pipe until one is None."""
    global _note
    _note = note
    threadpool_limits(1)
    while (task := pipe.recv()) is not None:
        doing("")
        try:
            answer: Found | str = task()
        except Exception as error:
            answer = repr(error)
        pipe.send(answer)


def _ending(status: int) -> str:
    if status < 0:
        return f"a process ended by signal {-status} ({signal.Signals(-status).name})"
    return f"a process ended with status {status}"
