"""The examples in docstrings run; the estimators' docstrings are complete."""

import doctest
import inspect
import pkgutil
import re
from importlib import import_module
from importlib.util import find_spec

import pytest

import askew
from askew.parameters import documented

ESTIMATORS = [getattr(askew, name) for name in askew.__all__ if name.endswith(("Classifier", "Regressor"))]
LEFT_OUT = ("._core", "__main__")
if find_spec("distributed") is None:  # extra dask
    ON_CLUSTER = []
else:
    import askew.dask

    ON_CLUSTER = [getattr(askew.dask, name) for name in askew.dask.__all__]


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in pkgutil.walk_packages(askew.__path__, "askew."):
        needs_dask = module.name.startswith("askew.dask") and not ON_CLUSTER
        if not module.name.endswith(LEFT_OUT) and not needs_dask:
            yield from (
                test for test in finder.find(import_module(module.name)) if test.examples and "._" not in test.name
            )


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
def test_an_example_in_a_docstring_prints_what_it_says(example):
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *ON_CLUSTER])
def test_every_parameter_is_documented_and_no_default_is_wrong(estimator):
    text = inspect.getdoc(estimator)
    for name, parameter in inspect.signature(estimator).parameters.items():
        default = f'"{parameter.default}"' if isinstance(parameter.default, str) else parameter.default
        line = next(line for line in text.splitlines() if line.startswith(f"{name} : "))
        assert ", default=" not in line or line.endswith(f", default={default}")
    section = re.search(r"^Parameters\n-+\n(.*?)\n\n", text, re.DOTALL | re.MULTILINE)[1]
    named = re.findall(r"^([*\w, ]+?) : ", section, re.MULTILINE)
    assert {name for names in named for name in names.split(", ")} <= set(inspect.signature(estimator).parameters)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_section_of_a_docstring_stands_twice(estimator):
    titles = [
        line for line in inspect.getdoc(estimator).splitlines() if line in ("Parameters", "Attributes", "Examples")
    ]
    assert titles == ["Parameters", "Attributes", "Examples"]


def test_a_docstring_that_a_class_computes_when_asked_is_completed_like_any_other():
    class Computed:  # as the dataclasses of Python 3.15 do
        def __get__(self, instance, owner):
            return "A parent.\n\nParameters\n----------\nlimit : int\n    Of rows."

    parent = type("Parent", (), {"__doc__": Computed()})
    child = documented(type("Child", (parent,), {"__doc__": "A child."}))
    assert "limit : int\n    Of rows." in child.__doc__
