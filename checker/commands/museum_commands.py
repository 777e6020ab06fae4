"""The command that shows the museum of known bugs: `bugs`."""

from pathlib import Path

import click

from kafkacheck.checker.commands import checking
from kafkacheck.checker.commands.options import EXIT_STATUSES, json_option, limit_options, out_option
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.process.errors import UsageError


@click.command(epilog=EXIT_STATUSES)
@click.argument("names", metavar="[BUG]...", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="List the bugs, and search none.")
@click.option("--markdown", is_flag=True, help="With --list: print the page of the bugs, as BUGS.md has it.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "interpreted", "compiled"]),
    default="compiled",
    show_default=True,
    help="How the models' code is run: as it is, compiled, or compiled as soon as the compiler is ready.",
)
@limit_options
@out_option
@json_option
def bugs(
    names: tuple[str, ...],
    only_list: bool,
    markdown: bool,
    engine: str,
    max_states: int | None,
    max_seconds: float | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Show that known bugs are found: each with its rule as it was, and gone with the rule as it is.

    Without a BUG all of the catalogue's are searched, and a table closes the list. A BUG is named by its id, or by one
    of the names in it; its shortest counterexample is printed and, with --out, drawn. The length counts the initial
    state; the states are those that the search with the fix visited. A limit is that of each single search.
    """
    from kafkacheck.checker.commands.museum_report import bugs_page, list_bugs, show_bugs

    if markdown:
        if not only_list or as_json:
            raise UsageError("--markdown prints the list of bugs; give it with --list, and without --json")
        return bugs_page(names)
    if only_list:
        return list_bugs(names, as_json)
    limits = Limits(max_states=max_states, max_seconds=max_seconds)
    return show_bugs(names, checking.by_engine(engine), limits, folder, as_json)


COMMANDS = (bugs,)
