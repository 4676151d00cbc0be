"""``askew datasets``: what data are at hand, and one of them as a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.cli.faults import Fault
from askew.cli.reading import is_parquet
from askew.cli.writing import beside, check_output


def datasets(
    name: Annotated[str | None, typer.Argument(help="Which one; without it, all at hand are listed.")] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of CSV files. [env: ASKEW_DATA]")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Table to write the data set to: CSV (also .gz), Parquet, or .data of OC1."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over a file that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the data sets at hand (scikit-learn's, generated, in packages, in a folder), or write one to a file."""
    from askew.datasets import UnknownDatasetError, load, names

    if name is None:
        if output is not None:
            raise Fault("--output needs the name of a data set")
        _list(names(data), data, as_json)
        return
    if output is not None:
        check_output(output, force, Path(name))
    try:
        found = load(name, data)
    except (UnknownDatasetError, ImportError) as error:
        raise Fault(str(error)) from None
    facts = _facts(found)
    if output is not None:
        _write(found, output)
        facts["written to"] = str(output)
    typer.echo(json.dumps(facts) if as_json else "\n".join(f"{key:<10}  {value}" for key, value in facts.items()))


def _list(known: list[str], data: Path | None, as_json: bool) -> None:
    from askew.datasets import load
    from askew.progress import progress_bar

    rows = []
    with progress_bar("reading", sys.stderr.isatty()) as progress:
        for i, name in enumerate(known):
            rows.append(_facts(load(name, data)))
            if progress is not None:
                progress((i + 1) / len(known))
    if as_json:
        typer.echo(json.dumps(rows))
        return
    headings = list(rows[0])
    table = [headings, *([str(row[key]) for key in headings] for row in rows)]
    widths = [max(len(row[j]) for row in table) for j in range(len(headings))]
    for row in table:
        typer.echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def _facts(found: Any) -> dict[str, Any]:
    """Return what a data set is: rows, columns, classes (a number of them, or that it holds numbers), source."""
    import numpy as np
    from sklearn.utils.multiclass import type_of_target

    rows, columns = found.X.shape
    numbers = type_of_target(found.y).startswith("continuous") or (
        np.asarray(found.y).dtype.kind in "iuf" and np.unique(found.y).size > _MOST_CLASSES
    )
    classes = "numbers" if numbers else len(set(np.asarray(found.y).tolist()))
    return {"name": found.name, "rows": rows, "features": columns, "classes": classes, "source": found.source}


_MOST_CLASSES = 30  # more different whole numbers than this are a quantity


def _codes(y: Any) -> Any:
    """Return classes as the OC1 program wants them: 1, 2, ... in the order of their names."""
    import numpy as np

    return np.unique(y, return_inverse=True)[1] + 1


def _write(found: Any, path: Path) -> None:
    import pandas

    from askew.oc1_files import write_oc1_data

    frame = pandas.DataFrame(found.X)
    if not hasattr(found.X, "columns"):
        frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    frame["target" if _facts(found)["classes"] == "numbers" else "class"] = found.y
    with beside(path) as written:
        if path.suffix == ".data":
            write_oc1_data(written, found.X, _codes(found.y))
        elif is_parquet(path):
            frame.to_parquet(written, index=False)
        else:
            frame.to_csv(written, index=False, compression="gzip" if path.suffix == ".gz" else None)
