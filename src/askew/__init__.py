"""Oblique decision trees: small, accurate, readable trees whose nodes test a linear combination of features."""

from __future__ import annotations

from importlib import import_module

from askew import _notebook
from askew.estimators.registry import METHODS, Classes

__version__ = "0.1.0"

# The module of each public name that is not an estimator. A module is imported when a name of it is first used, so that
# `import askew` alone is fast. Type checkers read `__init__.pyi`, which `make stub` writes.
_HOME = {
    "InvalidParameterError": "askew.parameters",
    "ModelFileError": "askew.parameters",
    "RuleNetwork": "askew.model.rule_network",
    "compare": "askew.comparison",
    "counterfactual": "askew.explaining.counterfactual",
    "distill": "askew.distillation",
    "explain": "askew.explaining.path",
    "export_c": "askew.export.code.c",
    "export_dot": "askew.export.dot",
    "export_json": "askew.export.json",
    "export_oc1": "askew.export.oc1_format",
    "export_onnx": "askew.export.code.onnx",
    "export_python": "askew.export.code.python",
    "export_rules": "askew.export.rules",
    "export_sql": "askew.export.code.sql",
    "export_text": "askew.export.text",
    "import_oc1": "askew.export.oc1_format",
    "load": "askew.store",
    "plot_front": "askew.plot.plot_front",
    "plot_learning": "askew.plot.plot_learning",
    "plot_node": "askew.plot.plot_node",
    "plot_partition": "askew.plot.plot_partition",
    "plot_path": "askew.plot.plot_path",
    "plot_trace": "askew.plot.plot_trace",
    "plot_tree": "askew.plot.plot_tree",
    "refine": "askew.refinement",
    "region": "askew.explaining.region",
    "report": "askew.reporting",
    "save": "askew.store",
    "shapley": "askew.explaining.shapley",
    "simplify": "askew.explaining.simplify",
}

_ESTIMATORS = Classes(METHODS.values())

# Packages whose names are public: data sets, and the strategies of each stage.
_PACKAGES = ("datasets", "prune", "refinement", "search")

__all__ = sorted([*_HOME, *_ESTIMATORS, *_PACKAGES])


def _fitted_html(estimator: object) -> str:
    from askew.plot.svg import tree_html  # late: imported only when a notebook shows a tree

    return tree_html(estimator)


_notebook.fitted_html = _fitted_html


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'askew' has no attribute {name!r}")
    if name in _PACKAGES:
        return import_module(f"askew.{name}")
    value = _ESTIMATORS[name] if name in _ESTIMATORS else getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
