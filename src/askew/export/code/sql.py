"""A model as an SQL query, in the SQL that SQLite and DuckDB share."""

from __future__ import annotations

from collections.abc import Sequence

from askew.data.encoder import label_text
from askew.export.code.plan import BOOSTED, LEAF, ODDS, Column, Plan, PlannedLeaf, plan_of
from askew.export.code.sql_statement import (
    MOST_DEPTH,
    Statement,
    by_leaf,
    clip,
    first_largest,
    largest,
    leaf_of,
    literal,
    named,
    number,
    part_shares,
)
from askew.export.fitted import Fitted

_MOST_TREES = 1000


def export_sql(estimator: Fitted, table: str, *, keep: Sequence[str] | None = None, probabilities: bool = False) -> str:
    """Return a query that predicts the rows of a table, for SQLite and DuckDB.

    The query has the columns to keep and one called `prediction`; with `probabilities`, also ``probability_...`` for
    each class. NULL is a missing value; where the model allows none, so is the prediction. Numbers are computed in
    double precision and added in the order in which `predict` adds them, and constants are exact, so that a row that
    lies on a plane takes the side that it takes in `predict`. Probabilities of linear leaves and of boosting, and
    Poisson regression, need the function ``exp``; probabilities may differ in their last digits.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        Fitted estimator of askew: a tree, a rule network, a vote, a forest or boosting.
    table : str
        Name of a table or view that has the features as columns, by the names that they had in `fit` (x0, x1, ... if
        they had none); optionally with a schema and a dot before it.
    keep : sequence of str, default=None
        Columns of the table to return beside the prediction, such as a key; None: the features.
    probabilities : bool, default=False
        Whether to return the probability of each class.

    Raises
    ------
    ValueError
        A tree of more than 200 tests in a row, more than 1,000 trees, linear leaves in one tree for each class or with
        ``missing="fractional"``, or a pipeline with steps before the tree.

    Examples
    --------
    >>> import askew
    >>> tree = askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    >>> print(askew.export_sql(tree, "customers", keep=["id"]))
    WITH
    askew_0 AS MATERIALIZED (SELECT "id", COALESCE(CAST("x0" AS DOUBLE PRECISION), 1.5e0) AS askew_x0
    FROM "customers"),
    askew_1 AS MATERIALIZED (SELECT *, CASE WHEN askew_x0 <= 1.5e0 THEN 0 ELSE 1 END AS askew_p0
    FROM askew_0)
    SELECT "id", CASE WHEN askew_p0 IN (0) THEN 'no' WHEN askew_p0 IN (1) THEN 'yes' END AS prediction
    FROM askew_1
    """
    plan = plan_of(estimator, "export_sql")
    _check(plan)
    kept = [feature.name for feature in plan.features] if keep is None else list(keep)
    query = Statement(table, kept)
    _read(plan, query)
    if plan.voters:
        prediction, shares = _vote(plan, query)
    elif plan.answer == LEAF:
        prediction, shares = _leaf(plan, query)
    else:
        prediction, shares = _many(plan, query, probabilities)
    results = [(prediction, "prediction")]
    if probabilities and plan.classes is not None:
        if plan.divisors is not None:
            divided = [f"askew_divided{c}" for c in range(plan.n_outputs)]
            each = zip(shares, plan.divisors, strict=True)
            query.stage([(f"({p}) / {number(d)}", name) for (p, d), name in zip(each, divided, strict=True)])
            shares = _scaled(divided, query, "askew_occurs")
        results += [(p, f"probability_{label_text(c)}") for p, c in zip(shares, plan.classes, strict=True)]
    if plan.refuses_missing:
        results = [(f"CASE WHEN askew_complete = 1 THEN {what} END", name) for what, name in results]
    return query.text(results)


def _check(plan: Plan) -> None:
    deepest = max(part.depth for part in plan.parts)
    if deepest > MOST_DEPTH:
        raise ValueError(f"a tree of {deepest} tests in a row is too deep for SQL: at most {MOST_DEPTH}")
    if len(plan.parts) > _MOST_TREES:
        raise ValueError(f"{len(plan.parts)} trees are too many for SQL: at most {_MOST_TREES}")
    if plan.answer == ODDS and plan.has_models:
        raise ValueError("linear leaves in one tree for each class cannot be written as SQL")


