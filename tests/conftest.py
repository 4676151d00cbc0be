"""Loads the settings of hypothesis before any test."""

import strategies  # noqa: F401
