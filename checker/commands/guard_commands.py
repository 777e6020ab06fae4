"""The command that removes each guard of a model in turn."""

import click

from kafkacheck.checker.commands.options import EXIT_STATUSES, limit_options, set_option


@click.command(epilog=EXIT_STATUSES)
@click.argument("patterns", metavar="MODEL...", nargs=-1, required=True)
@set_option
@click.option(
    "--guard",
    "texts",
    metavar="TEXT",
    multiple=True,
    help="Examine only the guards whose place or name contains this text. May be repeated.",
)
@click.option("--traces", is_flag=True, help="Print the counterexample of each guard that is caught.")
@click.option("--alone", is_flag=True, help="Let no other models of the catalogue judge what these leave unexplained.")
@limit_options
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="In how many processes.  [default: one for each core]"
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list of objects on stdout instead of text.")
def guards(
    patterns: tuple[str, ...],
    changes: tuple[str, ...],
    texts: tuple[str, ...],
    traces: bool,
    alone: bool,
    max_states: int | None,
    max_seconds: float | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Remove each guard and each condition of MODEL's actions in turn, and say what fails without it.

    A guard is caught by a property that fails without it (sooner than it does anyway), by an action that breaks its
    contract, or by vacuity: something that can happen no longer does. A guard without which every step is the same is
    redundant. Any other is unexplained, unless the file guards.toml beside the model's lists it with a reason. The last
    line counts them.

    Several models, by names of the catalogue or patterns such as 'cluster.*', judge a guard together: one that catches
    it is enough, and it is redundant where it is so in all that have it. What is unexplained then is put to the other
    models of the catalogue that have the same state. The smallest come first. --max-states and --max-seconds are for
    each guard in each model; a guard that is not decided within them is unexplained.  [default: 4 times the states of
    the model]
    """
    from kafkacheck.checker.commands import guarding
    from kafkacheck.checker.exploration.verdict import Limits
    from kafkacheck.checker.process.errors import UsageError

    if changes and len(patterns) > 1:
        raise UsageError("--set is for one MODEL; several are examined at their defaults, so leave it out")
    wish = guarding.Wish(texts, traces, Limits(max_states, max_seconds), workers, alone, as_json)
    return guarding.examine_models(patterns, changes, wish)


COMMANDS = (guards,)
