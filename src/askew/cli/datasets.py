"""``askew datasets``: the available data sets, and one of them as a file."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askew.cli.output import check_output, say
from askew.export.formatting import printable
from askew.files import beside
from askew.tables.errors import UserError, about, reason
from askew.tables.read import is_parquet

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from numpy.typing import ArrayLike, NDArray

    from askew.datasets import Dataset


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
    loaded = _load(name, data)
    if isinstance(loaded, str):
        raise UserError(loaded)
    dataset, facts = loaded
    if output is not None and str(output) == "-":
        _frame(dataset).to_csv(sys.stdout, index=False)
        return
    if output is not None:
        _write(dataset, output)
        facts["written to"] = str(output)
    say(json.dumps(facts) if as_json else "\n".join(f"{key:<10}  {_shown(value)}" for key, value in facts.items()))


def _load(name: str, data: Path | None) -> tuple[Dataset, dict[str, object]] | str:
    """Return a data set and its facts, or the message of an error."""
    from askew.datasets import UnknownDatasetError, load

    try:
        dataset = load(name, data)
        return dataset, _facts(dataset)
    except (UnknownDatasetError, ImportError) as error:
        return str(error)
    except (OSError, ValueError) as error:  # pandas raises ValueError for files that it cannot read
        return f"{name}: {reason(error) if isinstance(error, OSError) else error}"


def _list(known: list[str], data: Path | None, as_json: bool) -> None:
    """List the data sets; one that cannot be read is a warning, and the others are listed."""
    from askew.parallel import progress_bar

    rows = []
    with progress_bar("reading", sys.stderr.isatty()) as progress:
        for i, name in enumerate(known):
            loaded = _load(name, data)
            if isinstance(loaded, str):
                warnings.warn(f"not listed: {loaded}", UserWarning, stacklevel=2)
            else:
                rows.append(loaded[1])
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


def _shown(value: object) -> str:
    """Return a fact as text for people."""
    return "numbers" if value is None else printable(value)


def _facts(dataset: Dataset) -> dict[str, object]:
    """Return the facts of a data set: rows, columns, number of classes (None for regression), source."""
    rows, columns = dataset.X.shape
    classes = None if _is_regression(dataset) else len(set(_known(dataset.y).tolist()))
    return {"name": dataset.name, "rows": rows, "features": columns, "classes": classes, "source": dataset.source}


def _is_regression(dataset: Dataset) -> bool:
    import numpy as np
    from sklearn.utils.multiclass import type_of_target

    y = _known(dataset.y)
    many = y.dtype.kind in "iuf" and np.unique(y).size > _MOST_CLASSES
    return bool(many or (y.size > 0 and type_of_target(y).startswith("continuous")))


def _known(y: ArrayLike) -> NDArray[np.generic]:
    """Return the targets that are not missing."""
    import numpy as np

    values = np.asarray(y)
    return values[[value is not None and value == value for value in values.tolist()]]


_MOST_CLASSES = 30  # a target with more distinct integers than this is a quantity


def _codes(y: ArrayLike) -> NDArray[np.int64]:
    """Return class codes for the OC1 program: 1, 2, ... in the order of the names."""
    import numpy as np

    return np.unique(y, return_inverse=True)[1] + 1


def _frame(dataset: Dataset) -> pandas.DataFrame:
    """Return a data set as a data frame whose last column is the target."""
    import pandas

    frame = pandas.DataFrame(dataset.X)
    if not hasattr(dataset.X, "columns"):
        frame.columns = pandas.Index([f"x{j}" for j in range(frame.shape[1])])
    return frame.assign(**{"target" if _is_regression(dataset) else "class": dataset.y})


def _write(dataset: Dataset, path: Path) -> None:
    from askew.export.oc1_format import write_oc1_data

    if path.suffix == ".data" and _is_regression(dataset):
        raise UserError(
            f"{path}: the format of the OC1 program supports classification only; write {dataset.name} as CSV"
        )
    frame = _frame(dataset)
    with about(path), beside(path) as written:
        if path.suffix == ".data":
            write_oc1_data(written, dataset.X, _codes(dataset.y))
        elif is_parquet(path):
            with written.open("wb") as file:  # pyarrow cannot open a name that is not UTF-8
                frame.to_parquet(file, index=False)
        else:
            frame.to_csv(written, index=False, compression="gzip" if path.suffix == ".gz" else None)
