"""``askew datasets``: the available data sets, and one of them as a file."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.cli.output import check_output, say
from askew.export.formatting import printable
from askew.files import beside
from askew.tables.errors import UserError, about, reason
from askew.tables.read import is_parquet


def _names(incomplete: str) -> list[str]:
    from askew.datasets import names

    return [name for name in names() if name.startswith(incomplete)]


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(help="Name of a data set; without it, all are listed.", autocompletion=_names),
    ] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of CSV files. [env: ASKEW_DATA]")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Table to write the data set to: CSV (also .gz), Parquet, or .data of OC1; - is standard output.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over a file that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the available data sets (scikit-learn's, generated, in packages, in a folder), or write one to a file."""
    from askew.datasets import names

    if name is None:
        if output is not None:
            raise UserError("--output needs the name of a data set")
        _list(names(data), data, as_json)
        return
    if output is not None and str(output) != "-":
        check_output(output, force)
    read = _load(name, data)
    if isinstance(read, str):
        raise UserError(read)
    found, facts = read
    if output is not None and str(output) == "-":
        _frame(found).to_csv(sys.stdout, index=False)
        return
    if output is not None:
        _write(found, output)
        facts["written to"] = str(output)
    say(json.dumps(facts) if as_json else "\n".join(f"{key:<10}  {_shown(value)}" for key, value in facts.items()))


def _load(name: str, data: Path | None) -> Any:
    """Return a data set and what it is, or in words what is wrong with it."""
    from askew.datasets import UnknownDatasetError, load

    try:
        found = load(name, data)
        return found, _facts(found)
    except (UnknownDatasetError, ImportError) as error:
        return str(error)
    except (OSError, ValueError) as error:  # pandas says with a ValueError what it cannot read
        return f"{name}: {reason(error) if isinstance(error, OSError) else error}"


def _list(known: list[str], data: Path | None, as_json: bool) -> None:
    """List the data sets; one that cannot be read is a warning, and the others are listed."""
    from askew.parallel import progress_bar

    rows = []
    with progress_bar("reading", sys.stderr.isatty()) as progress:
        for i, name in enumerate(known):
            read = _load(name, data)
            if isinstance(read, str):
                warnings.warn(f"not listed: {read}", UserWarning, stacklevel=2)
            else:
                rows.append(read[1])
            if progress is not None:
                progress((i + 1) / len(known))
    if as_json:
        typer.echo(json.dumps(rows))
        return
    headings = list(rows[0])
    table = [headings, *([_shown(row[key]) for key in headings] for row in rows)]
    widths = [max(len(row[j]) for row in table) for j in range(len(headings))]
    for row in table:
        say("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def _shown(value: Any) -> str:
    """Return a fact as a person reads it."""
    return "numbers" if value is None else printable(value)


def _facts(found: Any) -> dict[str, Any]:
    """Return what a data set is: rows, columns, number of classes (None for a target of numbers), source."""
    rows, columns = found.X.shape
    classes = None if _holds_numbers(found) else len(set(_known(found.y).tolist()))
    return {"name": found.name, "rows": rows, "features": columns, "classes": classes, "source": found.source}


def _holds_numbers(found: Any) -> bool:
    import numpy as np
    from sklearn.utils.multiclass import type_of_target

    y = _known(found.y)
    many = y.dtype.kind in "iuf" and np.unique(y).size > _MOST_CLASSES
    return bool(many or (y.size > 0 and type_of_target(y).startswith("continuous")))


def _known(y: Any) -> Any:
    """Return the targets that are not missing."""
    import numpy as np

    given = np.asarray(y)
    return given[[value is not None and value == value for value in given.tolist()]]


_MOST_CLASSES = 30  # more different whole numbers than this are a quantity


def _codes(y: Any) -> Any:
    """Return classes as the OC1 program wants them: 1, 2, ... in the order of their names."""
    import numpy as np

    return np.unique(y, return_inverse=True)[1] + 1


def _frame(found: Any) -> Any:
    """Return a data set as a data frame whose last column is the target."""
    import pandas

    frame = pandas.DataFrame(found.X)
    if not hasattr(found.X, "columns"):
        frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    return frame.assign(**{"target" if _holds_numbers(found) else "class": found.y})


def _write(found: Any, path: Path) -> None:
    from askew.export.oc1_format import write_oc1_data

    if path.suffix == ".data" and _holds_numbers(found):
        raise UserError(
            f"{path}: the format of the OC1 program supports classification only; write {found.name} as CSV"
        )
    frame = _frame(found)
    with about(path), beside(path) as written:
        if path.suffix == ".data":
            write_oc1_data(written, found.X, _codes(found.y))
        elif is_parquet(path):
            with written.open("wb") as file:  # pyarrow cannot open a name that is not UTF-8
                frame.to_parquet(file, index=False)
        else:
            frame.to_csv(written, index=False, compression="gzip" if path.suffix == ".gz" else None)
