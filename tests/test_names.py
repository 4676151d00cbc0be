"""The size of the package's folders, and its names: a class name has one meaning."""

import ast
from collections import Counter
from pathlib import Path

import askew

SOURCE = Path(askew.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))


def test_no_class_name_is_defined_in_two_modules():
    defined = Counter(
        name
        for path in MODULES
        for name in {
            node.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        }
    )
    assert [name for name, n in defined.items() if n > 1] == []


def test_the_package_stays_small_enough_to_read():
    folders = Counter(path.parent for path in MODULES)
    assert len(MODULES) <= 215
    assert {str(folder): n for folder, n in folders.items() if n > 25} == {}
    assert folders[SOURCE] <= 8
