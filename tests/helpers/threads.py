"""Threads on small data: a kernel starts them for large data alone, unless a test asks for them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from askew import _core


@contextmanager
def threads_on_small_data() -> Iterator[Callable[[], int]]:
    """Let kernels start threads however little there is to do; gives a function that counts those started since."""
    gate, started = _core.set_thread_gate(0.0), _core.threads_started()
    try:
        yield lambda: _core.threads_started() - started
    finally:
        _core.set_thread_gate(gate)
