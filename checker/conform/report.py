"""The outcome of `conform` as lines and as JSON data."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from kafkacheck.checker.conform.differences import START, Difference, Listed
from kafkacheck.checker.conform.outcomes import GuardOutcomes
from kafkacheck.checker.conform.run import Comparison, covered_by_action
from kafkacheck.checker.conform.telling import Behaviour, Telling
from kafkacheck.checker.exploration.evaluation import call_text
from kafkacheck.checker.traces.trace import Step, Trace, first_step


class Conformance(Enum):
    """The verdict of `conform`."""

    CONFORMS = "every class of edges and refusals was compared, and random walks; no difference is unlisted"
    DIFFERENT = "the system differs from the model"
    OUTDATED = "a difference is listed that does not occur"
    NOT_EXHAUSTED = "the comparison is not finished"


@dataclass
class Outcome:
    """What `conform` found. `trace` ends where the system differs. `reason` says why it is not finished."""

    verdict: Conformance
    comparison: Comparison
    seconds: float
    reason: str = ""
    difference: Difference | None = None
    trace: Trace | None = None
    refused: list[dict[str, Any]] = field(default_factory=list)
    guards: GuardOutcomes | None = None
    outdated: list[Listed] = field(default_factory=list)


def trace_of(
    paths: Telling, behaviour: Behaviour, difference: Difference, name: str
) -> tuple[Trace, list[dict[str, Any]]]:
    """The behaviour as a trace that says at its end how the system differs; and the calls that were refused.

    A refusal is no step of the model. It has the number of the step `after` which it was asked for, from 1 on for the
    initial state; a system can differ because it did something when it refused.
    """
    model, layout = paths.model, paths.model.layout
    steps = [first_step(model, layout.restore(paths.values(behaviour.start)))]
    where = "in the initial state" if difference.action == START else "after the last step"
    refused: list[dict[str, Any]] = []
    told: list[str] = []
    for op in behaviour.ops:
        action = model.actions[int(paths.combinations.actions[op.combination])]
        values = paths.combinations.parameters[op.combination]
        if op.target is not None:
            steps.append(Step(action.name, action.named(values), layout.restore(paths.values(op.target))))
            continue
        call, after = call_text(action, values), len(steps)
        parameters = paths.parameters(op.combination)
        refused.append({"after": after, "action": action.name, "parameters": parameters})
        told.append(f"    before, it was asked for {call} after step {after}, and refused as the model does")
    if behaviour.ops and behaviour.ops[-1].target is None:
        where = f"asked for {call} after that"
        told.pop()
    head, *more = difference.lines()
    return Trace(model, None, tuple(steps), difference=(f"{name}, {where}: {head}", *more, *told)), refused


def lines(outcome: Outcome) -> Iterator[str]:
    """The report, without the trace."""
    comparison, model = outcome.comparison, outcome.comparison.model
    adapter, coverage = comparison.adapter, comparison.coverage
    counted = covered_by_action(comparison)
    yield f"{'action':<40} {'edges':>15} {'refusals':>15} {'steps':>9} {'refused':>9}"
    for number, action in enumerate(model.actions):
        if number not in adapter.acts:
            continue
        edges, covered, refusals, refused = counted[number]
        steps, asked = coverage.by_action.get(number, [0, 0])
        told = f"{refused:,}/{refusals:,}" if number in adapter.refuses else "not asked"
        yield f"{action.name:<40} {f'{covered:,}/{edges:,}':>15} {told:>15} {steps:>9,} {asked:>9,}"
    silent = [model.actions[number].name for number in sorted(adapter.silent)]
    if silent:
        yield f"the system is not told of: {', '.join(silent)}"
    left = int(comparison.tours.open.sum())
    if left and outcome.verdict is Conformance.CONFORMS:
        yield f"{left:,} classes lie where the system chose other parameters, or behind listed differences"
    for reason in dict.fromkeys(adapter.not_judged.values()):
        names = [name for name, its in adapter.not_judged.items() if its == reason]
        yield f"not judged: {', '.join(names)}: {reason}"
    never = [each.path for each in adapter.observes if not comparison.shown[each.path]]
    if never:
        yield f"observed, but never shown: {', '.join(never)}"
    if outcome.guards is not None:
        yield from outcome.guards.lines()
    for each in comparison.known:
        yield f"listed: {each.kind} {each.action}: {each.times:,} times: {each.reason} Soundness: {each.soundness}"
    for each in outcome.outdated:
        yield f"listed, but does not occur: {each.kind} {each.action}: {each.reason}; remove it"
    if outcome.reason:
        yield f"not finished: {outcome.reason}"
    yield closing_line(outcome)


def shares(comparison: Comparison) -> dict[str, tuple[int, int]]:
    """How many of how many fields, actions, edges and refusals were compared."""
    model, adapter = comparison.model, comparison.adapter
    shown = {leaf for each in adapter.observes if comparison.shown[each.path] for leaf in each.leaves}
    closed = ~comparison.tours.open
    edges = comparison.paths.edge_classes
    return {
        "fields": (len(shown), len(model.layout.leaves)),
        "actions": (len(adapter.acts), len(model.actions)),
        "edges": (int(closed[:edges].sum()), edges),
        "refusals": (int(closed[edges:].sum()), comparison.paths.count - edges),
    }


def closing_line(outcome: Outcome) -> str:
    """The verdict with its numbers."""
    comparison, coverage = outcome.comparison, outcome.comparison.coverage
    told = [f"{name}={part}/{whole}" for name, (part, whole) in shares(comparison).items()]
    told += [f"steps={coverage.steps + coverage.refused}", f"walked={coverage.walked}"]
    told += [f"behaviours={coverage.behaviours}", f"seconds={outcome.seconds:.2f}"]
    listed = [f"listed={len(comparison.known)}"] if comparison.known else []
    length = [] if outcome.trace is None else [f"trace={len(outcome.trace.steps)}"]
    return f"{comparison.model.name}: {' '.join([outcome.verdict.name, *length, *told, *listed])}"


def document(outcome: Outcome, name: str, seed: int) -> dict[str, Any]:
    """The outcome as JSON data."""
    comparison, coverage = outcome.comparison, outcome.comparison.coverage
    difference = outcome.difference
    return {
        "model": comparison.model.name,
        "system": name,
        "verdict": outcome.verdict.name,
        "reason": outcome.reason or None,
        "seed": seed,
        **{key: {"compared": part, "all": whole} for key, (part, whole) in shares(comparison).items()},
        "steps": coverage.steps,
        "refused": coverage.refused,
        "walked": coverage.walked,
        "behaviours": coverage.behaviours,
        "not_judged": dict(comparison.adapter.not_judged),
        "guards": None if outcome.guards is None else outcome.guards.document(),
        "listed": [{"kind": each.kind, "action": each.action, "times": each.times} for each in comparison.known],
        "difference": None if difference is None else difference_document(difference, outcome.refused, name),
        "trace": None if outcome.trace is None else len(outcome.trace.steps),
        "seconds": round(outcome.seconds, 3),
    }


def difference_document(difference: Difference, refused: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """A difference as JSON data, as a saved trace has it; `refused` are the calls that are not enabled."""
    return {
        "system": name,
        "kind": difference.kind,
        "action": difference.action,
        "refused": refused,
        "fields": {path: {"model": a, "system": b} for path, (a, b) in difference.fields.items()},
        "detail": difference.detail or None,
    }


def replay_command(model: str, file: object, system: str) -> str:
    """The command that replays a saved difference."""
    return f"kafkacheck replay {shlex.quote(model)} {shlex.quote(str(file))} --system {shlex.quote(system)}"
