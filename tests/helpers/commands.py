import subprocess
import sys
import warnings
from dataclasses import dataclass

import pytest
from sklearn.datasets import load_iris

from askew.cli import main


@pytest.fixture(scope="session")
def iris_csv(tmp_path_factory):
    """Iris as a CSV: four columns of numbers, and `species`."""
    iris = load_iris(as_frame=True)
    frame = iris.data.assign(species=iris.target_names[iris.target])
    path = tmp_path_factory.mktemp("iris") / "iris.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def model(iris_csv):
    """A tree that was trained on iris by the command."""
    path = iris_csv.with_name("iris.askew")
    with pytest.raises(SystemExit) as end:
        main(["train", str(iris_csv), "--target", "species", "--method", "cart", "--cv", "0", "-o", str(path)])
    assert end.value.code == 0
    return path


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def ran(capsys):
    """Run a command in this process, whatever it ends with; anything but an exit code is an error of the test.

    To start a process takes seconds. Those that need one of their own are few: closed and piped streams, what is
    imported, `test_train.py` and one fault.
    """

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        return Ended(end.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def askew(ran):
    """Run a command that succeeds without a word on standard error; returns what it wrote to standard output."""

    def run(*arguments):
        end = ran(*arguments)
        assert (end.code, end.err) == (0, "")
        return end.out

    return run


@pytest.fixture
def told(ran):
    """Run a command that succeeds; returns the lines that it wrote to standard error."""

    def run(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            end = ran(*arguments)
        assert end.code == 0, end.err
        return end.err.splitlines()

    return run


@pytest.fixture
def fault(ran, tmp_path):
    """Run a command that is to fail: one line, exit code 2, nothing written; returns the line."""

    def contents():
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def run(*arguments):
        before = contents()
        end = ran(*arguments)
        assert (end.code, end.out, end.err.count("\n")) == (2, "", 1), end.err
        assert contents() == before
        return end.err

    return run


@pytest.fixture(scope="session")
def command():
    """Run the real command in a process of its own."""

    def run(*arguments, **options):
        line = [sys.executable, "-W", "error", "-m", "askew", *map(str, arguments)]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=120, **options)

    return run
