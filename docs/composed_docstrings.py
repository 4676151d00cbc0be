"""For the API pages, which are made from the source without importing it: docstrings as they should be shown.

An entry of a section is written in one of two ways, and shown with the type and the default of the signature:

    name : type, default=value              name : what it is, in a line or several
        What it is.                             of which the others are indented
"""

import re
from importlib import import_module
from inspect import Parameter, getdoc, signature
from typing import Any

import griffe
from griffe import Class, Docstring, Extension, Function, Object

_SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises)\n-+\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^(\*{0,2}\w[\w, *]*?) : (.+)((?:\n +.*)*)", re.MULTILINE)
# What begins a type, where an indented description follows.
_TYPE = re.compile(
    r'(?:str|int|float|bool|dict|list|tuple|array|ndarray|estimator|callable|Bunch|None\b|RandomState|")'
)


class ComposedDocstrings(Extension):
    """Shows the docstrings that `documented` composes, with types, descriptions and defaults in their columns."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the sections of a docstring."""
        if obj.docstring is None:
            return
        found = _imported(obj) if isinstance(obj, Class | Function) else None
        text = obj.docstring.value
        if isinstance(obj, Class) and _is_composed(obj):
            text = getdoc(found) or text
        known, returned = _signature(found)
        written = _SECTION.sub(lambda section: _section(section, known, returned), text)
        parser, options = obj.docstring.parser, obj.docstring.parser_options
        obj.docstring = Docstring(written, parent=obj, parser=parser, parser_options=options)

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Take the signature of a class decorated with ``documented`` from the imported class.

        Parameters that come from a search are not in the source of the class.
        """
        if not _is_composed(cls):
            return
        keyword, first = griffe.ParameterKind.keyword_only, griffe.ParameterKind.positional_or_keyword
        given = [
            griffe.Parameter(name, kind=keyword, default=repr(one.default))
            for name, one in signature(_imported(cls)).parameters.items()
        ]
        made = griffe.Parameters(griffe.Parameter("self", kind=first), *given)
        cls.set_member("__init__", Function("__init__", parameters=made))

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        """Show defaults that name another class (``OC1.n_jumps``) by what they are."""
        for name, attribute in cls.attributes.items():
            if attribute.value is not None and re.fullmatch(r"[A-Z]\w*\.\w+", str(attribute.value)):
                attribute.value = repr(getattr(_imported(cls), name))


def _is_composed(cls: Class) -> bool:
    return any(str(decorator.value) == "documented" for decorator in cls.decorators)


def _imported(obj: Object) -> Any:
    """Return the object itself; None for what cannot be reached by its name."""
    found: Any = import_module(obj.module.path)
    for name in obj.path.removeprefix(f"{obj.module.path}.").split("."):
        found = getattr(found, name, None)
    return found


def _signature(found: Any) -> tuple[dict[str, Parameter], str]:
    """Return the parameters, and the type of what is returned."""
    try:
        made = signature(found)
    except (TypeError, ValueError):  # nothing that is called
        return {}, ""
    returned = made.return_annotation
    return dict(made.parameters), "object" if returned == "Any" else _type(returned)


def _type(annotation: Any) -> str:
    """Return a type as text; empty where it says nothing."""
    text = "" if annotation in (Parameter.empty, None, "None", "Any") else str(annotation)
    return re.sub(r"NDArray\[[^]]*\]|ArrayLike", "array", text)


def _section(section: re.Match[str], known: dict[str, Parameter], returned: str) -> str:
    title, body = section[1], section[2]
    if title == "Returns":
        body = _returned(body, returned)
    elif title in ("Parameters", "Attributes"):
        body = _ENTRY.sub(lambda entry: _entry(entry, known if title == "Parameters" else {}), body)
    return f"{title}\n{'-' * len(title)}\n{body}"


def _returned(body: str, kind: str) -> str:
    """Return what is returned as ``name : type`` with a description below, if it is one thing without a type."""
    entries = [entry for entry in _ENTRY.finditer(body) if not entry[3]]
    if not kind or len(entries) > 1 or (not entries and _ENTRY.match(body)):
        return body
    name, said = (f"{entries[0][1]} : ", entries[0][2]) if entries else ("", " ".join(body.split()))
    return f"{name}{kind}\n    {said}"


def _entry(entry: re.Match[str], known: dict[str, Parameter]) -> str:
    """Return ``name : type, default=value`` with a description below."""
    names, said, below = entry.groups()
    if below and (", default=" in said or _TYPE.match(said)):
        return entry[0]
    given = known.get(names.split(", ")[0])
    head = names if given is None else names + _type_and_default(given)
    lines = [said, *(line.strip() for line in below.split("\n")[1:])]
    return "\n".join([head, *(f"    {line}" for line in lines)])


def _type_and_default(given: Parameter) -> str:
    kind = _type(given.annotation)
    short = given.default is not Parameter.empty and len(repr(given.default)) <= 40
    return f" : {kind}{f', default={given.default!r}' if short else ''}" if kind else ""
