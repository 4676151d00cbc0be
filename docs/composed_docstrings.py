"""For the API pages, which are made from the source without importing it: docstrings as they should be shown."""

import re
from importlib import import_module
from inspect import getdoc
from typing import Any

from griffe import Class, Docstring, Extension, Object

_ENTRY = re.compile(r"^(\w[\w, ]*?) : (.+)$(?!\n +)", re.MULTILINE)


class ComposedDocstrings(Extension):
    """Shows the docstrings that `documented` composes, and what short entries say as text rather than as a type."""

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Take the docstring of a class decorated with ``documented`` from the imported class."""
        if cls.docstring is None or not any(str(d.value) == "documented" for d in cls.decorators):
            return
        composed = getdoc(getattr(import_module(cls.module.path), cls.name)) or ""
        parser, options = cls.docstring.parser, cls.docstring.parser_options
        cls.docstring = Docstring(composed, parent=cls, parser=parser, parser_options=options)

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Turn ``name : what it is`` on a line of its own into a name and its description."""
        if obj.docstring is not None:
            obj.docstring.value = _ENTRY.sub(r"\1\n    \2", obj.docstring.value)
