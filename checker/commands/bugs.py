"""`kafkacheck bugs`: show that the known bugs of the museum are found, and gone with their fixes."""

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue.bug_releases import presence
from kafkacheck.checker.catalogue.museum import Exhibit, Museum, chosen_bugs, pinned
from kafkacheck.checker.commands.check import by_engine, print_result, write_counterexample
from kafkacheck.checker.console import report
from kafkacheck.checker.console.options import EXIT_STATUSES, json_option, limit_options, out_option
from kafkacheck.checker.console.output import json_text, markdown_table, say
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model.settings import rules_of
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import make_usable, remove_empty
from kafkacheck.checker.process.statuses import NOT_EXHAUSTED, UNEXPECTED
from kafkacheck.checker.result import Result
from kafkacheck.checker.schema.releases import EVERY, dated, order
from kafkacheck.checker.schema.rules import full_name

COLUMNS = ("id", "title", "area", "property", "found", "fixed", "shortest", "states", "seconds", "fixed by")
OF_RELEASE = ("id", "title", "area", "property", "fixed in")
LISTED = ("id", "title", "area", "model", "property", "fixed by")
RIGHT = ("shortest", "states", "seconds")

INTRODUCTION = """\
# Known bugs

Each bug puts rules of its model back to how they were. Then the property is violated by a shortest schedule of the
length that is given here, the initial state included. With the rules as they are now every property holds, and the
search visits as many distinct states as the table says. `kafkacheck bugs ID` shows one bug with its schedule.

"Fixed in" names the first release with the rules as they are now, in each line of releases that had the
bug; `-` if that is not known, or a choice of the user. What was mended before its release, and what only other systems
had, no release has. `kafkacheck bugs --kafka 3.6` lists the bugs of a release.

Written by `kafkacheck bugs --list --markdown`, from the files `bugs.toml` and `expected_bugs.toml`.
"""
PAGE_COLUMNS = ("bug", "what went wrong", "model", "violates", "states", "fixed in", "mended by")

