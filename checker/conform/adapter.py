"""The description that a system under test gives of itself, held against the model.

Every field and every action of the model is either judged or listed as not judged with a reason.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import did_you_mean, shortened
from kafkacheck.checker.schema.schema import Kind

PROTOCOL = 1
"""The version of the messages between `conform` and a system."""

LISTS = ("observes", "answers", "acts", "refuses", "needs")
REASONS = ("silent", "not_judged")
CHOICES = "chooses"
STARTS = ("initial", "reachable")
DESCRIPTION = {*LISTS, *REASONS, CHOICES, "starts"}


@dataclass(frozen=True)
class Field:
    """A field that a system shows or needs: one leaf of the state, or that leaf of an array to which another points.

    `kind`: the kind of its values. `leaves`: the number of the leaf; or, of each element of the array, that of its
    leaf. `pointer`: the number of the leaf that holds the index, or None.
    """

    path: str
    kind: Kind
    leaves: tuple[int, ...]
    pointer: int | None = None

    def value(self, values: Sequence[int]) -> int:
        """Its value in a flattened state; the first element's if the pointer is no index."""
        at = 0 if self.pointer is None else int(values[self.pointer])
        return int(values[self.leaves[at if 0 <= at < len(self.leaves) else 0]])

    def column(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Its values in flattened states, a state in each row."""
        if self.pointer is None:
            return rows[:, self.leaves[0]]
        at = rows[:, self.pointer]
        at = np.where((at >= 0) & (at < len(self.leaves)), at, 0)
        return np.take_along_axis(rows[:, list(self.leaves)], at[:, None].astype(np.int64), axis=1)[:, 0]


@dataclass(frozen=True)
class Adapter:
    """A system's description. Actions are their numbers in the model.

    `observes`: the fields that the system shows. `answers`: those of them that it shows only right after an action that
    it performed, because they hold its answer. `acts`: the actions that it performs. `refuses`: those among them that
    it can be asked when they are not enabled. `needs`: fields that it is told before each action. `silent`: actions
    that the model takes and the system is not told, because they change no field that it shows. `not_judged`: why the
    other fields and actions are left out, by the name or pattern that the system gave. `chooses`: by the action, the
    parameters that the system chooses itself. `starts_anywhere`: whether the system can begin in any reachable state.
    """

    observes: tuple[Field, ...]
    answers: frozenset[str]
    needs: tuple[Field, ...]
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
    answers = fields_of(model, name, "answers", told.get("answers", []))
    observes = fields_of(model, name, "observes", [*told.get("observes", []), *told.get("answers", [])])
    needs = fields_of(model, name, "needs", told.get("needs", []))
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
    fields, others = {leaf for each in observes for leaf in each.leaves}, acts | silent
    for each in reasons:
        if each in actions:
            others |= {actions.index(each)}
        else:
            found = fields_of(model, name, "not_judged", [each], actions)
            fields |= {leaf for field in found for leaf in field.leaves}
    _check_told_of_all(name, "field", "observes", [path for i, path in enumerate(paths) if i not in fields])
    _check_told_of_all(name, "action", "acts", [action for i, action in enumerate(actions) if i not in others])
    both = sorted((acts & silent) | {i for i in acts if actions[i] in reasons})
    if both:
        raise UsageError(f"{name}: it performs {actions[both[0]]} and says that it is not judged; say one of both")
    chooses = _choices(model, name, told.get(CHOICES, {}), acts)
    return Adapter(
        observes,
        frozenset(each.path for each in answers),
        needs,
        acts,
        refuses,
        silent,
        reasons,
        chooses,
        starts == "reachable",
    )


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


def fields_of(
    model: Model, name: str, role: str, given: Iterable[str], others: Sequence[str] = ()
) -> tuple[Field, ...]:
    """The fields that some patterns name, in the order of the state. `others`: more names to suggest.

    UsageError, naming `name` and `role`, if no field fits a pattern.
    """
    leaves = model.layout.leaves
    found: dict[str, Field] = {}
    for pattern in given:
        pointer, pointed = _pointer(pattern, [leaf.path for leaf in leaves])
        fits = fitting(pattern if pointer is None else pattern.replace(f"[{pointed}]", "[*]", 1))
        numbers = [number for number, leaf in enumerate(leaves) if fits(leaf.path)]
        if not numbers:
            paths = [*(leaf.path for leaf in leaves), *others]
            raise UsageError(
                f"{name}: {role} names {shortened(pattern)!r}, which no field of the model fits"
                f"{did_you_mean(pattern, paths) or '; its first field is ' + paths[0]}; write a path such as "
                "nodes[0].log, nodes[*].log for every node, or nodes[owner].log for the node to which a field points"
            )
        before = pattern.partition(f"[{pointed}]")[0]
        elements: dict[str, list[int]] = {}
        for number in numbers:
            path = leaves[number].path
            if pointer is not None:
                path = f"{before}[{pointed}]{path[path.index(']', len(before)) + 1 :]}"
            elements.setdefault(path, []).append(number)
        found |= {path: Field(path, leaves[each[0]].kind, tuple(each), pointer) for path, each in elements.items()}
    return tuple(sorted(found.values(), key=lambda each: each.leaves))


def _pointer(pattern: str, paths: list[str]) -> tuple[int | None, str]:
    """The field whose path stands as an index in a pattern: its number and path; (None, "") if there is none."""
    for pointed in re.findall(r"\[([^][]+)\]", pattern):
        if pointed in paths:
            return paths.index(pointed), pointed
    return None, ""


def fitting(pattern: str) -> Callable[[str], bool]:
    """Whether a path is the one that the pattern names, or lies within: `nodes[*].log` fits `nodes[1].log.end`."""
    text = re.escape(pattern).replace(re.escape("[*]"), r"\[\d+\]")
    compiled = re.compile(rf"{text}(?:[.\[].*)?")
    return lambda path: compiled.fullmatch(path) is not None
