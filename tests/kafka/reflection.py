"""Java and Scala from Python, where the releases of Kafka differ in names of classes and in parameters.

Constructors and calls are filled by the types of their parameters.
"""

import itertools
from collections.abc import Callable
from typing import Any

import jpype


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


def filled(parameters: Any, values: dict[str, Any]) -> list[Any]:
    """An argument for each parameter: by the name of its type, or from a list if several parameters have that type.

    RuntimeError if there is no value for a type.
    """
    streams = {
        kind: iter(value) if isinstance(value, list) else itertools.repeat(value) for kind, value in values.items()
    }
    arguments = []
    for parameter in parameters:
        kind = str(parameter.getSimpleName())
        if kind not in streams:
            raise RuntimeError(f"a parameter of type {parameter.getName()} has no value; give one for {kind}")
        arguments.append(next(streams[kind]))
    return arguments


def made(kind: Any, **values: Any) -> Any:
    """A new object by its longest public constructor; the arguments by type."""
    constructor = max(kind.class_.getConstructors(), key=lambda each: each.getParameterCount())
    return kind(*filled(constructor.getParameterTypes(), values))


def called(target: Any, name: str, **values: Any) -> Any:
    """What a method returns; the arguments by type. The longest one of that name is called."""
    kind = target if isinstance(target, jpype.JClass) else type(target)
    methods = [each for each in kind.class_.getMethods() if str(each.getName()) == name]
    method = max(methods, key=lambda each: each.getParameterCount())
    return getattr(target, name)(*filled(method.getParameterTypes(), values))


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


def members(values: Any) -> list[int]:
    """The numbers in a set of Scala or Java, in order."""
    numbers, each = [], values.iterator()
    while each.hasNext():
        numbers.append(int(each.next()))
    return sorted(numbers)
