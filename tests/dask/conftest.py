from contextlib import suppress

import pytest

pytest.importorskip("distributed", reason="extra dask is not installed")


@pytest.fixture(scope="session")
def client():
    """A cluster of two worker processes, for all tests."""
    from distributed import Client, LocalCluster

    options = {"dashboard_address": ":0", "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(autouse=True)
def _nothing_stays(request):
    """No test leaves anything on the cluster, or without workers."""
    yield
    if "client" in request.fixturenames:
        client = request.getfixturevalue("client")
        import gc
        import time

        _start_again(client)
        gc.collect()
        for _ in range(600):  # releases are messages, which a busy machine is slow to deliver
            held = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
            if not held:
                break
            time.sleep(0.1)
        assert held == 0


def _start_again(client):
    """Wait for the workers that were killed; on a busy machine Dask may give one up, which is then replaced."""
    for _ in range(60):
        client.cluster.scale(2)
        with suppress(TimeoutError):
            return client.wait_for_workers(2, timeout=10)
    raise TimeoutError("the cluster has lost its workers")
