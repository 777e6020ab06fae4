"""The description that a system under test gives of itself, held against the model.

Every field and every action of the model is either judged or listed as not judged with a reason.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import did_you_mean, shortened

PROTOCOL = 1
"""The version of the messages between `conform` and a system."""

LISTS = ("observes", "acts", "refuses", "needs")
REASONS = ("silent", "not_judged")
CHOICES = "chooses"
STARTS = ("initial", "reachable")
DESCRIPTION = {*LISTS, *REASONS, CHOICES, "starts"}


@dataclass(frozen=True)
class Adapter:
    """A system's description, in numbers of the model's fields (leaves of the state) and actions.

    `observes`: the fields that the system shows. `acts`: the actions that it performs. `refuses`: those among them that
    it can be asked when they are not enabled. `needs`: fields that it is told before each action. `silent`: actions
    that the model takes and the system is not told, because they change no field that it shows. `not_judged`: why the
    other fields and actions are left out, by the name or pattern that the system gave. `chooses`: by the action, the
    parameters that the system chooses itself. `starts_anywhere`: whether the system can begin in any reachable state.
    """

    observes: tuple[int, ...]
    needs: tuple[int, ...]
    acts: frozenset[int]
    refuses: frozenset[int]
    silent: frozenset[int]
    not_judged: Mapping[str, str]
    chooses: Mapping[int, frozenset[str]]
    starts_anywhere: bool


def read(model: Model, name: str, told: Any) -> Adapter:
    """The adapter that `told`, the answer of the system `name` to the first message, describes.

    UsageError if it names a field or action that the model does not have, leaves one out, or judges nothing.
    """
    if not isinstance(told, dict) or not told.keys() <= DESCRIPTION:
        raise UsageError(
            f"{name}: it describes itself as {shortened(str(told))}; expected an object with some of "
            f"{', '.join(sorted(DESCRIPTION))}"
        )
    for role in LISTS:
        _check(name, role, told.get(role, []), list, "a list of names")
    for role in REASONS:
        _check(name, role, told.get(role, {}), dict, "an object with a reason for each name")
    starts = told.get("starts", "initial")
    if starts not in STARTS:
        raise UsageError(f"{name}: starts is {shortened(repr(starts))}; expected one of {', '.join(STARTS)}")
    paths = [leaf.path for leaf in model.layout.leaves]
    actions = [action.name for action in model.actions]
    observes = _fields(name, "observes", told.get("observes", []), paths)
    needs = _fields(name, "needs", told.get("needs", []), paths)
    acts = _actions(name, "acts", told.get("acts", []), actions)
    refuses = _actions(name, "refuses", told.get("refuses", []), actions)
    silent = _actions(name, "silent", told.get("silent", {}), actions)
    if not observes or not acts:
        raise UsageError(
            f"{name}: it observes {len(observes)} fields and performs {len(acts)} actions; a system that shows or does "
            "nothing conforms to nothing, so name some of both in observes and acts"
        )
    extra = sorted(refuses - acts)
    if extra:
        raise UsageError(f"{name}: refuses names {actions[extra[0]]}, which acts does not name; add it there")
    reasons = dict(told.get("not_judged", {}))
    fields, others = set(observes), acts | silent
    for each in reasons:
        if each in actions:
            others |= {actions.index(each)}
        else:
            fields |= set(_fields(name, "not_judged", [each], [*paths, *actions]))
    _check_told_of_all(name, "field", "observes", [path for i, path in enumerate(paths) if i not in fields])
    _check_told_of_all(name, "action", "acts", [action for i, action in enumerate(actions) if i not in others])
    both = sorted((acts & silent) | {i for i in acts if actions[i] in reasons})
    if both:
        raise UsageError(f"{name}: it performs {actions[both[0]]} and says that it is not judged; say one of both")
    chooses = _choices(model, name, told.get(CHOICES, {}), acts)
    return Adapter(observes, needs, acts, refuses, silent, reasons, chooses, starts == "reachable")


def _choices(model: Model, name: str, told: Any, acts: frozenset[int]) -> dict[int, frozenset[str]]:
    if not isinstance(told, dict):
        raise UsageError(f"{name}: chooses is {shortened(repr(told))}; expected an object with a list for each action")
    found = {}
    for action, parameters in told.items():
        (number,) = _actions(name, CHOICES, [action], [each.name for each in model.actions])
        known = [each.name for each in model.actions[number].parameters]
        _check(name, f"{CHOICES} of {action}", parameters, list, "a list of names")
        for each in parameters:
            if each not in known or number not in acts:
                raise UsageError(
                    f"{name}: {CHOICES} names the parameter {shortened(each)!r} of {action}, which "
                    + (
                        "the system does not perform"
                        if number not in acts
                        else "has the parameters " + ", ".join(known)
                    )
                )
        found[number] = frozenset(parameters)
    return found


def _check(name: str, role: str, value: object, kind: type, expected: str) -> None:
    texts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    if not isinstance(value, kind) or not all(isinstance(each, str) and each for each in texts):
        raise UsageError(f"{name}: {role} is {shortened(repr(value))}; expected {expected}, as texts")


def _check_told_of_all(name: str, what: str, role: str, missing: list[str]) -> None:
    if missing:
        shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise UsageError(
            f"{name}: it says nothing about the {what}{'s' * (len(missing) > 1)} {shown}; name each in {role}, or in "
            "not_judged with the reason"
        )


def _actions(name: str, role: str, given: Iterable[str], known: list[str]) -> frozenset[int]:
    for each in given:
        if each not in known:
            raise UsageError(
                f"{name}: {role} names the action {shortened(each)!r}, which the model does not have"
                f"{did_you_mean(each, known) or '; its actions are ' + ', '.join(known)}"
            )
    return frozenset(known.index(each) for each in given)


def _fields(name: str, role: str, given: Iterable[str], paths: list[str]) -> tuple[int, ...]:
    found: set[int] = set()
    for pattern in given:
        fits = fitting(pattern)
        numbers = [number for number, path in enumerate(paths) if fits(path)]
        if not numbers:
            raise UsageError(
                f"{name}: {role} names {shortened(pattern)!r}, which no field of the model fits"
                f"{did_you_mean(pattern, paths) or '; its first field is ' + paths[0]}; write a path such as "
                "nodes[0].log, or nodes[*].log for every node"
            )
        found.update(numbers)
    return tuple(sorted(found))


def fitting(pattern: str) -> Callable[[str], bool]:
    """Whether a path is the one that the pattern names, or lies within: `nodes[*].log` fits `nodes[1].log.end`."""
    text = re.escape(pattern).replace(re.escape("[*]"), r"\[\d+\]")
    compiled = re.compile(rf"{text}(?:[.\[].*)?")
    return lambda path: compiled.fullmatch(path) is not None
