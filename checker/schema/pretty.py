"""States as text, and the difference of two states field by field."""

from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.schema.id_sets import ID_SETS
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import is_optional
from kafkacheck.checker.schema.schema import EnumOf, Flag, IdSet, Kind
from kafkacheck.checker.schema.shape import Leaf


@dataclass(frozen=True)
class Change:
    """One scalar that two states do not share: its path and both values as text."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


def kind_value_text(kind: Kind, value: int) -> str:
    """A value of a kind as text: "none", "{0, 2}", an enum member's name, "true", or a number."""
    if isinstance(kind, Flag):
        return "true" if value else "false"
    if isinstance(kind, IdSet):
        return str(ID_SETS[value])
    if isinstance(kind, EnumOf):
        names = {int(member): member.name for member in kind.members}
        return names.get(int(value), str(value))
    if is_optional(kind) and value < 0:
        return "none"
    return str(int(value))


def value_text(leaf: Leaf, value: int) -> str:
    """The value of a leaf as text."""
    return kind_value_text(leaf.kind, value)


def state_lines(layout: Layout, state: Any) -> list[str]:
    """Every scalar of a state, one line each, as "path = value"."""
    values = layout.flatten(state)
    return [f"{leaf.path} = {value_text(leaf, value)}" for leaf, value in zip(layout.leaves, values, strict=True)]


def difference(layout: Layout, before: Any, after: Any) -> list[Change]:
    """The scalars in which two states differ, in order of declaration."""
    pairs = zip(layout.leaves, layout.flatten(before), layout.flatten(after), strict=True)
    return [Change(leaf.path, value_text(leaf, old), value_text(leaf, new)) for leaf, old, new in pairs if old != new]
