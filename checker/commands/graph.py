"""`kafkacheck graph`: draw the state graph of a small model."""

import shlex
from pathlib import Path

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.console.options import EXIT_STATUSES, Place, set_option
from kafkacheck.checker.console.output import say, tell
from kafkacheck.checker.model import Model, settings
from kafkacheck.checker.pictures.graph import TooManyStatesError, check_name, smaller, write_graph
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import check_writable


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@click.option(
    "--out",
    "path",
    type=Place(),
    metavar="FILE",
    required=True,
    help="The file to write: DOT text if its name ends in .dot, a picture and the text if it ends in .svg.",
)
@set_option
def graph(model_name: str, path: Path, changes: tuple[str, ...]) -> int:
    """Draw all states of MODEL and the steps between them, if they are few enough to be read.

    States stand in ranks by their depth; initial states and violations are marked; steps are labelled with actions.
    """
    model = catalogue.find_model(model_name)
    return draw_graph(model_name, model, settings.with_settings(model, changes), path)


def draw_graph(name: str, default: Model, model: Model, path: Path) -> int:
    """Write the picture of a model's state graph; the exit status.

    `name` is how the command line names the model, and `default` the model before `--set`, for the advice if the
    graph is too large. UsageError then, and if the file cannot be written; EvaluationError if code fails.
    """
    check_name(path)
    check_writable(path)
    check_writable(path.with_suffix(".dot"))
    try:
        written = write_graph(model, path)
    except TooManyStatesError as error:
        raise UsageError(f"{error}; {_advice(name, default, smaller(model), path)}") from None
    for note in written.notes:
        tell(f"note: {note}")
    for file in written.files:
        say(f"written: {file}")
    return 0


def _advice(name: str, default: Model, small: Model | None, path: Path) -> str:
    """The command that draws `small`, to be followed word for word."""
    if small is None:
        return "no smaller bounds were found that make it small enough; draw a smaller model"
    before = {**default.bounds, **settings.rules_of(default)}
    now = {**small.bounds, **settings.rules_of(small)}
    changes = [f"--set {each}={value}" for each, value in now.items() if value != before[each]]
    return f"try kafkacheck graph {shlex.quote(name)} {' '.join(changes)} --out {shlex.quote(str(path))}"
