"""The page of "Which tree?": means, what was aimed at beside what was measured, tests, every data set."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

import numpy as np

from askew.comparison.ranking import friedman, holm, markdown_table
from experiments.best_tree_aims import AUTO, BOOSTING, PENALISED, claims, targets
from experiments.earlier import ADDED
from experiments.experiment import Figure, Outcome
from experiments.field import LEGEND, Field, marked
from experiments.leads import fragile_leads, record
from experiments.runner import Results


def page(results: Results) -> list[str]:
    """Return the lines of the page."""
    outcome = {(r.cell.data, r.cell.method): r.ours for r in results.cells if r.ours}
    pending = {r.cell.data for r in results.cells if r.remark.endswith("parts are finished")}
    done = [d for d in dict.fromkeys(d for d, _ in outcome) if d not in pending]
    with_classes = [d for d in done if any("accuracy" in outcome[k] for k in outcome if k[0] == d)]
    numbers = [d for d in done if d not in with_classes]
    classes = Field.of("accuracy", outcome, with_classes)
    everything = [d for d in with_classes if all((d, m) in outcome for m in _installed(results, outcome, "accuracy"))]
    summary = [*_so_far(done, pending), *_overview(classes), *_diverged(classes)]
    lines = [_INTRODUCTION, "", *_section("summary", summary)]
    lines += [*_origins(results), *_without_planes(classes)]
    lines += [*claims(classes, outcome), *_tests(classes), *targets(outcome)]
    if len(everything) < len(with_classes):
        lines += ["## The smaller sets, every method", "", *_overview(Field.of("accuracy", outcome, everything))]
    if numbers:
        field = Field.of("R2", outcome, numbers)
        lines += ["## Regression", "", *_section("regression", _overview(field)), *_matrix(results, numbers, "R2")]
    lines += ["## Every data set: accuracy / leaves", "", LEGEND, "", *_matrix(results, with_classes, "accuracy")]
    return [*lines, *_protocols(results, done), *_not_run(results, pending)]


_INTRODUCTION = (
    "Nested: whatever a method chooses, it chooses on the training rows; the test rows are used once. Every method has "
    "the same rows, with what is missing filled in by the median of the training rows and text one-hot encoded, and "
    "its defaults, but those that are called pruned (cost-complexity pruning on a tenth held out), tuned (`ccp_alpha` "
    "by 5-fold cross-validation) or penalised (`l2_regularization=1`). Forest and boosting are askew's own, of oblique "
    "trees; gradient boosting is scikit-learn's `HistGradientBoosting`. STree, logistic and ridge regression have "
    "standardised features. Leaves "
    "are given for single trees; terms are the non-zero weights of all tests. Time is processor time of a fit, the "
    "median multiple of scikit-learn's tree."
)


def _so_far(done: Sequence[str], pending: set[str]) -> list[str]:
    """Say on how many data sets the figures are, if some are not finished."""
    if not pending:
        return []
    return [f"**So far {len(done)} of {len(done) + len(pending)} data sets: all that follows is of these alone.**", ""]


def _section(name: str, lines: list[str]) -> list[str]:
    """Mark lines so that other pages can include them."""
    return [f"<!-- --8<-- [start:{name}] -->", *lines, f"<!-- --8<-- [end:{name}] -->", ""]


def _installed(results: Results, outcome: Outcome, score: str) -> list[str]:
    """Return the methods that were run at all, by this score."""
    ran = {m for (_, m), figures in outcome.items() if score in figures}
    return [m for m in dict.fromkeys(r.cell.method for r in results.cells) if m in ran]


def _shown(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"


def _overview(field: Field) -> list[str]:
    """Return the means of the methods, the most accurate first."""
    if not field.methods:
        return ["No method was run on all data sets yet.", ""]
    trees = field.trees()
    ranks = field.ranks(trees, field.score, 1) if trees else {}
    classes = field.score == "accuracy"
    headings = ["method", field.score, "median", *(["AUC", "log loss"] if classes else [])]
    beside = AUTO in field.methods
    headings += ["leaves", "terms", "rank among trees", *([f"{AUTO} beside it"] if beside else []), "time"]
    rows = []
    for method in sorted(field.methods, key=lambda m: -fmean(field.column(m))):
        scores = [_shown(of(field.column(method)), field.decimals) for of in (fmean, median)]
        scores += [_shown(field.mean(method, "AUC"), 2), _shown(field.mean(method, "log loss"), 3)] if classes else []
        size = [_shown(field.mean(method, measure), 1) for measure in ("leaves", "terms")]
        name = f"**{method}**" if method == AUTO else method
        rank = _shown(ranks.get(method), 2)
        versus = [record(field.against(AUTO, method)) if method != AUTO else ""] if beside else []
        rows.append([name, *scores, *size, rank, *versus, _times(field.multiple(method))])
    words = f"Means over {len(field.data)} data sets. The median is that of the {field.score}."
    words += f" {AUTO} beside it: data sets won-tied-lost (median difference)." if beside else ""
    return [words, "", *markdown_table(headings, rows), "", *fragile_leads(field, AUTO)]


def _diverged(field: Field) -> list[str]:
    """Say why boosting fails on Shuttle, if it does."""
    run = [m for m in BOOSTING if m in field.methods and "Shuttle" in field.data]
    failed = [m for m in run if field.outcome["Shuttle", m][field.score].mean < 90]
    if not failed:
        return []
    words = f"On Shuttle, {' and '.join(failed)} diverge{'s' * (len(failed) == 1)}: {_WHY}"
    if PENALISED in run:
        accuracy = field.outcome["Shuttle", PENALISED][field.score].mean
        words += f" {PENALISED.capitalize()}, which was added for this reason, has {accuracy:.1f}% there."
    return [words, ""]


_WHY = (
    "two of its seven classes have two training rows each, and without a penalty on the values of the leaves (the "
    "default) the Newton steps of such classes grow without bound."
)


def _origins(results: Results) -> list[str]:
    """Say which methods were added to an earlier run, and of which versions their packages are."""
    remarks = {r.cell.method: r.remark.split("; ") for r in results.cells if r.ours and r.remark}
    added = [method for method, parts in remarks.items() if ADDED in parts]
    packages = list(dict.fromkeys(part for parts in remarks.values() for part in parts if part != ADDED))
    lines = []
    if added:
        lines += [
            f"Run later than the other methods, on the same rows: {'; '.join(added)}. Times of these are multiples of "
            "scikit-learn's tree as it was timed in their own run."
        ]
    lines += [f"Versions of optional packages: {', '.join(packages)}."] if packages else []
    return [" ".join(lines), ""] if lines else []


def _without_planes(field: Field) -> list[str]:
    """Return the means without the data sets that were made for planes, if there are any."""
    rest = field.without_planes()
    if not rest.data or len(rest.data) == len(field.data):
        return []
    return ["## Without the sets made for planes", "", *_section("without-planes", [LEGEND, "", *_overview(rest)])]


def _times(multiple: float | None) -> str:
    return "" if multiple is None else f"{multiple:.2g}x" if multiple < 10 else f"{multiple:.0f}x"


def _tests(field: Field) -> list[str]:
    """Return Friedman's test and Holm's adjusted p-values of the single trees against AutoTree."""
    trees = sorted(field.trees(), key=lambda m: m != AUTO)
    if AUTO not in trees or len(trees) < 3 or len(field.data) < 2:
        return []
    ranks = field.ranks(trees, "accuracy", 1)
    figures = np.array([field.column(m) for m in trees]).T
    adjusted = holm(np.array([ranks[m] for m in trees]), len(field.data))
    rows = [[m, f"{ranks[m]:.2f}", f"{p:.2g}"] for m, p in zip(trees[1:], adjusted, strict=True)]
    words = (
        f"Mean ranks by accuracy over {len(field.data)} data sets (1 is the best): {AUTO} {ranks[AUTO]:.2f}. "
        f"Friedman's test that the trees do not differ: p = {friedman(figures):.1g}. Holm's adjusted p of each against "
        f"{AUTO}:"
    )
    return [words, "", *markdown_table(["tree", "mean rank", "p"], sorted(rows, key=lambda r: float(r[1]))), ""]


# --- every data set


def _matrix(results: Results, data: Sequence[str], score: str) -> list[str]:
    """Return a row a data set, a column a method: score / leaves."""
    outcome = {(r.cell.data, r.cell.method): r.ours for r in results.cells if r.ours}
    methods = _installed(results, outcome, score)
    rows = [[marked(d), *(_cell(outcome.get((d, m), {}), score) for m in methods)] for d in data]
    return [*markdown_table(["data", *methods], rows), ""]


def _cell(figures: dict[str, Figure], score: str) -> str:
    if score not in figures:
        return ""
    shown = f"{figures[score].mean:.{1 if score == 'accuracy' else 3}f}"
    return f"{shown} / {figures['leaves'].mean:.3g}" if "leaves" in figures else shown


def _protocols(results: Results, data: Sequence[str]) -> list[str]:
    """Return which data sets have which protocol."""
    by_words: dict[str, list[str]] = {}
    for heading in data:
        cell = next(r.cell for r in results.cells if r.cell.data == heading)
        by_words.setdefault(results.experiment.trials_of(cell).describe(), []).append(marked(heading))
    return ["## Protocol", "", *(f"- {words}: {', '.join(names)}." for words, names in by_words.items()), ""]


def _not_run(results: Results, pending: set[str]) -> list[str]:
    """Return what was not run, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for r in results.cells:
        if not r.ours and r.cell.data not in pending:
            by_data = r.remark.startswith("needs ")
            key = (r.cell.data, r.remark) if by_data else (r.cell.method, r.remark)
            reasons.setdefault(key, []).append("" if by_data else r.cell.data)
    lines = [f"- {name}: {why}{_on(names)}." for (name, why), names in reasons.items()]
    lines += [f"- {', '.join(sorted(pending))}: not finished."] if pending else []
    return ["## Not run", "", *lines, ""] if lines else []


def _on(names: list[str]) -> str:
    on = ", ".join(name for name in names if name)
    return f" ({on})" if on else ""
