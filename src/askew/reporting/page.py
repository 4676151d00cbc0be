"""The HTML of a report: template, style, script and data in one file, which no data can make run a script."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files

from askew.export.json import JsonObject

# What could end the element that holds the data, begin a comment in it, or be taken for the end of a line.
_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def page(payload: JsonObject) -> str:
    """Return the page that shows a payload.

    The data stand in it as JSON that the browser does not run. A content security policy allows this one script and
    this one style, by their hashes, and no connection.
    """
    parts = {name: _asset(name) for name in ("report.js", "report.css", "LICENSES.txt")}
    told = {
        "policy": _policy(parts["report.js"], parts["report.css"]),
        "title": html.escape(payload["title"]),
        "style": parts["report.css"],
        "script": parts["report.js"],
        "licences": html.escape(parts["LICENSES.txt"]),
        "data": as_data(payload),
    }
    text = _asset("template.html")
    pieces = text.split("%%")  # every second is a name
    return "".join(told[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def as_data(payload: JsonObject) -> str:
    r"""Return JSON that can stand inside any element of HTML.

    Examples
    --------
    >>> from askew.reporting.page import as_data
    >>> as_data({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(payload, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(character): escape for character, escape in _ESCAPES.items()})


def _policy(script: str, style: str) -> str:
    allowed = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (files("askew.reporting") / "assets" / name).read_text(encoding="utf-8")
