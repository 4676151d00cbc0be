"""Errors of the user become one line on standard error and exit code 2; warnings become one line."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO, cast

import typer

from askew.parameters import InvalidParameterError, ModelFileError
from askew.tables.errors import UserError, in_one_line, reason

if TYPE_CHECKING:
    from click import UsageError

# The base class of Typer's errors of options; its package depends on the version of Typer.
_UsageError: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")


@contextmanager
def reported() -> Iterator[None]:
    """Report errors that a user can cause as one line and an exit code; do not catch defects of askew."""
    _open_closed_streams()
    try:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _warn
                yield
        finally:
            sys.stdout.flush()  # here, where a closed pipe can still be caught
    except BrokenPipeError:
        # The reader (`head`) closed the pipe. Python flushes once more at exit: to the null device.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (UserError, ModelFileError, InvalidParameterError) as error:
        _leave(str(error))
    except _UsageError as error:
        _leave(_usage(cast("UsageError", error)))
    except OSError as error:
        _leave(reason(error))
    except UnicodeEncodeError as error:
        _leave(f"{error.object[error.start : error.end]!r} cannot be written as {error.encoding}")
    except MemoryError as error:
        _leave(f"memory ran out: {error}")


def _usage(error: UsageError) -> str:
    """Return the message of an error of the options, and how to get help; without any option, show the help."""
    path = "askew" if error.ctx is None else error.ctx.command_path
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        sys.exit(2)
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; see {path} --help"


def _open_closed_streams() -> None:
    """Open the standard streams that the shell has closed (``>&-``), for which Python has None.

    Standard output becomes a pipe without a reader, so that writing to it is an error; the others are empty.
    """
    if sys.stdin is None:
        sys.stdin = open(_devnull(os.O_RDONLY, 0), encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        reader, writer = os.pipe()
        os.close(reader)
        sys.stdout = open(_as(writer, 1), "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(_devnull(os.O_WRONLY, 2), "w", encoding="utf-8")  # noqa: SIM115


def _devnull(mode: int, number: int) -> int:
    return _as(os.open(os.devnull, mode), number)


def _as(descriptor: int, number: int) -> int:
    """Give an open file the descriptor of its stream, so that no file that is opened later gets it."""
    if descriptor != number:
        os.dup2(descriptor, number)
        os.close(descriptor)
    return number


def _leave(message: str) -> None:
    typer.secho(f"askew: {in_one_line(message)}", fg=typer.colors.RED, err=True)
    sys.exit(2)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one line, without the position in the source code."""
    typer.secho(f"askew: warning: {in_one_line(str(message))}", fg=typer.colors.YELLOW, err=True)
