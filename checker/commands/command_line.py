"""The command line: finds the command that is asked for, and ends every error in a line and a status of its own.

Results go to stdout, progress and errors to stderr. Every error is one line `error: ...` that names the value, the
expectation and the mend, and an exit status of its own. A traceback is never printed; it is saved in a file if the
fault is kafkacheck's own.
"""

import importlib
import sys
import tempfile
import traceback
from collections.abc import Sequence

import click

from kafkacheck.checker.console import output
from kafkacheck.checker.console.options import EXIT_STATUSES
from kafkacheck.checker.console.output import failed, tell
from kafkacheck.checker.process import memory, shutdown
from kafkacheck.checker.process.errors import KafkacheckError, SelfCheckError
from kafkacheck.checker.process.files import reason_of
from kafkacheck.checker.process.foreign_code import safe_text
from kafkacheck.checker.process.names import did_you_mean, shortened
from kafkacheck.checker.process.statuses import INTERNAL_ERROR, NOT_EXHAUSTED, PIPE_CLOSED, REFUSED

VERBS = (
    "models", "check", "resume", "replay", "graph", "properties", "guards", "bugs", "prove", "bmc", "equivalent",
    "explore", "analyze", "compare", "conform", "explain", "change",
)  # fmt: skip
"""Each is a function in the file of its name, which is imported when the command is asked for: all start quickly."""

SPARK_PACKAGES = ("pyspark", "py4j", "pyarrow", "jinja2", "pygal")
"""Packages that only the part with Spark and Parquet needs, and that not all have installed."""


class Commands(click.Group):
    """The commands; suggests one if a name is misspelt."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, as the help lists them."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = getattr(importlib.import_module(f"{__package__}.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; a usage error if it names none."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], VERBS)
            ctx.fail(f"There is no command {shortened(args[0])!r}{hint or '.'} There are: {', '.join(VERBS)}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    epilog=EXIT_STATUSES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def commands() -> None:
    """Explore every interleaving of a model, and show a shortest one that breaks a property.

    A MODEL is named by its name in the catalogue (see `kafkacheck models`), by the path of a Python file, or as a
    dotted module; the file or module defines MODEL. Its code is plain Python, which is run as it is or compiled.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on `arguments` (default: those of the process); the exit status. Prints every error."""
    try:
        output.open_streams()
        words = list(sys.argv[1:] if arguments is None else arguments)
        status = commands.main(args=list(words), prog_name="kafkacheck", standalone_mode=False, obj=words)
        return int(status or 0)
    except KafkacheckError as error:
        if isinstance(error, SelfCheckError) and error.details:
            tell(error.details)
        return failed(safe_text(error), error.exit_status)
    except click.exceptions.NoArgsIsHelpError as error:
        tell(error.format_message())
        return error.exit_code
    except click.ClickException as error:
        hint = f" See `{error.ctx.command_path} --help`." if isinstance(error, click.UsageError) and error.ctx else ""
        return failed(f"{error.format_message()}{hint}", error.exit_code)
    except (output.PipeClosedError, SystemExit):  # click exits by itself if its help meets a closed pipe
        return PIPE_CLOSED
    except (click.Abort, KeyboardInterrupt):
        return failed(f"{shutdown.reason()} before the command was done", NOT_EXHAUSTED)
    except MemoryError as error:
        return failed(without_memory(error), NOT_EXHAUSTED)
    except (ImportError, OSError, RuntimeError) as error:
        if memory.is_cause_of(error):
            return failed(without_memory(error), NOT_EXHAUSTED)
        missing = error.name.split(".")[0] if isinstance(error, ModuleNotFoundError) and error.name else ""
        if missing in SPARK_PACKAGES:
            return failed(
                f"this command needs the package {missing}, which is not installed; install kafkacheck[spark]", REFUSED
            )
        if not isinstance(error, OSError):
            return failed(internal_error(error), INTERNAL_ERROR)
        if output.is_by_click(error):
            return failed(output.stdout_failed(error), REFUSED)
        place = f" {error.filename}" if error.filename else ""
        return failed(f"the system refused{place}: {reason_of(error)}; mend that and run the command again", REFUSED)
    except Exception as error:
        return failed(internal_error(error), INTERNAL_ERROR)


def without_memory(error: Exception) -> str:
    """The message for any error that means lack of memory."""
    told = f" ({error})" if str(error) else ""
    return (
        f"memory ran out before there was a result{told}; give the process more (`ulimit -v` limits it), or choose "
        "smaller bounds with --set"
    )


def internal_error(error: Exception) -> str:
    """The message for an error that nobody foresaw; its traceback is saved in a file that the message names."""
    text = "".join(traceback.format_exception(error))
    command = " ".join(sys.argv[1:])
    try:
        with tempfile.NamedTemporaryFile("w", prefix="kafkacheck-bug-", suffix=".txt", delete=False) as file:
            file.write(f"kafkacheck {command}\nPython {sys.version}\n\n{text}")
            place = f"saved in {file.name}; please report it with that file"
    except (OSError, ValueError):
        tell(text)
        place = "above; please report it"
    return f"this is a bug in kafkacheck: {type(error).__name__}: {safe_text(error)}. The traceback is {place}"
