import subprocess
import sys
import warnings

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


@pytest.fixture
def askew(capsys):
    """Run a command that succeeds, in this process; returns what it wrote to standard output."""

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert (end.value.code, err) == (0, "")
        return out

    return run


@pytest.fixture
def told(capsys):
    """Run a command that succeeds, in this process; returns the lines that it wrote to standard error."""

    def run(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            with pytest.raises(SystemExit) as end:
                main([str(argument) for argument in arguments])
        lines = capsys.readouterr().err.splitlines()
        assert end.value.code == 0, lines
        return lines

    return run


@pytest.fixture(scope="session")
def command():
    """Run the real command in a process of its own."""

    def run(*arguments):
        line = [sys.executable, "-W", "error", "-m", "askew", *map(str, arguments)]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)

    return run


@pytest.fixture
def fault(tmp_path, command):
    """Run a command that is to fail: one line, exit code 2, nothing written; returns the line."""

    def run(*arguments):
        before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        end = command(*arguments)
        assert (end.returncode, end.stdout) == (2, "")
        assert end.stderr.count("\n") == 1
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
        return end.stderr

    return run
