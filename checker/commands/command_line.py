"""The command line: `kafkacheck models`, `check`, `resume`, `replay`, `graph`, and those of the modules `*_commands`.

Results go to stdout, progress and errors to stderr. Whatever goes wrong ends in one line `error: ...` that names the
value, what was expected and what to do, and in an exit status of its own; a traceback is never printed, and is saved
in a file where the fault is kafkacheck's own. What only one command needs is imported by that command, so that the
others start quickly.
"""

import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.named import Source
from kafkacheck.checker.commands import (
    checking,
    conform,
    graph_commands,
    guard_commands,
    museum_commands,
    output,
    proof_commands,
    property_commands,
    report,
)
from kafkacheck.checker.commands.options import (
    EXIT_STATUSES,
    Place,
    check_cluster_options,
    cluster_options,
    json_option,
    memory_option,
    model_option,
    run_option,
    search_options,
    set_option,
)
from kafkacheck.checker.commands.output import say, tell
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import settings
from kafkacheck.checker.process import endings, room
from kafkacheck.checker.process.errors import KafkacheckError, SelfCheckError, UsageError
from kafkacheck.checker.process.files import reason_of
from kafkacheck.checker.process.foreign import said
from kafkacheck.checker.process.names import did_you_mean, printable, shortened
from kafkacheck.checker.process.statuses import INTERNAL_ERROR, NOT_EXHAUSTED, PIPE_CLOSED, REFUSED

LONGEST_ERROR = 2000

CATALOGUE_FOLDER = Path("out")
"""Where `check` of several models puts its files unless told otherwise."""


