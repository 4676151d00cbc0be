"""SQL as text: names, exact numbers, and a query that is put together in stages. For `askew.export_sql`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan

from askew.export.json import Label

_DIGITS = 15  # of a decimal number that every database reads exactly
_LARGEST_POWER = 62  # of two that is a whole number of 64 bits
_MOST_TERMS = 100  # of a sum in one expression: databases limit their depth


def named(name: str) -> str:
    """Return a name in quotation marks."""
    return '"' + name.replace('"', '""') + '"'


def number(value: float) -> str:
    """Return a double, exactly: a decimal if it is short, or else a fraction, as SQLite does not round long ones right.

    Examples
    --------
    >>> from askew.export.code.sql_text import number
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
    """Return a column, limited to a range; NULL if it is no number."""
    least, most = number(low), number(high)
    return (
        f"CASE WHEN {name} < {least} THEN {least} WHEN -{name} < {number(-high)} THEN {most} "
        f"WHEN {name} <= {most} THEN {name} END"
    )


def by_place(label: dict[str, list[int]] | str, results: Sequence[str]) -> str:
    """Return the result that goes with a class: by lists of places (`{"column class": places}`), or by its number."""
    if isinstance(label, str):
        return f"CASE {label} " + " ".join(f"WHEN {c} THEN {result}" for c, result in enumerate(results)) + " END"
    cases = []
    for key, places in label.items():
        column, c = key.split()
        cases.append(f"WHEN {column} IN ({', '.join(map(str, places))}) THEN {results[int(c)]}")
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
        told = ",\n  ".join(f"{expression} AS {name}" for expression, name in columns)
        if self.stages:
            self.stages.append(f"SELECT *, {told}\nFROM askew_{len(self.stages) - 1}")
            return
        kept = "".join(f"{named(name)}, " for name in self.keep)
        self.stages.append(f"SELECT {kept}{told}\nFROM {'.'.join(map(named, self.table.split('.')))}")

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
