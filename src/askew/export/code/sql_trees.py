"""Trees and rule networks in SQL: the leaf or region of a row, or the parts of it that end in every leaf."""

from __future__ import annotations

from askew.export.code.plan import Plan, PlannedPart, PlannedTest
from askew.export.code.sql_text import Statement, first_largest, is_number, number

MOST_DEPTH = 200  # tests in a row
_LEVELS = 8  # of a tree in one expression: databases limit how deep they nest


def place_of(part: PlannedPart, query: Statement, prefix: str) -> str:
    """Return an expression for the number of the place that a row ends in; `prefix` is for columns on the way."""
    if part.is_network:
        sides = [(_child(test, query), f"{prefix}_{i}") for i, test in enumerate(part.tests)]
        query.stage(sides)
        cases = []
        for i, region in enumerate(part.regions[:-1]):
            held = " AND ".join(f"{prefix}_{test} = {side}" for test, side in region)
            cases.append(f"WHEN {held or '1 = 1'} THEN {i}")
        last = len(part.regions) - 1
        return f"CASE {' '.join(cases)} ELSE {last} END" if cases else str(last)
    tops, reached = [0], ""
    while True:
        below: list[int] = []
        texts = [_subtree(part, top, query, below) for top in tops]
        cases = [f"WHEN {-top} THEN {text}" for top, text in zip(tops, texts, strict=True)]
        found = f"CASE {reached} {' '.join(cases)} ELSE {reached} END" if reached else texts[0]
        if not below:
            return found
        tops, reached = below, f"{prefix}_{below[0]}"
        query.stage([(found, reached)])


def _subtree(part: PlannedPart, top: int, query: Statement, below: list[int]) -> str:
    """Return the places of some levels below a node; nodes yet deeper by their number, below 0, and in `below`."""
    depth, order = {top: 0}, [top]
    for i in order:
        if depth[i] < _LEVELS:
            order += part.nodes[i].children
            depth |= dict.fromkeys(part.nodes[i].children, depth[i] + 1)
    text: dict[int, str] = {}
    for i in reversed(order):
        node = part.nodes[i]
        if node.test is None:
            text[i] = str(node.place)
        elif depth[i] == _LEVELS:
            below.append(i)
            text[i] = str(-i)
        else:
            text[i] = _branch(node.test, [text.pop(child) for child in node.children], query)
    return text[top]


def _branch(test: PlannedTest, children: list[str], query: Statement) -> str:
    """Return what the children have, by the test."""
    if test.kind == "hyperplane":
        return f"CASE WHEN {_plane(test, query)} THEN {children[0]} ELSE {children[1]} END"
    if test.kind == "categories":
        cases = []
        for child, below in enumerate(children):
            codes = [number(float(code)) for code, to in enumerate(test.goes_to) if to == child]
            if codes and child != test.otherwise:
                cases.append(f"WHEN askew_x{test.columns[0]} IN ({', '.join(codes)}) THEN {below}")
        return f"CASE {' '.join(cases)} ELSE {children[test.otherwise]} END" if cases else children[test.otherwise]
    sums = []
    for constant, weights in zip(test.constants, test.weights, strict=True):
        name = f"askew_t{query.partial}"
        query.partial += 1
        sums.append((query.terms(constant, weights, test.columns), name))
    query.stage(sums)
    query.stage([(_comparable(name, first=i == 0), f"{name}_") for i, (_, name) in enumerate(sums)])
    return first_largest([f"{name}_" for _, name in sums], children)


def _comparable(name: str, first: bool) -> str:
    """Return a sum of a linear machine: NaN is above the other sums if it is the first, else below them."""
    return f"CASE WHEN {is_number(name)} THEN {name} ELSE {'' if first else '-'}1e308 * 10e0 END"


def _plane(test: PlannedTest, query: Statement) -> str:
    return f"{query.terms(0.0, test.weights[0], test.columns)} <= {number(test.threshold)}"


def _child(test: PlannedTest, query: Statement) -> str:
    return _branch(test, [str(i) for i in range(test.n_children)], query)


def part_shares(plan: Plan, query: Statement, t: int, smoothed: bool) -> list[str]:
    """Return the columns that hold the shares of the classes of rows that go down in parts."""
    part, names = plan.parts[t], f"askew_n{t}_"
    if not any(f" AS {names}0" in stage for stage in query.stages):
        _pieces(part, query, names)
    order = part.leaves_in_order
    columns = []
    for c in range(plan.n_outputs):
        terms = []
        for i in order:
            place = part.places[part.nodes[i].place]
            if place.model is not None:
                raise ValueError("linear leaves of a tree that sends rows down in parts cannot be written as SQL")
            terms.append(f"{names}{i} * {number((place.entry if smoothed else place.raw)[c])}")
        columns.append((query.added(terms), f"askew_{'q' if smoothed else 'r'}{t}_{c}"))
    query.stage(columns)
    return [name for _, name in columns]


def _pieces(part: PlannedPart, query: Statement, names: str) -> None:
    """Make a column for each node: the part of the row that comes there."""
    query.stage([("1e0", f"{names}0")])
    level = [0]
    while level:
        columns, below = [], []
        for i in level:
            node = part.nodes[i]
            if node.test is None:
                continue
            lacking = " OR ".join(f"askew_x{column} IS NULL" for column in node.test.columns)
            for k, (child, share) in enumerate(zip(node.children, node.parts, strict=True)):
                taken = _branch(node.test, ["1e0" if j == k else "0e0" for j in range(len(node.children))], query)
                columns.append(
                    (f"{names}{i} * CASE WHEN {lacking} THEN {number(share)} ELSE {taken} END", f"{names}{child}")
                )
                below.append(child)
        query.stage(columns)
        level = below
