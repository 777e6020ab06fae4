"""Counterexamples for people: as text, and as files in a folder (JSON, ITF, and two pictures)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker import svg
from checker.chain import chain_dot
from checker.files import atomic_write, make_folder, remove
from checker.itf import to_itf
from checker.lanes_picture import lanes_dot
from checker.trace import ReplayOutcome, Trace, call_text, changed_fields, property_named, to_json
from checker.witness import Witness, explain


@dataclass(frozen=True)
class Written:
    """The files that were written, the best picture before other pictures, and remarks on what could not be drawn."""

    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def trace_text(trace: Trace) -> str:
    """The trace as text: numbered calls, the fields that each changed, then the property and its first witness."""
    return "\n".join([*_step_lines(trace), *_verdict_lines(trace, explain(trace))])


def _step_lines(trace: Trace) -> Iterator[str]:
    digits = len(str(len(trace.steps)))
    for index, step in enumerate(trace.steps):
        yield f"{index + 1:>{digits}}  {call_text(trace.model, step)}"
        for change in changed_fields(trace, index):
            told = f"{change.path}: {change.before} -> {change.after}" if index else f"{change.path} = {change.after}"
            yield f"{'':{digits}}      {told}"


def _verdict_lines(trace: Trace, witness: Witness | None) -> list[str]:
    if witness is None:
        return []
    last = len(trace.steps)
    where = f"state {last}"
    if property_named(trace.model, witness.name).is_step:
        where = f"the step from state {last - 1} to state {last}"
    return [f"{witness.name} is violated in {where}: {witness.sentence}".rstrip(" :"), f"    {witness.text}"]


def replay_text(outcome: ReplayOutcome) -> str:
    """What today's code makes of a saved trace: the steps that apply, and where and why it ends."""
    trace = outcome.trace
    lines = list(_step_lines(trace))
    if outcome.failed_step is not None:
        lines.append(f"state {outcome.failed_step + 1} is no longer reached: {outcome.reason}")
        lines += [f"    {change.path}: saved {change.before}, now {change.after}" for change in outcome.differences]
    if outcome.violated_step is not None:
        reached = Trace(trace.model, trace.property, trace.steps[: outcome.violated_step + 1])
        lines += _verdict_lines(reached, explain(reached))
    elif outcome.applies:
        lines.append(
            f"every step still applies, and {trace.property} is not violated"
            if trace.property is not None
            else f"every step still applies, and the last state has {'no' if outcome.is_deadlock else 'a'} successor"
        )
    return "\n".join(lines)


def write_files(trace: Trace, folder: Path) -> Written:
    """Write a trace into a folder as JSON, ITF, DOT and SVG; the folder is made where it is missing.

    UsageError where a file cannot be written. Without a program that draws DOT there is no SVG, and a note says so.
    """
    make_folder(folder)
    stem = re.sub(r"[^\w.-]+", "_", f"{trace.model.name}-{trace.property or 'trace'}")
    witness = explain(trace)
    files: list[Path] = []
    notes: list[str] = []
    for suffix, data in ((".json", to_json(trace)), (".itf.json", to_itf(trace))):
        files.append(folder / f"{stem}{suffix}")
        atomic_write(files[-1], json_text(data))
    pictures = {"states": chain_dot(trace, witness)}
    if trace.model.drawing is not None:
        pictures = {"lanes": lanes_dot(trace, trace.model.drawing, witness)} | pictures
    for name, dot in pictures.items():
        written = write_picture(dot, folder / f"{stem}.{name}.svg")
        files += written.files
        notes += written.notes
    return Written(tuple(files), tuple(dict.fromkeys(notes)))


def write_picture(dot: str, path: Path) -> Written:
    """Draw DOT text to `path`, and write the text beside it (.dot). UsageError where a file cannot be written.

    Where nothing can draw it, an older picture at `path` is removed: it would show something else.
    """
    source = path.with_suffix(".dot")
    atomic_write(source, dot)
    drawn = svg.draw(dot)
    if drawn.svg is None:
        remove(path)
        return Written((source,), (drawn.note,))
    atomic_write(path, drawn.svg)
    return Written((path, source))


def json_text(data: Any) -> str:
    """JSON data as text: indented, and one line at the end."""
    return json.dumps(data, indent=1) + "\n"
