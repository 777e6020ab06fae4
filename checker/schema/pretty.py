"""States as text, and the difference of two states field by field."""

from collections.abc import Iterator
from dataclasses import dataclass

from kafkacheck.checker.schema.id_sets import ID_SETS
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import Values, is_optional
from kafkacheck.checker.schema.schema import EnumOf, Flag, IdSet, Kind
from kafkacheck.checker.schema.shape import ArrayOf, Leaf, Scalar, Type


@dataclass(frozen=True)
class Change:
    """What two states do not share, a scalar or the contents of a queue or bag: its path and both values as text."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        """Both values; of a queue or bag that holds something, only what was added behind that, if nothing else was."""
        held = self.before[:-1]
        if self.before.startswith("[") and len(held) > 1 and self.after.startswith(f"{held}, "):
            return f"{self.path}: + {self.after[len(held) + 2 : -1]}"
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


def texts(layout: Layout, values: Values) -> dict[str, str]:
    """What a flattened state shows, by path and in order of declaration: scalars, and what queues and bags hold."""
    return dict(_texts(layout.root, "", iter(values)))


def state_lines(layout: Layout, values: Values) -> list[str]:
    """A flattened state, one line for each path, as "path = value"."""
    return [f"{path} = {text}" for path, text in texts(layout, values).items()]


def lines_unlike_blank(layout: Layout, values: Values) -> list[str]:
    """The lines of a flattened state without those in which it is like the blank state."""
    blank = set(state_lines(layout, layout.blank_values))
    return [line for line in state_lines(layout, values) if line not in blank]


def difference(layout: Layout, before: Values, after: Values) -> list[Change]:
    """In what two flattened states differ, in order of declaration."""
    if before == after:
        return []
    old, new = texts(layout, before), texts(layout, after)
    return [Change(path, old[path], new[path]) for path in old if old[path] != new[path]]


def _texts(node: Type, path: str, values: Iterator[int]) -> Iterator[tuple[str, str]]:
    if isinstance(node, Scalar):
        yield path, kind_value_text(node.kind, next(values))
    elif isinstance(node, ArrayOf):
        for index in range(node.length):
            yield from _texts(node.element, f"{path}[{index}]", values)
    elif node.slots is not None:
        yield path, _contents(node.slots, next(values), values)
    else:
        for name, child in node.fields:
            yield from _texts(child, f"{path}.{name}" if path else name, values)


def _contents(slots: ArrayOf, length: int, values: Iterator[int]) -> str:
    """What a queue or bag holds. In a solver's state something can lie behind its end, which no function reads."""
    told = [_whole(slots.element, values) for _ in range(slots.length)]
    while len(told) > length and told[-1][1]:
        told.pop()
    held, behind = (", ".join(text for text, _ in part) for part in (told[:length], told[length:]))
    return f"[{held}], and behind its end {behind}" if behind else f"[{held}]"


def _whole(node: Type, values: Iterator[int]) -> tuple[str, bool]:
    """A value as text, of a record what is not blank in it, as code would write it; and whether it is blank."""
    if isinstance(node, Scalar):
        value = next(values)
        return kind_value_text(node.kind, value), value == node.blank
    if isinstance(node, ArrayOf):
        parts = [_whole(node.element, values) for _ in range(node.length)]
        return f"[{', '.join(text for text, _ in parts)}]", all(is_blank for _, is_blank in parts)
    fields = [(name, *_whole(child, values)) for name, child in node.fields]
    named = [f"{name}={text}" for name, text, is_blank in fields if not is_blank]
    return f"{node.struct.__name__}({', '.join(named)})", not named
