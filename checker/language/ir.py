"""The typed form of the plain subset, from which the compiled and the symbolic reading are made.

`checker.language.subset` turns functions into it. Rules and constants are folded in, branches that the rules exclude
are gone, every name has one type, and every path through a function that returns a value ends in `Return`. Types are
"int", "bool", "nothing", "an id set" (of which the form computes with the bitmask), or a `Record` or `ArrayOf` of the
schema: a name bound to one of these is a view of the state.

Every reading has one order of evaluation, that of CPython; `tests/checker/language/test_orders.py` holds them to it:

- The parts of an expression are evaluated from the left: both sides of an operator, the base of a place and then its
  index, the arguments of a call and then its body.
- A scalar is read when its turn comes, and keeps the value that it had then: a write in a later part does not change
  it. A view says which record or array it is, once and for all; what lies in it is read later.
- `and`, `or` and a chain of comparisons are evaluated until decided, each side once. A chosen value is evaluated after
  its test, and the other one is not.
- `Store` evaluates the value, then the place, then writes. `Assign` and `Return` evaluate the value. `For` evaluates
  start and stop once, and binds its name at the beginning of each round, whatever the body did to it.
- Plain Python looks up the place of `place += value` before the value, and writes to it after. `Store` looks it up
  before (to read it) and after: `checker.language.subset` refuses code in which these could be two places.
- What fails ends the function there; nothing after it happens.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType

from kafkacheck.checker.schema import Flag, Kind, is_id_set
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar

INT, BOOL, NOTHING, SET = "int", "bool", "nothing", "an id set"

IrType = str | Record | ArrayOf
Owner = tuple[str, str]
Origin = tuple[type, str] | str
"""Where a queue or bag is: the class and the name of its field, or the parameter that it is."""

ANY_ARRAY: Owner = ("*", "*")
"""Owner of a scalar of an array whose declaring field is not known at the place that writes it."""


@dataclass(frozen=True)
class Const:
    """A known int or bool."""

    value: int

    @property
    def type(self) -> IrType:
        """The type "bool" for True and False, else "int"."""
        return BOOL if isinstance(self.value, bool) else INT


@dataclass(frozen=True)
class Local:
    """The value of a parameter or local name."""

    name: str
    type: IrType


@dataclass(frozen=True)
class Field:
    """The field `name` of the record `base`; `stored` is its type in the schema."""

    base: "Expression"
    record: Record
    name: str
    stored: Scalar | Record | ArrayOf

    @property
    def type(self) -> IrType:
        """What reading it gives."""
        return read_type(self.stored)


@dataclass(frozen=True)
class Element:
    """The element `index` of the array `base`. An index outside 0 .. length-1 is an error when it is evaluated."""

    base: "Expression"
    array: ArrayOf
    index: "Expression"

    @property
    def stored(self) -> Scalar | Record | ArrayOf:
        """Its type in the schema."""
        return self.array.element

    @property
    def type(self) -> IrType:
        """What reading it gives."""
        return read_type(self.stored)


def read_type(stored: Scalar | Record | ArrayOf) -> IrType:
    """What reading a place of this type gives."""
    return kind_type(stored.kind) if isinstance(stored, Scalar) else stored


def kind_type(kind: Kind) -> str:
    """What a scalar of this kind is to a function."""
    if isinstance(kind, Flag):
        return BOOL
    return SET if is_id_set(kind) else INT


@dataclass(frozen=True)
class Binary:
    """An int from two ints, or a set: + - * // % & | ^ << >> min max. Division by zero and negative shifts are errors.

    `checker.language.ranges` has shown that it fits 64 bits. `node` is where it is written.
    """

    operator: str
    left: "Expression"
    right: "Expression"
    type: IrType = INT
    node: ast.expr | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Unary:
    """An int from an int (- ~ abs), or a bool from a bool (not). `node` is where it is written."""

    operator: str
    operand: "Expression"
    node: ast.expr | None = field(default=None, compare=False, repr=False)

    @property
    def type(self) -> IrType:
        """The type "bool" for `not`, else "int"."""
        return BOOL if self.operator == "not" else INT


@dataclass(frozen=True)
class Compare:
    """A chain of comparisons of ints, or of bools: operators == != < <= > >=, one fewer than sides."""

    operators: tuple[str, ...]
    sides: tuple["Expression", ...]
    type: IrType = BOOL


@dataclass(frozen=True)
class Logical:
    """`and` or `or` of bools, evaluated from the left until decided."""

    operator: str
    values: tuple["Expression", ...]
    type: IrType = BOOL


@dataclass(frozen=True)
class Choose:
    """`then if test else otherwise`; only the chosen one is evaluated."""

    test: "Expression"
    then: "Expression"
    otherwise: "Expression"

    @property
    def type(self) -> IrType:
        """The type of both."""
        return self.then.type


@dataclass(frozen=True)
class Call:
    """A call of another function of the program."""

    function: "Function"
    arguments: tuple["Expression", ...]

    @property
    def type(self) -> IrType:
        """What the function returns."""
        return self.function.returns


@dataclass(frozen=True)
class Removed:
    """Whether the condition of that number is removed; see `checker.language.removal`."""

    number: int
    type: IrType = BOOL


Expression = Const | Local | Field | Element | Binary | Unary | Compare | Logical | Choose | Call | Removed
Place = Field | Element


@dataclass(frozen=True)
class Assign:
    """Bind a local name."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Store:
    """Write a scalar of the state."""

    place: Place
    value: Expression
    scalar: Scalar


