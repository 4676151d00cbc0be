"""What notebooks show of a fitted tree: a function that `askew` sets, since drawing builds on the estimators."""

from __future__ import annotations

from collections.abc import Callable

fitted_html: Callable[[object], str] | None = None
