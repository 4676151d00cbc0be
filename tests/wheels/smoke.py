"""What a wheel must do where nothing but its dependencies is installed: train, predict, store, export."""

import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew import _core

X, y = load_iris(return_X_y=True)
tree = askew.AutoTreeClassifier(effort="low", random_state=0).fit(X, y)
assert tree.score(X, y) > 0.9
forest = askew.ObliqueForestClassifier(n_estimators=10, random_state=0, n_jobs=2).fit(X, y)
assert forest.score(X, y) > 0.9
numbers, quantity = load_diabetes(return_X_y=True)
assert askew.OC1Regressor(max_depth=3, random_state=0).fit(numbers, quantity).score(numbers, quantity) > 0.3
with tempfile.TemporaryDirectory() as folder:
    askew.save(tree, Path(folder) / "tree.askew")
    assert (askew.load(Path(folder) / "tree.askew").predict(X) == tree.predict(X)).all()
names = {}
exec(askew.export_python(tree), names)
assert [names["predict"](row) for row in X.tolist()] == tree.predict(X).tolist()
assert askew.export_c(forest)
assert askew.export_sql(tree, "flowers")
installed = Path(sysconfig.get_paths()["purelib"]) in Path(_core.__file__).parents
assert installed, f"the core is that of {_core.__file__}, not of the wheel"
compiler = "a compiler is there" if shutil.which("c++") else "no compiler is there"
print(f"askew {askew.__version__} works: Python {sys.version.split()[0]}, NumPy {np.__version__}; {compiler}")
