"""For the API pages, which are made from the source without importing it: docstrings as they should be shown."""

import re
from importlib import import_module
from inspect import getdoc, signature
from typing import Any

from griffe import Class, Docstring, Extension, Function, Object, Parameter, ParameterKind, Parameters

_ENTRY = re.compile(r"^(\w[\w, ]*?) : (.+)$(?!\n +)", re.MULTILINE)


class ComposedDocstrings(Extension):
    """Shows the docstrings that `documented` composes, and what short entries say as text rather than as a type."""

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Take the docstring and the signature of a class decorated with ``documented`` from the imported class."""
        if cls.docstring is None or not any(str(d.value) == "documented" for d in cls.decorators):
            return
        imported = getattr(import_module(cls.module.path), cls.name)
        parser, options = cls.docstring.parser, cls.docstring.parser_options
        cls.docstring = Docstring(getdoc(imported) or "", parent=cls, parser=parser, parser_options=options)
        # Parameters that come from a search are not in the source of the class.
        given = [
            Parameter(name, kind=ParameterKind.keyword_only, default=repr(one.default))
            for name, one in signature(imported).parameters.items()
        ]
        this = Parameter("self", kind=ParameterKind.positional_or_keyword)
        cls.set_member("__init__", Function("__init__", parameters=Parameters(this, *given)))

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Turn ``name : what it is`` on a line of its own into a name and its description."""
        if obj.docstring is not None:
            obj.docstring.value = _ENTRY.sub(r"\1\n    \2", obj.docstring.value)
