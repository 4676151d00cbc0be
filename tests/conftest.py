"""What must happen before anything is imported."""

import os

# scikit-learn checks the array API only when SciPy was imported with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import strategies  # noqa: F401  (the settings of hypothesis)
