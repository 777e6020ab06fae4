"""Random queues and bags, and new records, for `random_functions`."""

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.programs.random_schemas import ArrayOf, Container, Record, Scalar, Type, is_known
from tests.programs.random_sets import bracketed, ids

if TYPE_CHECKING:
    from tests.programs.random_expressions import ExpressionWriter


def is_container(kind: Type) -> bool:
    return isinstance(kind, Container)


def _container(writer: "ExpressionWriter", depth: int = 1) -> tuple[str, Container] | None:
    found = writer.place(is_container, depth)
    if found is None or not isinstance(found[1], Container):
        return None
    return found[0], found[1]


def counted(writer: "ExpressionWriter") -> tuple[str, int] | None:
    """The length of a queue or bag, and how large it can be."""
    found = _container(writer)
    return found and (f"len({found[0]})", found[1].most)


def asked(writer: "ExpressionWriter", depth: int) -> str | None:
    """What is asked of a queue or bag."""
    found = _container(writer)
    if found is None:
        return None
    text, kind = found
    if writer.chance(0.3):
        return f"is_full({text})"
    if writer.chance(0.3):
        other = writer.place(lambda each: each is kind, 1)
        if other is not None and other[0] != text:
            return f"({text} {writer.random.choice(['==', '!='])} {other[0]})"
    field = _scalar(writer, kind.element, lambda each: each.is_flag)
    with writer.quiet():
        place = "0" if writer.chance(0.5) else bracketed(writer.index(kind.most, depth))
    guard = f"len({text}) > {place}" if writer.chance(0.95) else "True"
    return f"({guard} and {text}[{place}].{field})" if field else f"({guard} and {text}[{place}] == {text}[0])"


def number(writer: "ExpressionWriter", depth: int) -> tuple[str, int, int] | None:
    """A number of a record in a queue or bag."""
    found = _container(writer)
    field = found and _scalar(writer, found[1].element, lambda each: each.is_int)
    if found is None or not field:
        return None
    text, kind = found
    scalar = kind.element.fields[field]
    assert isinstance(scalar, Scalar)
    with writer.quiet():
        place = bracketed(writer.index(kind.most, depth))
    low, high = min(scalar.low, 0), max(scalar.high, 0)
    return f"({text}[{place}].{field} if {place} < len({text}) else 0)", low, high


def _scalar(writer: "ExpressionWriter", record: Record, wanted: Callable[[Scalar], bool]) -> str:
    names = [name for name, kind in record.fields.items() if isinstance(kind, Scalar) and wanted(kind)]
    return writer.random.choice(names) if names else ""


def elements(writer: "ExpressionWriter") -> tuple[str, str, Record, str, int] | None:
    """The target and the iterable of a loop over a queue or bag, its class, the name of the index, and the most."""
    found = _container(writer)
    if found is None:
        return None
    text, kind = found
    name, index = writer.new_counter(), ""
    if writer.chance(0.3):
        index = writer.new_counter()
        return f"{index}, {name}", f"enumerate({text})", kind.element, index, kind.most
    return name, text, kind.element, index, kind.most


def new_record(writer: "ExpressionWriter", record: Record, places: bool) -> str:
    """A new record; with `places` also of arrays and records of the state."""
    parts = []
    for name, kind in record.fields.items():
        if writer.chance(0.3):
            continue
        if not isinstance(kind, Scalar):
            found = writer.place(lambda each, kind=kind: each == kind, 1) if places else None  # type: ignore[misc]  # the kind of this round
            parts += [f"{name}={found[0]}"] if found else []
        elif kind.is_flag:
            parts.append(f"{name}={writer.truth(1)}")
        elif kind.is_set:
            parts.append(f"{name}={ids(writer, 1)}")
        else:
            parts.append(f"{name}={writer.within(writer.number(1), kind.low, kind.high)}")
    if not places:  # copy() cannot know what is allowed in a blank record
        parts += [
            f"{name}={writer.within(writer.number(0), 0, 2)}"
            for name, kind in record.fields.items()
            if "Allowance" in kind.annotation and not any(part.startswith(f"{name}=") for part in parts)
        ]
    writer.random.shuffle(parts)
    return f"{record.name}({', '.join(parts)})"


def of_form(state: Record) -> list[str]:
    """What holds of the queues and bags of the state `after` only because of the form in which they are kept."""
    places: list[tuple[str, Container]] = []
    for name, kind in state.fields.items():
        if isinstance(kind, Container):
            places.append((f"after.{name}", kind))
        elif isinstance(kind, ArrayOf) and isinstance(kind.element, Container):
            places += [(f"after.{name}[{index}]", kind.element) for index in range(kind.length)]
    found = [
        f"len({one}) > 0 or len({two}) > 0 or {one} == {two}"
        for (one, kind), (two, other) in itertools.combinations(places, 2)
        if kind is other
    ]
    for text, kind in places:
        name, first = next(iter(kind.element.fields.items()))
        if "Bag" in kind.annotation and kind.most > 1 and isinstance(first, Scalar) and not first.is_set:
            order = f"not {text}[0].{name} or {text}[1].{name}" if first.is_flag else ""
            found.append(f"len({text}) < 2 or {order or f'{text}[0].{name} <= {text}[1].{name}'}")
    return found


def written(writer: "ExpressionWriter") -> list[str]:
    """Lines that change a queue or bag, or write a new record into the state."""
    found = _container(writer)
    if found is None or writer.chance(0.25):
        return _copied(writer)
    text, kind = found
    choice = writer.random.random()
    if choice < 0.1:
        return [f"clear({text})"]
    if choice < 0.2:
        other = writer.place(lambda each: each is kind, 1)
        return [f"copy({text}, {other[0]})"] if other is not None and other[0] != text else [f"clear({text})"]
    if choice < 0.45:
        with writer.quiet():
            place = "0" if writer.chance(0.5) else bracketed(writer.index(kind.most, 1))
        lines = [f"remove({text}, {place})"]
        return lines if writer.chance(0.05) else [f"if {place} < len({text}):", f"    {lines[0]}"]
    source = writer.place(lambda each: each == kind.element, 1) if writer.chance(0.3) else None
    if source is None and writer.chance(0.2):
        line = f"if len({text}) > 0 and not is_full({text}):"
        return [line, f"    add({text}, {text}[0])"]
    line = f"add({text}, {source[0] if source else new_record(writer, kind.element, True)})"
    return [line] if writer.chance(0.05) else [f"if not is_full({text}):", f"    {line}"]


def _copied(writer: "ExpressionWriter") -> list[str]:
    found = writer.place(lambda kind: isinstance(kind, Record) and kind is not writer.state and _is_flat(kind), 1)
    if found is None or not isinstance(found[1], Record):
        return ["pass"]
    return [f"copy({found[0]}, {new_record(writer, found[1], False)})"]


def _is_flat(kind: Type) -> bool:
    """Whether copy() can make what it does not name blank."""
    match kind:
        case Record():
            return all(isinstance(each, Scalar) or is_known(each) for each in kind.fields.values())
    return False
