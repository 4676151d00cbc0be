"""The page of "One tree or many": for each group of data sets means, medians, ranks, wins, tests, every figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median

import numpy as np

from askew.comparison.ranking import friedman, holm, markdown_table
from experiments.experiment import Outcome
from experiments.field import LEGEND, Field, marked
from experiments.leads import fragile_leads, record
from experiments.runner import Results

OURS = "oblique forest"
UNIT = "random forest"  # whose time is the unit


def page(results: Results, groups: Mapping[str, tuple[Sequence[str], str]]) -> list[str]:
    """Return the lines of the page; `groups` has the data sets of each, and their score."""
    outcome = {(r.cell.data, r.cell.method): r.ours for r in results.cells if r.ours}
    pending = {r.cell.data for r in results.cells if r.remark.endswith("parts are finished")}
    lines: list[str] = []
    for title, (data, score) in groups.items():
        done = [d for d in data if d not in pending and any(key[0] == d for key in outcome)]
        field = Field.of(score, outcome, done)
        if done:
            lines += [f"## {title}", "", *_overview(field), *_tests(field), *_without_planes(field)]
            lines += _matrix(outcome, field)
    return [*lines, *_not_run(results)]


def _overview(field: Field) -> list[str]:
    """Return the means of the methods, the best first."""
    decimals = 2 if field.score == "accuracy" else 4
    ranks = field.ranks(field.methods, field.score, 1)
    beside = OURS in field.methods
    rows = []
    for method in sorted(field.methods, key=lambda m: -fmean(field.column(m))):
        name = f"**{method}**" if method.startswith("oblique") else method
        scores = [f"{of(field.column(method)):.{decimals}f}" for of in (fmean, median)]
        versus = [record(field.against(OURS, method)) if method != OURS else ""] if beside else []
        rows.append([name, *scores, f"{ranks[method]:.2f}", *versus, _time(field, method)])
    headings = ["method", f"mean {field.score}", "median", "mean rank"]
    headings += [*([f"{OURS} beside it"] if beside else []), "time of a fit"]
    words = f"Means over {len(field.data)} data sets."
    words += f" {OURS.capitalize()} beside it: data sets won-tied-lost (median difference)." if beside else ""
    return [words, "", *markdown_table(headings, rows), "", *fragile_leads(field, OURS)]


def _without_planes(field: Field) -> list[str]:
    """Return the means without the data sets that were made for planes, if there are any."""
    rest = field.without_planes()
    if not rest.data or len(rest.data) == len(field.data):
        return []
    return ["### Without the sets made for planes", "", LEGEND, "", *_overview(rest), *_tests(rest)]


def _time(field: Field, method: str) -> str:
    """Return the median time of a fit in those of a random forest."""
    if UNIT not in field.methods:
        return ""
    pairs = zip(field.column(method, "milliseconds"), field.column(UNIT, "milliseconds"), strict=True)
    return f"{median(own / unit for own, unit in pairs):.2g}x"


def _tests(field: Field) -> list[str]:
    """Return Friedman's test, and Holm's adjusted p-values of all methods against our forest."""
    methods = sorted(field.methods, key=lambda m: m != OURS)
    if OURS not in methods or len(methods) < 3 or len(field.data) < 2:
        return []
    ranks = field.ranks(methods, field.score, 1)
    figures = np.array([field.column(m) for m in methods]).T
    adjusted = holm(np.array([ranks[m] for m in methods]), len(field.data))
    against = ", ".join(f"{m} {p:.2g}" for m, p in zip(methods[1:], adjusted, strict=True))
    return [
        f"Friedman's test that the methods do not differ: p = {friedman(figures):.1g}. Holm's adjusted p, {OURS} "
        f"against: {against}.",
        "",
    ]


def _matrix(outcome: Outcome, field: Field) -> list[str]:
    """Return a row a data set, a column a method."""
    decimals = 1 if field.score == "accuracy" else 3
    rows = [
        [marked(d), *(f"{outcome[d, m][field.score].mean:.{decimals}f}" for m in field.methods)] for d in field.data
    ]
    return [*markdown_table(["data", *field.methods], rows), ""]


def _not_run(results: Results) -> list[str]:
    """Return what was not run, and why."""
    reasons = dict.fromkeys(
        f"- {r.cell.data}: not finished."
        if r.remark.endswith("parts are finished")
        else f"- {r.cell.data if r.remark.startswith('needs ') else r.cell.method}: {r.remark}."
        for r in results.cells
        if not r.ours
    )
    return ["## Not run", "", *reasons, ""] if reasons else []
