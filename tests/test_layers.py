"""The layers of the package: a module imports from the layers below its own, never from above, also not late."""

import ast
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent / "src" / "askew"

# From the bottom to the top. Packages of one layer do not know each other. A package stands for all modules in it but
# those that are named on their own.
LAYERS = (
    {"_core", "_notebook", "files", "parameters"},
    {"parallel"},
    {"data"},
    {"model"},
    {"grow"},
    {"search", "prune"},
    {"refinement"},
    {"selection", "ensemble"},
    {"estimators"},
    {"export"},
    {"explaining", "tables"},
    {"plot"},
    {"comparison", "datasets", "distillation", "reporting", "store"},
    {"dask"},
    {"__init__"},
    {"cli"},
    {"__main__"},
)

# Imports that still point upwards: the file, and the layer that it imports from. This list only gets shorter.
KNOWN: set[tuple[str, str]] = set()

# Modules that import others of the package inside functions, and why.
LATE = {
    "__init__.py": "names are looked up when they are first used, so that `import askew` costs little",
    "cli": "a command imports only what it needs: the start-up of the command line is short",
    "plot/matplotlib_shapes.py": "the class that it imports inherits from one of Matplotlib",
    "plot/plot_path.py": "the class that it imports inherits from one of Matplotlib",
    "tables/read.py": "a command that reads no file of OC1 does not import its reader",
}

# Modules that import others of their own package for annotations alone.
ANNOTATED = {"estimators/registry.py", "model/validate.py", "tables/numbers.py"}


class Import(NamedTuple):
    """An import of a module of the package."""

    file: str
    line: int
    module: str  # without the name of the package; "__init__" for the package itself
    at: str  # "top", "function" or "types" (below TYPE_CHECKING)

    def __str__(self):
        return f"{self.file}:{self.line} imports askew.{self.module}"


def imported(node):
    """The modules that a statement imports, without the name of the package."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        modules = node.module == "askew"
        names = [f"askew.{alias.name}" for alias in node.names] if modules else [node.module]
    else:
        return []
    names = [name for name in names if name.split(".")[0] == "askew"]
    return [name.removeprefix("askew").removeprefix(".") or "__init__" for name in names]


def imports_below(node, file, at="top"):
    """All imports in a piece of syntax."""
    for child in ast.iter_child_nodes(node):
        for module in imported(child):
            yield Import(file, child.lineno, module if known(module) else "__init__", at)
        inside = at
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inside = "function"
        elif isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            inside = "types"
        yield from imports_below(child, file, inside)


def known(module):
    """Whether this is a module, not a name that the package has."""
    path = ROOT.joinpath(*module.split("."))
    return module == "_core" or path.is_dir() or path.with_suffix(".py").is_file()


def unit_of(module):
    """The entry of `LAYERS` that a module belongs to: of several, the longest."""
    units = [unit for layer in LAYERS for unit in layer if f"{module}.".startswith(f"{unit}.")]
    assert units, f"askew.{module} is in no layer"
    return max(units, key=len)


def level_of(unit):
    return next(level for level, layer in enumerate(LAYERS) if unit in layer)


def unit_of_file(file):
    return unit_of(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))


FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
IMPORTS = [one for file in FILES for one in imports_below(ast.parse((ROOT / file).read_text(encoding="utf-8")), file)]


def upwards(one):
    """The layer that an import reaches upwards to, or sideways to another package; None if it points downwards."""
    own, other = unit_of_file(one.file), unit_of(one.module)
    return other if own != other and level_of(other) >= level_of(own) else None


def test_every_module_has_a_layer_and_every_layer_a_module():
    assert {unit_of_file(file) for file in FILES} | {"_core"} == set().union(*LAYERS)


def test_no_import_points_upwards():
    wrong = [one for one in IMPORTS if upwards(one) and (one.file, upwards(one)) not in KNOWN]
    assert not wrong, "\n".join(map(str, wrong))


def test_an_exception_that_was_mended_leaves_the_list():
    assert {(one.file, upwards(one)) for one in IMPORTS} >= KNOWN


def test_imports_stand_at_the_top_of_their_module():
    late = {one.file: one for one in IMPORTS if one.at == "function"}
    wrong = [one for file, one in late.items() if file not in LATE and unit_of_file(file) not in LATE]
    assert not wrong, "\n".join(map(str, wrong))
    assert LATE.keys() <= late.keys() | {unit_of_file(file) for file in late}


def test_imports_for_annotations_alone_stay_within_a_package():
    only_types = [one for one in IMPORTS if one.at == "types" and unit_of_file(one.file) not in ("__init__", "cli")]
    wrong = [one for one in only_types if one.file not in ANNOTATED or upwards(one)]
    assert not wrong, "\n".join(map(str, wrong))
    assert {one.file for one in only_types} == ANNOTATED
