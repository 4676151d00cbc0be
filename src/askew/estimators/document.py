"""Docstrings of the estimators: what a parent class says of parameters and attributes is said once."""

from __future__ import annotations

from inspect import cleandoc
from re import DOTALL, MULTILINE, search, sub
from typing import TypeVar

_Class = TypeVar("_Class", bound=type)
_SHARED = ("Parameters", "Attributes")


def documented(cls: _Class) -> _Class:
    """Complete the sections "Parameters" and "Attributes" of a class with those of its parents.

    A class documents only what it adds; ``help()`` and the API pages show the whole list, its own first.
    A default that a class changes needs no word: each ``default=`` shows the class's own.
    """
    text = cleandoc(cls.__doc__ or "")
    for title in _SHARED:
        parts = [_section(cleandoc(base.__doc__ or ""), title) for base in cls.__mro__]
        own, whole = parts[0], "\n".join(part for part in parts if part)
        if own:
            text = text.replace(own, whole, 1)
        elif whole:
            text = _before_examples(text, f"{title}\n{'-' * len(title)}\n{whole}")
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        default = f'"{field.default}"' if isinstance(field.default, str) else str(field.default)
        text = sub(rf"^({name} : .*, default=).*$", rf"\g<1>{default}", text, flags=MULTILINE)
    cls.__doc__ = text
    return cls


def _section(text: str, title: str) -> str:
    """Return the body of a numpydoc section; empty where there is none."""
    found = search(rf"^{title}\n-+\n(.*?)(?=\n\n|\Z)", text, DOTALL | MULTILINE)
    return found[1] if found else ""


def _before_examples(text: str, section: str) -> str:
    """Put a section where numpydoc wants it: before the references and examples."""
    places = [text.find(f"\n{later}\n---") for later in ("Attributes", "References", "Examples")]
    place = min((p for p in places if p >= 0), default=len(text))
    return f"{text[:place].rstrip()}\n\n{section}\n\n{text[place:].lstrip()}".rstrip()
