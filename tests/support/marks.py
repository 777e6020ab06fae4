"""Marks of parameters: which of them are left to `make long`."""

from collections.abc import Container, Iterable

import pytest


def long_but(names: Iterable[str], kept: Container[str]) -> list:
    """The names as parameters, all marked `long` but those `kept`."""
    return [pytest.param(name, marks=[] if name in kept else [pytest.mark.long]) for name in names]
