"""From the leaves of a row to the prediction, in C, for `askew.export_c`."""

from __future__ import annotations

from collections.abc import Iterable

from askew.export.code import c_templates as pieces
from askew.export.code.c_tables import Cell, array, insert, packed, rows, stack_size
from askew.export.code.plan import BOOSTED, LEAF, ODDS, SHARES, Plan


def functions(plan: Plan) -> Iterable[str]:
    """Yield the tables of leaves, and the functions that compute the answer."""
    classes = plan.classes is not None
    if plan.has_models:
        yield _models(plan)
    else:
        yield _entries(plan)
    if not classes:
        return
    needs_total = plan.answer in (ODDS, SHARES) or plan.has_models or plan.in_parts
    if (needs_total and _scales(plan)) or plan.divisors is not None:
        yield pieces.TOTAL_OF_EIGHT if 8 <= plan.n_outputs <= 128 else pieces.TOTAL
        yield pieces.SCALE
    if plan.divisors is not None:
        yield insert(pieces.DIVIDE, divisors=array("double", "divisors", plan.divisors))
    if plan.answer != LEAF or plan.has_models or plan.in_parts:
        yield pieces.LARGEST
    if plan.in_parts:
        yield _spread(plan)
    if plan.answer == LEAF:
        yield _class_of(plan)
        if not plan.voters:
            yield _shares_of(plan)


def _scales(plan: Plan) -> bool:
    """Whether weights must be divided by their sum: a vote of models asks for their largest only."""
    return plan.answer != LEAF or plan.in_parts or not plan.voters


def _entries(plan: Plan) -> str:
    """Return the contribution of each leaf to the answer: its label and shares, a number, or odds."""
    leaves = plan.leaves
    if plan.answer == LEAF and plan.classes is not None:
        labels = array("int", "label", [leaf.label for leaf in leaves])
        shares = "" if plan.voters else _matrix("entry", [leaf.entry for leaf in leaves])
        return "\n".join([labels, shares, _matrix("raw", [leaf.raw for leaf in leaves]) if plan.in_parts else ""])
    if plan.answer == ODDS:
        entries = [[leaf.entry[0] if part.counts else 0.0] for part in plan.parts for leaf in part.leaves]
        return _matrix("entry", entries)
    entry = _matrix("entry", [leaf.entry for leaf in leaves])
    return f"{entry}\n{_matrix('raw', [leaf.raw for leaf in leaves])}" if _weighted_forest(plan) else entry


def _weighted_forest(plan: Plan) -> bool:
    """Whether the classes of a forest are predicted by other shares than those of `predict_proba`."""
    return plan.answer == SHARES and plan.classes is not None and plan.smoothed


def _matrix(name: str, values: list[list[float]]) -> str:
    return rows("double", name, values, f"[{len(values[0])}]")


def _models(plan: Plan) -> str:
    leaves, width = plan.leaves, len(plan.leaves[0].value)
    number = plan.classes is None
    table: list[list[Cell]] = []
    columns: list[int] = []
    weights: list[list[float]] = []
    for leaf in leaves:
        model, start = leaf.model, len(columns)
        if model is not None:
            columns += model.columns
            weights += [list(each) for each in zip(*model.weights, strict=True)]
        low_high = ([0.0, 0.0] if model is None or model.range is None else list(model.range)) if number else []
        table.append([start, len(columns), *low_high, [0.0] * width if model is None else model.constants])
    tables = insert(
        pieces.MODELS,
        range="low, high, " if number else "",
        models=rows("struct @_model", "models", table),
        model_columns=array("uint32_t", "model_columns", columns),
        model_weights=_matrix("model_weights", weights),
        value=_matrix("value", [leaf.value for leaf in leaves]),
        weight=_matrix("weight", [leaf.weights for leaf in leaves]) if _needs_weight(plan) else "",
    )
    if number:
        return tables + pieces.MODEL_NUMBER
    counts = array("unsigned char", "counts", [int(part.counts) for part in plan.parts]) if plan.answer == ODDS else ""
    return "\n".join([tables, pieces.EXP, pieces.MODEL_CLASSES, counts])


def _needs_weight(plan: Plan) -> bool:
    return plan.smoothed and (plan.answer == ODDS or not plan.voters)


