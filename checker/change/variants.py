"""Settings of a model at which an edit may matter though it does not at the model's own, the likeliest first."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import combinations

from kafkacheck.checker.change.definitions import Key, Kind, Tree
from kafkacheck.checker.change.edits import Edit, Edits
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.mutation import SETTINGS
from kafkacheck.checker.process.names import RELEASE
from kafkacheck.checker.result import outcomes_of
from kafkacheck.checker.schema.bounds import names_in
from kafkacheck.checker.schema.releases import dated, order
from kafkacheck.checker.schema.rules import switches
from kafkacheck.checker.schema.schema import ById, Id, IdSet, Size
from kafkacheck.checker.schema.shape import ArrayOf, Scalar, Type

Settings = tuple[str, ...]
MOST_LOWER = 6
"""How many lower values of a bound are tried."""


def closest_names(edits: Edits, touching: Sequence[Edit]) -> set[str]:
    """The rules and bounds of functions that use what an edited function uses no longer.

    If an edit drops a check and makes no difference, a second check may be in the way, which a rule can switch off.
    """
    before, now = edits.before, edits.now
    dropped = {
        edits.pairs.get(used, used)
        for each in touching
        if each.before is not None and each.now is not None
        for used in before.uses(each.before.key)
    }
    dropped -= {used for each in touching if each.now is not None for used in now.uses(each.now.key)}
    return _settings_in([each.tree for key, each in now.definitions.items() if now.uses(key) & dropped])


def near_names(edits: Edits, touching: Sequence[Edit]) -> tuple[set[str], set[str]]:
    """The rules and bounds that edited functions read, or functions that they call; and those that callers read.

    What they read before the edit counts as well.
    """
    now, before = edits.now, edits.before
    edited = {each.now.key for each in touching if each.now is not None}
    former = {each.before.key for each in touching if each.before is not None}
    callers = {key for key in now.definitions if now.uses(key) & edited}
    own = _settings_in([each.definition.tree for each in touching])
    own |= _settings_in([now.definitions[key].tree for key in now.reached(edited)])
    own |= _settings_in([before.definitions[key].tree for key in before.reached(former)])
    own |= _fields_in([each.definition.tree for each in touching])
    return own, _settings_in([now.definitions[key].tree for key in callers]) - own


def _fields_in(trees: Sequence[ast.stmt]) -> set[str]:
    """The names of the fields that are looked up: some hold a bound of the same name, such as `max_sequence`."""
    return {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def _settings_in(trees: Sequence[ast.stmt]) -> set[str]:
    """The names that are looked up in `rules` or `bounds`, or in a group of rules."""
    found: set[str] = set()
    for node in (each for tree in trees for each in ast.walk(tree)):
        if isinstance(node, ast.Attribute):
            parts, value = [node.attr], node.value
            while isinstance(value, ast.Attribute):
                parts.append(value.attr)
                value = value.value
            if isinstance(value, ast.Name) and value.id in SETTINGS:
                found.update(parts)
    return found


def mentioning(edits: Edits, models: Mapping[str, tuple[Key, Sequence[Edit]]]) -> set[str]:
    """The models whose definitions set a rule or bound that edited functions read, if most others do not set it.

    `models`: by name, the key of each model's definition, and the edits that it reaches.
    """
    read: dict[tuple[int, ...], set[str]] = {}
    found: dict[str, set[str]] = {}
    for name, (key, touching) in models.items():
        which = tuple(map(id, touching))
        if which not in read:
            read[which] = near_names(edits, touching)[0] | closest_names(edits, touching)
        found[name] = _named_by(edits.now, key) & read[which]
    counts = Counter(each for names in found.values() for each in names)
    return {name for name, names in found.items() if any(2 * counts[each] <= len(models) for each in names)}


def _named_by(tree: Tree, key: Key) -> set[str]:
    """The names that a model's definition sets: those of its keyword arguments and its texts, and of values in it."""
    left, found = [key], set[Key]()
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += [used for used in tree.uses(each) if tree.definitions[used].kind is Kind.VALUE]
    nodes = [node for each in found for part in tree.definitions[each].trees for node in ast.walk(part)]
    named = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
    return named | {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def variants(model: Model, edits: Edits, touching: Sequence[Edit]) -> list[tuple[int, Settings]]:
    """Settings to try, each with its rank: one switch or bound at a time, then releases, then two switches at a time.

    Those come first that the edited functions read, or functions that they call; then those that their callers read.
    A bound that they read is also lowered, because a model may be too large to come to it.
    """
    closest = closest_names(edits, touching)
    own, near = near_names(edits, touching)
    own |= closest

    def rank(name: str) -> int:
        last = name.rpartition(".")[2]
        return 0 if last in own else 1 if last in near else 3

    singles = [(rank(name), f"{name}={text}") for name, text in _others(model)]
    singles += [
        (0, f"{name}={lower}")
        for name, bound in model.bounds.items()
        if name in own and name not in model.flags
        for lower in range(bound - 1, max(0, bound - 1 - MOST_LOWER), -1)
    ]
    singles = [(place, text) for place, text in singles if _is_possible(model, text)]
    found: list[tuple[int, Settings]] = [(place, (text,)) for place, text in singles]
    found += [(4, (f"{RELEASE}{release}",)) for release in _releases(model)]
    close = [text for place, text in singles if place < 2]
    found += [(2, pair) for pair in combinations(close, 2) if _name(pair[0]) != _name(pair[1])]
    mends = _dated_names(model) & closest
    return sorted(found, key=lambda each: (each[0], not any(_name(text) in mends for text in each[1])))


def enlarged(model: Model, edits: Edits, touching: Sequence[Edit]) -> list[Settings]:
    """Settings with one member more of a set whose ids the edited functions read.

    Functions that they call count as well. If an edit makes a difference, and yet nothing fails, a member may be
    missing for it: two sets of ids differ in more ways if three members can be in them. None if no property of the
    model says what users lose.
    """
    if not outcomes_of(model):
        return []
    now = edits.now
    edited = {each.now.key for each in touching if each.now is not None}
    trees = [each.definition.tree for each in touching] + [now.definitions[key].tree for key in now.reached(edited)]
    read = _fields_in(trees)
    records = [found for each in model.layout.structs if (found := model.layout.record(each)) is not None]
    sizes = [size for each in records for name, kind in each.fields if name in read for size in _members_of(kind)]
    names = {name for size in sizes for name in names_in(size)}.difference(model.flags)
    return [_raised(model, name, bound + 1) for name, bound in model.bounds.items() if name in names]


def _raised(model: Model, name: str, bound: int) -> Settings:
    """A higher bound, with those that may not be below it."""
    return tuple(f"{each}={value}" for each, value in raised_with(model, {name: bound}).items())


def raised_with(model: Model, changes: Mapping[str, int]) -> dict[str, int]:
    """Changes of bounds, and what must be raised with them because it may not be below one of them."""
    values = {**model.bounds, **changes}
    while low := [(name, other) for name, other in model.at_least.items() if values[name] < values[other]]:
        values |= {name: values[other] for name, other in low}
    return {name: value for name, value in values.items() if name in changes or value != model.bounds[name]}


def _members_of(field: Type) -> Iterator[Size]:
    """How many members the sets have whose ids are in a field: as its value, as its members, or as its index."""
    while isinstance(field, ArrayOf):
        if isinstance(field.index, ById):
            yield field.index.members
        field = field.element
    if isinstance(field, Scalar) and isinstance(field.kind, Id | IdSet):
        yield field.kind.members


def has_older_rules(model: Model, settings: Settings) -> bool:
    """Whether settings turn a rule to that of another release, so that they are no choice of an operator."""
    return any(each.startswith(RELEASE) for each in settings) or not _dated_names(model).isdisjoint(
        map(_name, settings)
    )


def _dated_names(model: Model) -> set[str]:
    """The rules that differ between releases, by their whole names and by the last parts of these."""
    names = dated(model.rules)
    return {*names, *(each.rpartition(".")[2] for each in names)}


def _name(text: str) -> str:
    return text.partition("=")[0]


def _others(model: Model) -> Iterator[tuple[str, str]]:
    """Each switch and each bound of 0 or 1 with its other values, and each other bound with the next one."""
    for name, value in switches(model.rules).items():
        if isinstance(value, bool):
            yield name, str(not value).lower()
        elif isinstance(value, IntEnum):
            yield from ((name, each) for each, member in type(value).__members__.items() if member != value)
        else:
            yield name, str(value + 1)
    for name, bound in model.bounds.items():
        yield name, str(1 - bound if name in model.flags else bound + 1)


def _is_possible(model: Model, text: str) -> bool:
    """Whether a setting, if it is one of a bound, lets each bound be as high as it must."""
    name, _, value = text.partition("=")
    if name not in model.bounds:
        return True
    bounds = {**model.bounds, name: int(value)}
    return raised_with(model, bounds) == bounds


def _releases(model: Model) -> list[str]:
    """The releases that a rule of the model names, the newest first."""
    named = {step.release for steps in dated(model.rules).values() for step in steps}
    return sorted((each for each in named if order(each) != (0,)), key=order, reverse=True)
