"""The command `explain`: is there a behaviour of a model that explains a recorded log?"""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.conform.explanation import NONE, Closest, Explanation, Seen
from kafkacheck.checker.conform.recording import Recording, read
from kafkacheck.checker.console.options import EXIT_STATUSES, Place, json_option, limit_options, out_option, set_option
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.console.progress import ProgressReport
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model.settings import headline, with_settings
from kafkacheck.checker.process.errors import NotExhaustedError
from kafkacheck.checker.process.statuses import DIFFERENT, DONE, NOT_EXHAUSTED
from kafkacheck.checker.schema.objects import value_to_json
from kafkacheck.checker.traces.trace import Step, Trace, first_step

STATUSES = {"EXPLAINED": DONE, "UNEXPLAINED": DIFFERENT, "NOT_EXHAUSTED": NOT_EXHAUSTED}


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@click.argument("log", type=Place(), metavar="LOG")
@set_option
@limit_options
@out_option
@json_option
def explain(
    model_name: str,
    log: Path,
    changes: tuple[str, ...],
    max_seconds: float | None,
    max_states: int | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Find a behaviour of MODEL that explains LOG, a recorded sequence of observations.

    LOG is a file of JSON lines. Each tells some fields of one state, or some parameters of one step. Steps that the
    log does not tell are found. If no behaviour explains the log, the first line that none explains is shown, with the
    closest behaviour.
    """
    model = with_settings(catalogue.find_model(model_name, max_seconds), changes)
    if not as_json:
        say(f"{headline(model)}, explaining {log}")
    begun, recording = time.perf_counter(), read(log, model)
    reason, behaviours = "", list[tuple[int, list[Seen]]]()
    missed = list[Closest]()
    with ProgressReport(model.name) as progress:
        watch = Watch(Limits(max_states, max_seconds), progress)
        with watch.interrupts.listening():
            explanation = Explanation(model, recording, watch)
            try:
                behaviours = explanation.search()
                missed = [] if behaviours else explanation.closest()
            except NotExhaustedError as error:
                reason = str(error)
    reason = reason or explanation.unfinished
    verdict = "EXPLAINED" if behaviours else "NOT_EXHAUSTED" if reason else "UNEXPLAINED"
    traces = [_trace(explanation, *each) for each in behaviours]
    for miss in missed if verdict == "UNEXPLAINED" else ():
        told = tuple(_lines(log, miss))
        traces.append(replace(_trace(explanation, miss.start, miss.steps), difference=told))
    return _told(explanation, recording, verdict, reason, traces, missed, folder, as_json, begun)


def _told(
    explanation: Explanation,
    recording: Recording,
    verdict: str,
    reason: str,
    traces: list[Trace],
    missed: list[Closest],
    folder: Path | None,
    as_json: bool,
    begun: float,
) -> int:
    from kafkacheck.checker.pictures.render import trace_text, write_files

    files: list[Path] = []
    for trace in traces[:1] if folder is not None else ():
        written = write_files(trace, folder)  # type: ignore[arg-type]  # not None here
        files += written.files
        for note in written.notes:
            tell(f"note: {note}")
    length = [len(trace.steps) for trace in traces[:1]]
    if as_json:
        document: dict[str, Any] = {"model": explanation.model.name, "verdict": verdict, "reason": reason or None}
        document |= {"lines": len(recording), "trace": length[0] if length else None, "most_fitting": explanation.most}
        document["unexplained"] = [_document(each) for each in missed] if verdict == "UNEXPLAINED" else []
        say(json_text(document | {"files": [str(file) for file in files]}))
        return STATUSES[verdict]
    for trace in traces:
        say(trace_text(trace))
    for file in files:
        say(f"written: {file}")
    if reason:
        say(f"not finished: {reason}")
    told = [verdict, *(f"trace={each}" for each in length), f"lines={len(recording)}"]
    told += [
        f"states={explanation.states}",
        f"fitting={explanation.most}",
        f"seconds={time.perf_counter() - begun:.2f}",
    ]
    say(f"{explanation.model.name}: {' '.join(told)}")
    return STATUSES[verdict]


def _trace(explanation: Explanation, start: int, steps: list[Seen]) -> Trace:
    """The behaviour as a trace; a line that tells only values is no step of it."""
    model, layout = explanation.model, explanation.model.layout
    found = [first_step(model, layout.restore(explanation.values([start])[0]))]
    for edge, _ in steps:
        if edge != NONE:
            call = int(explanation.calls[edge])
            action = model.actions[int(explanation.combinations.actions[call])]
            state = layout.restore(explanation.values([int(explanation.targets[edge])])[0])
            found.append(Step(action.name, action.named(explanation.combinations.parameters[call]), state))
    return Trace(model, None, tuple(found))


def _lines(log: Path, miss: Closest) -> list[str]:
    """How the closest behaviour misses a line."""
    told = [f"{log}, line {miss.line.number}: no behaviour explains {miss.line.text}"]
    if not miss.is_possible:
        told.append("    the step is not possible in any state that fits the lines before; this is one of them")
    for path, (seen, shown, kind) in miss.differing.items():
        told.append(f"    {path}: the log has {value_to_json(kind.kind, seen)}, the closest behaviour "
                    f"{value_to_json(kind.kind, shown)}")  # fmt: skip
    return told


def _document(miss: Closest) -> dict[str, Any]:
    differing = {
        path: {"log": value_to_json(each.kind, seen), "model": value_to_json(each.kind, shown)}
        for path, (seen, shown, each) in miss.differing.items()
    }
    return {"line": miss.line.number, "is_possible": miss.is_possible, "fields": differing}
