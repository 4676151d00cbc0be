"""Queries of many nodes in batches: the next query of every search goes to the cluster in one round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Condition, Thread, current_thread
from typing import TypeVar

from askew.dask.queries import Answer, Query

_T = TypeVar("_T")
_Item = TypeVar("_Item")
_MAX_THREADS = 256


class Stopped(BaseException):
    """Ends a search that waits for an answer after another one has failed."""


class BatchedQueries:
    """Runs a function on many items, each in a thread, and collects the queries of the threads.

    A thread that has asked waits. When all of them wait, or have ended, their queries are answered in one round by the
    thread that started them. The results do not depend on the order in which the threads run.

    Parameters
    ----------
    answers : function
        Answers many queries at once.
    """

    def __init__(self, answers: Callable[[list[Query]], list[Answer]]) -> None:
        self.answers = answers
        self.changed = Condition()
        self.asked: dict[Thread, Query] = {}
        self.answered: dict[Thread, Answer] = {}
        self.running: set[Thread] = set()
        self.stopped = False

    def ask(self, query: Query) -> Answer:
        """Return the answer to a query, once all other threads wait or have ended."""
        me = current_thread()
        if me not in self.running:
            return self.answers([query])[0]
        with self.changed:
            self.asked[me] = query
            self.changed.notify_all()
            self.changed.wait_for(lambda: me in self.answered or self.stopped)
            if self.stopped:
                raise Stopped
            return self.answered.pop(me)

    def run(self, function: Callable[[_Item], _T], items: Sequence[_Item]) -> list[_T]:
        """Return the result of the function for each item."""
        results: list[_T] = []
        for start in range(0, len(items), _MAX_THREADS):
            results += self._run_some(function, items[start : start + _MAX_THREADS])
        return results

    def _run_some(self, function: Callable[[_Item], _T], items: Sequence[_Item]) -> list[_T]:
        outcomes: dict[int, _T] = {}
        errors: list[BaseException] = []

        def work(number: int) -> None:
            try:
                outcomes[number] = function(items[number])
            except Stopped:
                pass
            except BaseException as error:
                errors.append(error)
            finally:
                with self.changed:
                    self.running.discard(current_thread())
                    self.changed.notify_all()

        threads = [Thread(target=work, args=(number,), daemon=True) for number in range(len(items))]
        self.running.update(threads)
        try:
            for thread in threads:
                thread.start()
            while self._round():
                if errors:
                    break
            if errors:
                raise errors[0]
        finally:
            self._end(threads)
        return [outcomes[number] for number in range(len(items))]

    def _round(self) -> bool:
        """Answer the queries of all threads; False if all threads have ended."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.asked) == len(self.running))
            asked, self.asked = self.asked, {}
        if not asked:
            return False
        # In the order of the threads' names, not of their arrival.
        threads = sorted(asked, key=lambda thread: thread.name)
        answers = self.answers([asked[thread] for thread in threads])
        with self.changed:
            self.answered.update(zip(threads, answers, strict=True))
            self.changed.notify_all()
        return True

    def _end(self, threads: list[Thread]) -> None:
        with self.changed:
            self.stopped = True
            self.changed.notify_all()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        self.stopped = False
        self.asked, self.answered, self.running = {}, {}, set()
