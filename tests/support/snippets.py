"""Modules written by a test into a folder of its own, and imported from there."""

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

_numbers = itertools.count()


def load(folder: Path, text: str, name: str = "snippet") -> ModuleType:
    """The module of this text, imported under a name that no other module has."""
    unique = f"{name}_{next(_numbers)}"
    path = folder / f"{unique}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(unique, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    spec.loader.exec_module(module)
    return module


def line_of(module: ModuleType, mark: str) -> str:
    """The one line of a module that carries the mark, as "file:line:" in the way that messages name places."""
    path = Path(module.__file__ or "")
    lines = path.read_text(encoding="utf-8").splitlines()
    [number] = [number for number, line in enumerate(lines, start=1) if mark in line]
    return f"{path}:{number}:"
