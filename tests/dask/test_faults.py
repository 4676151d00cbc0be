"""A cluster that loses workers gives the same tree; one that is lost, an error, and never a hang."""

import os
import signal
import subprocess
import sys

import dask.array as da
import numpy as np
import pytest
from dask import delayed
from sklearn.datasets import load_iris

from askew import CEDTClassifier
from askew.dask import DaskCARTClassifier, DaskCEDTClassifier
from askew.dask.cluster import Cluster
from askew.parameters import ClusterError

X, y = load_iris(return_X_y=True)
DATA = da.from_array(X, chunks=(40, 4)), da.from_array(y, chunks=40)
# Ends a test that hangs. A worker that was killed is started again as fast as the machine can: a minute on a busy one.
LONG = 600


def kill(client, number=None):
    """Kill a worker, or all of them; return their process numbers."""
    pids = sorted(client.run(os.getpid, on_error="ignore").values())[:number]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return pids


@pytest.fixture
def at_round(monkeypatch):
    """Do something before some rounds of a fit."""

    def arrange(numbers, action):
        ask, asked = Cluster.ask, []

        def counted(self, queries):
            asked.append(queries)
            if len(asked) in numbers:
                action()
            return ask(self, queries)

        monkeypatch.setattr(Cluster, "ask", counted)
        return asked

    return arrange


def test_39_a_worker_that_is_killed_changes_nothing(client, at_round):
    killed = []
    rounds = sorted(np.random.default_rng(5).choice(np.arange(2, 20), 3, replace=False).tolist())
    at_round(rounds, lambda: killed.extend(kill(client, 1)))
    tree = DaskCEDTClassifier(random_state=0, local_rows=40, n_samples=50, patience=2, timeout=LONG).fit(*DATA)
    assert len(killed) == 3
    assert tree.tree_ == CEDTClassifier(random_state=0, n_samples=50, patience=2).fit(X, y).tree_


CLUSTER = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", protocol="tcp", host="127.0.0.1"
    )
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def short_lived():
    """A cluster in another process, which can be killed; its address and its process."""
    process = subprocess.Popen([sys.executable, "-c", CLUSTER], stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip(), process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_is_lost_is_an_error(short_lived, at_round):
    from distributed import Client

    address, process = short_lived
    with Client(address, set_as_default=False) as client:
        at_round([4], process.kill)
        tree = DaskCARTClassifier(client=client, local_rows=0, timeout=2)
        with pytest.raises(ClusterError, match="the cluster"):
            tree.fit(*DATA)
    assert not hasattr(tree, "tree_")


def test_data_that_were_lost_with_a_worker_are_an_error(client, at_round):
    pieces = [client.scatter([one[:70], one[70:]]) for one in (X, y)]
    # Scattered data have no origin: workers that lose them cannot make them again.
    at_round([3], lambda: kill(client))
    with pytest.raises(ClusterError, match="lost"):
        DaskCARTClassifier(local_rows=0, timeout=20).fit(*pieces)
    del pieces


def test_tasks_that_no_worker_can_do_are_an_error_after_the_timeout(client):
    cluster = Cluster(client, timeout=1)
    future = cluster.submit(abs, -1, resources={"none has it": 1})
    with pytest.raises(ClusterError, match="1 seconds"):
        cluster.results([future])
    cluster.release()


def test_a_partition_that_ends_every_worker_is_an_error(client):
    def allow(failures):
        return client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", failures))

    def too_large():
        os.kill(os.getpid(), signal.SIGKILL)  # as the nanny does when memory runs out

    allow(0)
    try:
        with pytest.raises(ClusterError, match="memory"):
            DaskCARTClassifier().fit([delayed(too_large)()], [delayed(y)])
    finally:
        allow(3)


def test_an_error_of_a_criterion_is_raised_and_the_tree_stays_unfitted(client):
    def broken(left, right):
        raise ZeroDivisionError("no score")

    tree = DaskCARTClassifier(criterion=broken, local_rows=0)
    with pytest.raises(ZeroDivisionError, match="no score"):
        tree.fit(*DATA)
    assert not hasattr(tree, "tree_")
