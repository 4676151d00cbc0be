"""The partitions of a table on the workers of a cluster: tasks, reductions, and recovery when a worker is lost."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from typing import Any
from weakref import WeakSet

from dask.delayed import delayed
from distributed import Client, Future, wait
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from askew.dask.partition import NodePath, Partition
from askew.dask.queries import Answer, Query, merged
from askew.data.table import Table
from askew.parameters import ClusterError

_FAN_IN = 8  # answers that one task of a reduction adds up
_ADDED_HERE = 4  # up to this many answers are added up by the client
_LARGE = 100_000  # bytes of queries from which on they go to each worker once, not with each task
_POLL = 1.0  # seconds between two checks of the cluster
_ANSWER = 5.0  # seconds that a scheduler may take to answer


def reduction(n: int) -> list[int]:
    """Return how many tasks each step of the reduction of n answers has.

    Examples
    --------
    >>> from askew.dask.cluster import reduction
    >>> reduction(4), reduction(800)
    ([], [100, 13, 2])
    """
    steps = []
    while n > _ADDED_HERE:
        n = -(-n // _FAN_IN)
        steps.append(n)
    return steps


def _answer(part: Partition, asked: bytes) -> list[Answer]:
    return [query.answer(part) for query in pickle.loads(asked)]


def _merge(asked: bytes, *answers: list[Answer]) -> list[Answer]:
    return merged(pickle.loads(asked), answers)


def _same(payload: bytes) -> bytes:
    return payload


def _rows_at(part: Partition, path: NodePath) -> Table:
    return part.at(path)


class Cluster:
    """A client and the parts that a tree is grown on.

    Every task can be run again, on another worker, with the same result: Dask does so when a worker is lost. Nothing is
    kept on the cluster but the parts, while this object holds them.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    timeout : float
        Seconds after which a cluster without scheduler, or without workers, is abandoned.
    """

    def __init__(self, client: Client, timeout: float) -> None:
        self.client, self.timeout = client, timeout
        self.parts: list[Future] = []
        self.started: WeakSet[Future] = WeakSet()  # all tasks whose results are still on the cluster
        self.n_rounds = 0
        self.traffic: list[int] = [0]  # bytes of the answers of one part, in each level; before the first, of reading

    # --- tasks

    def submit(self, function: Callable[..., object], *arguments: object, **options: object) -> Future:
        """Start a task."""
        future = self.client.submit(function, *arguments, pure=False, retries=3, **options)
        self.started.add(future)
        return future

    def compute(self, function: Callable[..., object], arguments: Iterable[tuple[object, ...]]) -> list[Future]:
        """Start a task on each of some tuples of delayed objects and futures.

        A delayed object is computed for the task, and not kept.
        """
        tasks = [delayed(function, pure=False)(*one) for one in arguments]
        futures: list[Future] = self.client.compute(tasks, retries=3)
        self.started.update(futures)
        return futures

    def each(self, function: Callable[..., object], parts: Iterable[Future], *arguments: object) -> list[Future]:
        """Start a task on each part, where the part is."""
        parts = list(parts)
        futures: list[Future] = self.client.map(
            function, parts, *([one] * len(parts) for one in arguments), pure=False, retries=3
        )
        self.started.update(futures)
        return futures

    def ask(self, queries: list[Query]) -> list[Answer]:
        """Return the answers to some queries, added up over all parts."""
        asked: bytes | Future = pickle.dumps(queries, protocol=5)
        if len(asked) > _LARGE:
            asked = self.submit(_same, asked)
        answers = self.each(_answer, self.parts, asked)
        for _ in reduction(len(answers)):
            groups = [answers[i : i + _FAN_IN] for i in range(0, len(answers), _FAN_IN)]
            answers = [self.submit(_merge, asked, *group) for group in groups]
        results = self.results(answers)
        self.n_rounds += 1
        self.traffic[-1] += sum(array.nbytes for arrays in results[0] for array in arrays)
        return merged(queries, results)

    def gathered(self, path: NodePath, function: Callable[..., object], *arguments: object) -> Future:
        """Start a task on the rows of one node, which are brought together on one worker."""
        return self.submit(function, *arguments, *self.each(_rows_at, self.parts, path))

    def n_threads(self) -> int:
        """Return how many tasks the workers run at a time."""
        return max(1, int(sum(self.client.nthreads().values())))

    # --- results

    def results(self, futures: Sequence[Future]) -> list[Any]:
        """Wait for tasks.

        Raises
        ------
        ClusterError
            The scheduler or all workers were lost, or a task ended its worker repeatedly.
        """
        try:
            while True:
                self._wait(futures)
                try:
                    return list(self.client.sync(self._gather, list(futures), callback_timeout=self.timeout))
                except TimeoutError:  # a worker was lost with its results: they are computed again
                    pass
        except KilledWorker as error:
            raise ClusterError(
                f"workers ended while they worked on a part of the data ({error.task}): the usual reason is that it "
                "does not fit into their memory. Use smaller partitions, more workers or more memory for each."
            ) from error
        except (CommClosedError, CancelledError) as error:
            raise ClusterError(f"the cluster was lost, or the data on it: {error}") from error

    async def _gather(self, futures: list[Future]) -> list[object]:
        found: list[object] = await self.client.gather(futures, asynchronous=True)
        return found

    def _wait(self, futures: Sequence[Future]) -> None:
        seen = time.monotonic()
        while True:
            try:
                with self.client.as_current():
                    wait(list(futures), timeout=_POLL)
                return
            except TimeoutError:
                if self._works():
                    seen = time.monotonic()
                elif time.monotonic() - seen > self.timeout:
                    raise ClusterError(
                        f"the cluster was lost, or the data on it: for {self.timeout:g} seconds it has had no "
                        "scheduler, no workers, or none that could run the remaining tasks (their memory may be full)"
                    ) from None

    def _works(self) -> bool:
        """Whether some worker has a task, and is not paused because its memory is full.

        Tasks that wait for data that were lost would wait forever, and so would those of workers that stay paused.
        """
        if self.client.status != "running":
            return False
        try:
            tasks = self.client.sync(self.client.scheduler.processing, workers=None, callback_timeout=_ANSWER)
            known = self.client.scheduler_info().get("workers", {})
        except (TimeoutError, OSError):
            return False
        paused = {address for address, one in known.items() if one.get("status") == "paused"}
        return any(keys and address not in paused for address, keys in tasks.items())

    # --- the end

    def release(self) -> None:
        """Release all futures: the traceback of an error may refer to them."""
        self.parts = []
        for future in list(self.started):
            future.release()
