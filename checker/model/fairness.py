"""Fairness: what may not be put off for ever. A liveness property is judged of fair behaviours only.

Weak fairness of an action: if it is enabled from some time on without a break, it is done again and again. Strong
fairness: if it is enabled again and again, it is done again and again. Each is meant of the action as a whole, over all
of its parameters, which assumes least; or, by `each`, of every value of some parameters by itself. Without fairness any
behaviour may stop anywhere. A step that leaves the state as it was is none that fairness speaks of: it is not progress.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from kafkacheck.checker.model.charges import OfFamily
from kafkacheck.checker.model.parts import Action, Protocol
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.names import did_you_mean, unknown
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.pretty import kind_value_text


class Every(Enum):
    """All actions of a model, in place of a list of them."""

    ACTION = "EVERY_ACTION"
    CALL = "EVERY_CALL"


EVERY_ACTION = Every.ACTION
"""Every action is fair as a whole, over all of its parameters."""
EVERY_CALL = Every.CALL
"""Every action is fair for each combination of its parameters by itself."""


@dataclass(frozen=True)
class Each:
    """An action that is fair for each value of these parameters by itself; made by `each`."""

    action: Protocol
    parameters: tuple[str, ...]


Given = Every | Sequence[Protocol | Each]
"""What a model gives as `weakly_fair` or `strongly_fair`."""


def each(action: Protocol, *parameters: str) -> Each:
    """The action, fair for each value of the named parameters by itself; of all its parameters where none is named.

    `each(deliver, "node_id")`: no node is passed over for ever, whatever the other parameters of `deliver` are.
    """
    return Each(action, parameters)


@dataclass(frozen=True)
class Fairness:
    """That an action is fair, for each value of `parameters` by itself."""

    action: Action
    parameters: tuple[str, ...]
    is_strong: bool

    def share(self, values: Sequence[int]) -> Values:
        """The values of `parameters` among the values of all parameters of the action."""
        pairs = zip(self.action.parameters, values, strict=True)
        return tuple(int(value) for parameter, value in pairs if parameter.name in self.parameters)


@dataclass(frozen=True)
class Requirement:
    """One thing that may not be put off for ever: an action, with these values of the parameters it is fair for."""

    fairness: Fairness
    share: Values

    @property
    def is_strong(self) -> bool:
        """Whether it must be done where it is enabled again and again, with breaks."""
        return self.fairness.is_strong

    def covers(self, action: Action, values: Sequence[int]) -> bool:
        """Whether a call is one of those that it speaks of."""
        return action.name == self.fairness.action.name and self.fairness.share(values) == self.share

    def __str__(self) -> str:
        kinds = [each for each in self.fairness.action.parameters if each.name in self.fairness.parameters]
        pairs = zip(kinds, self.share, strict=True)
        told = ", ".join(f"{each.name}={kind_value_text(each.kind, value)}" for each, value in pairs)
        call = f"{self.fairness.action.name}({told})" if kinds else self.fairness.action.name
        return f"{'strong' if self.is_strong else 'weak'} fairness of {call}"


def listed_problem(listed: Sequence[Protocol], charges: Mapping[Any, str], actions: Sequence[Action]) -> str:
    """What is wrong with the list of the actions that may leave the state as it was, or with charges; "" if nothing is.

    A family may charge actions that a model does not take.
    """
    for function in () if isinstance(charges, OfFamily) else charges:
        if all(action.function is not function for action in actions):
            return f"`charges` charges {_shown(function, actions)}; charge functions of `actions`"
    for function in listed:
        found = [action for action in actions if action.function is function]
        if not found:
            return f"`stuttering` lists {_shown(function, actions)}; list functions of `actions`"
        if listed.count(function) > 1:
            return f"{found[0].name} is in `stuttering` twice; list it once"
        if found[0].allowance:
            return (
                f"`stuttering` lists {found[0].name}, which is charged to {found[0].allowance!r} and so changes the "
                "state each time; leave out one of the two"
            )
    return ""


def of_changed(given: Given, changed: Mapping[Protocol, Protocol]) -> Given:
    """What a model gives as fair, once its actions have become other functions."""
    if isinstance(given, Every):
        return given
    return [
        Each(changed[member.action], member.parameters) if isinstance(member, Each) else changed[member]
        for member in given
    ]


def requirements(fairness: Sequence[Fairness]) -> list[Requirement]:
    """All that may not be put off for ever, by fairness and then in the order of the parameters."""
    found: list[Requirement] = []
    for each in fairness:
        found += [Requirement(each, share) for share in dict.fromkeys(map(each.share, each.action.combinations()))]
    return found


def read(given: Mapping[str, Given], actions: Sequence[Action]) -> tuple[Fairness, ...]:
    """The fairness that a model gives as `weakly_fair` and `strongly_fair`. ModelError, with the mend, for mistakes."""
    found: dict[tuple[str, tuple[str, ...]], str] = {}
    for role, listed in given.items():
        for action, parameters in _listed(role, listed, actions):
            key = (action.name, parameters)
            if key in found:
                told = f"in `{role}` twice" if found[key] == role else "weakly and strongly fair; strong says both"
                raise ModelError(f"{action.name} is {told}; list it once")
            found[key] = role
    by_name = {action.name: action for action in actions}
    return tuple(
        Fairness(by_name[name], parameters, role == "strongly_fair") for (name, parameters), role in found.items()
    )


def _listed(role: str, listed: Given, actions: Sequence[Action]) -> Iterator[tuple[Action, tuple[str, ...]]]:
    if isinstance(listed, Every):
        for action in actions:
            yield action, tuple(each.name for each in action.parameters) if listed is EVERY_CALL else ()
        return
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise ModelError(f"`{role}` is {listed!r}; give a list of actions, EVERY_ACTION or EVERY_CALL")
    for member in listed:
        function = member.action if isinstance(member, Each) else member
        found = [action for action in actions if action.function is function]
        if not found:
            raise ModelError(f"`{role}` lists {_shown(function, actions)}; list functions of `actions`")
        yield found[0], _parameters(role, member, found[0])


def _parameters(role: str, member: Protocol | Each, action: Action) -> tuple[str, ...]:
    names = tuple(each.name for each in action.parameters)
    if not isinstance(member, Each):
        return ()
    if not names:
        raise ModelError(f"`{role}` lists each({action.name}), which has no parameters; list {action.name}")
    for name in member.parameters:
        if name not in names:
            raise ModelError(f"`{role}`: {unknown('parameter', str(name), names, action.name)}")
    return tuple(name for name in names if not member.parameters or name in member.parameters)


def _shown(function: object, actions: Sequence[Action]) -> str:
    if isinstance(function, Every):
        return f"{function.value}, which stands in place of the list"
    name = getattr(function, "__name__", None)
    if not callable(function) or name is None:
        return repr(function)
    return f"{name}, which is no action of the model{did_you_mean(name, [each.name for each in actions])}"
