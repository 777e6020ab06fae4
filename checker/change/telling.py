"""What `change` found, as text and as JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kafkacheck.checker.change.edits import Edit, Way
from kafkacheck.checker.change.judging import Change, Failure, Judged
from kafkacheck.checker.change.run import Report
from kafkacheck.checker.process.names import RELEASE

OWN_SETTINGS = "HOLDS_AT_OWN_SETTINGS"
"""The answer if all models were searched to their end, and there was no time for some other settings."""
MOST_EDITS = 8
MOST_MODELS = 5
MOST_FAILURES = 3
MOST_UNTRIED = 3
MOST_NAMES = 5
"""How many edits, models, failures, settings that were not tried, and names a text lists, so that it fits a screen."""


def verdict_of(report: Report) -> str:
    """The answer in a word."""
    if not report.is_edited:
        return "NOTHING_EDITED"
    if not report.is_reached:
        return "UNREACHED"
    if report.failing:
        return "FAILS"
    if (
        report.is_interrupted
        or report.unfinished
        or report.errors
        or report.new
        or any(is_open(each) for each in report.judged)
    ):
        return "NOT_EXHAUSTED"
    if report.is_never_run:
        return "UNREACHED"
    return OWN_SETTINGS if report.untried else "HOLDS"


def is_open(each: Judged) -> bool:
    """Whether a model was not searched to its end."""
    return each.change is Change.UNFINISHED


def lines(report: Report) -> Iterator[str]:
    """The text but for the counterexample, and for what fails, which comes last (`failing_lines`)."""
    yield from _edit_lines(report)
    if not report.is_edited:
        return
    if not report.is_reached:
        yield f"NO MODEL REACHES THIS EDIT: none of {report.models} models runs what was edited, so nothing was judged"
        yield "    functions that no model runs are judged by tests only"
        return
    yield from _red_lines(report)
    yield from _harmless_lines(report)
    for name in report.new:
        yield f"new model, with nothing to compare: kafkacheck check {name}"
    if report.untried:
        first = ", ".join(f"{name} {_options(settings)}" for name, settings in report.untried[:MOST_UNTRIED])
        yield (
            f"other settings: {report.settings} tried, {len(report.untried)} NOT TRIED for want of time, of which the "
            f"likeliest to tell are {first}; --max-seconds gives more time"
        )
    unfinished = [*(each.model for each in report.judged if is_open(each)), *report.unfinished]
    if unfinished:
        when = "before it was interrupted" if report.is_interrupted else f"within {report.seconds:g} s"
        yield f"not finished {when}, so not known: {_listed(unfinished)}"


def _harmless_lines(report: Report) -> Iterator[str]:
    """The models with other steps and the same verdict, and those with the same steps."""
    others = _of(report, Change.STEPS)
    for each in others[:MOST_MODELS]:
        yield f"same verdict, other steps: {named(each)}: {_counts(each)}{_mended(each)}{_gone(each)}"
    if others[MOST_MODELS:]:
        left = [each.model for each in others[MOST_MODELS:]]
        yield f"same verdict, other steps in {len(left)} more: {_listed(left)}"
    same = [each.model for each in _of(report, Change.NOTHING)]
    if same:
        yield f"changes no reachable step of {_listed(same)}"
        running = [_with(*asked) for asked, answers in report.lines.items() if any(answers.values())]
        if running and not report.idle_lines:
            yield f"    the edited lines run in {_listed(running)}, of {len(report.lines)} that were asked"
    for each in report.tried:
        if each.change is Change.STEPS:
            yield f"    it matters in {named(each)}: {_counts(each)}; {command(each)}"


def failing_lines(report: Report) -> Iterator[str]:
    """What the reader must not miss: what fails now, cannot be judged, or is never run."""
    for name, error in report.errors.items():
        yield f"cannot be judged: {name}: {error}"
    if report.idle_lines and not report.failing:
        idle, asked = (_listed(each) for each in ([each.told for each in report.idle_lines], _asked(report)))
        if report.is_never_run:
            yield f"NO MODEL RUNS {idle}: no reachable state of {asked} comes to it"
        else:
            yield f"NO MODEL WAS SEEN TO RUN {idle}; asked: {asked}"
    for each in report.failing[:MOST_MODELS]:
        told = "; ".join(failure.told for failure in each.failures[:MOST_FAILURES])
        yield f"FAILS {named(each)}: {told}{_more(each.failures[MOST_FAILURES:])}"
        if each.settings:
            yield f"    {command(each)}"
    hidden = report.failing[MOST_MODELS:]
    if hidden:
        yield f"FAILS in {len(hidden)} more: {_listed(list(map(named, hidden)))}"
    if report.failing and not any(each.is_outcome for each in report.failing):
        yield "nothing that users lose was found so far: only properties that restate the rules fail"
    elif report.failing and not any(each.is_new_outcome for each in report.failing):
        yield "what users lose, they lost before the edit already, in more steps: no new loss was found so far"
    elif report.failing and not any(each.is_new_loss for each in report.failing):
        yield "users lose something new only by rules of another release so far, not by those of the model"
    if not report.failing and verdict_of(report) == "NOT_EXHAUSTED":
        if report.errors and all(is_open(each) for each in report.judged):
            yield "no model could be judged, so that nothing is known of the edit"
        else:
            yield "nothing fails so far, in the models that were finished"
        yield from _next_steps(report)


def _next_steps(report: Report) -> Iterator[str]:
    """What tells more, if nothing fails and not everything was searched."""
    others = [*_of(report, Change.STEPS), *(each for each in report.tried if each.change is Change.STEPS)]
    left = [*(each.model for each in report.judged if is_open(each)), *report.unfinished]
    if others:
        models = _listed(list(dict.fromkeys(each.model for each in others)))
        yield f"IT IS NO REFACTORING: it makes other steps, in {models}; --max-seconds searches further"
    elif left:
        yield "no step differs so far; if it is to change nothing, that may be proved for all states of a model:"
        is_folder = Path(report.base).is_dir()
        if not is_folder:
            yield f"    git worktree add out/base {report.base}"
        base = report.base if is_folder else "out/base"
        yield f"    kafkacheck equivalent {left[0]} {base}/{report.places.get(left[0], left[0])}"


def _listed(names: Sequence[str]) -> str:
    left = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {left} more (--json lists all)" if left > 0 else "")


def _edit_lines(report: Report) -> Iterator[str]:
    edits = report.edits.edits
    if report.checker:
        yield f"the checker itself is edited ({len(report.checker)} files, such as {report.checker[0]}): run its tests"
    if not edits:
        moved = f"; {report.edits.moved} definitions have moved" if report.edits.moved else ""
        yield f"since {report.base} no function, property, record, rule or model is edited{moved}"
        return
    moved = f" ({report.edits.moved} other definitions have only moved)" if report.edits.moved else ""
    yield f"edited since {report.base}{moved}:"
    yield from (f"    {each.told}" for each in edits[:MOST_EDITS])
    if len(edits) > MOST_EDITS:
        yield f"    and {len(edits) - MOST_EDITS} more"
    if report.unused and report.is_reached:
        yield f"no model reaches {', '.join(_place(each) for each in report.unused[:MOST_EDITS])}"


def _place(each: Edit) -> str:
    return f"{each.definition.told}{' (removed)' if each.way is Way.REMOVED else ''}"


def _red_lines(report: Report) -> Iterator[str]:
    unexpected = {name: told for name, told in report.red.items() if told.endswith("not expected")}
    for name, told in unexpected.items():
        yield f"FAILED BEFORE THE EDIT ALREADY: {name}: {told}"
    expected = [name for name in report.red if name not in unexpected]
    if expected:
        yield f"failed before the edit already, as expected: {_listed(expected)}"


def _of(report: Report, change: Change) -> list[Judged]:
    return [each for each in report.judged if each.change is change]


def named(each: Judged) -> str:
    """A model and its settings, as a command takes them."""
    return _with(each.model, each.settings)


def _with(model: str, settings: Sequence[str]) -> str:
    return f"{model} {_options(settings)}".strip()


def _asked(report: Report) -> list[str]:
    """The models that were asked which of the edited lines they run, at their own settings first."""
    return [_with(*each) for each in sorted(report.lines, key=lambda asked: bool(asked[1]))]


def _options(settings: Sequence[str]) -> str:
    return " ".join(
        f"--kafka {each.removeprefix(RELEASE)}" if each.startswith(RELEASE) else f"--set {each}" for each in settings
    )


def command(each: Judged) -> str:
    """The command that shows a judgement."""
    return f"kafkacheck check {named(each)} --keep-going"


def _counts(each: Judged) -> str:
    states, steps = each.now.states - each.former.states, each.now.steps - each.former.steps
    return f"{each.now.states:,} states ({states:+,}), {each.now.steps:,} steps ({steps:+,})"


def _gone(each: Judged) -> str:
    is_less = each.now.states < each.former.states
    return "; no property asks whether the states that are gone must be reached" if is_less else ""


def _mended(each: Judged) -> str:
    return f"; no longer violated: {', '.join(each.mended)}" if each.mended else ""


def _more(failures: Sequence[Failure]) -> str:
    return f"; and {len(failures)} more" if failures else ""


def first_failure(report: Report) -> tuple[Judged, Failure] | None:
    """The failure that is shown, and its model: of what users lose if any, in a model that held, the shortest."""
    shown = ((each, failure) for each in report.failing for failure in each.failures if failure.trace is not None)
    return next(shown, None)


def shown_by(found: tuple[Judged, Failure]) -> str:
    """How to see a counterexample with all that its steps change."""
    judged, failure = found
    return f"    what each step changes: kafkacheck check {named(judged)} --property {failure.name}"


def closing_line(report: Report) -> str:
    """The last line, for scripts."""
    found = first_failure(report)
    words = [
        f"change: {verdict_of(report)}",
        *([] if found is None else [f"{found[1].kind}={found[1].name}", f"model={found[0].model}"]),
        f"failing={len(report.failing)}",
        f"other_steps={len(_of(report, Change.STEPS))}",
        f"same={len(_of(report, Change.NOTHING))}",
        f"unfinished={len(report.unfinished) + sum(map(is_open, report.judged))}",
        *([f"unjudged={len(report.errors)}"] if report.errors else []),
        f"untried={len(report.untried)}",
        f"seconds={report.taken:.0f}",
    ]
    return " ".join(words)


def document(report: Report) -> dict[str, Any]:
    """The JSON document."""
    return {
        "base": report.base,
        "verdict": verdict_of(report),
        "seconds": round(report.taken, 3),
        "edits": [_edit(each) for each in report.edits.edits],
        "moved": report.edits.moved,
        "checker": report.checker,
        "unreached": [each.told for each in report.unused],
        "red": report.red,
        "models": [_judged(each) for each in (*report.judged, *report.tried)],
        "new": report.new,
        "lines": [
            {
                "model": name,
                "settings": list(settings),
                "lines": [{**line._asdict(), "is_run": is_run} for line, is_run in answers.items()],
            }
            for (name, settings), answers in sorted(report.lines.items())
        ],
        "errors": report.errors,
        "unfinished": report.unfinished,
        "settings_tried": report.settings,
        "settings_untried": [[name, *settings] for name, settings in report.untried],
    }


def _edit(each: Edit) -> dict[str, Any]:
    place = each.definition
    return {
        "way": each.way.value,
        "kind": place.kind.value,
        "path": place.path,
        "line": place.line,
        "name": place.key[1],
        "fields": each.fields,
    }


def _judged(each: Judged) -> dict[str, Any]:
    return {
        "model": each.model,
        "settings": list(each.settings),
        "change": each.change.name,
        "is_new_loss": each.is_new_loss,
        "failures": [
            {
                "name": failure.name,
                "kind": failure.kind,
                "length": failure.length,
                "before": failure.former,
                "reason": failure.reason or None,
                "trace": failure.trace,
            }
            for failure in each.failures
        ],
        "mended": list(each.mended),
        "states": [each.former.states, each.now.states],
        "steps": [each.former.steps, each.now.steps],
        "one_program": each.is_one_program,
        "reason": each.reason or None,
        "seconds": round(each.seconds, 3),
        "command": command(each),
    }
