"""A JVM inside the process of a system under test, with the classes of one release of Kafka."""

import functools
import os
from collections.abc import Callable
from typing import Any

import jpype

CLASSES = "KAFKACHECK_CLASSES"
"""The variable that says where the jars and the compiled doors are, separated as a class path is."""
MOVED = (
    "org.apache.kafka.common.utils",
    "org.apache.kafka.common.utils.internals",
    "org.apache.kafka.common.record",
    "org.apache.kafka.common.record.internal",
)
"""Packages between which the releases move classes."""


def started(*more: str) -> None:
    """Start the JVM if it does not run, with these options and the usual ones.

    RuntimeError if nobody said which classes it shall have.
    """
    if jpype.isJVMStarted():
        return
    path = os.environ.get(CLASSES)
    if not path:
        raise RuntimeError(f"{CLASSES} is not set; run this system by `python -m tests.kafka`, which fetches Kafka")
    # The classes log a lot, and Kafka's jars bring no binding for what is written; those of a cluster do.
    options = ("-Xss512k", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    jpype.startJVM(*options, *more, classpath=path.split(os.pathsep), convertStrings=True)


@functools.cache
def java(name: str) -> Any:
    """A class by its full name."""
    return jpype.JClass(name)


@functools.cache
def moved(name: str) -> Any:
    """A class that has another package in other releases, by its own name."""
    for package in MOVED:
        try:
            return jpype.JClass(f"{package}.{name}")
        except TypeError:
            continue
    raise RuntimeError(f"{name} is in none of {', '.join(MOVED)}; another release may have moved it: add the package")


def listed(values: Any) -> Any:
    """A Java list of some values."""
    return java("java.util.ArrayList")(list(values))


def int_list(values: Any) -> Any:
    """A Java list of Integer."""
    boxed = java("java.lang.Integer")
    return listed(boxed(value) for value in values)


def message(name: str, **fields: Any) -> Any:
    """A request or response, or a part of one, by its own name; `fields` are the setters to call."""
    return _filled(f"org.apache.kafka.common.message.{name}", fields)


def record(name: str, **fields: Any) -> Any:
    """A record of the metadata log by its own name; `fields` are the setters to call."""
    return _filled(f"org.apache.kafka.common.metadata.{name}", fields)


def _filled(name: str, fields: dict[str, Any]) -> Any:
    made = java(name)()
    for setter, value in fields.items():
        getattr(made, setter)(int_list(value) if isinstance(value, list) else value)
    return made


def result_of(call: Callable[[], Any]) -> tuple[str, Any]:
    """What a call returns, after the name of Kafka's error: NONE, or that of the ApiException which it threw."""
    try:
        return "NONE", call()
    except java("org.apache.kafka.common.errors.ApiException") as error:
        return str(java("org.apache.kafka.common.protocol.Errors").forException(error).name()), None


def error_name(code: int) -> str:
    """The name of an error code."""
    return str(java("org.apache.kafka.common.protocol.Errors").forCode(code).name())