def _read(plan: Plan, query: Statement) -> None:
    """Make the columns that tests see."""
    columns, values = [], []
    for j, (feature, fill) in enumerate(zip(plan.features, plan.fills, strict=True)):
        name = named(feature.name)
        other = "NULL" if fill is None else number(fill)
        if feature.categories is None:
            read = f"CAST({name} AS DOUBLE PRECISION)"
            values.append(read if fill is None else f"COALESCE({read}, {other})")
        else:
            codes = "".join(f" WHEN {name} = {literal(c)} THEN {number(float(k))}" for k, c in enumerate(feature.known))
            values.append(f"CASE WHEN {name} IS NULL THEN {other}{codes} ELSE -1e0 END")
        if any(column.is_indicator and column.feature == j for column in plan.columns):
            columns.append((f"CASE WHEN {name} IS NULL THEN 1e0 ELSE 0e0 END", f"askew_m{j}"))
    prefix = "askew_x" if plan.columns_are_features else "askew_v"
    columns += [(value, f"{prefix}{j}") for j, value in enumerate(values)]
    query.stage(columns)
    if plan.refuses_missing:
        lacking = " OR ".join(f"{prefix}{j} IS NULL" for j in range(len(values)))
        query.stage([(f"CASE WHEN {lacking} THEN 0 ELSE 1 END", "askew_complete")])
    if not plan.columns_are_features:
        query.stage([(_column(column), f"askew_x{j}") for j, column in enumerate(plan.columns)])


def _column(column: Column) -> str:
    v = f"askew_v{column.feature}"
    if column.is_indicator:
        return f"askew_m{column.feature}"
    if column.category is None:
        return v
    return f"CASE WHEN {v} IS NULL THEN NULL WHEN {v} = {number(float(column.category))} THEN 1e0 ELSE 0e0 END"


# --- one tree or rule network


def _leaf(plan: Plan, query: Statement) -> tuple[str, list[str]]:
    """Return the prediction and the shares of the classes of a single tree or rule network."""
    part = plan.parts[0]
    if plan.in_parts:
        return _in_parts(plan, query)
    query.stage([(leaf_of(part, query, "askew_s0"), "askew_p0")])
    if plan.classes is None:
        return _number(plan, query), []
    label = _label(plan, query, 0)
    return by_leaf(label, [literal(c) for c in plan.classes]), _shares(plan, query)


def _number(plan: Plan, query: Statement) -> str:
    leaves = plan.leaves
    values = {i: number(leaf.value[0]) for i, leaf in enumerate(leaves)}
    if plan.has_models:
        query.stage([(_model_sum(leaves, 0, "askew_p0", query), "askew_sum")])
        ranges = {i: clip("askew_sum", *p.model.range) for i, p in enumerate(leaves) if p.model and p.model.range}
        values = {i: f"COALESCE({ranges[i]}, {value})" if i in ranges else value for i, value in values.items()}
    return "CASE askew_p0 " + " ".join(f"WHEN {i} THEN {value}" for i, value in values.items()) + " END"


def _model_sum(leaves: list[PlannedLeaf], output: int, leaf: str, query: Statement) -> str:
    cases = []
    for i, one in enumerate(leaves):
        if one.model is not None:
            sums = query.terms(one.model.constants[output], one.model.weights[output], one.model.columns)
            cases.append(f"WHEN {i} THEN {sums}")
    return f"CASE {leaf} " + " ".join(cases) + " END"


def _model_sums(plan: Plan, query: Statement, t: int) -> list[str]:
    """Return the columns that hold the sums of the models of part `t`; all are NULL unless all are finite."""
    names = [f"askew_sum{t}_{c}" for c in range(plan.n_outputs)]
    if not any(f" AS {names[0]}" in stage for stage in query.stages):
        raw = [f"{name}_raw" for name in names]
        sums = [_model_sum(plan.parts[t].leaves, c, f"askew_p{t}", query) for c in range(plan.n_outputs)]
        query.stage(list(zip(sums, raw, strict=True)))
        finite = " AND ".join(f"{name} * 0e0 = 0e0" for name in raw)
        query.stage([(f"CASE WHEN {finite} THEN {one} END", name) for one, name in zip(raw, names, strict=True)])
    return names


