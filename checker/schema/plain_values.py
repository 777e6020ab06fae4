"""Whether Python computes with a value as it does with an int."""

from enum import EnumType, IntEnum
from typing import Any

from kafkacheck.checker.process.locations import shown
from kafkacheck.checker.process.names import a_or_an

ABSENT = object()
"""The value of a name that is not there: a builtin is seen only if the module has no such name."""

_OPERATORS = tuple(
    name
    for name in vars(int)
    if name.startswith("__") and name not in ("__new__", "__repr__", "__format__", "__doc__", "__getnewargs__")
)
"""What Python calls when it computes with an int. How one is shown, made or saved changes no value."""

_FOREIGN = (
    *(f"__i{name}__" for name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift")),
    *("__getattr__", "__get__", "__set__", "__delete__", "__setattr__", "__delattr__", "__class__", "__del__"),
)
"""What an int has not, or has from `object`, and Python would call if a subclass had it."""

_IN_ORDER = (*_OPERATORS, *_FOREIGN)

_WATCHED = frozenset(_IN_ORDER)


def resolved(owner: type, name: str) -> Any:
    """What the class has under a name, as it is written there; ABSENT if nothing."""
    return next((vars(each)[name] for each in owner.__mro__ if name in vars(each)), ABSENT)


def enum_problem(members: type) -> str:
    """Why members of an enum may do other things than ints do, in words that follow its name; "" if they do not."""
    if type(members) is not EnumType:
        return f"has the metaclass {type(members).__name__}, which can make its members anything; leave it out"
    bases = [each for each in members.__mro__ if each is not int and each is not object]
    written = {name for each in bases for name in _WATCHED & vars(each).keys()}
    if len(bases) == len(members.__mro__) - 1:  # not one of int
        written = set(_WATCHED)
    own = [name for name in _IN_ORDER if name in written and resolved(members, name) is not resolved(int, name)]
    if own:
        name = next((each for each in own if each != "__hash__"), own[0])  # who writes an __eq__ must write a __hash__
        return f"has a {name} of its own; machine code and proofs compute with plain ints, so leave it out"
    member: Any
    for member in members.__members__.values():
        if type(member) is not members or int.__index__(member) != member._value_ or type(member._value_) is not int:
            return f"has {member._name_}, which is not the int {shown(member._value_)}; leave out its `__new__`"
    return ""


def int_problem(value: object) -> str:
    """Why a value is no plain int, bool or member of a plain IntEnum, in words that follow its name; "" if it is."""
    kind = type(value)
    if kind is int or kind is bool:
        return ""
    if isinstance(value, IntEnum):
        problem = enum_problem(type(value))
        return problem and f"is a member of {kind.__name__}, which {problem}"
    told = f"is {a_or_an(kind.__name__)}, whose operators need not be those of int"
    return f"{told}; give an int, a bool or an IntEnum member"
