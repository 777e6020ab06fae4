"""The command that removes each guard of a model in turn."""

import click

from checker.named import Source
from checker.options import EXIT_STATUSES, set_option


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@set_option
@click.option(
    "--guard",
    "pattern",
    metavar="TEXT",
    help="Examine only the guards whose place or name contains this text.",
)
@click.option("--traces", is_flag=True, help="Print the counterexample of each guard that is caught.")
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    metavar="N",
    help="Follow a model without a guard up to this many distinct states.  [default: 4 times those of the model]",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), metavar="N", help="In how many processes.  [default: one for each core]"
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list of objects on stdout instead of text.")
def guards(
    model_name: str,
    changes: tuple[str, ...],
    pattern: str | None,
    traces: bool,
    max_states: int | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Remove each guard and each condition of MODEL's actions in turn, and say what fails without it.

    A guard is caught by a property that fails without it (sooner than it does anyway), by an action that breaks its
    contract, or by vacuity: something that can happen no longer does. A guard without which every step is the same is
    redundant. Any other is unexplained, unless the file guards.toml beside the model's lists it with a reason. Small
    bounds are tried first; the model's own decide. The last line counts them.
    """
    from checker import guarding

    return guarding.examine_model(Source(model_name, changes), pattern, traces, max_states, jobs, as_json)


COMMANDS = (guards,)