def _spread(plan: Plan) -> str:
    found, _, _ = packed(plan)
    parts = [1.0] * len(found)
    for node, first in found:
        for child, part in zip(node.children, node.parts, strict=True):
            parts[first + child] = part
    if plan.has_models:
        shares = "@_leaf(node->place, x, share, table);\n    @_scale(share);"
    else:
        shares = "for (c = 0; c < @_CLASSES; ++c) share[c] = table[node->place][c];"
    return insert(
        pieces.SPREAD,
        parts=array("double", "parts", parts),
        deepest=str(stack_size(plan)),
        table="const double (*table)[@_CLASSES]",
        shares=shares,
    )


def _class_of(plan: Plan) -> str:
    """Return the function for the class that a tree predicts for a row in a leaf."""
    body = []
    declared = ["  double s[@_CLASSES];"] if plan.in_parts or plan.has_models else []
    if plan.in_parts:
        body += [
            "  if (@_incomplete(x)) {",
            f"    @_spread(part, x, s, @_{'value' if plan.has_models else 'raw'});",
            "    @_scale(s);",
            "    return @_largest(s);",
            "  }",
        ]
    if plan.has_models:
        body += ["  @_leaf(place, x, s, @_value);", "  return @_largest(s);"]
    else:
        body += ["  return @_label[place];"]
    head = "static int @_class(size_t part, uint32_t place, const double *x)\n{"
    return "\n".join([head, *declared, "  (void)part; (void)x;", *body, "}"])


def _shares_of(plan: Plan) -> str:
    """Return the function for the class shares of a row in a leaf."""
    table = "entry" if not plan.has_models else "weight" if plan.smoothed else "value"
    body = []
    if plan.in_parts:
        body += [
            "  if (@_incomplete(x)) {",
            f"    @_spread(part, x, s, @_{table});",
            "    @_scale(s);",
            "    return;",
            "  }",
        ]
    if plan.has_models:
        body += [f"  @_leaf(place, x, s, @_{table});", "  @_scale(s);"]
    else:
        body += ["  {", "    size_t c;", "    for (c = 0; c < @_CLASSES; ++c) s[c] = @_entry[place][c];", "  }"]
    head = "static void @_shares(size_t part, uint32_t place, const double *x, double *s)\n{\n  (void)part; (void)x;"
    return "\n".join([head, *body, "}"])


# --- the function that is called


def answer(plan: Plan) -> str:
    """Return the function that predicts rows, a block at a time."""
    copies = not plan.columns_are_features or any(fill is not None for fill in plan.fills)
    reads = copies or plan.refuses_missing
    outputs = "double *number" if plan.classes is None else "int *label, double *share"
    body = _number(plan) if plan.classes is None else _vote(plan) if plan.voters else _classes(plan)
    refuse = _refuse(plan) if plan.refuses_missing else []
    counts = [name for name in "tc" if f"({name} = " in "".join([*body, *refuse])]
    lines = [
        f"int @_predict(const double *rows, size_t n, {outputs});",
        f"int @_predict(const double *rows, size_t n, {outputs})",
        "{",
        *_buffers(plan, reads),
        "  uint32_t place[@_BLOCK];",
        f"  size_t {', '.join(['start', 'i', 'm', *counts])};",
        "  int refused = 0;",
        "  for (start = 0; start < n; start += m) {",
        f"    const double *x{'' if reads else ' = rows + start * @_FEATURES'};",
        "    m = n - start < @_BLOCK ? n - start : @_BLOCK;",
        *(
            [
                "    for (i = 0; i < m; ++i)",
                f"      {'bad[i] = ' if plan.refuses_missing else '(void)'}"
                "@_read(rows + (start + i) * @_FEATURES, columns + i * @_COLUMNS);",
                "    x = columns;",
            ]
            if reads
            else []
        ),
        *(f"    {line}" for line in body),
        *refuse,
        "  }",
        "  return refused;",
        "}",
    ]
    return "\n".join(lines)


