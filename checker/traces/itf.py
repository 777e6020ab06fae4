"""Traces in Apalache's Informal Trace Format (ITF), which other tools for TLA+ and Quint read.

Source: https://apalache-mc.org/docs/adr/015adr-trace.html. Each top-level field of the state is a variable; the
action and parameters that led to a state are the variables `action_taken` and `nondet_picks`.
"""

from typing import Any

from kafkacheck.checker.schema import ById, EnumOf, Flag, IdSet, Kind
from kafkacheck.checker.schema.id_sets import members_of
from kafkacheck.checker.schema.objects import plain_value
from kafkacheck.checker.schema.shape import Record, Scalar, Type
from kafkacheck.checker.traces.trace import Trace, ending_of

ACTION, PICKS = "action_taken", "nondet_picks"


def to_itf(trace: Trace) -> dict[str, Any]:
    """The trace as ITF data: numbers as big integers, id sets as sets, arrays by id as maps, by position as lists.

    Enum members are strings. An absent id or epoch stays -1, because a variable of TLA+ tools has one type. A lasso has
    a `loop`: the index of the first state that is repeated. The first step of the cycle leads to it; if nothing
    happens any more, it is the last state.
    """
    root = trace.model.layout.root
    kept = [name for name, _ in root.fields]
    states: list[dict[str, Any]] = []
    for index, step in enumerate(trace.steps):
        kinds = {p.name: p.kind for p in trace.model.action(step.action).parameters} if step.action else {}
        state: dict[str, Any] = {"#meta": {"index": index}, ACTION: step.action or "init"}
        state[PICKS] = {name: _scalar(kinds[name], value) for name, value in step.parameters.items()}
        states.append(state | {name: _value(node, getattr(step.state, name)) for name, node in root.fields})
    described = f"{trace.model.name}: {ending_of(trace) or 'no property'} in {len(trace.steps)} states"
    meta = {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"}
    return {
        "#meta": meta | {"description": described, "source": trace.model.name},
        "params": [],
        "vars": [ACTION, PICKS, *kept],
        "states": states,
        **({} if trace.loop is None else {"loop": trace.loop if trace.is_stop else trace.loop + 1}),
    }


def _value(node: Type, value: Any) -> Any:
    if isinstance(node, Scalar):
        return _scalar(node.kind, plain_value(value))
    if isinstance(node, Record):
        if node.slots is not None:
            return [_value(node.slots.element, each) for each in value]
        return {name: _value(child, getattr(value, name)) for name, child in node.fields}
    elements = [_value(node.element, element) for element in value]
    if isinstance(node.index, ById):
        return {"#map": [[_integer(index), element] for index, element in enumerate(elements)]}
    return elements


def _scalar(kind: Kind, value: int) -> Any:
    if isinstance(kind, Flag):
        return bool(value)
    if isinstance(kind, IdSet):
        return {"#set": [_integer(member) for member in members_of(value)]}
    if isinstance(kind, EnumOf):
        return kind.members(value).name
    return _integer(value)


def _integer(value: int) -> dict[str, str]:
    return {"#bigint": str(int(value))}