Search = Callable[..., Result]


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
@click.option("--kafka", "release", metavar="RELEASE", help="List the bugs of this release, such as 4.1; search none.")
@limit_options
@out_option
@json_option
def bugs(
    names: tuple[str, ...],
    only_list: bool,
    markdown: bool,
    engine: str,
    release: str | None,
    max_states: int | None,
    max_seconds: float | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Show that each known bug is found with its rule as it was, and is gone with the rule as it is.

    Without a BUG all of the catalogue's are searched, and a table closes the list. A BUG is named by its id, or by one
    of the names in it; its shortest counterexample is printed and, with --out, drawn. The length counts the initial
    state; the states are those that the search with the fix visited. Limits are for each search by itself.
    """
    if markdown:
        if not only_list or as_json or release is not None:
            raise UsageError("--markdown prints the list of bugs; give it with --list, without --json and --kafka")
        return bugs_page(names)
    if release is not None:
        return bugs_of_release(names, release, as_json)
    if only_list:
        return list_bugs(names, as_json)
    limits = Limits(max_states=max_states, max_seconds=max_seconds)
    return show_bugs(names, by_engine(engine), limits, folder, as_json)


def show_bugs(names: Sequence[str], search: Search, limits: Limits, folder: Path | None, as_json: bool) -> int:
    """Search the named bugs, or all of them, and print the outcome; the exit status.

    Named bugs are shown with their counterexamples, which are also written below `folder`, each bug into a folder of
    its own. After Ctrl-C no other search begins. The status is 0 if each bug is found without its fix and gone with it,
    or names the mechanism that the model lacks; NOT_EXHAUSTED if a search was ended early, and UNEXPECTED otherwise.
    ModelError if an entry does not fit.
    """
    chosen = chosen_bugs(names)
    museum = Museum(search, limits)
    exhibits: list[Exhibit] = []
    for bug in chosen:
        exhibit = museum.visit(bug)
        exhibits.append(exhibit)
        if names and not as_json:
            show(exhibit, folder)
        elif not as_json:
            say(line_of(exhibit))
        if exhibit.is_interrupted:
            break
    rest = [Exhibit(each) for each in chosen[len(exhibits) :]]
    if names and not as_json:
        for exhibit in rest:
            say(line_of(exhibit))
    exhibits += rest
    if as_json:
        say(json_text([document(each) for each in exhibits]))
    elif not names:
        say("\n" + table(exhibits) + "\n\n" + sentence(exhibits))
    return max((status_of(each) for each in exhibits), default=0)


def status_of(exhibit: Exhibit) -> int:
    """The exit status for one bug."""
    if exhibit.bug.lacks or (exhibit.is_found and exhibit.is_fixed):
        return 0
    return UNEXPECTED if exhibit.is_finished else NOT_EXHAUSTED


def document(exhibit: Exhibit) -> dict[str, Any]:
    """One bug as JSON data.

    `found` and `fixed` are null if their search was not finished. `trace_states` is the length of
    the shortest counterexample without the fix, and `states_distinct` how many states the search with the fix visited;
    both null if there is none.
    """
    return {
        "id": exhibit.bug.id,
        "area": exhibit.bug.area,
        "found": exhibit.is_found,
        "fixed": exhibit.is_fixed,
        "trace_states": exhibit.trace_states,
        "states_distinct": exhibit.states_distinct,
        "seconds": round(exhibit.seconds, 3),
        "reason": exhibit.reason or None,
    }


def show(exhibit: Exhibit, folder: Path | None) -> None:
    """Print one bug: each variant's counterexample and where its files are, then how it ended."""
    bug = exhibit.bug
    say(f"{bug.id}: {bug.title}\nfixed by: {bug.fixed_by}")
    for number, result in enumerate(exhibit.broken, start=1):
        known = rules_of(result.model)
        names = [full_name(key, known) or key for key in bug.broken[number - 1]]
        changed = " ".join(f"{name}={known[name]}" for name in names)
        say(f"\nwithout the fix: {result.model.name} with {changed}")
        place, made = None, []
        if folder is not None:
            place = folder / folder_name(bug.id) / (f"{number}" if len(exhibit.broken) > 1 else "")
            made = make_usable(place)
        try:
            files = write_counterexample(result, place)
        except UsageError:
            remove_empty(made)
            raise
        print_result(result, files)
    if exhibit.fixed is not None:
        say("\nwith the fix:")
        say(report.closing_line(exhibit.fixed))
    say(f"\n{line_of(exhibit)}\n")


def folder_name(bug_id: str) -> str:
    """A bug's id as the name of a folder: words joined by `_`."""
    return re.sub(r"[^A-Za-z0-9-]+", "_", bug_id).strip("_")


def line_of(exhibit: Exhibit) -> str:
    """One bug in a line."""
    if exhibit.bug.lacks:
        return f"{exhibit.bug.id}: {exhibit.reason}"
    if not exhibit.is_begun:
        return f"{exhibit.bug.id}: UNFINISHED ({exhibit.reason})"
    words = [
        f"{exhibit.bug.id}:",
        "" if exhibit.is_finished else "UNFINISHED",
        {True: "found", False: "NOT FOUND", None: ""}[exhibit.is_found],
        {True: "fixed", False: "NOT FIXED", None: ""}[exhibit.is_fixed],
        "" if exhibit.trace_states is None else f"trace={exhibit.trace_states}",
        "" if exhibit.states_distinct is None else f"states={exhibit.states_distinct}",
        f"seconds={exhibit.seconds:.2f}",
    ]
    return " ".join(filter(None, words)) + (f" ({exhibit.reason})" if exhibit.reason else "")


def sentence(exhibits: Sequence[Exhibit]) -> str:
    """How many bugs there are, and which are not as they should be."""
    good = [each for each in exhibits if each.is_found and each.is_fixed]
    lacking = [each.bug.id for each in exhibits if each.bug.lacks]
    unfinished = [each.bug.id for each in exhibits if each.is_begun and not each.is_finished]
    rest = sum(not each.is_begun and not each.is_finished for each in exhibits)
    bad = [each.bug.id for each in exhibits if each.is_finished and status_of(each)]
    told = [f"{len(good)} of {len(exhibits)} bugs found and fixed"]
    told += [f"not expressible: {', '.join(lacking)}"] if lacking else []
    told += [f"unfinished: {', '.join(unfinished)}"] if unfinished else []
    told += [f"not begun: {rest}"] if rest else []
    told += [f"not as they should be: {', '.join(bad)}"] if bad else []
    return "; ".join(told)


def list_bugs(names: Sequence[str], as_json: bool) -> int:
    """Print the list of the named bugs, or of all, without a search; UsageError as `chosen_bugs`."""
    chosen = chosen_bugs(names)
    rows = [[getattr(bug, name.replace(" ", "_")) for name in LISTED] for bug in chosen]
    if as_json:
        say(json_text([dict(zip(LISTED, row, strict=True)) for row in rows]))
    else:
        say(_table(LISTED, rows))
    return 0


def bugs_of_release(names: Sequence[str], release: str, as_json: bool) -> int:
    """Print which of the named bugs, or of all, a release has; UsageError as `chosen_bugs`, and if it is no release.

    As JSON all of them, each with `in_release`, which is null if a rule of the bug has no date.
    """
    asked = order(release)  # whether it is one, before all models are read
    places = [(bug, presence(bug)) for bug in chosen_bugs(names)]
    steps = {step.release for _, place in places for each in dated(place.rules).values() for step in each} - {EVERY}
    known = sorted(steps, key=order)
    if known and asked[0] > order(known[-1])[0]:
        raise UsageError(f"{release} is no release that the rules know; they know {known[0]} to {known[-1]}; name one")
    told = [(bug, place.is_in(release), place.fixed_in) for bug, place in places]
    if as_json:
        say(json_text([{"id": bug.id, "in_release": has, "fixed_in": fixed} for bug, has, fixed in told]))
        return 0
    rows = [[bug.id, bug.title, bug.area, bug.property, fixed] for bug, has, fixed in told if has]
    undated = [bug.id for bug, has, _ in told if has is None]
    say(_table(OF_RELEASE, rows) + "\n")
    say(f"{release} has {len(rows)} of {len(told)} bugs" + (f"; not known: {', '.join(undated)}" if undated else ""))
    return 0


def bugs_page(names: Sequence[str]) -> int:
    """Print the page of the named bugs, or of all, one table for each area; UsageError as `chosen_bugs`."""
    facts = pinned()
    areas: dict[str, list[Sequence[str]]] = {}
    for bug in chosen_bugs(names):
        lengths = [str(each["trace_states"]) for each in facts.get(bug.id, {}).get("broken", [])]
        states = facts.get(bug.id, {}).get("fixed", {}).get("distinct")
        areas.setdefault(bug.area, []).append(
            (
                bug.id,
                bug.title,
                f"`{bug.model}`" if bug.model else "-",
                " in ".join([f"`{bug.property}`", *filter(None, [" and ".join(lengths)])]) if bug.property else "-",
                "-" if states is None else f"{states:,}",
                presence(bug).fixed_in,
                bug.fixed_by,
            )
        )
    tables = (f"## {area}\n\n{markdown_table(PAGE_COLUMNS, rows)}" for area, rows in sorted(areas.items()))
    say("\n".join([INTRODUCTION, *tables]).rstrip("\n"))
    return 0


def table(exhibits: Sequence[Exhibit]) -> str:
    """The museum as a table."""
    return _table(COLUMNS, [_cells(each) for each in exhibits])


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in which nothing is folded."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    for name in columns:
        drawn.add_column(name, justify="right" if name in RIGHT else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*row)
    text = io.StringIO()
    Console(file=text, width=report.PLAIN_TABLE_WIDTH, markup=False, emoji=False).print(drawn)
    return "\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines())


def _cells(exhibit: Exhibit) -> list[str]:
    bug = exhibit.bug
    states = exhibit.states_distinct
    answers = {True: "yes", False: "no", None: "unfinished" if exhibit.is_begun else "not begun"}
    return [
        bug.id,
        bug.title,
        bug.area,
        bug.property or "-",
        answers[exhibit.is_found],
        answers[exhibit.is_fixed],
        "-" if exhibit.trace_states is None else str(exhibit.trace_states),
        "-" if states is None else f"{states:,}",
        f"{exhibit.seconds:.2f}",
        bug.fixed_by,
    ]
