"""What protocol code sees outside of itself: that Python's own operators act on it, and that it stays what it was.

The subset's readers fold globals, enum members, rules and the functions that are called into the typed form, when a
model is defined. Plain Python looks them up anew each time. Both see the same only if nothing of it changes, and if no
code but Python's own runs when a value is looked up, computed with or stored.
"""

import builtins
from collections.abc import Callable, Mapping
from enum import EnumType
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any, NamedTuple

from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import declaration_place, place_of, shown
from kafkacheck.checker.process.names import a_or_an
from kafkacheck.checker.schema import Struct
from kafkacheck.checker.schema.plain_values import ABSENT, enum_problem, resolved
from kafkacheck.checker.schema.rules import is_group

_STORING = ("__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__class__", "__del__", "__ne__")


def rule_problem(rules: Any, name: str) -> str:
    """Why looking up a switch may give something else than the tuple holds, in words that follow its name; or ""."""
    kind = type(rules)
    if type(resolved(kind, name)) is not type(_Sight.text):
        return f"is not a field of {kind.__name__}; declare it as one: `{name}: bool`"
    if resolved(kind, "__getattribute__") is not vars(tuple)["__getattribute__"]:
        return f"is looked up by a __getattribute__ of {kind.__name__}; leave that out"
    return ""


def struct_problem(struct: type) -> str:
    """Why a field of a record may do more than hold its value, in a whole sentence; "" if it does not."""
    for name in (*_STORING, "__eq__"):
        usual = Struct if name == "__eq__" else object
        if resolved(struct, name) is not resolved(usual, name):
            return (
                f"{struct.__name__} has a {name} of its own, which machine code and proofs do not run; leave it out, "
                "and write what it does in a function"
            )
    for name in struct.field_names:  # type: ignore[attr-defined]  # StructMeta gives it
        slot = resolved(struct, name)
        if type(slot) is not MemberDescriptorType or slot.__name__ != name:
            return f"{struct.__name__}.{name} is no longer the field that it was; leave the class as it was declared"
    return ""


class _Sight(NamedTuple):
    """A value that a function sees. `look` gives the value now; `kind` is its type then."""

    function: FunctionType
    line: int | None
    text: str
    value: Any
    kind: type
    look: Callable[[], Any]


class Outside:
    """Everything that the functions of a model see outside of themselves, as it was when they were read."""

    def __init__(self) -> None:
        self._sights: dict[tuple[int, str], _Sight] = {}
        self._holders: list[Any] = []
        self._codes: dict[FunctionType, Any] = {}
        self._structs: list[type] = []

    def note_function(self, function: FunctionType) -> None:
        """A function is read. ModelError if its names are not looked up as Python's own dicts do it."""
        self._codes[function] = function.__code__
        known = getattr(function, "__builtins__", None)
        if type(function.__globals__) is not dict or known is not vars(builtins):
            raise ModelError(
                f"{place_of(function)}: {function.__name__} sees globals or builtins that are not Python's own "
                "(`exec`, or an assignment of `__builtins__`); define it in a plain module"
            )

    def note_struct(self, struct: type) -> None:
        """Records of this class are part of the state. ModelError if it can do more than hold values."""
        if problem := struct_problem(struct):
            raise ModelError(f"{declaration_place(struct.__module__, struct.__name__)}: {problem}")
        self._structs.append(struct)

    def note_name(self, function: FunctionType, line: int | None, name: str) -> None:
        """A function sees a name of its module, or that the module has no such name."""
        self._note(function, line, name, function.__globals__)

    def note_builtin(self, function: FunctionType, name: str) -> None:
        """A function sees a builtin."""
        self.note_name(function, None, name)
        self._note(function, None, name, vars(builtins))

    def note_attribute(self, function: FunctionType, line: int, text: str, holder: Any, name: str) -> None:
        """A function sees an attribute of a module, an enum, a function or the rules; `text` is how it is written.

        ModelError, without a place, if it may be another one at each look.
        """

        def look() -> Any:
            if problem := attribute_problem(holder, name):
                raise ModelError(f"{text} {problem}")
            return getattr(holder, name)

        if (id(holder), name) not in self._sights:
            self._keep(function, line, text, look(), holder, name, look)

    def note_annotation(self, function: Any, name: str, value: Any, look: Callable[[], Any]) -> None:
        """The annotation of a parameter gives its domain."""
        self._keep(function, None, f"the annotation of {name}", value, function, f"annotation of {name}", look)

    def _note(self, function: FunctionType, line: int | None, name: str, names: dict[str, Any]) -> None:
        if (id(names), name) not in self._sights:
            value = names.get(name, ABSENT)
            self._keep(function, line, name, value, names, name, lambda: names.get(name, ABSENT))

    def _keep(
        self, function: Any, line: int | None, text: str, value: Any, holder: Any, name: str, look: Callable[[], Any]
    ) -> None:
        self._holders.append(holder)  # so that its id stays its own
        self._sights[id(holder), name] = _Sight(function, line, text, value, type(value), look)

    def require_unchanged(self) -> None:
        """ModelError, naming the place, the value then and the value now, if a function sees something else now."""
        enums: dict[type, str] = {}
        for sight in self._sights.values():
            try:
                now = sight.look()
            except ModelError as error:
                raise _changed(sight, f"now {error}") from None
            except Exception as error:  # the user's own code may run here
                raise _changed(sight, f"fails with {type(error).__name__}: {error}") from None
            if type(now) is not sight.kind or (now is not sight.value and now != sight.value):
                raise _changed(sight, f"is {_told(now)} now")
            enum = now if isinstance(now, EnumType) else sight.kind
            if isinstance(enum, EnumType):
                if enum not in enums:
                    enums[enum] = enum_problem(enum)
                if enums[enum]:
                    raise _changed(sight, f"now {enum.__name__} {enums[enum]}")
        for function, code in self._codes.items():
            if function.__code__ is not code:
                raise ModelError(
                    f"{place_of(function)}: the code of {function.__name__} was replaced after the model was defined; "
                    "replace it before, or define another function"
                )
        for struct in self._structs:
            if problem := struct_problem(struct):
                raise ModelError(f"{declaration_place(struct.__module__, struct.__name__)}: {problem}")


def _told(value: Any) -> str:
    if value is ABSENT:
        return "not there"
    if isinstance(value, FunctionType):
        return f"the function of {place_of(value)}"
    return shown(value)


def _changed(sight: _Sight, now: str) -> ModelError:
    return ModelError(
        f"{place_of(sight.function, sight.line)}: in {sight.function.__name__}: {sight.text} was {_told(sight.value)} "
        f"when the model was defined, and {now}; what a function sees must not change, so give it its last value above "
        "`Model(...)`, or make it a rule, a bound or a field of the state"
    )


def attribute_problem(host: Any, name: str) -> str:
    """Why an attribute may be another one at each look, in words that follow its name; "" if it is not."""
    if is_group(host):
        return rule_problem(host, name)
    if not hasattr(host, name):
        return "is gone"
    if isinstance(host, ModuleType):
        if type(host) is not ModuleType:
            holder = a_or_an(type(host).__name__)
            return f"is an attribute of {holder}, which is no plain module; import the module itself"
        return "" if name in vars(host) else "is made by the module's __getattr__; define it at the top of the module"
    found: Mapping[str, Any] = vars(host)
    if isinstance(host, type):
        held = host.__members__.get(name, resolved(host, name))  # type: ignore[attr-defined]  # an enum
        return "" if held is getattr(host, name) else f"is made by a descriptor of {host.__name__}; make it a member"
    return "" if name in found else "is no attribute of its own; use a global name"
