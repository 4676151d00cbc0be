"""Oblique decision trees: small, accurate, readable trees whose nodes test a linear combination of features."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from askew import _notebook

if TYPE_CHECKING:
    from askew import datasets
    from askew.comparison import compare
    from askew.distillation import distill
    from askew.estimators.apdt import APDTClassifier
    from askew.estimators.auto import AutoTreeClassifier, AutoTreeRegressor
    from askew.estimators.boosting import ObliqueBoostingClassifier, ObliqueBoostingRegressor
    from askew.estimators.c45 import C45Classifier, ID3Classifier
    from askew.estimators.cart import (
        CARTClassifier,
        CARTRegressor,
        ObliqueTreeClassifier,
        ObliqueTreeRegressor,
    )
    from askew.estimators.cart_elc import CARTELCClassifier, CARTELCRegressor
    from askew.estimators.cart_lc import CARTLCClassifier, CARTLCRegressor
    from askew.estimators.cedt import CEDTClassifier, CEDTRegressor
    from askew.estimators.forest import ObliqueForestClassifier, ObliqueForestRegressor
    from askew.estimators.hhcart import HHCARTClassifier, HHCARTRegressor
    from askew.estimators.k_dt import KDTClassifier
    from askew.estimators.lmdt import LMDTClassifier
    from askew.estimators.oc1 import OC1Classifier, OC1Regressor
    from askew.estimators.refined import refine
    from askew.estimators.sadt import SADTClassifier, SADTRegressor
    from askew.explaining.counterfactual import counterfactual
    from askew.explaining.path import explain
    from askew.explaining.region import region
    from askew.explaining.shapley import shapley
    from askew.explaining.simplify import simplify
    from askew.export.code.c import export_c
    from askew.export.code.onnx import export_onnx
    from askew.export.code.python import export_python
    from askew.export.code.sql import export_sql
    from askew.export.dot import export_dot
    from askew.export.json import export_json
    from askew.export.oc1_format import export_oc1, import_oc1
    from askew.export.rules import export_rules
    from askew.export.text import export_text
    from askew.model.rule_network import RuleNetwork
    from askew.parameters import InvalidParameterError, ModelFileError
    from askew.plot.plot_front import plot_front
    from askew.plot.plot_learning import plot_learning
    from askew.plot.plot_node import plot_node
    from askew.plot.plot_partition import plot_partition
    from askew.plot.plot_path import plot_path
    from askew.plot.plot_trace import plot_trace
    from askew.plot.plot_tree import plot_tree
    from askew.prune.cost_complexity import CostComplexity
    from askew.prune.error_based import ErrorBased
    from askew.prune.genetic import GAPruner
    from askew.prune.learning_automata import LAPruner
    from askew.reporting import report
    from askew.store import load, save

__version__ = "0.1.0"

__all__ = [
    "APDTClassifier",
    "AutoTreeClassifier",
    "AutoTreeRegressor",
    "C45Classifier",
    "CARTClassifier",
    "CARTELCClassifier",
    "CARTELCRegressor",
    "CARTLCClassifier",
    "CARTLCRegressor",
    "CARTRegressor",
    "CEDTClassifier",
    "CEDTRegressor",
    "CostComplexity",
    "ErrorBased",
    "GAPruner",
    "HHCARTClassifier",
    "HHCARTRegressor",
    "ID3Classifier",
    "InvalidParameterError",
    "KDTClassifier",
    "LAPruner",
    "LMDTClassifier",
    "ModelFileError",
    "OC1Classifier",
    "OC1Regressor",
    "ObliqueBoostingClassifier",
    "ObliqueBoostingRegressor",
    "ObliqueForestClassifier",
    "ObliqueForestRegressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "RuleNetwork",
    "SADTClassifier",
    "SADTRegressor",
    "compare",
    "counterfactual",
    "datasets",
    "distill",
    "explain",
    "export_c",
    "export_dot",
    "export_json",
    "export_oc1",
    "export_onnx",
    "export_python",
    "export_rules",
    "export_sql",
    "export_text",
    "import_oc1",
    "load",
    "plot_front",
    "plot_learning",
    "plot_node",
    "plot_partition",
    "plot_path",
    "plot_trace",
    "plot_tree",
    "refine",
    "region",
    "report",
    "save",
    "shapley",
    "simplify",
]

# Where a name comes from, if not from `askew.estimators`. Names are looked up when they are first used: `import askew`
# alone costs next to nothing.
_HOME = {
    "CostComplexity": "askew.prune.cost_complexity",
    "ErrorBased": "askew.prune.error_based",
    "GAPruner": "askew.prune.genetic",
    "InvalidParameterError": "askew.parameters",
    "LAPruner": "askew.prune.learning_automata",
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
    "refine": "askew.estimators.refined",
    "report": "askew.reporting",
    "save": "askew.store",
    "region": "askew.explaining.region",
    "shapley": "askew.explaining.shapley",
    "simplify": "askew.explaining.simplify",
}


def _fitted_html(estimator: object) -> str:
    from askew.plot.svg import tree_html  # with all that it imports, only once a notebook shows a tree

    return tree_html(estimator)


_notebook.fitted_html = _fitted_html


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'askew' has no attribute {name!r}")
    if name == "datasets":
        return import_module("askew.datasets")
    value = getattr(import_module(_HOME.get(name, "askew.estimators")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
