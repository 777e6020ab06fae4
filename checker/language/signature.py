"""What functions do, as a hash of their typed form: equal where the code that runs is equal."""

import dataclasses
import hashlib
from collections.abc import Iterable
from typing import Any

from kafkacheck.checker.language.ir import Function
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar


def signature_of(functions: Iterable[Function]) -> str:
    """A hash of the typed form of functions, in their order; their names and lines do not count."""
    known: dict[int, str] = {}
    return _hash(repr([_function(each, known) for each in functions]))


def _function(function: Function, known: dict[int, str]) -> str:
    if id(function) not in known:
        parameters = [local.name for local in function.parameters]
        known[id(function)] = _hash(repr([parameters, _plain(function.body, known)]))
    return known[id(function)]


def _plain(form: Any, known: dict[int, str]) -> Any:
    """Typed form as tuples of plain values; types of the schema are told by their place in it."""
    match form:
        case Function():
            return _function(form, known)
        case tuple():
            return tuple(_plain(each, known) for each in form)
        case Record():
            return form.struct.__qualname__
        case Scalar() | ArrayOf():
            return repr(form)
    if dataclasses.is_dataclass(form):
        parts = (_plain(getattr(form, each.name), known) for each in dataclasses.fields(form) if each.compare)
        return (type(form).__name__, *parts)
    return repr(form)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
