"""A model as a C99 function that needs nothing but the standard library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from askew.data.encoder import label_text
from askew.export.code.c_prediction import answer, functions
from askew.export.code.c_tables import array, dense, nodes, planes, quoted, regions, rows, tests
from askew.export.code.plan import Plan, plan_of
from askew.export.fitted import Fitted
from askew.export.formatting import printable

_BLOCK = 64  # rows that descend together
_STACK = 1 << 17  # most bytes of a block of columns


def export_c(estimator: Fitted, *, name: str = "askew") -> str:
    """Return a model as C99: a function that predicts rows, and needs nothing but the standard library.

    The text begins with a comment that has the prototype, the order of the features and the codes of categories. The
    function gives what `predict` and `predict_proba` give: it adds the terms of a test in the same order, in double
    precision. Compile it without contraction into fused multiply-add (``-ffp-contract=off``) and without
    ``-ffast-math``, or a row that lies on a plane to the last bit may take the other side. What goes through an
    exponential (boosting) may differ in its last digits.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        Fitted estimator of askew: a tree, a rule network, a vote, a forest or boosting.
    name : str, default="askew"
        The function is `name`_predict; everything else in the text has that prefix, too.

    Raises
    ------
    ValueError
        A pipeline with steps before the tree, or a name that is not one in C.

    Examples
    --------
    >>> import askew
    >>> code = askew.export_c(askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"]), name="buys")
    >>> print(code[:code.index("*/") + 2])
    /* CARTClassifier, 1 feature, 2 classes. Compile with -ffp-contract=off.
     *
     *   int buys_predict(const double *rows, size_t n, int *label, double *share);
     *
     * rows: n rows of 1 number each, in this order; label: n numbers of classes; share: n x 2 probabilities, or NULL.
     * A missing value is NaN. Returns 0.
     *
     *   features
     *     0  x0
     *   classes
     *     0  no
     *     1  yes
     */
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be a name in C: letters, digits and underscores. Got {name!r} instead.")
    plan = plan_of(estimator, "export_c")
    text = "\n".join(part.strip("\n") + "\n" for part in _parts(plan) if part.strip())
    return _comment(plan, name) + "\n" + text.replace("@", name)


def _parts(plan: Plan) -> Iterable[str]:
    yield _includes(plan)
    yield _sizes(plan)
    yield _names(plan)
    yield _read(plan)
    if plan.parts[0].is_network:
        yield tests(plan)
        yield regions(plan)
    elif plan.in_parts or not (found := planes(plan) or dense(plan)):
        yield tests(plan)
        yield nodes(plan)
    else:
        yield found
    yield from functions(plan)
    yield answer(plan)


def _includes(plan: Plan) -> str:
    needed = ["stddef", "stdint"]
    if plan.refuses_missing or plan.link != "identity":
        needed.append("math")
    if any(feature.categories is not None for feature in plan.features):
        needed.append("string")
    return "".join(f"#include <{header}.h>\n" for header in sorted(needed))


def _sizes(plan: Plan) -> str:
    width = max(len(plan.columns), 1)
    sizes = {
        "FEATURES": len(plan.features),
        "COLUMNS": len(plan.columns),
        "CLASSES": plan.n_outputs,
        "WIDTH": len(plan.leaves[0].value),
        "PARTS": len(plan.parts),
        "BLOCK": min(_BLOCK, max(1, _STACK // (8 * width))),
        "TESTS": max(max(len(part.tests) for part in plan.parts), 1),
    }
    return "enum { " + ", ".join(f"@_{name} = {size}" for name, size in sizes.items()) + " };"


def _names(plan: Plan) -> str:
    """Return the labels of the classes, and a function from categories to codes."""
    found = []
    if plan.classes is not None:
        labels = ", ".join(quoted(label_text(label)) for label in plan.classes)
        found.append(f"const char *const @_classes[] = {{{labels}}};")
    cases = []
    for j, feature in enumerate(plan.features):
        for code, label in enumerate(feature.known):
            cases.append(f"  if (feature == {j} && strcmp(category, {quoted(label_text(label))}) == 0) return {code};")
    if any(feature.categories is not None for feature in plan.features):
        head = ["/* The code of a category of a feature; -1 for one that was not in the training data. */"]
        head += ["double @_code(size_t feature, const char *category);"]
        head += ["double @_code(size_t feature, const char *category)", "{"]
        found.append("\n".join([*head, *(cases or ["  (void)feature; (void)category; (void)strcmp;"])]))
        found[-1] += "\n  return -1;\n}"
    return "\n".join(found)


def _read(plan: Plan) -> str:
    """Return the function from features to columns; empty if they are the same."""
    fills = plan.fills
    if plan.columns_are_features and not plan.refuses_missing and not any(f is not None for f in fills):
        return ""
    parts = []
    filled = any(fill is not None for fill in fills)
    every = all(fill is not None for fill in fills)
    if filled:
        parts.append(array("double", "fill", [0.0 if fill is None else fill for fill in fills]))
    if filled and not every:
        parts.append(array("unsigned char", "has_fill", [int(fill is not None) for fill in fills]))
    to = "x" if plan.columns_are_features else "v"
    stays = f"{to}[j] = missing{' && @_has_fill[j]' if not every else ''} ? @_fill[j] : row[j];"
    body = ["  size_t j;", "  int refused = 0;"]
    if not plan.columns_are_features:
        body.insert(0, "  double v[@_FEATURES];")
    body += ["  for (j = 0; j < @_FEATURES; ++j) {"]
    body += ["    const int missing = row[j] != row[j];"] if filled else []
    body += [f"    {stays}" if filled else f"    {to}[j] = row[j];"]
    body += [f"    refused |= {to}[j] != {to}[j];"] if plan.refuses_missing else []
    body += ["  }"]
    if not plan.columns_are_features:
        parts.append(_column_table(plan))
        body += [
            "  for (j = 0; j < @_COLUMNS; ++j) {",
            "    const struct @_column c = @_columns[j];",
            "    if (c.category == -2) x[j] = row[c.feature] != row[c.feature];",
            "    else if (c.category == -1 || v[c.feature] != v[c.feature]) x[j] = v[c.feature];",
            "    else x[j] = v[c.feature] == c.category;",
            "  }",
        ]
    head = "/* The columns that tests see; 1 if a value is missing that must not be. */\n"
    head += "static int @_read(const double *row, double *x)\n{\n"
    return "\n".join([*parts, head + "\n".join([*body, "  return refused;", "}"])])


def _column_table(plan: Plan) -> str:
    table = [
        (column.feature, -2 if column.is_indicator else -1 if column.category is None else column.category)
        for column in plan.columns
    ]
    comment = (
        "/* A feature and the code that the column stands for; -1: the feature itself, -2: whether it is missing. */"
    )
    return f"{comment}\nstruct @_column {{ int feature, category; }};\n" + rows("struct @_column", "columns", table)


def _comment(plan: Plan, name: str) -> str:
    """Return the comment at the top of the code."""
    d, k = len(plan.features), plan.n_outputs
    outputs = "double *number" if plan.classes is None else "int *label, double *share"
    what = "a number" if plan.classes is None else _counted(k, "class", "es")
    lines = [f"{plan.estimator}, {_counted(d, 'feature')}, {what}. Compile with -ffp-contract=off.", ""]
    lines += [f"  int {name}_predict(const double *rows, size_t n, {outputs});", ""]
    answer = (
        "number: n predictions"
        if plan.classes is None
        else f"label: n numbers of classes; share: n x {k} probabilities, or NULL"
    )
    lines += [f"rows: n rows of {_counted(d, 'number')} each, in this order; {answer}."]
    refused = "-1" if plan.classes is not None else "NaN"
    lines += [
        f"A value must not be missing (NaN): such a row gets {refused}, and 1 is returned; else 0."
        if plan.refuses_missing
        else "A missing value is NaN. Returns 0."
    ]
    lines += ["", "  features"]
    for j, feature in enumerate(plan.features):
        lines.append(f"    {j}  {feature.name}")
        lines += [f"         {code}  {label_text(label)}" for code, label in enumerate(feature.known)]
    if any(feature.categories is not None for feature in plan.features):
        lines += ["", f"Categories are given by their codes, any other as -1; {name}_code() finds them."]
    if plan.classes is not None:
        lines += ["  classes", *(f"    {c}  {label_text(label)}" for c, label in enumerate(plan.classes))]
    return _as_comment(lines)


def _as_comment(lines: Sequence[str]) -> str:
    safe = [re.sub(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=\?)(?=\?)", " ", printable(line)) for line in lines]
    return "\n".join([f"/* {safe[0]}", *(f" * {line}".rstrip() for line in safe[1:]), " */"])


def _counted(n: int, what: str, plural: str = "s") -> str:
    return f"{n} {what}{'' if n == 1 else plural}"
