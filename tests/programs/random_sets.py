"""Random id sets: literals, operators, comparisons and loops, for `random_functions`."""

from typing import TYPE_CHECKING

from tests.programs.random_schemas import MEMBERS, Scalar, Type

if TYPE_CHECKING:
    from tests.programs.random_expressions import ExpressionWriter

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def bracketed(text: str) -> str:
    """The expression, as it can stand beside an operator."""
    return f"({text})" if " " in text else text


def is_set(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.is_set


def ids(writer: "ExpressionWriter", depth: int) -> str:
    """An id set of any form but a display."""
    if depth <= 0 or writer.chance(0.2):
        return _simple(writer, depth)
    called = writer.call("Ids", depth - 1) if writer.chance(0.3) else None
    if called is not None:
        return called.text
    deeper = depth - 1
    return str(writer.pick(
        lambda: f"({ids(writer, deeper)} {_operator(writer)} {ids(writer, deeper)})",
        lambda: f"({ids(writer, deeper)} {_operator(writer)} {display(writer, deeper)})",
        lambda: f"({display(writer, deeper)} {_operator(writer)} {ids(writer, deeper)})",
        lambda: f"({ids(writer, deeper)} if {writer.truth(deeper)} else {ids(writer, deeper)})",
        lambda: _literal(writer, deeper),
        lambda: _simple(writer, deeper),
    ))  # fmt: skip


def _operator(writer: "ExpressionWriter") -> str:
    return writer.random.choice("||&-^")


def _simple(writer: "ExpressionWriter", depth: int) -> str:
    if writer.scope.sets and writer.chance(0.5):
        return writer.random.choice(sorted(writer.scope.sets))
    found = writer.place(is_set, depth)
    return _literal(writer, 0) if found is None or writer.chance(0.15) else found[0]


def _literal(writer: "ExpressionWriter", depth: int) -> str:
    return str(writer.pick(
        lambda: writer.random.choice(["Ids()", "NOBODY", "schema.Ids()", "Ids(range(2))"]),
        lambda: f"Ids({display(writer, depth)})",
        lambda: f"Ids(range({writer.within(writer.number(depth), -1, MEMBERS)}))",
    ))  # fmt: skip


def display(writer: "ExpressionWriter", depth: int) -> str:
    """A display, of ids that are nearly always in range."""
    members = [writer.index(MEMBERS, depth) for _ in range(writer.random.choice([1, 1, 2]))]
    if writer.chance(0.03):
        members[0] = "state.who" if writer.roots else "-1 + 1"
    return "{" + ", ".join(members) + "}"


def asked(writer: "ExpressionWriter", depth: int) -> str:
    """What is asked of an id set."""
    if writer.chance(0.5):
        with writer.quiet():
            is_wild = writer.chance(0.03) and writer.roots
            member = "state.who" if is_wild else bracketed(writer.index(MEMBERS, depth))
            return f"({member} {writer.random.choice(['in', 'in', 'not in'])} {ids(writer, depth)})"
    sides = [ids(writer, depth), ids(writer, depth)]
    if writer.chance(0.4):
        sides[writer.random.randrange(2)] = display(writer, depth)
    return f"({sides[0]} {writer.random.choice(COMPARISONS)} {sides[1]})"


def write(writer: "ExpressionWriter", depth: int) -> str | None:
    """What writes an id set of the state."""
    with writer.quiet():
        found = writer.place(is_set, depth, fixed=True)
    if found is None:
        return None
    if writer.chance(0.5):
        return f"{found[0]} = {ids(writer, depth)}"
    with writer.quiet():
        right = display(writer, depth) if writer.chance(0.7) else ids(writer, depth)
    return f"{found[0]} {_operator(writer)}= {right}"
