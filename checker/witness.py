"""Why a property is violated: the place in its source that returned False, and the values it saw there."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from checker.model import Property
from checker.trace import Trace, property_named


@dataclass(frozen=True)
class Witness:
    """The first evidence that the property `name` met: where it returned False, on what condition, with which values.

    `sentence` is the first sentence of the property's docstring. `place` is "file.py:line". `condition` is the source
    of the `if` that led there, or of the returned expression. `values` are the scalar locals, outermost function first.
    """

    name: str
    sentence: str
    place: str
    condition: str
    values: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        """The witness in one line: "first witness: r1=0 r2=2 offset=0, where offset >= end (properties.py:23)"."""
        values = " ".join(f"{name}={value}" for name, value in self.values) or "no local values"
        condition = f", where {self.condition}" if self.condition else ""
        return f"first witness: {values}{condition} ({self.place})"


@dataclass
class _Call:
    """One call seen while a property was evaluated: where it was called from, what it returned and where."""

    code: CodeType
    caller_line: int
    line: int = 0
    result: Any = None
    locals: dict[str, Any] | None = None
    last: "_Call | None" = None


def explain(trace: Trace) -> Witness | None:
    """The first witness that the last state (or step) of the trace violates its property; None where it does not."""
    if trace.property is None:
        return None
    checked = property_named(trace.model, trace.property)
    last = [step.state for step in trace.steps[-2:]]
    if checked.is_step and len(last) < 2:
        return None
    return find_witness(checked, *(last if checked.is_step else last[-1:]))


def find_witness(checked: Property, *states: Any) -> Witness | None:
    """Evaluate a property once more, watching; None where it holds. The states are not changed."""
    call = _watch(checked.function, lambda: checked.holds(*states))
    if call is None or call.result:
        return None
    values: dict[str, int] = {}
    while True:
        here = {name: value for name, value in (call.locals or {}).items() if isinstance(value, int)}
        values = values | {name: int(value) for name, value in here.items() if name not in values}
        lines, condition = _deciding(call.code, call.line)
        inner = call.last
        if inner is None or inner.result is not False or inner.caller_line not in lines:
            break
        call = inner
    place = f"{Path(call.code.co_filename).name}:{call.line}"
    return Witness(checked.name, _first_sentence(checked.function), place, condition, tuple(values.items()))


def _watch(function: Callable[..., Any], run: Callable[[], Any]) -> _Call | None:
    """Run `run` and return the first call of `function` within it, with the calls it made; None if there was none."""
    found: list[_Call] = []
    active: list[_Call] = []

    def on_event(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "call":
            if not active and (found or frame.f_code is not function.__code__):
                return None
            active.append(_Call(frame.f_code, frame.f_back.f_lineno if frame.f_back else 0))
        elif event == "return":
            call = active.pop()
            call.line, call.result, call.locals = frame.f_lineno, argument, dict(frame.f_locals)
            if active:
                active[-1].last = call
            else:
                found.append(call)
        return on_event

    previous = sys.gettrace()
    sys.settrace(on_event)
    try:
        run()
    finally:
        sys.settrace(previous)
    return found[0] if found else None


def _deciding(code: CodeType, line: int) -> tuple[range, str]:
    """The lines and the source of the condition that decided for the `return` at `line`; (empty, "") if unknown."""
    try:
        source, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(source)))
    except (OSError, SyntaxError):
        return range(0), ""
    text = ""
    lines = range(0)
    for node in ast.walk(tree):
        decision: ast.expr | None = None
        if isinstance(node, ast.Return) and _covers(node, line - first + 1):
            decision = None if isinstance(node.value, ast.Constant) else node.value
        elif isinstance(node, ast.If):
            branch = [child for child in node.body if isinstance(child, ast.Return)]
            if any(_covers(child, line - first + 1) and isinstance(child.value, ast.Constant) for child in branch):
                decision = node.test
        if decision is not None:
            text = ast.unparse(decision)
            lines = range(decision.lineno + first - 1, (decision.end_lineno or decision.lineno) + first)
    return lines, text


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _first_sentence(function: Callable[..., Any]) -> str:
    text = " ".join((inspect.getdoc(function) or "").split())
    head, dot, _ = text.partition(". ")
    return head + dot.strip()