def _label(plan: Plan, query: Statement, t: int) -> dict[str, list[int]] | str:
    """Return which class part `t` predicts: a list of leaves by class, or an expression for its number."""
    leaves, leaf = plan.parts[t].leaves, f"askew_p{t}"
    if not plan.has_models:
        classes: list[int] = [one.label for one in leaves]
        return {f"{leaf} {c}": [i for i, label in enumerate(classes) if label == c] for c in sorted(set(classes))}
    scores = []
    for c, total in enumerate(_model_sums(plan, query, t)):
        values = "CASE " + leaf + "".join(f" WHEN {i} THEN {number(one.value[c])}" for i, one in enumerate(leaves))
        scores.append((f"COALESCE({total}, {values} END)", f"askew_w{t}_{c}"))
    query.stage(scores)
    return first_largest([name for _, name in scores], [str(c) for c in range(plan.n_outputs)])


def _shares(plan: Plan, query: Statement) -> list[str]:
    """Return the class shares in the leaf of a single tree."""
    leaves = plan.leaves
    entries = [
        "CASE askew_p0" + "".join(f" WHEN {i} THEN {number(one.entry[c])}" for i, one in enumerate(leaves)) + " END"
        for c in range(plan.n_outputs)
    ]
    if not plan.has_models:
        return entries
    sums = _model_sums(plan, query, 0)
    query.stage([(largest(sums), "askew_most")])
    return _softmax(sums, query, entries)


def _softmax(sums: list[str], query: Statement, otherwise: list[str] | None = None) -> list[str]:
    powers = [f"askew_power{c}" for c in range(len(sums))]
    query.stage([(f"exp({one} - askew_most)", name) for one, name in zip(sums, powers, strict=True)])
    query.stage([(query.added(powers), "askew_total")])
    shares = [f"{power} / askew_total" for power in powers]
    if otherwise is None:
        return shares
    return [f"COALESCE({share}, {other})" for share, other in zip(shares, otherwise, strict=True)]


def _in_parts(plan: Plan, query: Statement) -> tuple[str, list[str]]:
    """Return the answer of a tree that sends rows with missing values down in parts."""
    raw = _scaled(part_shares(plan, query, 0, smoothed=False), query, "askew_raw")
    prediction = first_largest(raw, [literal(c) for c in plan.classes or []])
    shares = raw
    if plan.smoothed:
        shares = _scaled(part_shares(plan, query, 0, smoothed=True), query, "askew_share")
    return prediction, shares


def _scaled(scores: list[str], query: Statement, prefix: str) -> list[str]:
    query.stage([(query.added(scores), f"{prefix}_total")])
    names = [f"{prefix}{c}" for c in range(len(scores))]
    query.stage([(f"{score} / {prefix}_total", name) for score, name in zip(scores, names, strict=True)])
    return names


# --- many trees


def _leaf_stages(plan: Plan, query: Statement) -> None:
    query.stage([(leaf_of(part, query, f"askew_s{t}"), f"askew_p{t}") for t, part in enumerate(plan.parts)])


def _entry(plan: Plan, t: int, c: int, raw: bool = False) -> str:
    part = plan.parts[t]
    entries = [leaf.raw if raw else leaf.entry for leaf in part.leaves]
    values = [one[c] if plan.answer != ODDS or part.counts else 0.0 for one in entries]
    return f"CASE askew_p{t} " + " ".join(f"WHEN {i} THEN {number(v)}" for i, v in enumerate(values)) + " END"


