"""``askew export``: write a model as text, Graphviz, JSON, code, a picture or a tree file of the OC1 program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from askew.cli.model_file import Model, load_model
from askew.cli.output import check_output, or_standard
from askew.files import beside
from askew.tables.errors import UserError, about

# The format that the suffix of a file means.
FORMS = {
    ".txt": "text",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
    ".dt": "oc1",
    ".c": "c",
    ".py": "python",
    ".sql": "sql",
    ".onnx": "onnx",
}
PICTURES = (".png", ".svg", ".pdf")


def export(
    model: Annotated[
        Path, typer.Argument(help="Model file, or a tree file (.dt) of the OC1 program.", metavar="MODEL")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .txt .dot .json .c .py .sql .onnx .dt .png .svg .pdf or .askew, by its name.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="text, dot, json, c, python, sql, onnx or oc1, if not by the name; text on standard output.",
        ),
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option(min=0, help="Depth to write or draw; deeper subtrees are summarised.")
    ] = None,
    max_terms: Annotated[int | None, typer.Option(min=1, help="Number of largest terms of an inequality.")] = None,
    decimals: Annotated[int | None, typer.Option(min=0, help="Digits after the point.")] = None,
    table: Annotated[str | None, typer.Option(help="Table that an SQL query reads.")] = None,
    name: Annotated[str | None, typer.Option(help="Prefix of the names in C code.")] = None,
    dpi: Annotated[int | None, typer.Option(min=1, max=2400, help="Dots per inch of a picture (.png).")] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over a file that exists.")] = False,
) -> None:
    """Write a model in another form; a tree file of the original OC1 program can become a model file."""
    output = or_standard(output)
    if output is not None:
        check_output(output, force, model)
    suffix = "" if output is None else output.suffix.lower()
    if form is None and suffix not in (*FORMS, *PICTURES, ".askew", ""):
        known = ", ".join([*FORMS, *PICTURES, ".askew"])
        raise UserError(f"{output}: unknown format {suffix!r}; expected {known}, or --format")
    drawn = {"max_depth": max_depth, "max_terms": max_terms, "decimals": decimals, "dpi": dpi}
    values = {**drawn, "table": table, "name": name}
    chosen = {name: value for name, value in values.items() if value is not None}
    if output is not None and suffix in (".askew", *PICTURES):
        _check(chosen, drawn if suffix in PICTURES else (), suffix)
        estimator = _read(model)
        if suffix == ".askew":
            import askew

            askew.save(estimator, output)
            return
        with about(model):
            _draw(estimator, output, chosen)
        return
    form = form or FORMS.get(suffix, "text")
    writer = _writer(form)
    _check(chosen, signature(writer).parameters, form)
    if form == "sql" and table is None:
        raise UserError("--format sql needs --table, the table that the query reads")
    if form == "onnx":
        _write_onnx(model, output)
        return
    estimator = _read(model)
    with about(model):
        text = writer(estimator, **chosen)
    _write(text, output)


def _write_onnx(model: Path, output: Path | None) -> None:
    import askew

    if output is None:
        raise UserError("--format onnx needs --output: it is not text")
    estimator = _read(model)
    try:
        with about(model):
            askew.export_onnx(estimator, output)
    except ImportError as error:
        raise UserError(str(error)) from None


def _check(chosen: Collection[str], known: Collection[str], form: str) -> None:
    """Raise `UserError` for an option that has no effect on this format."""
    for name in chosen:
        if name not in known:
            raise UserError(f"--{name.replace('_', '-')} has no effect on {form}")


def _read(model: Path) -> Model:
    if model.suffix.lower() != ".dt":
        return load_model(model)
    import askew

    return cast(Model, askew.import_oc1(model))


def _writer(form: str) -> Callable[..., Any]:
    import askew

    writers: dict[str, Callable[..., Any]] = {
        "text": askew.export_text,
        "dot": askew.export_dot,
        "json": askew.export_json,
        "c": askew.export_c,
        "python": askew.export_python,
        "sql": askew.export_sql,
        "onnx": askew.export_onnx,
        "oc1": askew.export_oc1,
    }
    if form not in writers:
        raise UserError(f"--format {form!r}: expected one of {', '.join(writers)}")
    return writers[form]


def _draw(estimator: Model, path: Path, chosen: dict[str, Any]) -> None:
    try:
        import matplotlib
    except ImportError:
        raise UserError("drawing needs matplotlib: pip install 'askew[plot]'") from None
    import askew

    matplotlib.use("agg")  # without a window
    look = {name: value for name, value in chosen.items() if name != "dpi"}
    figure: Any = askew.plot_tree(estimator, **look).figure
    with beside(path) as written:
        figure.savefig(written, format=path.suffix[1:], bbox_inches="tight", dpi=chosen.get("dpi", "figure"))


def _write(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text + "\n")
        return
    with beside(path) as written:
        written.write_text(text + "\n", encoding="utf-8")
