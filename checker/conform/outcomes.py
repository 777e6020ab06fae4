"""Which outcomes of each guard the compared calls had: a guard that was only ever passed was not compared."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any

from kafkacheck.checker.conform.run import Comparison
from kafkacheck.checker.language import ir
from kafkacheck.checker.language.source import function_tree
from kafkacheck.checker.mutation.mutation import SETTINGS
from kafkacheck.checker.process.locations import place_of
from kafkacheck.checker.process.sources import is_of_checker

MOST_CALLS = 400
"""How many calls of each action are run again to see the outcomes of its guards."""


@dataclass(frozen=True)
class Guard:
    """An `if` of an action that returns at once: its place, its text, and whether it was ever met and ever passed."""

    place: str
    text: str
    was_met: bool
    was_passed: bool


@dataclass(frozen=True)
class GuardOutcomes:
    """The guards of the actions that the system performs."""

    guards: tuple[Guard, ...]

    def lines(self) -> Iterator[str]:
        """How many had both outcomes, and which had not."""
        whole = sum(1 for guard in self.guards if guard.was_met and guard.was_passed)
        yield f"guards: {whole} of {len(self.guards)} were met and passed"
        for guard in self.guards:
            if not (guard.was_met and guard.was_passed):
                told = "never passed" if guard.was_met else "never met" if guard.was_passed else "never reached"
                yield f"    {told}: {guard.text} ({guard.place})"

    def document(self) -> list[dict[str, Any]]:
        """The guards as JSON data."""
        return [vars(guard) for guard in self.guards]


def guard_outcomes(comparison: Comparison) -> GuardOutcomes:
    """The outcomes in the calls that were compared; of each action at most `MOST_CALLS` are run again."""
    paths, model = comparison.paths, comparison.model
    calls: dict[int, list[tuple[int, int]]] = {}
    for number in range(paths.count):
        if not comparison.tours.open[number]:
            state, call = paths.first_of(number)
            calls.setdefault(int(paths.combinations.actions[call]), []).append((state, call))
    actions = [model.actions[number] for number in sorted(comparison.adapter.acts)]
    reached = ir.reachable([action.read for action in actions])
    functions = {each.function for each in reached if not is_of_checker(each.function.__code__.co_filename)}
    guards = {function.__code__: _guards(function) for function in functions}
    lines = _Lines(guards)
    for number in sorted(calls):
        for start, call in calls[number][:: max(1, len(calls[number]) // MOST_CALLS)]:
            state = model.layout.restore(paths.values(start))
            with lines:
                model.actions[number].apply(state, paths.combinations.parameters[call])
    found = []
    for function in sorted(functions, key=lambda each: (each.__code__.co_filename, each.__code__.co_firstlineno)):
        for node in guards[function.__code__]:
            met, passed = (((function.__code__, node.lineno, outcome) in lines.seen) for outcome in (True, False))
            found.append(Guard(place_of(function, node.lineno), f"if {ast.unparse(node.test)}", met, passed))
    return GuardOutcomes(tuple(found))


def _guards(function: FunctionType) -> list[ast.If]:
    """The `if` statements whose body returns, in order, but for switches: conditions of constants, rules and bounds."""
    found = [node for node in ast.walk(function_tree(function)) if isinstance(node, ast.If)]
    return [node for node in found if isinstance(node.body[-1], ast.Return) and not _is_switch(node.test)]


def _is_switch(test: ast.expr) -> bool:
    return all(each.id in SETTINGS or each.id[0].isupper() for each in ast.walk(test) if isinstance(each, ast.Name))


class _Lines:
    """Notes which guards of some functions were met (their body ran) and which were passed, while it is entered.

    `seen` has the function's code, the line of the guard, and whether it was met.
    """

    def __init__(self, guards: dict[CodeType, list[ast.If]]) -> None:
        self._guards = guards
        self.seen: set[tuple[CodeType, int, bool]] = set()
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = sys.gettrace()
        sys.settrace(self._called)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code not in self._guards:
            return None
        ran: set[int] = set()

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                ran.add(frame.f_lineno)
            elif event == "return":
                for node in self._guards[frame.f_code]:
                    if node.lineno in ran:
                        self.seen.add((frame.f_code, node.lineno, node.body[0].lineno in ran))
            return trace

        return trace
