"""Tables of numbers in C: the nodes, tests and leaves of a model, for `askew.export_c`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from typing import TypeAlias

from askew.export.code import c_templates as pieces
from askew.export.code.plan import Plan, PlannedNode, PlannedTest

Cell: TypeAlias = "float | Sequence[Cell]"  # an entry of a table in C

_MOST_TERMS = 8  # of a plane that is filled up to the width of the widest
_WIDTH = 118
_KINDS = {"hyperplane": 1, "linear machine": 2, "categories": 3}


def number(value: float) -> str:
    """Return a number literal of C, with all its digits."""
    if isinstance(value, int):
        return str(value)
    return "NAN" if isnan(value) else repr(value)


def quoted(text: str) -> str:
    """Return a string literal of C; other characters than ASCII by their bytes."""
    plain = {ord("\\"): "\\\\", ord('"'): '\\"', ord("?"): "\\?"}
    found = [plain.get(b, chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in text.encode("utf-8", "surrogatepass")]
    return '"' + "".join(found) + '"'


def array(kind: str, name: str, values: Iterable[float]) -> str:
    """Return a constant array; C has none without elements."""
    found = [number(value) for value in values] or ["0"]
    return f"static const {kind} @_{name}[{len(found)}] = {{\n{filled(found)}}};"


def rows(kind: str, name: str, values: Sequence[Sequence[Cell]], width: str = "") -> str:
    """Return a constant array of structs or of rows; an entry may be a row itself."""

    def entry(value: Cell) -> str:
        return number(value) if isinstance(value, int | float) else "{" + ", ".join(map(entry, value)) + "}"

    found = [entry(list(value)) for value in values]
    return f"static const {kind} @_{name}[{len(found)}]{width} = {{\n{filled(found)}}};"


def filled(pieces: Sequence[str]) -> str:
    """Return pieces with commas between them, in lines that are not too long."""
    lines, line = [], " "
    for piece in pieces:
        if len(line) + len(piece) + 2 > _WIDTH and line.strip():
            lines.append(line)
            line = " "
        line += f" {piece},"
    return "\n".join([*lines, line]) + "\n"


def insert(piece: str, **fields: str) -> str:
    """Return a template with its fields replaced by tables and expressions."""
    for name, text in fields.items():
        piece = piece.replace("{" + name + "}", text)
    return piece


def packed(plan: Plan) -> tuple[list[tuple[PlannedNode, int]], list[int], list[int]]:
    """Return all nodes with the root of their tree, the index of each root, and that of the first leaf of each tree."""
    found: list[tuple[PlannedNode, int]] = []
    roots, leaves, n_leaves = [], [], 0
    for part in plan.parts:
        roots.append(len(found))
        leaves.append(n_leaves)
        found += [(node, roots[-1]) for node in part.nodes]
        n_leaves += len(part.leaves)
    return found, roots, leaves


def _roots(plan: Plan) -> str:
    return array("uint32_t", "root", packed(plan)[1])


def _leaf_of_nodes(plan: Plan) -> list[int]:
    """Return the leaf index of each node, over all parts; 0 for inner nodes."""
    found = []
    for part, first in zip(plan.parts, packed(plan)[2], strict=True):
        found += [first + node.leaf if node.test is None else 0 for node in part.nodes]
    return found


def planes(plan: Plan) -> str:
    """Return the walk down trees of planes of few terms; nothing if there are other tests."""
    tests = [test for part in plan.parts for test in part.all_tests()]
    width = max((len(test.columns) for test in tests), default=1)
    if plan.kinds() - {"hyperplane"} or width > _MOST_TERMS or not all(test.columns for test in tests):
        return ""
    axis_parallel = all(test.weights == [[1.0]] for test in tests)
    found, _, _ = packed(plan)
    table = [_plane(node, first, here, width, axis_parallel) for here, (node, first) in enumerate(found)]
    terms = [f"node->weight[{j}] * r[node->feature[{j}]]" for j in range(width)]
    return insert(
        pieces.PLANES,
        weights="" if axis_parallel else f"double weight[{width}]; ",
        width=str(width),
        turns="4" if axis_parallel else "2",
        sum="r[node->feature[0]]" if axis_parallel else " + ".join(terms),
        nodes=rows("struct @_node", "nodes", table),
        leaves=array("uint32_t", "place", _leaf_of_nodes(plan)),
        roots=_roots(plan),
    )


def _plane(node: PlannedNode, first: int, here: int, width: int, axis_parallel: bool) -> list[Cell]:
    if node.test is None:  # a leaf is its own child
        return [0.0, *([] if axis_parallel else [[0.0] * width]), [0] * width, here, 0]
    test = node.test
    lacking = width - len(test.columns)
    # Weights of 0 on a column that is tested anyway: a value that is missing there is missing once more.
    columns = test.columns + test.columns[:1] * lacking
    weights = [] if axis_parallel else [test.weights[0] + [0.0] * lacking]
    return [test.threshold, *weights, columns, first + node.children[0], 1]


def dense(plan: Plan) -> str:
    """Return the walk down trees of planes of most columns; nothing if there are others, or values may be missing."""
    tests = [test for part in plan.parts for test in part.all_tests()]
    n_columns = len(plan.columns)
    terms = sum(len(test.columns) for test in tests)
    in_order = all(test.columns == sorted(test.columns) for test in tests)  # of the sum
    if plan.kinds() != {"hyperplane"} or plan.missing == "below" or not in_order or 2 * terms < len(tests) * n_columns:
        return ""
    table: list[list[Cell]] = []
    weights: list[list[float]] = []
    for (node, first), leaf in zip(packed(plan)[0], _leaf_of_nodes(plan), strict=True):
        if node.test is None:
            table.append([0.0, 0, 0, leaf, 0])
            continue
        table.append([node.test.threshold, first + node.children[0], len(weights), 0, 1])
        weight_of = dict(zip(node.test.columns, node.test.weights[0], strict=True))
        weights.append([weight_of.get(j, 0.0) for j in range(n_columns)])
    return insert(
        pieces.DENSE,
        nodes=rows("struct @_node", "nodes", table),
        planes=rows("double", "planes", weights, "[@_COLUMNS]"),
        roots=_roots(plan),
    )


def tests(plan: Plan) -> str:
    """Return all tests, in one table, and the function that returns the child of a row."""
    table: list[list[Cell]] = []
    columns: list[int] = []
    weights: list[float] = []
    for test in (test for part in plan.parts for test in part.all_tests()):
        test_weights = _weights(test)
        threshold = float(test.otherwise) if test.kind == "categories" else test.threshold
        kind = _KINDS[test.kind]
        sizes = [test.n_children, len(columns), len(test.columns), len(weights), len(test_weights)]
        table.append([threshold, kind, *sizes])
        columns += test.columns
        weights += test_weights
    return insert(
        pieces.TESTS,
        tests=rows("struct @_test", "tests", table or [[0.0, 1, 0, 0, 0, 0, 0]]),
        test_columns=array("uint32_t", "test_columns", columns),
        test_weights=array("double", "test_weights", weights),
        routes=_routes(plan.kinds() or {"hyperplane"}),
    )


def _routes(kinds: set[str]) -> str:
    """Return the code of each kind of test that the model has."""
    *some, last = sorted(kinds)
    found = [f"  if (test->kind == {_KINDS[kind]}) {{\n{pieces.ROUTES[kind]}\n  }}" for kind in some]
    return "\n".join([*found, f"  {{\n{pieces.ROUTES[last]}\n  }}"])


def _weights(test: PlannedTest) -> list[float]:
    if test.kind == "categories":
        return [float(child) for child in test.goes_to]
    if test.kind == "hyperplane":
        return test.weights[0]
    return [w for row, constant in zip(test.weights, test.constants, strict=True) for w in [*row, constant]]


def nodes(plan: Plan) -> str:
    """Return the nodes of trees with any tests, and the walk down from a root."""
    found, _, _ = packed(plan)
    table, number = [], 0
    for (node, first), leaf in zip(found, _leaf_of_nodes(plan), strict=True):
        if node.test is None:
            table.append([0, 0, leaf, 0])
        else:
            table.append([first + node.children[0], number, 0, len(node.children)])
            number += 1
    return insert(pieces.NODES, nodes=rows("struct @_node", "nodes", table), roots=_roots(plan))


def regions(plan: Plan) -> str:
    """Return the regions of rule networks, and the search for the one that holds a row."""
    first_test, first_region, starts = [0], [0], [0]
    conditions: list[tuple[int, int]] = []
    for part in plan.parts:
        first_test.append(first_test[-1] + len(part.tests))
        first_region.append(first_region[-1] + len(part.regions))
        for region in part.regions:
            conditions += region
            starts.append(len(conditions))
    return insert(
        pieces.REGIONS,
        network_tests=array("uint32_t", "network_tests", first_test),
        network_regions=array("uint32_t", "network_regions", first_region),
        region_start=array("uint32_t", "region_start", starts),
        conditions=rows("uint32_t", "conditions", conditions or [(0, 0)], "[2]"),
    )


def stack_size(plan: Plan) -> int:
    """Return how many parts of a row can wait while another goes down."""
    most = 1
    for part in plan.parts:
        waiting = [1] * len(part.nodes)
        for number, node in enumerate(part.nodes):
            for child in node.children:
                waiting[child] = waiting[number] + len(node.children) - 1
        most = max(most, *waiting)
    return most
