"""What an expression of the plain subset is, once it is read: its type, and its typed form."""

from dataclasses import dataclass
from types import FunctionType
from typing import Any

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import BOOL, INT, NOTHING, SET, Owner
from kafkacheck.checker.process.names import a_or_an
from kafkacheck.checker.schema.canonical import is_container
from kafkacheck.checker.schema.rules import is_group
from kafkacheck.checker.schema.shape import ArrayOf, Record, lacking


@dataclass(frozen=True, eq=False)
class Host:
    """A Python value that exists only while code is read: a module, a function, an enum class, the rules."""

    value: Any


ValueType = ir.IrType | Host


@dataclass(slots=True)  # and not frozen, which takes three times as long to make
class Value:
    """What an expression is: its type, its typed form (None for a Host), its constant if it has one.

    `writes_if_true` and `writes_if_false` say whether evaluating it may have changed the state, given its outcome.
    `owner` is the (class name, field name) that declares an array of scalars, where known.
    """

    type: ValueType
    form: ir.Expression | None
    writes_if_true: bool = False
    writes_if_false: bool = False
    owner: Owner | None = None

    @property
    def constant(self) -> int | None:
        """Its value where that is known while reading."""
        return self.form.value if isinstance(self.form, ir.Const) else None

    @property
    def expression(self) -> ir.Expression:
        """Its typed form."""
        assert self.form is not None
        return self.form

    def writes_if(self, outcome: bool) -> bool:
        """Whether evaluating it may change the state where it turns out as `outcome`."""
        return self.writes_if_true if outcome else self.writes_if_false

    @property
    def writes(self) -> bool:
        """Whether evaluating it may change the state."""
        return self.writes_if_true or self.writes_if_false


def constant(value: int) -> Value:
    """The Value of a known int or bool."""
    known = value if isinstance(value, bool) else int(value)
    return Value(BOOL if isinstance(value, bool) else INT, ir.Const(known))


def type_name(value_type: ValueType) -> str:
    """A type in words."""
    if isinstance(value_type, str):
        return value_type
    if isinstance(value_type, Record):
        told = f"{a_or_an(value_type.struct.__name__)} record{' of a queue or bag' * value_type.is_fixed}"
        size = lacking(value_type)
        return told if size == "" else f"{told} that exists only if {size} is above 0"
    if isinstance(value_type, ArrayOf):
        return "an array"
    if is_group(value_type.value):
        return f"the {type(value_type.value).__name__}"
    return f"{type(value_type.value).__name__} {getattr(value_type.value, '__name__', '')}".strip()


def mend_of(wanted: ir.IrType, given: ValueType, text: str) -> str:
    """What to write for an expression that is of one type where another one is wanted; `text` is how it is written."""
    if given == NOTHING:
        return f"`{text}` returns nothing, so write it on a line of its own"
    if wanted == SET:
        return "write Ids({member})"
    if given == SET:
        return "ask for its len(), or for a member: `member in ids`"
    if isinstance(given, Host) and isinstance(given.value, FunctionType):
        return f"call it: `{text}(...)`"
    if is_container(given):
        return f"ask `len({text}) == 0` or `len({text}) > 0`" if wanted == BOOL else f"write `len({text})`"
    if isinstance(given, ArrayOf):
        return "name one of its elements"
    if given not in (INT, BOOL):
        return "name one of its fields or elements"
    if wanted == BOOL and text in ("0", "1"):
        return f"write {text == '1'}"
    return "compare it, for example `x != 0`" if wanted == BOOL else "write `1 if condition else 0`"


def named(name: str, kind: ValueType) -> Value:
    """The Value of a parameter or local name."""
    return Value(kind, None if isinstance(kind, Host) else ir.Local(name, kind))