def _buffers(plan: Plan, reads: bool) -> list[str]:
    found = []
    if reads:
        found.append("  double columns[@_BLOCK * @_COLUMNS];")
    if plan.refuses_missing:
        found.append("  int bad[@_BLOCK];")
    if plan.classes is None:
        return found + (["  double sum[@_BLOCK];"] if plan.answer in (SHARES, BOOSTED) else [])
    if plan.answer != LEAF:
        size = max(len(plan.baseline), plan.n_outputs)
        found.append(f"  double score[@_BLOCK * {size}];")
    if plan.voters:
        found.append("  int votes[@_BLOCK * @_CLASSES];")
        found.append("  " + array("double", "class_weights", plan.class_weights).replace("\n", " "))
    return found


def _number(plan: Plan) -> list[str]:
    if plan.answer == LEAF:
        value = "@_leaf(place[i], x + i * @_COLUMNS)" if plan.has_models else "@_entry[place[i]][0]"
        return ["@_find(0, x, m, place);", f"for (i = 0; i < m; ++i) number[start + i] = {value};"]
    found = ["for (i = 0; i < m; ++i) sum[i] = 0;", "for (t = 0; t < @_PARTS; ++t) {", "  @_find(t, x, m, place);"]
    found += ["  for (i = 0; i < m; ++i) sum[i] += @_entry[place[i]][0];", "}"]
    result = "sum[i] / @_PARTS"
    if plan.answer == BOOSTED:
        result = f"sum[i] + {plan.baseline[0]!r}"
        if plan.link == "log":
            found.append(f"for (i = 0; i < m; ++i) sum[i] = {result};")
            result = "exp(sum[i] < 700.0 ? sum[i] : 700.0)"
    return [*found, f"for (i = 0; i < m; ++i) number[start + i] = {result};"]


def _score(plan: Plan, first: str, table: str = "entry") -> list[str]:
    """Return the lines that add the class scores of the parts to `score`, by a table of the leaves."""
    each, size = plan.parts_each, max(len(plan.baseline), plan.n_outputs)
    if plan.answer == ODDS:
        leaf = "@_entry[place[i]][0]"
        lines = [f"for (t = 0; t < {each}; ++t) {{", f"  @_find({first}t, x, m, place);"]
        if plan.has_models:
            lines += ["  for (i = 0; i < m; ++i) {", "    double s[@_WIDTH];"]
            table = "weight" if plan.smoothed else "value"
            lines += [f"    @_leaf(place[i], x + i * @_COLUMNS, s, @_{table});"]
            lines += [f"    score[i * {size} + t] = @_counts[{first}t] ? (s[1] + 1) / (s[0] + 1) : 0;", "  }"]
        else:
            lines += [f"  for (i = 0; i < m; ++i) score[i * {size} + t] = {leaf};"]
        return [*lines, "}", f"for (i = 0; i < m; ++i) @_scale(score + i * {size});"]
    lines = [f"for (i = 0; i < m * {size}; ++i) score[i] = 0;", f"for (t = 0; t < {each}; ++t) {{"]
    lines += ["  @_find(t, x, m, place);"]
    if plan.answer == SHARES:
        lines += ["  for (i = 0; i < m; ++i)"]
        return [*lines, f"    for (c = 0; c < @_CLASSES; ++c) score[i * {size} + c] += @_{table}[place[i]][c];", "}"]
    outputs = len(plan.baseline)
    return [*lines, f"  for (i = 0; i < m; ++i) score[i * {size} + t % {outputs}] += @_entry[place[i]][0];", "}"]


