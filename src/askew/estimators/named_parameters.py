"""Parameters as a user of the command line or of `askew.compare` writes them; those of a vote's trees too."""

from __future__ import annotations

from collections.abc import Mapping

from askew.estimators.model import BaseModel
from askew.estimators.oc1 import OC1Classifier
from askew.prune import usual_pruning


def parameter_names(estimator: BaseModel) -> dict[str, str]:
    """Return the parameters as a user writes them, and as `set_params` does; a vote takes those of its trees too."""
    direct = {name: name for name in estimator.get_params(deep=False)}
    if "estimator" not in direct:
        return direct
    if estimator.get_params(deep=False)["estimator"] is None:
        estimator.set_params(estimator=OC1Classifier())
    tree: BaseModel = estimator.get_params(deep=False)["estimator"]
    return {**{name: f"estimator__{name}" for name in tree.get_params(deep=False)}, **direct}


def set_named(estimator: BaseModel, parameters: Mapping[str, object]) -> BaseModel:
    """Set parameters as a user writes them (``pruning__cv`` for one of the pruner); those of a vote's trees too."""
    known = parameter_names(estimator)
    written = {key: key.partition("__") for key in parameters}
    return estimator.set_params(
        **{f"{known[name]}{separator}{rest}": parameters[key] for key, (name, separator, rest) in written.items()}
    )


def set_comparison_defaults(estimator: BaseModel, random_state: int, n_rows: int, *, own_pruning: bool = False) -> None:
    """Set the defaults of the command line and of comparisons: the seed, and the same pruning for all methods.

    A method that chooses the size of its tree keeps its pruning, as do all with `own_pruning`.
    """
    usual: dict[str, object] = {"random_state": random_state}
    if not (own_pruning or getattr(estimator, "chooses_size", False)):
        usual["pruning"] = usual_pruning(n_rows)
    known = parameter_names(estimator)
    set_named(estimator, {name: value for name, value in usual.items() if name in known})
