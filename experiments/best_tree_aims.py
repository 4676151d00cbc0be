"""What AutoTree is to reach, on each data set and over all of them, beside what it reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from askew.comparison.ranking import markdown_table
from experiments.experiment import Figure, Outcome
from experiments.field import UNIT, Field, marked

AUTO = "AutoTree"
#: scikit-learn's gradient boosting with a penalty on the values of the leaves.
PENALISED = "gradient boosting, penalised"
#: Gradient boosting of other packages: the first, which set the aim, and others that are compared in the same way.
BOOSTING = ("gradient boosting", PENALISED, "LightGBM", "CatBoost")
_STREE, _LOGISTIC = "STree", "logistic regression"
_OTHERS = (UNIT, f"{UNIT}, tuned", _STREE, "obliquetree")  # trees that are not askew's

# Heading | measure | the best published single tree, and its leaves if known | aim | leaves aimed at
_AIMS = """
Cancer | accuracy | 97.2 / ≤4 | 97.0 | 2.0
WDBC | accuracy | 97.9 | 97.7 | 2.0
Housing | accuracy | 83.9 / 7.8 | 87.0 | 4.0
Pima | accuracy | 74.9 / 2.4 | 77.0 | 2.0
Heart | accuracy | 84.8 | 84.5 | 2.0
German credit | accuracy | 76.2 | 76.0 | 2.0
Wine | accuracy | 97.8 | 98.0 | 3.0
Seeds | accuracy | 96.2 | 96.0 | 3.0
Parkinsons | accuracy | 88.7 / 7.7 | 90.0 | 5.0
Ionosphere | accuracy | 90.7 / 7 | 91.0 | 4.0
Dermatology | accuracy | 97.6 | 97.5 | 6.0
Balance scale | accuracy | 91.9 / 8 | 92.0 | 6.0
Landsat | accuracy | 87.6 / ≤64 | 88.0 | 30.0
Pendigits | accuracy | 97.0 / ≤256 | 97.0 | 60.0
Letter | accuracy | 89.2 / ≤1024 | 89.0 | 300.0
Optdigits | accuracy | 93.3 / ≤16 | 95.0 | 25.0
Abalone | R2 | 0.587 | 0.580 |
Concrete | R2 | | 0.880 |
Airfoil | R2 | 0.907 | 0.880 |
California | R2 | | 0.780 |
"""


def _aims() -> tuple[dict[str, dict[str, Figure]], dict[str, str]]:
    targets, published = {}, {}
    for line in _AIMS.strip().splitlines():
        data, measure, printed, aim, leaves = (part.strip() for part in line.split("|"))
        targets[data] = {measure: Figure.read(aim), **({"leaves": Figure.read(leaves)} if leaves else {})}
        published[data] = printed
    return targets, published


#: What AutoTree is to reach, by data set and measure; and the best single tree of the literature.
TARGETS, PUBLISHED = _aims()


def claims(field: Field, outcome: Outcome) -> list[str]:
    """Return what AutoTree is to reach over all data sets, and what it reached."""
    if AUTO not in field.trees():
        return [f"{AUTO} is not in this version, or not run on all data sets yet.", ""]
    own, leaves = fmean(field.column(AUTO)), fmean(field.column(AUTO, "leaves"))
    rows = [
        *(line for rival in BOOSTING for line in _ahead(field, rival, -0.5)),
        ["mean leaves", "≤ 12", f"{leaves:.1f}", _met(leaves <= 12)],
        *_ahead(Field.of("accuracy", outcome, [d for d in field.data if (d, _STREE) in outcome]), _STREE, 1.5),
        _nowhere_below(field, outcome, "the best other tree of askew on each set", 0.3, _best_of_ours),
        _nowhere_below(field, outcome, "logistic regression", 1.0, lambda d, o: _score(o, d, _LOGISTIC)),
        _first(field, "accuracy", 1, field.trees()),
        _first(field, "leaves", -1, [m for m in field.trees() if fmean(field.column(m)) >= own - 1]),
    ]
    return ["## What was aimed at, over all data sets", "", *markdown_table(["aim", "", "measured", "met"], rows), ""]


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**short**"


def _ahead(field: Field, rival: str, aim: float) -> list[list[str]]:
    """Return the line of AutoTree's mean accuracy less a rival's."""
    if rival not in field.methods:
        return []
    compared = field.against(AUTO, rival)
    won, tied, lost = compared.record
    words = f"{compared.mean:+.2f}; median {compared.median:+.2f}; {won} sets won, {tied} tied, {lost} lost"
    decisive = compared.decisive()
    if len(decisive) == 1:
        ((data, rest),) = decisive.items()
        words += f"; mean {rest:+.2f} without {marked(data)}"
    what = f"mean accuracy less that of {rival} ({len(field.data)} sets)"
    return [[what, f"≥ {aim:+.1f}", words, _met(compared.mean >= aim)]]


def _score(outcome: Outcome, data: str, method: str) -> float | None:
    found = outcome.get((data, method), {}).get("accuracy")
    return None if found is None else found.mean


def _best_of_ours(data: str, outcome: Outcome) -> float | None:
    """Return the accuracy of the best single tree of askew but AutoTree, looked up afterwards."""
    ours = [
        figures["accuracy"].mean
        for (d, m), figures in outcome.items()
        if d == data and m not in (AUTO, *_OTHERS) and "leaves" in figures
    ]
    return max(ours, default=None)


def _nowhere_below(
    field: Field, outcome: Outcome, what: str, slack: float, of: Callable[[str, Outcome], float | None]
) -> list[str]:
    """Return the line of an aim on each data set, with those where it is missed, and by how much."""
    other = {d: value for d in field.data if (value := of(d, outcome)) is not None}
    apart = {d: (_score(outcome, d, AUTO) or 0.0) - value for d, value in other.items()}
    short = sorted((d for d in apart if round(apart[d], 2) < -slack), key=lambda d: apart[d])
    words = f"{len(apart) - len(short)} of {len(apart)} sets"
    if short:
        words += "; short: " + ", ".join(f"{marked(d)} {apart[d]:+.1f}" for d in short)
    return [f"accuracy less that of {what}", f"≥ -{slack:g}", words, _met(not short)]


def _first(field: Field, measure: str, better: int, trees: Sequence[str]) -> list[str]:
    """Return the line of the mean rank, which is to be the first."""
    ranks = field.ranks(trees, measure, better)
    place = 1 + sum(rank < ranks[AUTO] for rank in ranks.values())
    among = "single trees" if measure == "accuracy" else "single trees within a point of its mean accuracy"
    if len(ranks) == 1:
        return [f"mean rank by {measure} among {among}", "first", "no other tree to compare with", ""]
    first = min(ranks, key=lambda m: ranks[m])
    winner = "" if place == 1 else f" ({first} {ranks[first]:.2f})"
    words = f"{ranks[AUTO]:.2f}, place {place} of {len(ranks)}{winner}"
    return [f"mean rank by {measure} among {among}", "first", words, _met(place == 1)]


def targets(outcome: Outcome) -> list[str]:
    """Return what AutoTree is to reach on single data sets, and what it reached."""
    rows = []
    for data, target in TARGETS.items():
        found = outcome.get((data, AUTO))
        if found is None:
            continue
        measure = next(iter(target))
        ours, leaves, aim = found[measure], found["leaves"], target[measure]
        met = [round(ours.mean, aim.decimals) >= aim.mean]
        shown = f"≥ {aim}"
        if "leaves" in target:
            met.append(round(leaves.mean, 1) <= target["leaves"].mean)
            shown += f" / {target['leaves'].mean:g}"
        words = _met(all(met)) if all(met) or len(met) == 1 else f"**short** in {_lacking(met, measure)}"
        rows.append([data, PUBLISHED[data], shown, f"{ours.rounded(aim.decimals)} / {leaves.mean:.1f}", words])
    if not rows:
        return []
    headings = ["data", "best published single tree", "aim", f"{AUTO}, accuracy (R2) / leaves", "met"]
    return ["## What was aimed at, data set by data set", "", *markdown_table(headings, rows), ""]


def _lacking(met: list[bool], measure: str) -> str:
    return " and ".join(name for name, is_met in zip((measure, "leaves"), met, strict=True) if not is_met)
