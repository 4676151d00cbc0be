"""`src/askew/__init__.pyi`, what type checkers see of the public names: ``make stub`` writes it."""

from pathlib import Path
from types import ModuleType

import askew

STUB = Path(askew.__file__).with_suffix(".pyi")


def text():
    """Return the stub: where every public name comes from."""
    lines = []
    for name in askew.__all__:
        value = getattr(askew, name)
        if isinstance(value, ModuleType):
            lines.append(f"from askew import {name} as {name}")
        else:
            lines.append(f"from {value.__module__} import {name} as {name}")
    return "\n".join([*sorted(lines), "", "__version__: str", ""])


if __name__ == "__main__":
    STUB.write_text(text())
