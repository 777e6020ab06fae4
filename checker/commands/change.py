"""`kafkacheck change`: what an edit of the sources changes."""

import contextlib
import os
from pathlib import Path

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.change import pages as pages_of
from kafkacheck.checker.change import telling
from kafkacheck.checker.change.judging import Failure, Judged
from kafkacheck.checker.change.run import Report, Run
from kafkacheck.checker.change.trees import commit_folder, working_folder
from kafkacheck.checker.console.options import EXIT_STATUSES, Place, Seconds, json_option
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.model.settings import with_settings
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import check_writable, make_usable, remove_empty, write_together
from kafkacheck.checker.process.statuses import INVARIANT_VIOLATED, NOT_EXHAUSTED, STEP_VIOLATED, UNREACHED
from kafkacheck.checker.traces import saved as saved_traces
from kafkacheck.checker.traces.trace import Trace

SECONDS = 180.0
"""How long it takes at most, unless told otherwise."""
KEPT = "change"
"""How the files of a counterexample are named in the folder of `--out`."""


@click.command(epilog=EXIT_STATUSES)
@click.argument("patterns", metavar="[MODEL]...", nargs=-1)
@click.option("--base", metavar="COMMIT", help="Compare with this commit.  [default: HEAD]")
@click.option("--against", type=Place(), metavar="DIR", help="Compare with another copy of the sources.")
@click.option(
    "--max-seconds",
    type=Seconds(min=0, min_open=True),
    default=SECONDS,
    show_default=True,
    metavar="S",
    help="Stop after this much time; models that were not finished by then are named.",
)
@click.option(
    "--out",
    "folder",
    type=Place(),
    default="out",
    show_default=True,
    metavar="DIR",
    help=f"Keep the counterexample in this folder: {KEPT}.json and, if the model has lanes, {KEPT}.lanes.svg.",
)
@click.option("--markdown", type=Place(), metavar="FILE", help="Write a summary for a pull request.")
@click.option("--junit", type=Place(), metavar="FILE", help="Write JUnit XML, for continuous integration.")
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="In how many processes.  [default: one for each core]"
)
@json_option
def change(
    patterns: tuple[str, ...],
    base: str | None,
    against: Path | None,
    max_seconds: float,
    folder: Path,
    markdown: Path | None,
    junit: Path | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Say what the edits in the current folder change: which models they reach, and what fails that did not.

    The folder is compared with a commit, or with another copy, function by function; comments and docstrings do not
    count. Each model that runs an edited function is searched as it is now; if nothing fails, its former steps are
    tried in each state, too, so that an edit that changes nothing costs one search. Otherwise the former model is
    searched as well, and the text tells what fails now: first outcomes, which users see, then properties that restate
    the rules. The rest of the time goes to other settings of the models in which nothing fails. MODELs, by names or
    patterns such as 'cluster.*', limit the comparison to these models.
    """
    if base is not None and against is not None:
        raise UsageError("--base and --against both say what to compare with; give one of them")
    if against is not None and not against.is_dir():
        raise UsageError(f"--against {against} is no folder; name another copy of the sources")
    for path in (markdown, junit):
        if path is not None:
            check_writable(path)
    here = working_folder()
    with contextlib.ExitStack() as held:
        held.callback(remove_empty, make_usable(folder))
        if against is not None:
            before, named = against.resolve(), str(against)
        else:
            before, named = held.enter_context(commit_folder(here, "HEAD" if base is None else base))
        report = Run(before, here, named, max_seconds, tell, workers or os.cpu_count() or 1).run(patterns)
        pages = kept(report, folder / f"{KEPT}.json", folder / f"{KEPT}.lanes.svg")
        if markdown is not None:
            pages |= summary(report, markdown)
        if junit is not None:
            pages[junit] = pages_of.junit(report)
        written: list[Path] = []
        try:
            write_together(pages)
            written = [place for place, page in pages.items() if page is not None]
        finally:
            print_report(report, as_json, written)
    return status_of(report)


def print_report(report: Report, as_json: bool, written: list[Path]) -> None:
    """Print what was found, a counterexample, and which files were written."""
    if as_json:
        say(json_text(telling.document(report)))
        return
    for line in telling.lines(report):
        say(line)
    for line in (*counterexample(report), *telling.failing_lines(report)):
        say(line)
    if written:
        say(f"written: {', '.join(map(str, written))}")
        found = telling.first_failure(report)
        if found is not None:
            say(f"to keep it as a test: {kept_by(found[0], written[0])}")
    say(telling.closing_line(report))


def trace_of(judged: Judged, failure: Failure) -> Trace:
    """The counterexample of a failure that has one."""
    assert failure.trace is not None
    model = with_settings(catalogue.find_model(judged.model), judged.settings).with_lemmas()
    return saved_traces.load(model, saved_traces.parsed(Path(judged.model), failure.trace))[0]


def counterexample(report: Report) -> list[str]:
    """Lines with the schedule of the counterexample that is shown, if any (`telling.first_failure`)."""
    found = telling.first_failure(report)
    if found is None:
        return []
    from kafkacheck.checker.pictures.render import schedule_lines

    judged, failure = found
    trace = trace_of(judged, failure)
    return ["", f"{failure.told}, in {telling.named(judged)}:", *schedule_lines(trace), telling.shown_by(found), ""]


def kept_by(judged: Judged, document: Path) -> str:
    """The command that makes a test of a counterexample."""
    return f"kafkacheck replay {judged.model} {document} --pytest test_{document.stem}.py"


def kept(report: Report, document: Path, picture: Path) -> dict[Path, str | bytes | None]:
    """The files of the counterexample that is shown, if any. Those of an earlier one are removed (None)."""
    found = telling.first_failure(report)
    if found is None:
        return {document: None, picture: None}
    from kafkacheck.checker.pictures.render import lanes_text

    judged, failure = found
    return {document: json_text(failure.trace), picture: lanes_text(trace_of(judged, failure))}


def summary(report: Report, path: Path) -> dict[Path, str | bytes | None]:
    """The files of a summary in Markdown at `path`: itself, and beside it those of the counterexample (`kept`)."""
    picture, document = (path.with_name(f"{path.stem}-counterexample.{kind}") for kind in ("svg", "json"))
    pages = kept(report, document, picture)
    found = telling.first_failure(report)
    shown: list[str] = []
    if found is not None:
        from kafkacheck.checker.pictures.render import trace_text

        judged, failure = found
        shown = pages_of.counterexample(
            f"{failure.told}, in {telling.named(judged)}",
            trace_text(trace_of(judged, failure)),
            picture.name if pages[picture] is not None else "",
            kept_by(judged, Path(document.name)),
        )
    return pages | {path: pages_of.markdown(report, shown)}


def status_of(report: Report) -> int:
    """The exit status; after failures, it is that of the first one that is told."""
    if report.failing:
        return STEP_VIOLATED if report.failing[0].failures[0].is_of_steps else INVARIANT_VIOLATED
    return {"UNREACHED": UNREACHED, "NOT_EXHAUSTED": NOT_EXHAUSTED}.get(telling.verdict_of(report), 0)