@dataclass(frozen=True)
class If:
    """Run one of two branches."""

    test: Expression
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]


@dataclass(frozen=True)
class For:
    """Run `body` with `name` = start, start + step, ... while it is before `stop`; `step` is a constant, not 0.

    `node` is where it is written.
    """

    name: str
    start: Expression
    stop: Expression
    step: int
    body: tuple["Statement", ...]
    node: ast.For | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Return:
    """Leave the function, with a value unless it returns nothing."""

    value: Expression | None


@dataclass(frozen=True)
class Do:
    """Evaluate a call for its writes."""

    call: Expression


Statement = Assign | Store | If | For | Return | Do


@dataclass(eq=False)
class Function:
    """A protocol function read for given argument types.

    `parameters` are those it has when it runs (the rules are folded in). `written` are the (class name, field name)
    pairs it may write, `write_place` where it first does, and `false_is_clean` whether nothing can have been written
    when it returns False. `calls` are the functions it calls. `most_rounds` are how often its loops can run at most in
    one go, as `checker.language.ranges` finds. `is_part`: it is no function of its own, but a part of `function` that
    is called in one place, such as the loop of any(...). `moves` are the queues and bags whose records it may move, and
    `late_reads` pairs of a place of which it reads a record after what lies at the other place has moved; see
    `checker.language.items`.
    """

    function: FunctionType
    parameters: tuple[Local, ...] = ()
    returns: IrType = NOTHING
    body: tuple[Statement, ...] = ()
    written: set[Owner] = field(default_factory=set)
    write_place: str = ""
    false_is_clean: bool = True
    calls: list["Function"] = field(default_factory=list)
    most_rounds: dict[ast.For, int] = field(default_factory=dict)
    is_part: bool = False
    moves: frozenset[Origin] = frozenset()
    late_reads: frozenset[tuple[Origin, Origin]] = frozenset()

    @property
    def writes(self) -> bool:
        """Whether it may change the state."""
        return bool(self.written)


def is_harmless(expression: Expression) -> bool:
    """Whether leaving it out, or evaluating it where plain Python would not, makes no difference: it cannot fail."""
    match expression:
        case Const() | Local() | Removed():
            return True
        case Field(base):
            return is_harmless(base)
        case Element(base, array, index):
            return is_harmless(base) and isinstance(index, Const) and 0 <= index.value < array.length
        case Binary(operator, left, right):
            return operator not in ("//", "%", "<<", ">>") and is_harmless(left) and is_harmless(right)
        case Unary(_, operand):
            return is_harmless(operand)
        case Compare(_, parts) | Logical(_, parts):
            return all(is_harmless(part) for part in parts)
        case Choose(test, then, otherwise):
            return is_harmless(test) and is_harmless(then) and is_harmless(otherwise)
    return False


def calls(expression: Expression) -> Iterator[Call]:
    """Every call in an expression."""
    yield from (each for each in within(expression) if isinstance(each, Call))


def switches(function: Function) -> Iterator[Removed]:
    """Every question in a function whether a condition is removed."""
    for expression in expressions(function.body):
        yield from (each for each in within(expression) if isinstance(each, Removed))


def expressions(body: tuple[Statement, ...]) -> Iterator[Expression]:
    """Every expression of some statements, but for those that it is made of."""
    for statement in body:
        match statement:
            case Assign(_, value) | Do(value):
                yield value
            case Store(place, value, _):
                yield from (place, value)
            case Return(returned) if returned is not None:
                yield returned
            case If(test, then, otherwise):
                yield test
                yield from expressions((*then, *otherwise))
            case For(_, start, stop, _, inner):
                yield from (start, stop)
                yield from expressions(inner)


def within(expression: Expression) -> Iterator[Expression]:
    """An expression and every one that it is made of."""
    yield expression
    for part in parts(expression):
        yield from within(part)


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    match expression:
        case Field(base, _, _, _):
            return (base,)
        case Element(base, _, index):
            return (base, index)
        case Binary(_, left, right, _):
            return (left, right)
        case Unary(_, operand):
            return (operand,)
        case Compare(_, several, _) | Logical(_, several, _) | Call(_, several):
            return several
        case Choose(test, then, otherwise):
            return (test, then, otherwise)
    return ()


def reachable(roots: list[Function]) -> list[Function]:
    """All functions the roots call, callees before callers, in a fixed order."""
    ordered: dict[int, Function] = {}

    def visit(function: Function) -> None:
        if id(function) in ordered:
            return
        for callee in function.calls:
            visit(callee)
        ordered[id(function)] = function

    for root in roots:
        visit(root)
    return list(ordered.values())
