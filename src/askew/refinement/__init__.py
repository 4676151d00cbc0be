"""The refiners: each improves all splits of a grown tree together."""

from __future__ import annotations

from askew.grow.recipe import Refiner
from askew.parameters import InvalidParameterError
from askew.refinement.soft import SoftRefiner

REFINERS: dict[str, type[Refiner]] = {"soft": SoftRefiner}


def as_refiner(refine: object) -> Refiner | None:
    """Turn what a user gave as ``refine=`` (None, a name, or a refiner) into a refiner."""
    if refine is None:
        return None
    if isinstance(refine, str) and refine in REFINERS:
        return REFINERS[refine]()
    if not isinstance(refine, type | str) and callable(getattr(refine, "refine", None)):
        found: Refiner = refine  # type: ignore[assignment]
        return found
    raise InvalidParameterError(
        f"The 'refine' parameter must be None, a str among {sorted(REFINERS)} or a refiner with a method 'refine'. "
        f"Got {refine!r} instead."
    )
