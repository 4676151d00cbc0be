"""askew imports and fits where an optional package is absent."""

import subprocess
import sys

import pytest

BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""
FIT = """
import numpy as np
import askew
X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 3
for name in askew.__all__:
    cls = getattr(askew, name)
    if hasattr(cls, "fit"):
        known = cls().get_params()
        given = {{"pruning": "cost_complexity", "verbose": 1}} if "pruning" in known else {{}}
        cls(**given, random_state=0).fit(X, y).predict(X)
print("fitted", sorted(n for n in sys.modules if n in {names!r}))
"""
OPTIONAL = ("matplotlib", "pandas", "polars", "rich", "typer", "numba", "pyarrow", "dask", "distributed")


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)


EXTRAS = [
    ("typer", "rich"),
    ("matplotlib",),
    ("pandas", "polars", "pyarrow"),
    ("numba",),
    ("dask", "distributed"),
    OPTIONAL,
]


@pytest.mark.parametrize("names", EXTRAS, ids="+".join)
def test_every_estimator_fits_without(names):
    done = run((BLOCK + FIT).format(names=set(names)))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "fitted []\n"


def test_import_loads_no_optional_package():
    """Beyond those that scikit-learn loads itself."""
    done = run(
        "import sys, sklearn.base, sklearn.utils.validation; before = set(sys.modules); import askew;"
        f"print(sorted({set(OPTIONAL)!r} & sys.modules.keys() - before))"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"


def test_progress_is_counted_in_plain_text_without_rich():
    done = run((BLOCK + FIT).format(names={"rich"}))
    assert "CARTClassifier: 100%" in done.stderr


def test_without_dask_the_error_says_what_to_install():
    done = run(BLOCK.format(names={"dask", "distributed"}) + "import askew.dask")
    assert done.returncode == 1
    assert "pip install 'askew[dask]'" in done.stderr
