"""Java and Scala from Python, where the releases of Kafka differ in names of classes and in parameters.

Constructors and calls are filled by the types of their parameters.
"""

import functools
import itertools
from collections.abc import Callable
from typing import Any

import jpype


@functools.cache
def found(*names: str) -> Any:
    """The first of some classes that the release has. RuntimeError if it has none of them."""
    for name in names:
        try:
            return jpype.JClass(name)
        except TypeError:
            continue
    raise RuntimeError(f"none of {', '.join(names)} is there; another release may have moved it: add its new name")


def proxy(interface: Any, **methods: Callable[..., Any]) -> Any:
    """An object of a Java interface, whose methods are Python functions."""
    return jpype.JProxy(interface, dict=methods)


def function(call: Callable[..., Any], arguments: int = 1) -> Any:
    """A Scala function."""
    return proxy(f"scala.Function{arguments}", apply=call)


def made(kind: Any, **values: Any) -> Any:
    """A new object by its longest public constructor; the arguments by type."""
    return kind(*_filled(_parameters(kind, None), values))


def called(target: Any, name: str, **values: Any) -> Any:
    """What a method returns; the arguments by type. The longest one of that name is called."""
    kind = target if isinstance(target, jpype.JClass) else type(target)
    return getattr(target, name)(*_filled(_parameters(kind, name), values))


@functools.cache
def _parameters(kind: Any, name: str | None) -> tuple[str, ...]:
    """The types of the parameters of the longest method of that name, or of the longest constructor."""
    members = kind.class_.getConstructors() if name is None else kind.class_.getMethods()
    chosen = [each for each in members if name is None or str(each.getName()) == name]
    longest = max(chosen, key=lambda each: each.getParameterCount())
    return tuple(str(each.getSimpleName()) for each in longest.getParameterTypes())


def _filled(kinds: tuple[str, ...], values: dict[str, Any]) -> list[Any]:
    """An argument for each parameter: by the name of its type, or from a list if several parameters have that type.

    RuntimeError if there is no value for a type.
    """
    streams = {
        kind: iter(value) if isinstance(value, list) else itertools.repeat(value) for kind, value in values.items()
    }
    missing = [kind for kind in kinds if kind not in streams]
    if missing:
        raise RuntimeError(f"a parameter of type {missing[0]} has no value; expected one: give it by that name")
    return [next(streams[kind]) for kind in kinds]


def nothing() -> Any:
    """Scala's None."""
    return jpype.JClass("scala.Option").empty()


def has(name: str) -> bool:
    """Whether the release has a class."""
    try:
        jpype.JClass(name)
    except TypeError:
        return False
    return True


def value_of(option: Any) -> Any:
    """What an option of Scala or Java holds; None if it is empty."""
    return option.get() if (option.isDefined() if hasattr(option, "isDefined") else option.isPresent()) else None


def read(target: Any, name: str) -> Any:
    """A public field, or what the method of that name returns where the release has a record."""
    value = getattr(target, name)
    return value() if callable(value) else value


def numbers_in(values: Any) -> list[int]:
    """The numbers in a set of Scala or Java, in order."""
    numbers, each = [], values.iterator()
    while each.hasNext():
        numbers.append(int(each.next()))
    return sorted(numbers)
