"""Errors of tables and commands that a user can fix: the error, its position and the remedy, in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from askew.export.formatting import printable
from askew.parameters import InvalidParameterError, ModelFileError


class UserError(Exception):
    """An error that a user can fix: its cause, its position and the remedy, shown as one line."""


def note(text: str) -> None:
    """Print a note on how the data were read, in one line, on standard error."""
    import typer  # optional: part of the command line

    typer.secho(f"askew: note: {in_one_line(text)}", fg=typer.colors.CYAN, err=True)


def in_one_line(text: str) -> str:
    """Return a text in one line that cannot steer a terminal."""
    return printable(" ".join(text.split()))


def reason(error: OSError) -> str:
    """Return the path and the reason of a file error."""
    words = error.strerror or str(error)
    return f"{error.filename}: {words}" if error.filename is not None else words


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Prefix errors about the data of a file with its name."""
    try:
        yield
    except (InvalidParameterError, ModelFileError):
        raise
    except (ValueError, UserError) as error:
        raise UserError(f"{path}: {error}") from error


def unknown(what: str, name: str, known: Iterable[str], *, all_of_them: bool = False) -> UserError:
    """Return an error about a name that does not exist; it lists similar names, or all names if none is similar."""
    names = list(known)
    near = [] if all_of_them else get_close_matches(name, names, n=3, cutoff=0.5)
    # difflib does not find a name in the wrong case.
    near = [n for n in names if n.lower() == name.lower()] or near
    if near:
        return UserError(f"there is no {what} {name!r}; did you mean {_listed(near, ' or ')}?")
    if not names:
        return UserError(f"there is no {what} {name!r}")
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return UserError(f"there is no {what} {name!r}; there is {_listed(names[:_SHOWN], ', ')}{more}")


_SHOWN = 30


def _listed(names: Iterable[str], between: str) -> str:
    return between.join(repr(name) for name in names)
