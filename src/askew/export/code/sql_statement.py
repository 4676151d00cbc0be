"""SQL as text: names, exact numbers, statements in stages, and trees and rule networks in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan

from askew.export.code.plan import Plan, PlannedPart, PlannedTest
from askew.export.json import Label

_DIGITS = 15  # of a decimal number that every database reads exactly
_LARGEST_POWER = 62  # of two that is an integer of 64 bits
_MOST_TERMS = 100  # of a sum in one expression: databases limit their depth


def named(name: str) -> str:
    """Return a name in quotation marks."""
    return '"' + name.replace('"', '""') + '"'


def number(value: float) -> str:
    """Return a double, exactly: a decimal if it is short, or else a fraction, as SQLite does not round long ones right.

    Examples
    --------
    >>> from askew.export.code.sql_statement import number
    >>> number(0.25), number(-3.0), number(0.1 + 0.2)
    ('0.25e0', '-3.0e0', '(1e0*1351079888211149/4503599627370496)')
    """
    if isnan(value):
        return "NULL"
    text = repr(float(value))
    mantissa = text.partition("e")[0]
    if len(mantissa.replace("-", "").replace(".", "").strip("0")) <= _DIGITS:
        return text if "e" in text else f"{text}e0"
    top, bottom = float(value).as_integer_ratio()
    up, down = 0, bottom.bit_length() - 1
    while abs(top) >= 2**62:
        top, up = top // 2, up + 1  # exact: a double has 53 bits
    steps = [f"*{1 << min(_LARGEST_POWER, up - done)}" for done in range(0, up, _LARGEST_POWER)]
    steps += [f"/{1 << min(_LARGEST_POWER, down - done)}" for done in range(0, down, _LARGEST_POWER)]
    return f"(1e0*{top}{''.join(steps)})"


def literal(label: Label) -> str:
    """Return a class or a category."""
    if label is None:
        return "NULL"
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, int):
        return str(label)
    return number(label) if isinstance(label, float) else "'" + str(label).replace("'", "''") + "'"


def is_number(name: str) -> str:
    """Return whether a column is neither missing nor NaN, which SQLite has as NULL.

    In DuckDB, NaN is above all numbers, and so is its negative.
    """
    return f"({name} <= 0e0 OR -{name} < 0e0)"


def largest(names: Sequence[str]) -> str:
    """Return the largest of some columns."""
    return first_largest(names, names)


def first_largest(names: Sequence[str], results: Sequence[str]) -> str:
    """Return the result that goes with the largest of some columns, of equals the first."""
    cases = []
    for i, name in enumerate(names[:-1]):
        cases.append(f"WHEN {' AND '.join(f'{name} >= {other}' for other in names[i + 1 :])} THEN {results[i]}")
    return f"CASE {' '.join(cases)} ELSE {results[-1]} END" if cases else results[-1]


def clip(name: str, low: float, high: float) -> str:
    """Return a column, limited to a range; NULL if it is not a number."""
    least, most = number(low), number(high)
    return (
        f"CASE WHEN {name} < {least} THEN {least} WHEN -{name} < {number(-high)} THEN {most} "
        f"WHEN {name} <= {most} THEN {name} END"
    )


def by_leaf(label: dict[str, list[int]] | str, results: Sequence[str]) -> str:
    """Return the result that goes with a class: by lists of leaves (`{"column class": leaves}`), or by its code."""
    if isinstance(label, str):
        return f"CASE {label} " + " ".join(f"WHEN {c} THEN {result}" for c, result in enumerate(results)) + " END"
    cases = []
    for key, leaves in label.items():
        column, c = key.split()
        cases.append(f"WHEN {column} IN ({', '.join(map(str, leaves))}) THEN {results[int(c)]}")
    return "CASE " + " ".join(cases) + " END"


@dataclass
class Statement:
    """A query in stages: each adds columns to those of the stage before, which are computed once."""

    table: str
    keep: list[str]
    stages: list[str] = field(default_factory=list)
    partial: int = 0

    def stage(self, columns: Sequence[tuple[str, str]]) -> None:
        """Add columns: expressions and their names."""
        if not columns:
            return
        listed = ",\n  ".join(f"{expression} AS {name}" for expression, name in columns)
        if self.stages:
            self.stages.append(f"SELECT *, {listed}\nFROM askew_{len(self.stages) - 1}")
            return
        kept = "".join(f"{named(name)}, " for name in self.keep)
        self.stages.append(f"SELECT {kept}{listed}\nFROM {'.'.join(map(named, self.table.split('.')))}")

    def terms(self, constant: float, weights: Sequence[float], columns: Sequence[int]) -> str:
        """Return a sum of weights times columns, in this order, that begins with a constant unless it is 0."""
        found = [] if constant == 0 and weights else [number(constant)]
        for weight, column in zip(weights, columns, strict=True):
            found.append(f"askew_x{column}" if weight == 1 else f"{number(weight)} * askew_x{column}")
        return self.added(found)

    def added(self, terms: Sequence[str]) -> str:
        """Return a sum in this order; of many terms in several stages."""
        found = list(terms)
        while len(found) > _MOST_TERMS:
            name = f"askew_t{self.partial}"
            self.partial += 1
            self.stage([(" + ".join(found[:_MOST_TERMS]), name)])
            found = [name, *found[_MOST_TERMS:]]
        return " + ".join(found)

    def text(self, results: Sequence[tuple[str, str]]) -> str:
        """Return the query, whose last step has the columns that are kept and these results."""
        last = ",\n  ".join(f"{what} AS {name if name.isidentifier() else named(name)}" for what, name in results)
        kept = "".join(f"{named(name)}, " for name in self.keep)
        stages = ",\n".join(f"askew_{i} AS MATERIALIZED ({stage})" for i, stage in enumerate(self.stages))
        return f"WITH\n{stages}\nSELECT {kept}{last}\nFROM askew_{len(self.stages) - 1}"


MOST_DEPTH = 200  # tests in a row
_LEVELS = 8  # of a tree in one expression: databases limit how deep they nest


def leaf_of(part: PlannedPart, query: Statement, prefix: str) -> str:
    """Return an expression for the leaf index of a row; `prefix` is for intermediate columns."""
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
    """Return the leaves of some levels below a node; deeper nodes by a negative number, and in `below`."""
    depth, order = {top: 0}, [top]
    for i in order:
        if depth[i] < _LEVELS:
            order += part.nodes[i].children
            depth |= dict.fromkeys(part.nodes[i].children, depth[i] + 1)
    text: dict[int, str] = {}
    for i in reversed(order):
        node = part.nodes[i]
        if node.test is None:
            text[i] = str(node.leaf)
        elif depth[i] == _LEVELS:
            below.append(i)
            text[i] = str(-i)
        else:
            text[i] = _branch(node.test, [text.pop(child) for child in node.children], query)
    return text[top]


def _branch(test: PlannedTest, children: list[str], query: Statement) -> str:
    """Return the expression of the child that a test chooses."""
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
    """Return the columns with the class shares of rows that are divided among children."""
    part, names = plan.parts[t], f"askew_n{t}_"
    if not any(f" AS {names}0" in stage for stage in query.stages):
        _pieces(part, query, names)
    order = part.leaves_in_order
    columns = []
    for c in range(plan.n_outputs):
        terms = []
        for i in order:
            leaf = part.leaves[part.nodes[i].leaf]
            if leaf.model is not None:
                raise ValueError("linear leaves of a tree that sends rows down in parts cannot be written as SQL")
            terms.append(f"{names}{i} * {number((leaf.entry if smoothed else leaf.raw)[c])}")
        columns.append((query.added(terms), f"askew_{'q' if smoothed else 'r'}{t}_{c}"))
    query.stage(columns)
    return [name for _, name in columns]


def _pieces(part: PlannedPart, query: Statement, names: str) -> None:
    """Make a column for each node: the part of the row that reaches it."""
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