def _classes(plan: Plan) -> list[str]:
    if plan.answer == LEAF:
        at = "place[i], x + i * @_COLUMNS"
        return [
            "@_find(0, x, m, place);",
            f"for (i = 0; i < m; ++i) label[start + i] = @_class(0, {at});",
            f"for (i = 0; i < m && share; ++i) @_shares(0, {at}, share + (start + i) * @_CLASSES);",
            *_divided(plan),
        ]
    size = max(len(plan.baseline), plan.n_outputs)
    if _weighted_forest(plan):
        lines = [*_score(plan, "", "raw"), f"for (i = 0; i < m; ++i) label[start + i] = @_largest(score + i * {size});"]
        lines += ["if (share) {", *(f"  {line}" for line in _score(plan, "")), "}"]
        lines += ["for (i = 0; i < m && share; ++i) {", f"  double *s = score + i * {size};", "  @_scale(s);"]
        return [*lines, "  for (c = 0; c < @_CLASSES; ++c) share[(start + i) * @_CLASSES + c] = s[c];", "}"]
    lines = [*_score(plan, ""), "for (i = 0; i < m; ++i) {", f"  double *s = score + i * {size};"]
    if plan.answer == BOOSTED:
        lines += [f"  {line}" for line in _linked(plan)]
        lines += ["  label[start + i] = @_largest(s);"]
    else:
        lines += ["  label[start + i] = @_largest(s);"]
        lines += ["  if (share) @_scale(s);"]  # odds once more, as `predict_proba` does
    lines += ["  for (c = 0; c < @_CLASSES && share; ++c) share[(start + i) * @_CLASSES + c] = s[c];", "}"]
    return [*lines, *_divided(plan)]


def _divided(plan: Plan) -> list[str]:
    """Return the lines that turn shares by weight into those of the classes as they occur."""
    if plan.divisors is None:
        return []
    return ["for (i = 0; i < m && share; ++i) @_divide(share + (start + i) * @_CLASSES);"]


def _linked(plan: Plan) -> list[str]:
    """Return the lines that turn the sums of boosting into probabilities."""
    if plan.link == "logit":
        if plan.n_outputs == 1:
            return ["s[0] = 1;"]
        return [
            f"const double raw = s[0] + {plan.baseline[0]!r}, small = exp(raw < 0 ? raw : -raw);",
            "s[1] = (raw >= 0 ? 1.0 : small) / (1.0 + small);",
            "s[0] = 1 - s[1];",
        ]
    baseline = array("double", "baseline", plan.baseline).replace("\n", " ")
    return [
        baseline,
        "double most, total = 0;",
        "for (c = 0; c < @_CLASSES; ++c) s[c] += @_baseline[c];",
        "most = s[@_largest(s)];",
        "for (c = 0; c < @_CLASSES; ++c) s[c] = exp(s[c] - most), total += s[c];",
        "for (c = 0; c < @_CLASSES; ++c) s[c] /= total;",
    ]


def _vote(plan: Plan) -> list[str]:
    each = plan.parts_each
    vote = ["for (i = 0; i < m * @_CLASSES; ++i) votes[i] = 0;"]
    if plan.answer == LEAF:
        vote += [
            "for (t = 0; t < @_PARTS; ++t) {",
            "  @_find(t, x, m, place);",
            "  for (i = 0; i < m; ++i) ++votes[i * @_CLASSES + (size_t)@_class(t, place[i], x + i * @_COLUMNS)];",
            "}",
        ]
    else:
        size = plan.n_outputs
        vote += [
            f"for (voter = 0; voter < {plan.voters}; ++voter) {{",
            *(f"  {line}" for line in _score(plan, f"voter * {each} + ")),
            f"  for (i = 0; i < m; ++i) ++votes[i * @_CLASSES + (size_t)@_largest(score + i * {size})];",
            "}",
        ]
        vote.insert(0, "size_t voter;")
    return [
        *vote,
        "for (i = 0; i < m; ++i) {",
        "  const int *own = votes + i * @_CLASSES;",
        "  size_t best = 0;",
        "  for (c = 1; c < @_CLASSES; ++c)",
        "    if (own[c] > own[best] || (own[c] == own[best] && @_class_weights[c] > @_class_weights[best])) best = c;",
        "  label[start + i] = (int)best;",
        "  for (c = 0; c < @_CLASSES && share; ++c)",
        f"    share[(start + i) * @_CLASSES + c] = (double)own[c] / {plan.voters};",
        "}",
        *_divided(plan),
    ]


def _refuse(plan: Plan) -> list[str]:
    if plan.classes is None:
        clear = ["        number[start + i] = NAN;"]
    else:
        clear = [
            "        label[start + i] = -1;",
            "        for (c = 0; c < @_CLASSES && share; ++c) share[(start + i) * @_CLASSES + c] = NAN;",
        ]
    return ["    for (i = 0; i < m; ++i)", "      if (bad[i]) {", *clear, "        refused = 1;", "      }"]
