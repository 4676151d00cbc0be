"""Faults 23 to 26: memory, depth, Ctrl-C, threads and processes."""

import copy
import pickle
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest
from fault_cases import every
from registry import ENSEMBLES, plain, trees
from sklearn.base import clone, is_classifier

from askew import CARTClassifier, KDTClassifier, load, save
from askew.model.leaf_values import Constant
from askew.model.tree import Tree


def run(program, **options):
    """Run a program of its own; a hang fails after a generous time."""
    command = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, **options)


def chain(depth):
    """A tree of `depth` inner nodes, each with a leaf on the left: x <= i."""
    n = 2 * depth + 1
    inner = np.zeros(n, dtype=bool)
    inner[0] = True
    inner[2::2] = True
    inner[-1] = False
    first = np.where(inner, np.arange(n) + 1 + (np.arange(n) > 0), 0)
    first[0] = 1
    first[inner] = 2 * np.arange(depth) + 1
    starts = np.concatenate(([0], np.cumsum(inner)))
    value = np.zeros((n, 2))
    value[:, 0] = 1
    value[1::4] = value[-1] = [0, 1]
    return Tree.from_arrays(
        {
            "kind": inner.astype(np.int8),
            "first_child": first.astype(np.int64),
            "n_children": np.where(inner, 2, 0),
            "feature_start": starts.astype(np.int64),
            "weight_start": starts.astype(np.int64),
            "feature": np.zeros(depth, dtype=np.int64),
            "weight": np.ones(depth),
            "threshold": np.where(inner, np.cumsum(inner) - 1.0, 0.0),
            "value": value,
            "n_samples": np.ones(n, dtype=np.int64),
            "mass": np.ones(n),
            "impurity": np.zeros(n),
        },
        n_features=1,
    )


def test_23_memory_that_runs_out_leaves_the_estimator_as_it_was():
    done = run(
        """
        import resource
        import numpy as np
        from askew import CARTClassifier
        X = np.random.default_rng(0).normal(size=(300_000, 40))  # 96 MB; the sorted orders are as much again
        y = (X[:, 0] > 0).astype(int)
        model = CARTClassifier().fit(X[:100], y[:100])
        before = dict(model.__dict__)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 48_000_000, resource.RLIM_INFINITY))
        try:
            model.fit(X, y)
        except MemoryError:
            print("MemoryError", model.__dict__ == before)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(model.fit(X[:1000], y[:1000]).score(X[:1000], y[:1000]))
        """
    )
    assert done.stdout == "MemoryError True\n1.0\n", done.stderr


# Memory runs out at one point of the work daily, at all of them before a release.
@pytest.mark.parametrize(
    "extra",
    [10_000_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (0, 2_000_000, 20_000_000, 30_000_000))],
)
def test_23_memory_that_runs_out_in_a_thread_is_a_memory_error(extra):
    done = run(
        f"""
        import resource
        import numpy as np
        from askew import CARTELCClassifier, CARTRegressor
        X = np.random.default_rng(0).normal(size=(100_000, 20))
        y = X[:, 0] + X[:, 1]
        models = [CARTRegressor(n_jobs=2, max_depth=2), CARTELCClassifier(n_jobs=2, max_depth=1, max_candidates=200)]
        tables = [(X, y), (X[:5_000], y[:5_000] > 0)]
        for model, (A, b) in zip(models, tables, strict=True):
            model.fit(A[:100], b[:100])
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + {extra}, resource.RLIM_INFINITY))
        for model, (A, b) in zip(models, tables, strict=True):
            try:
                model.fit(A, b)
            except MemoryError:
                pass
        print("still here")
        """
    )
    assert done.stdout == "still here\n", done.stderr


@pytest.mark.parametrize("megabytes", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (0.5, 9, 20))])
def test_23_memory_that_runs_out_in_the_threads_of_an_ensemble_is_a_memory_error(megabytes):
    done = run(
        f"""
        import resource
        import numpy as np
        import askew
        X = np.random.default_rng(0).normal(size=(50_000, 20))
        y = (X.sum(axis=1) > 0).astype(int)
        models = [
            askew.KDTClassifier(estimator=askew.CARTClassifier(max_depth=3), n_estimators=4, n_jobs=2, random_state=0),
            askew.ObliqueForestClassifier(n_estimators=4, max_depth=3, n_jobs=2, random_state=0),
            askew.ObliqueForestRegressor(n_estimators=4, max_depth=3, n_jobs=2, random_state=0),
            askew.ObliqueBoostingClassifier(max_iter=4, max_depth=3, n_jobs=2, random_state=0),
            askew.ObliqueBoostingRegressor(max_iter=4, max_depth=3, n_jobs=2, random_state=0),
        ]
        for model in models:
            model.fit(X[:200], y[:200])
            before = dict(model.__dict__)
            used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + int({megabytes} * 1e6), resource.RLIM_INFINITY))
            try:
                model.fit(X, y)
                before = dict(model.__dict__)  # with one thread, or none, it may suffice
            except MemoryError:
                pass
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            print(model.__dict__ == before, model.fit(X[:200], y[:200]).predict(X[:3]).shape)
        """
    )
    assert done.stdout == "True (3,)\n" * 5, done.stderr


@pytest.fixture(scope="module")
def deep():
    model = CARTClassifier().fit([[0.0], [1.0]], [0, 1])
    model.tree_ = chain(100_000)
    return model


