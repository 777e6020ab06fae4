"""Counterexamples for people: as text, and as files in a folder (JSON, ITF, and two pictures)."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kafkacheck.checker.pictures import svg
from kafkacheck.checker.pictures.chain import chain_dot
from kafkacheck.checker.pictures.lanes_picture import lanes_svg
from kafkacheck.checker.process.files import make_folder, write_together
from kafkacheck.checker.traces.itf import to_itf
from kafkacheck.checker.traces.lasso import lasso_lines
from kafkacheck.checker.traces.replay import ReplayOutcome
from kafkacheck.checker.traces.trace import (
    Trace,
    call_text,
    changed_fields,
    deadlock_text,
    ending_of,
    loop_text,
    property_named,
    to_json,
)
from kafkacheck.checker.traces.witness import Witness, explain

LONGEST_STEM = 200
"""Bytes of a file's name, so that there is room for the longest ending."""


@dataclass(frozen=True)
class Written:
    """The files that were written, the best picture first among pictures, and remarks on those that are missing."""

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def trace_text(trace: Trace) -> str:
    """The trace as text: numbered calls, the fields that each changed, then its end.

    The end is the violated property with its first witness, or that no action is enabled. For a lasso the text says
    where the cycle begins, which goal is never reached, and why going on so for ever is fair.
    """
    return "\n".join([*_step_lines(trace), *_verdict_lines(trace, explain(trace))])


def schedule_lines(trace: Trace) -> list[str]:
    """The trace as lines of text without the fields that its steps changed: the calls, and its end."""
    return [*_step_lines(trace, has_changes=False), *_verdict_lines(trace, explain(trace))]


def _step_lines(trace: Trace, has_changes: bool = True) -> Iterator[str]:
    digits = len(str(len(trace.steps)))
    for index, step in enumerate(trace.steps):
        yield f"{index + 1:>{digits}}  {call_text(trace.model, step)}"
        for change in changed_fields(trace, index) if has_changes else ():
            told = str(change) if index else f"{change.path} = {change.after}"
            yield f"{'':{digits}}      {told}"
        if index == trace.loop:
            yield loop_text(trace)


def _verdict_lines(trace: Trace, witness: Witness | None) -> list[str]:
    if trace.loop is not None:
        return lasso_lines(trace)
    if trace.difference:
        return list(trace.difference)
    if witness is None:
        return [deadlock_text(trace)] if trace.is_deadlock else []
    last = len(trace.steps)
    where = f"state {last}"
    if property_named(trace.model, witness.name).is_step:
        where = f"the step from state {last - 1} to state {last}"
    return [f"{witness.name} is violated in {where}: {witness.sentence}".rstrip(" :"), f"    {witness.text}"]


def replay_text(outcome: ReplayOutcome) -> str:
    """A saved trace on today's code: the steps that apply, and where and why it ends."""
    trace = outcome.trace
    lines = list(_step_lines(trace))
    if trace.loop is not None and outcome.reason:
        return "\n".join([*lines, f"every step still applies, and {trace.property} is not violated: {outcome.reason}"])
    if outcome.failed_step is not None:
        lines.append(f"step {outcome.failed_step + 1} no longer applies: {outcome.failed_call}: {outcome.reason}")
        lines += [f"    {change.path}: saved {change.before}, now {change.after}" for change in outcome.differences]
    if outcome.violated_step is not None:
        reached = replace(trace, steps=trace.steps[: outcome.violated_step + 1], is_deadlock=False)
        lines += _verdict_lines(reached, explain(reached))
    elif outcome.applies:
        lines.append(
            f"every step still applies, and {trace.property} is not violated"
            if trace.property is not None
            else f"every step still applies, and {deadlock_text(trace)}"
            if outcome.is_deadlock
            else f"every step still applies, and some action is enabled in state {len(trace.steps)}"
        )
    return "\n".join(lines)


def lanes_text(trace: Trace) -> str | None:
    """The trace as lanes, in SVG; None if its model has none."""
    drawing = trace.model.drawing
    return None if drawing is None else lanes_svg(trace, drawing, explain(trace))


def write_files(trace: Trace, folder: Path, more: Mapping[str, Any] | None = None) -> Written:
    """Write a trace into a folder as JSON, ITF, DOT and SVG, all or none; the folder is made if it is missing.

    `more`: further keys of the JSON. UsageError if a file cannot be written. Without a program that draws DOT there is
    no SVG of the chain of states, and a note says so.
    """
    make_folder(folder)
    stem = stem_of(trace)
    witness = explain(trace)
    told = {"witness": None if witness is None else witness.to_json(), **(more or {})}
    contents: dict[Path, str | bytes | None] = {
        folder / f"{stem}.json": json_text(to_json(trace) | told),
        folder / f"{stem}.itf.json": json_text(to_itf(trace)),
    }
    if trace.model.drawing is not None:
        contents[folder / f"{stem}.lanes.svg"] = lanes_svg(trace, trace.model.drawing, witness)
    chain, notes = picture_files(chain_dot(trace, witness), folder / f"{stem}.states.svg")
    contents |= chain
    write_together(contents)
    return Written(_present(contents), notes)


def stem_of(trace: Trace) -> str:
    """The beginning of the names of a trace's files: the model, and the ending of the trace."""
    stem = re.sub(r"[^\w.-]+", "_", f"{trace.model.name}-{ending_of(trace) or 'trace'}")
    return stem.encode()[:LONGEST_STEM].decode(errors="ignore")


def write_picture(dot: str, path: Path) -> Written:
    """Draw DOT text to `path`, and write the text beside it (.dot), both or none; UsageError if that fails."""
    contents, notes = picture_files(dot, path)
    write_together(contents)
    return Written(_present(contents), notes)


def picture_files(dot: str, path: Path) -> tuple[dict[Path, str | bytes | None], tuple[str, ...]]:
    """The files of a picture, its SVG at `path` and its DOT text beside it, and a remark if it could not be drawn.

    If nothing can draw it, an older picture at `path` must be removed (None): it would show something else.
    """
    drawn = svg.draw(dot)
    notes = (drawn.note,) if drawn.svg is None else ()
    return {path: drawn.svg, path.with_suffix(".dot"): dot}, notes


def _present(contents: Mapping[Path, str | bytes | None]) -> tuple[Path, ...]:
    return tuple(path for path, data in contents.items() if data is not None)


def json_text(data: Any) -> str:
    """JSON data as text: indented, and one line at the end."""
    return json.dumps(data, indent=1) + "\n"
