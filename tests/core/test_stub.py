"""The stub of the compiled core says what the core has: names, arguments in their order, defaults and types."""

from __future__ import annotations

import ast
import enum
import re
from pathlib import Path
from typing import Any

import pytest

import askew
from askew import _core

STUB = ast.parse((Path(askew.__file__).parent / "_core.pyi").read_text())
CLASSES = {item.name: item for item in STUB.body if isinstance(item, ast.ClassDef)}
FUNCTIONS = {item.name: item for item in STUB.body if isinstance(item, ast.FunctionDef)}
NAMES = {name for name in vars(_core) if not name.startswith("__")}

Argument = tuple[str, str, Any, str]  # name, kind, default, type


def stub_members(of: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {item.name: item for item in of.body if isinstance(item, ast.FunctionDef)}


def compiled_members(of: type) -> set[str]:
    made = {"__init__"} if hasattr(vars(of).get("__init__"), "__nb_signature__") else set()
    return made | {name for name in vars(of) if not name.startswith("_")}


def stub_arguments(of: ast.FunctionDef) -> list[Argument]:
    """Return the arguments of a function of the stub, without `self`."""
    given = of.args
    n_required = len(given.args) - len(given.defaults)
    defaults = [None] * n_required + [repr(ast.literal_eval(value)) for value in given.defaults]
    found = [(a.arg, "any", d, a) for a, d in zip(given.args, defaults, strict=True)]
    for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        found.append((a.arg, "keyword", None if d is None else repr(ast.literal_eval(d)), a))
    return [(n, kind, d, ast.unparse(a.annotation)) for n, kind, d, a in found if a.annotation is not None]


def compiled_arguments(of: Any) -> list[Argument]:
    """Return the arguments of a compiled function, without `self`, from the signature that nanobind keeps."""
    ((signature, _, defaults),) = of.__nb_signature__
    signature = in_words_of_stub(signature)
    inside = signature[signature.index("(") + 1 : signature.rindex(") -> ")]
    kind, found = "any", []
    for item in inside.split(", "):
        if item == "*":
            kind = "keyword"
        elif item not in ("self", ""):
            name, _, rest = item.partition(": ")
            what, _, default = rest.partition(" = ")
            found.append((name, kind, repr(defaults[int(default[1:])]) if default else None, what))
    return found


def in_words_of_stub(what: str) -> str:
    what = re.sub(r"ndarray\[dtype=(\w+)[^\]]*\]", r"NDArray[np.\1]", what)
    return what.replace("np.bool]", "np.bool_]").replace("askew._core.", "")


def check_same(compiled: Any, stub: ast.FunctionDef) -> None:
    said, had = stub_arguments(stub), compiled_arguments(compiled)
    assert [s[:3] for s in said] == [h[:3] for h in had]
    for (name, _, _, annotation), (*_, what) in zip(said, had, strict=True):
        if "object" not in what and "Sequence" not in what:  # a function, or a list: the stub says more
            assert annotation == what, name


def test_the_stub_has_the_names_of_the_core():
    assert {*CLASSES, *FUNCTIONS} == NAMES


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_the_arguments_of_the_stub(name):
    check_same(getattr(_core, name), FUNCTIONS[name])


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_classes_have_the_members_of_the_stub(name):
    compiled, stub = getattr(_core, name), stub_members(CLASSES[name])
    if issubclass(compiled, enum.Enum):
        values = {item.targets[0].id for item in CLASSES[name].body if isinstance(item, ast.Assign)}
        assert {member.name for member in compiled} == values
        return
    assert compiled_members(compiled) == set(stub)
    for member, function in stub.items():
        held = vars(compiled)[member]
        is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)
        assert isinstance(held, property) == is_property
        if not is_property:
            if not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list):
                function.args.args = [a for a in function.args.args if a.arg != "self"]
            check_same(held, function)