def test_24_a_chain_predicts(deep):
    X = np.array([[-1.0], [0.0], [1.0], [2.0], [99_999.0], [1e9]])
    np.testing.assert_array_equal(deep.apply(X), [1, 1, 3, 5, 199_999, 200_000])
    np.testing.assert_array_equal(deep.predict(X), [1, 1, 0, 1, 0, 1])
    assert deep.get_depth() == 100_000
    assert deep.get_n_leaves() == 100_001
    assert deep.decision_path(X[:3]).sum() == 2 + 2 + 3


def test_24_a_chain_is_pickled_and_copied(deep):
    assert pickle.loads(pickle.dumps(deep)).tree_ == deep.tree_
    assert copy.deepcopy(deep).tree_ == deep.tree_
    assert clone(deep).get_params() == deep.get_params()


@pytest.mark.parametrize("cls", ENSEMBLES, ids=lambda cls: cls.__name__)
def test_24_an_ensemble_of_chains_predicts_and_comes_back(cls, deep, tmp_path):
    X, y = [[0.0], [1.0]], [0, 1]
    model = plain(cls).fit(X, y)
    if isinstance(model, KDTClassifier):
        model._take_fitted([deep, deep])
    else:
        value = deep.tree_.value if is_classifier(model) and hasattr(model, "bootstrap") else deep.tree_.value[:, :1]
        model._take([replace(deep.tree_, payload=Constant(value))] * 2)
    save(model, tmp_path / "m.askew")
    rows = np.array([[-1.0], [0.0], [1.0], [99_999.0], [1e9]])
    expected = model.predict(rows)
    assert expected[0] == expected[1] == expected[4] != expected[2] == expected[3]
    for again in (load(tmp_path / "m.askew"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(again.predict(rows), expected)


def test_24_a_chain_is_cut(deep):
    assert deep.tree_.collapse(np.array([100_000])).n_leaves == 50_001


def test_24_a_deep_tree_is_grown_and_pruned():
    X, y = np.arange(3_000.0)[:, None], np.arange(3_000) % 2  # of equally good cuts the lowest: a chain
    model = CARTClassifier(random_state=0).fit(X, y)
    assert model.get_depth() > sys.getrecursionlimit()
    assert model.set_params(pruning="cost_complexity").fit(X, y).get_n_leaves() >= 1


def test_25_ctrl_c_stops_a_fit_and_leaves_the_estimator_as_it_was():
    done = run(
        """
        import signal, threading, time
        import numpy as np
        from askew import CARTClassifier
        X = np.random.default_rng(0).normal(size=(150_000, 30))
        y = np.random.default_rng(1).integers(0, 9, size=150_000)
        for jobs in (1, 2):
            model = CARTClassifier(criterion="gain_ratio", n_jobs=jobs).fit(X[:50], y[:50])
            before, sent = dict(model.__dict__), []
            def interrupt():
                sent.append(time.monotonic())
                signal.raise_signal(signal.SIGINT)
            timer = threading.Timer(0.5, interrupt)
            timer.start()
            try:
                model.fit(X, y)
                print("finished")
            except KeyboardInterrupt:
                waited = time.monotonic() - sent[0]
                print("KeyboardInterrupt", model.__dict__ == before, waited < 20, threading.active_count() <= 2)
            timer.join()
            print(model.predict(X[:5]).shape)
        """
    )
    assert done.stdout == "KeyboardInterrupt True True True\n(5,)\n" * 2, done.stderr


def test_26_a_fork_after_a_parallel_fit_does_not_hang():
    done = run(
        """
        import os
        import numpy as np
        import askew
        from sklearn.base import clone
        X = np.random.default_rng(0).normal(size=(5000, 10))
        y = (X[:, 0] > 0).astype(int)
        for model in (
            askew.CARTClassifier(n_jobs=2),
            askew.KDTClassifier(askew.CARTClassifier(), n_estimators=2, n_jobs=2),
            askew.ObliqueForestClassifier(n_estimators=2, random_state=0, n_jobs=2),
            askew.ObliqueBoostingClassifier(max_iter=2, random_state=0, n_jobs=2),
        ):
            expected = model.fit(X, y).predict_proba(X)
            child = os.fork()
            if child == 0:
                os._exit(0 if (clone(model).fit(X, y).predict_proba(X) == expected).all() else 3)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert done.stdout == "0\n" * 4, done.stderr


@every
def test_26_any_number_of_jobs_gives_the_same_model(cls):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    one = plain(cls).fit(X, y)
    for n_jobs in (100_000, -1, -100_000):
        many = plain(cls, n_jobs=n_jobs).fit(X, y)
        assert trees(many) == trees(one)
        np.testing.assert_array_equal(many.predict(X), one.predict(X))


@pytest.mark.parametrize("n_jobs", [100_000, -1, -100_000])
def test_26_any_number_of_jobs_gives_the_same_tree(n_jobs):
    X = np.random.default_rng(0).normal(size=(3000, 10))
    y = X[:, 0] + X[:, 1] > 0
    many = CARTClassifier(n_jobs=n_jobs).fit(X, y)
    assert many.tree_ == CARTClassifier().fit(X, y).tree_
    np.testing.assert_array_equal(many.predict(X), y)
