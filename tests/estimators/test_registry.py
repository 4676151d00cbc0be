"""One registry of methods: public names, comparisons, the command line and model files know what it lists."""

import re
import shutil
import sys
from pathlib import Path
from subprocess import run
from textwrap import dedent

import public_stub
import pytest
from sklearn.base import is_classifier, is_regressor

import askew
from askew import _core
from askew.estimators.named_parameters import parameter_names, set_comparison_defaults
from askew.estimators.registry import ENSEMBLES, ESTIMATORS, METHODS
from askew.prune import CostComplexity
from askew.search.linear import LinearPlanes

ROOT = Path(__file__).parents[2]


def test_every_public_estimator_has_a_method_name():
    named = {kind for method in METHODS.values() for kind in method.classes if kind is not None}
    assert named == {*ESTIMATORS.values(), *ENSEMBLES.values()}
    assert {kind.__name__ for kind in named} == {
        name for name in askew.__all__ if name.endswith(("Classifier", "Regressor"))
    }


def test_a_method_is_a_classifier_and_then_a_regressor():
    for method in METHODS.values():
        classifier, regressor = method.classes
        assert classifier is None or is_classifier(classifier())
        assert regressor is None or is_regressor(regressor())


def test_what_is_unknown_is_no_estimator():
    assert "Nonsense" not in ESTIMATORS
    assert ESTIMATORS.get("Nonsense") is None
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        askew.Nonsense  # noqa: B018


def test_all_methods_are_pruned_alike_but_those_that_choose_the_size_of_their_tree():
    made = {name: next(kind for kind in method.classes if kind is not None)() for name, method in METHODS.items()}
    pruned = {name: one for name, one in made.items() if "pruning" in parameter_names(one) and name != "auto"}
    assert {"cart", "oc1", "c45", "k_dt"} <= set(pruned)
    for n_rows, pruning in ((100, CostComplexity(cv=5)), (10_001, CostComplexity())):
        for name, estimator in made.items():
            set_comparison_defaults(estimator, 3, n_rows)
            own = estimator.get_params().get(parameter_names(estimator).get("pruning"))
            assert own == (pruning if name in pruned else None)
            assert estimator.random_state == 3


def test_what_a_method_adds_to_its_estimator_can_be_changed_further():
    method = METHODS["linear"]
    estimator = method.classes[0](**method.parameters)
    assert estimator.set_params(search__l2=10.0).search == LinearPlanes(l2=10.0)


def test_dir_shows_the_public_names_alone():
    assert sorted(dir(askew)) == sorted([*askew.__all__, "__version__"])


def test_type_checkers_see_the_public_names():
    assert public_stub.STUB.read_text() == public_stub.text(), "make stub writes it"


USE = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
sys.path.insert(0, {folder!r})

import askew
from askew.cli import main
from sklearn.datasets import load_iris

assert askew.__file__.startswith({folder!r})
X, y = load_iris(return_X_y=True)
tree = askew.ToyClassifier(at=0.25, max_depth=3).fit(X, y)
askew.save(tree, "toy.askew")
assert askew.load("toy.askew").tree_ == tree.tree_
assert "ToyClassifier" in dir(askew)
assert set(askew.compare(X, y, methods=["toy", "cart"], cv=2).index) == {{"toy", "cart"}}
main(["train", "iris.csv", "--target", "y", "--method", "toy", "--set", "at=0.75", "-o", "other.askew", "--cv", "0"])
"""


@pytest.mark.extended
def test_a_method_is_one_file_and_one_line_as_contributing_shows(tmp_path):
    shown = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^    ```python\n(.*?)^    ```$", shown, re.M | re.S)
    (line,) = re.findall(r"^    ```text\n(.*?)^    ```$", shown, re.M | re.S)
    copy = tmp_path / "askew"
    shutil.copytree(Path(askew.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(_core.__file__, copy)
    (copy / "estimators" / "toy.py").write_text(dedent(code))
    registry = copy / "estimators" / "registry.py"
    head = "METHODS: dict[str, Method] = {\n"
    assert head in registry.read_text()
    registry.write_text(registry.read_text().replace(head, head + line))
    (tmp_path / "iris.csv").write_text("a,b,y\n" + "".join(f"{i},{i % 3},{int(i > 9)}\n" for i in range(20)))
    done = run([sys.executable, "-c", USE.format(folder=str(tmp_path))], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ToyClassifier" in done.stdout