def _many(plan: Plan, query: Statement, probabilities: bool) -> tuple[str, list[str]]:
    """Return the answer of a forest, of boosting, or of a tree for each class."""
    _leaf_stages(plan, query)
    if plan.answer == BOOSTED:
        return _boosted(plan, query, probabilities)
    labels = [literal(c) for c in plan.classes or []]
    if plan.answer == ODDS:
        odds = _odds(plan, query, 0)
        return first_largest(odds, labels), _scaled(odds, query, "askew_share")

    def sums(prefix: str, raw: bool) -> list[str]:
        names, parts = [f"{prefix}{c}" for c in range(plan.n_outputs)], range(len(plan.parts))
        query.stage([(query.added([_entry(plan, t, c, raw) for t in parts]), name) for c, name in enumerate(names)])
        return names

    totals = sums("askew_sum", raw=plan.classes is not None)
    if plan.classes is None:
        return f"askew_sum0 / {number(float(len(plan.parts)))}", []
    shares = sums("askew_occur", raw=False) if plan.smoothed and probabilities else totals
    return first_largest(totals, labels), _scaled(shares, query, "askew_share")


def _odds(plan: Plan, query: Statement, first: int) -> list[str]:
    odds = [f"askew_odds{first + t}" for t in range(plan.parts_each)]
    query.stage([(_entry(plan, first + t, 0), name) for t, name in enumerate(odds)])
    return _scaled(odds, query, f"askew_chance{first}_")


def _boosted(plan: Plan, query: Statement, probabilities: bool) -> tuple[str, list[str]]:
    outputs = len(plan.baseline)
    sums = [f"askew_sum{c}" for c in range(outputs)]
    terms = [[_entry(plan, t, 0) for t in range(c, len(plan.parts), outputs)] for c in range(outputs)]
    total = [f"{query.added(each)} + {number(base)}" for each, base in zip(terms, plan.baseline, strict=True)]
    query.stage(list(zip(total, sums, strict=True)))
    labels = [literal(c) for c in plan.classes or []]
    if plan.classes is None:
        limited = "CASE WHEN askew_sum0 < 700e0 THEN askew_sum0 ELSE 700e0 END"
        return f"exp({limited})" if plan.link == "log" else "askew_sum0", []
    if len(labels) == 1:
        return labels[0], ["1e0"]
    if plan.link == "logit":
        small = "exp(CASE WHEN askew_sum0 < 0 THEN askew_sum0 ELSE -askew_sum0 END)"
        p = f"CASE WHEN askew_sum0 >= 0 THEN 1e0 ELSE {small} END / (1e0 + {small})"
        return f"CASE WHEN askew_sum0 > 0 THEN {labels[1]} ELSE {labels[0]} END", [f"1e0 - {p}", p]
    if not probabilities:
        return first_largest(sums, labels), []
    query.stage([(largest(sums), "askew_most")])
    return first_largest(sums, labels), _softmax(sums, query)


def _vote(plan: Plan, query: Statement) -> tuple[str, list[str]]:
    """Return the answer of a vote: the most votes, of equals the larger weight in training, then the first."""
    if not plan.in_parts:
        _leaf_stages(plan, query)
    for voter in range(plan.voters):
        query.stage([(_ballot(plan, query, voter), f"askew_vote{voter}")])
    votes = [f"askew_votes{c}" for c in range(plan.n_outputs)]
    cases = [
        query.added([f"CASE WHEN askew_vote{v} = {c} THEN 1e0 ELSE 0e0 END" for v in range(plan.voters)])
        for c in range(plan.n_outputs)
    ]
    query.stage(list(zip(cases, votes, strict=True)))
    order = sorted(range(plan.n_outputs), key=lambda c: (-plan.class_weights[c], c))
    labels = [literal(c) for c in plan.classes or []]
    prediction = first_largest([votes[c] for c in order], [labels[c] for c in order])
    return prediction, [f"{count} / {number(float(plan.voters))}" for count in votes]


def _ballot(plan: Plan, query: Statement, voter: int) -> str:
    numbers = [str(c) for c in range(plan.n_outputs)]
    if plan.in_parts:
        shares = part_shares(plan, query, voter, smoothed=False)
        return first_largest(_scaled(shares, query, f"askew_raw{voter}_"), numbers)
    if plan.answer == ODDS:
        return first_largest(_odds(plan, query, voter * plan.parts_each), numbers)
    return by_leaf(_label(plan, query, voter), numbers)
