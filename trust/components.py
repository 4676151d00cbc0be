"""A list of components (CycloneDX) of what the package needs, as it is installed here: made without a network."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from trust import ROOT

PLACE = ROOT / "build" / "askew.cdx.json"
_NAME = re.compile(r"[\w.-]+")


def write(requirements: list[str], path: Path = PLACE) -> int:
    """Write the list of these requirements, and of what they need; return how many there are."""
    found = sorted(installed(requirements).items())
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": [_entry(*o) for o in found]}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return len(found)


def installed(requirements: list[str]) -> dict[str, str]:
    """Return the versions installed here of some requirements and of all that they need, by name; extras are not."""
    found: dict[str, str] = {}
    waiting = [one for one in requirements if "extra ==" not in one]
    while waiting:
        matched = _NAME.match(waiting.pop())
        name = "" if matched is None else re.sub(r"[-_.]+", "-", matched[0]).lower()
        if not name or name in found:
            continue
        try:
            known = distribution(name)
        except PackageNotFoundError:  # for another platform, or another version of Python
            continue
        found[name] = known.version
        waiting += [one for one in known.requires or [] if "extra ==" not in one]
    return found


def _entry(name: str, version: str) -> dict[str, Any]:
    purl = f"pkg:pypi/{name}@{version}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
