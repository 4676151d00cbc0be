"""The refiners: each improves all splits of a grown tree together."""

from __future__ import annotations

from askew.refinement.soft import SoftRefiner

__all__ = ["SoftRefiner"]