class Commands(click.Group):
    """The commands; says which one was meant where one is misspelt."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names; a usage error where it names none."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.commands)
            ctx.fail(f"There is no command {shortened(args[0])!r}{hint or '.'} There are: {', '.join(self.commands)}.")
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


@commands.command()
@click.argument("patterns", metavar="[NAME]...", nargs=-1)
@json_option
def models(patterns: tuple[str, ...], as_json: bool) -> int:
    """List the models of the catalogue: what each asks, its bounds and rules, and the verdict to expect.

    A NAME is a model, a folder such as transactions, or a pattern such as 'cluster.*'; without one all are listed.
    Rules at their defaults are counted only; --json has all.
    """
    expectations = catalogue.expectations()
    broken = 0
    listed = []
    for name in catalogue.names_matching(patterns, with_folders=True) if patterns else catalogue.catalogue_names():
        try:
            model = catalogue.find_model(name)
        except KafkacheckError as error:
            broken = failed(str(error), error.exit_status)
            continue
        expected = expectations.get(name)
        listed.append(report.listed_document(model, expected))
        if as_json:
            continue
        say(f"{name}\n    {' '.join(model.question.split())}")
        say(f"    bounds and rules: {settings.told_settings(model) or 'none'}")
        say(f"    expected: {expected.text() if expected else 'nothing is said'}\n")
    if as_json:
        say(report.json_text(listed))
    return broken


@commands.command(epilog=EXIT_STATUSES)
@click.argument("model_names", metavar="[MODEL]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Check every model of the catalogue at its default bounds.")
@set_option
@click.option(
    "--property",
    "properties",
    metavar="NAME",
    multiple=True,
    help="Check only this property of those the model has. May be repeated.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "interpreted", "compiled", "spark"]),
    default="auto",
    show_default=True,
    help="How the model's code is run: as it is, compiled, compiled as soon as the compiler is ready, or on Spark.",
)
@search_options
@memory_option
@click.option("--lemmas", is_flag=True, help="Check the model's lemmas as well, after its properties.")
@run_option
@cluster_options
def check(
    model_names: tuple[str, ...],
    everything: bool,
    changes: tuple[str, ...],
    properties: tuple[str, ...],
    engine: str,
    max_states: int | None,
    max_seconds: float | None,
    folder: Path | None,
    as_json: bool,
    strict: bool,
    max_memory: int | None,
    lemmas: bool,
    run_folder: Path | None,
    master: str | None,
    conf: tuple[str, ...],
    shards: int | None,
    spark_from: int | None,
) -> int:
    """Visit every reachable state of MODEL and check its properties.

    A property that is violated comes with a shortest counterexample. The last line is the verdict, with the number
    of distinct and generated states, the depth of the state graph, and the seconds it took. Several models, by names of
    the catalogue or patterns such as 'cluster.*', are checked at their defaults; a table closes the list.
    """
    limits = Limits(max_states, max_seconds, max_memory)
    check_cluster_options(engine, None, master, conf, shards, spark_from)
    if engine == "interpreted" and run_folder is not None:
        raise UsageError("--run-dir keeps what is compiled; leave out --engine interpreted, or --run-dir")
    if everything or len(model_names) > 1 or catalogue.is_pattern("".join(model_names)):
        if everything and model_names:
            raise UsageError("--all checks every model of the catalogue; leave out --all, or " + " ".join(model_names))
        alone: dict[str, object] = {"--set": changes, "--property": properties, "--lemmas": lemmas}
        alone |= {"--engine spark": engine == "spark", "--run-dir": run_folder}
        given = [name for name, value in alone.items() if value]
        if given:
            several = "--all" if everything else "several models"
            raise UsageError(f"{' and '.join(given)} cannot be given with {several}; name one model, or leave it out")
        names = catalogue.catalogue_names() if everything else catalogue.names_matching(model_names)
        return checking.check_catalogue(names, engine, limits, folder or CATALOGUE_FOLDER, as_json, strict)
    if not model_names:
        raise UsageError("check needs a MODEL, or --all; `kafkacheck models` lists the catalogue")
    source = Source(model_names[0], changes, properties, lemmas)
    if engine == "spark":
        from kafkacheck.checker.commands import spark_checking

        cluster = spark_checking.cluster_of(master, conf, shards, spark_from)
        search = spark_checking.beginning(source, run_folder, cluster)
    else:
        search = checking.by_engine(engine, source, run_folder)
    return checking.check_model(source.model(max_seconds), search, limits, folder, as_json, strict)


@commands.command(epilog=EXIT_STATUSES)
@click.argument("run_folder", metavar="RUN_DIR", type=Place())
@model_option()
@search_options
@memory_option
@click.option(
    "--redo-damaged",
    is_flag=True,
    help="Where a file is damaged, go on from the level before it. Not for a search on Spark, which needs all files.",
)
@cluster_options
def resume(
    run_folder: Path,
    named: str | None,
    max_states: int | None,
    max_seconds: float | None,
    folder: Path | None,
    as_json: bool,
    strict: bool,
    max_memory: int | None,
    redo_damaged: bool,
    master: str | None,
    conf: tuple[str, ...],
    shards: int | None,
    spark_from: int | None,
) -> int:
    """Continue a search that was stopped, killed or failed, from the last level that its folder has whole.

    Refused where the model has changed since, or where a file is damaged. Ends like `check`.
    """
    from kafkacheck.checker.distributed import runs
    from kafkacheck.checker.kept.run_directory import RunDirectory

    limits = Limits(max_states, max_seconds, max_memory)
    engine = RunDirectory(run_folder).described()["engine"]
    if engine == "spark":
        from kafkacheck.checker.commands import spark_checking

        if redo_damaged:
            raise UsageError(f"--redo-damaged is not for {run_folder}, a run on Spark; restore the file, or begin anew")
        cluster = spark_checking.cluster_of(master, conf, shards, spark_from)
        model, search = spark_checking.continuing(run_folder, named, cluster)
    else:
        given = {"--master": master, "--conf": conf, "--shards": shards, "--spark-from": spark_from}
        for option, value in given.items():
            if value not in (None, ()):
                raise UsageError(
                    f"{run_folder} holds a search without Spark, which cannot go on there; leave out {option}"
                )
        model = runs.source_of(run_folder, named).model()
        search = checking.continuing(run_folder, redo_damaged)
    return checking.check_model(model, search, limits, folder, as_json, strict)


@commands.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@click.argument("path", metavar="TRACE.json", type=Place())
@set_option
@click.option("--system", metavar="SYSTEM", help="Drive this system along the trace, too, as `conform` does.")
@json_option
def replay(model_name: str, path: Path, changes: tuple[str, ...], system: str | None, as_json: bool) -> int:
    """Run a saved trace of MODEL step by step on today's code.

    MODEL has the bounds and rules that were saved with the trace; --set gives it others. The last line says whether
    the trace still ends in what it was saved for (status 11, 12 or 13 as for `check`), no longer does (0), or at which
    step it no longer applies (1). With --system it says whether the system still differs (23).
    """
    return checking.replay_trace(catalogue.find_model(model_name), path, changes, as_json, system)


@commands.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@click.option(
    "--out",
    "path",
    type=Place(),
    metavar="FILE",
    required=True,
    help="The file to write: DOT text where its name ends in .dot, a picture (and the text) where it ends in .svg.",
)
@set_option
def graph(model_name: str, path: Path, changes: tuple[str, ...]) -> int:
    """Draw all states of MODEL and the steps between them, where they are few enough to be read.

    States stand in ranks by their depth; initial states and violations are marked; steps are labelled with actions.
    """
    model = catalogue.find_model(model_name)
    return checking.draw_graph(model_name, model, settings.with_settings(model, changes), path)


for module in (property_commands, guard_commands, museum_commands, proof_commands, graph_commands, conform):
    for each in module.COMMANDS:
        commands.add_command(each)


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
        return failed(said(error), error.exit_status)
    except click.exceptions.NoArgsIsHelpError as error:
        tell(error.format_message())
        return error.exit_code
    except click.ClickException as error:
        hint = f" See `{error.ctx.command_path} --help`." if isinstance(error, click.UsageError) and error.ctx else ""
        return failed(f"{error.format_message()}{hint}", error.exit_code)
    except (output.PipeClosedError, SystemExit):  # click exits by itself where its help meets a closed pipe
        return PIPE_CLOSED
    except (click.Abort, KeyboardInterrupt):
        return failed(f"{endings.told()} before the command was done", NOT_EXHAUSTED)
    except MemoryError as error:
        return failed(without_memory(error), NOT_EXHAUSTED)
    except (ImportError, OSError, RuntimeError) as error:
        if room.is_too_short_for(error):
            return failed(without_memory(error), NOT_EXHAUSTED)
        if not isinstance(error, OSError):
            return failed(internal_error(error), INTERNAL_ERROR)
        if output.is_by_click(error):
            return failed(output.stdout_failed(error), REFUSED)
        place = f" {error.filename}" if error.filename else ""
        return failed(f"the system refused{place}: {reason_of(error)}; mend that and run the command again", REFUSED)
    except Exception as error:
        return failed(internal_error(error), INTERNAL_ERROR)


def without_memory(error: Exception) -> str:
    """The message for memory that ran out, whatever the error calls it."""
    told = f" ({error})" if str(error) else ""
    return (
        f"memory ran out before there was a result{told}; give the process more (`ulimit -v` limits it), or choose "
        "smaller bounds with --set"
    )


def failed(message: str, status: int) -> int:
    """Print an error to stderr, in one line; the exit status that it was given."""
    tell(f"error: {printable(shortened(message, LONGEST_ERROR))}")
    return status


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
    return f"this is a bug in kafkacheck: {type(error).__name__}: {said(error)}. The traceback is {place}"
