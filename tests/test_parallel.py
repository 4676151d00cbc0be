import os
import threading
import time

import pytest

from askew import _core, parallel
from askew.parallel import in_threads, thread_count


@pytest.mark.parametrize("threads", [1, 2, 7, 100])
def test_results_come_in_the_order_of_the_tasks(threads):
    before = threading.enumerate()
    assert in_threads(lambda number: number * number, 20, threads) == [n * n for n in range(20)]
    assert in_threads(str, 0, threads) == []
    assert set(threading.enumerate()) <= set(before)


def test_several_threads_really_work():
    here, both = [], threading.Barrier(2, timeout=60)

    def task(number):
        both.wait()  # two tasks at the same time, or BrokenBarrierError
        here.append(threading.current_thread())

    in_threads(task, 2, 2)
    assert len(set(here)) == 2
    assert threading.main_thread() not in here


def test_the_first_error_stops_the_others_and_is_raised():
    started = threading.Event()

    def task(number):
        if number == 1:
            started.wait(60)
            raise ValueError("no luck")
        started.set()
        while True:
            _core.check_interrupt()

    before = threading.enumerate()
    with pytest.raises(ValueError, match="no luck"):
        in_threads(task, 9, 2)
    assert set(threading.enumerate()) <= set(before)


def test_a_thread_of_a_team_may_have_a_team_of_its_own():
    ready = threading.Barrier(2, timeout=60)

    def inner(number):
        if number == 0:
            ready.wait()
        while True:
            _core.check_interrupt()

    def outer(number):
        if number == 0:
            return in_threads(inner, 2, 2)
        ready.wait()
        raise ValueError("stop")

    before = threading.enumerate()
    with pytest.raises(ValueError, match="stop"):
        in_threads(outer, 2, 2)
    assert set(threading.enumerate()) <= set(before)


@pytest.mark.parametrize("had", [0, 1])
def test_fewer_threads_than_requested_do_all_tasks(monkeypatch, had):
    started = []

    class Scarce(threading.Thread):
        def start(self):
            if len(started) == had:
                raise RuntimeError("can't start new thread")
            started.append(self)
            super().start()

    monkeypatch.setattr(parallel, "Thread", Scarce)
    assert in_threads(lambda number: -number, 5, 3) == [0, -1, -2, -3, -4]


def test_without_memory_for_a_thread_the_work_is_done_by_the_one_that_asks(monkeypatch):
    monkeypatch.setattr(parallel, "_THREAD_MEMORY", 2**60)  # more than can be addressed
    assert in_threads(lambda _: threading.current_thread(), 3, 2) == [threading.current_thread()] * 3


def test_no_task_takes_memory_before_the_last_thread_has_begun(monkeypatch):
    worked, early = [], []

    class Slow(threading.Thread):
        def start(self):
            time.sleep(0.05)
            early.extend(worked)
            super().start()

    monkeypatch.setattr(parallel, "Thread", Slow)
    in_threads(worked.append, 3, 3)
    assert sorted(worked) == [0, 1, 2]
    assert early == []


def test_ctrl_c_while_a_thread_begins_is_not_taken_for_a_want_of_threads(monkeypatch):
    class Interrupted(threading.Event):
        def wait(self, timeout=None):  # Condition.wait, interrupted just after it gave its lock back
            with self._cond:
                self._cond.release()
                raise KeyboardInterrupt

    class Beginning(threading.Thread):
        def __init__(self, **options):
            super().__init__(**options)
            self._started = Interrupted()

    monkeypatch.setattr(parallel, "Thread", Beginning)
    before = threading.enumerate()
    with pytest.raises(KeyboardInterrupt):
        in_threads(lambda number: -number, 5, 3)
    assert set(threading.enumerate()) <= set(before)


def test_no_more_threads_than_cores_are_asked_for():
    assert thread_count(None) == thread_count(1) == 1
    assert 1 <= thread_count(-1) <= os.cpu_count()
    assert thread_count(100_000) == os.cpu_count()
