"""What a command needs is imported, and no more."""

import subprocess
import sys

from askew.cli import defer


def in_another_process(program):
    end = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert end.returncode == 0, end.stderr
    return end.stdout.split()


def test_train_does_not_import_slow_modules(iris_csv, tmp_path):
    words = ["train", str(iris_csv), "-t", "species", "-m", "cart", "--quiet", "-o", str(tmp_path / "m.askew")]
    slow = ["scipy.stats._stats_py", "scipy.optimize", "sklearn.pipeline", "sklearn.metrics", "sklearn.model_selection"]
    assert (
        in_another_process(f"""
import sys
from askew.cli import main
try:
    main({words!r})
except SystemExit as end:
    assert not end.code
print(*[name for name in {slow!r} if name in sys.modules])
""")
        == []
    )
    assert (tmp_path / "m.askew").exists()


def test_a_deferred_module_is_the_module_when_it_is_used():
    assert in_another_process("""
import sys
from askew.cli import defer
defer("scipy.stats")
import scipy.stats
print("scipy.stats._stats_py" in sys.modules)
print(scipy.stats.rankdata([3, 1, 2]).tolist() == [3, 1, 2])
from scipy.stats import wilcoxon
import scipy
print(scipy.stats is sys.modules["scipy.stats"], scipy.stats.wilcoxon is wilcoxon)
""") == ["False", "True", "True", "True"]


def test_a_module_that_is_there_or_that_is_nowhere_is_left_alone():
    before = sys.modules["subprocess"]
    defer("subprocess")
    defer("no_such_module")
    assert sys.modules["subprocess"] is before
    assert "no_such_module" not in sys.modules
