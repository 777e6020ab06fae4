"""Printing: results on stdout, where a failure ends the command; everything else on stderr, where it is ignored.

A stream that has failed leads to /dev/null from then on, so that Python does not complain when it ends.
"""

import contextlib
import io
import json
import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import click

from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import printable, shortened

LONGEST_ERROR = 2000
MEND = "send it to a place that can be written, or to /dev/null"


class PipeClosedError(Exception):
    """The reader of stdout has closed it, as `| head -1` does: nothing is left to do, and nobody reads an error."""


def open_streams() -> None:
    """Let both streams take any letter, and open a stderr that is closed.

    UsageError if stdout is closed, because nobody could see the results.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # because it is used until the end
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # because it is used until the end
        raise UsageError(f"stdout is closed, so no result could be seen; {MEND}")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # the terminal may lack letters of a file's name


def say(text: str = "") -> None:
    """Print lines of a result on stdout. UsageError if that fails, PipeClosedError if nobody reads any more."""
    try:
        click.echo(text)
    except BrokenPipeError:
        _silence(sys.stdout)
        raise PipeClosedError from None
    except OSError as error:
        told = stdout_failed(error)
        if not shutdown.lost_terminal():  # and with it the reader of an error
            raise UsageError(told) from error


def stdout_failed(error: OSError) -> str:
    """The message for a stdout that failed; it leads to /dev/null from then on."""
    _silence(sys.stdout)
    return f"cannot print the result on stdout: {(error.strerror or str(error)).lower()}; {MEND}"


def is_by_click(error: OSError) -> bool:
    """Whether click failed to print a text of its own on stdout, such as the help."""
    return any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))


def tell(text: str) -> None:
    """Print a remark or an error on stderr; a failure is ignored."""
    try:
        click.echo(text, err=True)
    except OSError:
        _silence(sys.stderr)


def failed(message: str, status: int) -> int:
    """Print an error to stderr, in one line; the exit status that it was given."""
    tell(f"error: {printable(shortened(message, LONGEST_ERROR))}")
    return status


def json_text(data: Any) -> str:
    """`data` as indented JSON."""
    return json.dumps(data, indent=2)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown with a line for each row; each cell becomes one line of text."""
    lines = [columns, ["---"] * len(columns), *rows]
    cells = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _silence(stream: TextIO) -> None:
    """Let the stream, and the rest of its buffer, lead to /dev/null."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
