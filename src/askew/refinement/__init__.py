"""The refiners: each improves all splits of a grown tree together."""

from __future__ import annotations

from askew.grow.recipe import Refiner
from askew.parameters import InvalidParameterError
from askew.refinement.soft import SoftRefiner

REFINERS: dict[str, type[Refiner]] = {"soft": SoftRefiner}


def as_refiner(refinement: object) -> Refiner | None:
    """Return the refiner that the parameter ``refinement=`` means: None, a name, or a refiner."""
    if refinement is None:
        return None
    if isinstance(refinement, str) and refinement in REFINERS:
        return REFINERS[refinement]()
    if not isinstance(refinement, type | str) and callable(getattr(refinement, "refine", None)):
        refiner: Refiner = refinement  # type: ignore[assignment]
        return refiner
    raise InvalidParameterError(
        f"The 'refinement' parameter must be None, a str among {sorted(REFINERS)} or a refiner with a method 'refine'. "
        f"Got {refinement!r} instead."
    )
